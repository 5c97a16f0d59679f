"""The options of `memnets score`, and which of them go together."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from .command import BadInput
from .score_output import NumberFormat

SEED = 12345
# Digits after the point that are printed, by the scale.
WIDTHS = {1: 4, 100: 2}


@dataclasses.dataclass(frozen=True)
class ScoreOptions:
    """What was given to `memnets score` beside files. None: an option was not given.

    Attributes:
        metrics: Names of metrics.
        coco: Whether the metrics are those of image captions.
        language: Language of the texts, or a pair.
        settings: Values of `METRIC_OPTIONS` by the name of their parameter.
        split: Images to score, of Karpathy's file.
        test: Name of the test of differences.
        confidence: Confidence of the intervals.
        resamples: Corpora that intervals and tests draw.
        seed: Seed of intervals and tests.
        jobs: Number of processes.
        segments: Whether to print the score of every segment.
        scale: What scores are multiplied by.
        width: Digits after the point.
        score_only: Whether to print numbers alone.
        latex: Whether to print a table for LaTeX.
        as_json: Whether to print JSON.
    """

    metrics: Sequence[str]
    coco: bool
    language: str | None
    settings: Mapping[str, Any]
    split: str | None
    test: str | None
    confidence: float | None
    resamples: int | None
    seed: int | None
    jobs: int
    segments: bool
    scale: str | None
    width: int | None
    score_only: bool
    latex: bool
    as_json: bool

    def arguments(self) -> dict[str, Any]:
        """Arguments of the library for intervals, tests and processes."""
        return {
            "confidence": self.confidence,
            "test": self.test or "bootstrap",
            "resamples": self.resamples,
            "seed": SEED if self.seed is None else self.seed,
            "jobs": self.jobs,
        }

    def number_format(self) -> NumberFormat:
        """How scores are written."""
        scale = int(self.scale or 1)
        return NumberFormat(scale, WIDTHS[scale] if self.width is None else self.width)

    def check(self, has_pairs: bool, option_of_pairs: str) -> None:
        """Raises `BadInput` for options that do not go together.

        Args:
            has_pairs: Whether there are several systems.
            option_of_pairs: The option that gives further systems.
        """
        if self.test and not has_pairs:
            raise BadInput(f"`--test` needs another system: `{option_of_pairs}`.")
        drawn = {"--resamples": self.resamples, "--seed": self.seed}
        for option, value in drawn.items():
            if value is not None and not (has_pairs or self.confidence):
                raise BadInput(
                    f"`{option}` needs `--confidence` or `{option_of_pairs}`."
                )
        if self.segments and not self.as_json and (self.confidence or has_pairs):
            raise BadInput(
                "`--segments` prints no intervals and no tests; with `--json` it does."
            )
        if self.score_only and (self.confidence or self.test):
            raise BadInput("`--score-only` prints no intervals and no tests.")
        self._check_form()

    def _check_form(self) -> None:
        forms = {
            "--segments": self.segments and not self.as_json,
            "--score-only": self.score_only,
            "--latex": self.latex,
            "--json": self.as_json,
        }
        given = [option for option, is_given in forms.items() if is_given]
        if len(given) > 1:
            raise BadInput(f"`{given[0]}` does not go with `{given[1]}`.")
        for option, value in {"--scale": self.scale, "--width": self.width}.items():
            if self.as_json and value is not None:
                raise BadInput(
                    f"`{option}` does not go with `--json`, which has all digits."
                )
