"""The contract of every metric: statistics of segments are added, then scored.

A metric is two functions. `statistics` turns a segment into numbers that may be added.
`score_from` turns their sum into a score. Everything else follows from these two for
all metrics: scores of corpora and sentences, intervals, the tests in `significance.py`,
and the merging of statistics that several machines counted.
"""

import abc
import dataclasses
import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from .bootstrap import checked_bootstrap, interval_of, resampled_totals
from .checks import check_integer, shorten, unknown_argument
from .scores import ScoreType
from .sums import ScoreOfSums
from .text_checks import check_corpus, check_segment

Text = str | Sequence[str]

# Segments that are counted together. This bounds the memory of a large corpus.
BLOCK = 4096


class Metric(ScoreOfSums[ScoreType]):
    """A text metric.

    References come first, one list of them for each hypothesis. A string is text, which
    the metric tokenises. A list of strings is tokens.

    A subclass defines `_segment_statistics`, `_score` and `_settings`. It may define
    `_block_statistics` if counting many segments together is faster, `_fit` if a
    statistic depends on the whole corpus, `_misread` if there are texts whose words it
    does not find, and `_misjudged` if scores of single segments may mislead.
    """

    higher_is_better: ClassVar[bool] = True
    # Whether several processes are worth their start for a long corpus.
    slow: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            setattr(cls, "__init__", naming_arguments(cls.__init__))  # noqa: B010

    @abc.abstractmethod
    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Any
    ) -> Sequence[float]:
        """The metric's own statistics of a checked segment. They may be added."""

    def _check(
        self,
        references: Sequence[Any],
        hypotheses: Sequence[Any],
        name: str = "hypotheses",
    ) -> None:
        check_corpus(references, hypotheses, name)

    def _check_segment(self, references: Sequence[Any], hypothesis: Any) -> None:
        check_segment(references, hypothesis)

    def _block_statistics(
        self, references: Sequence[Sequence[Text]], hypotheses: Sequence[Any]
    ) -> np.ndarray:
        """The metric's own statistics of checked segments, a row each."""
        rows = map(self._segment_statistics, references, hypotheses)
        return np.array(list(rows), dtype=float)

    def _fit(self, references: Sequence[Sequence[Text]]) -> Self:
        """`fitted` for checked references."""
        return self

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        """What the metric does not find in checked references, without the subject."""
        return None

    def _misjudged(self, scores: Sequence[ScoreType]) -> str | None:
        """What is wrong with scores of single segments, without the subject."""
        return None

    def look_at(self, references: Sequence[Any], *, stacklevel: int = 1) -> None:
        """Warns if the metric does not find the words of most references, which are
        checked. `stacklevel` is as of `warnings.warn`; 1 is the caller."""
        if trouble := self._misread(references):
            warnings.warn(f"{type(self).__name__} {trouble}", stacklevel=stacklevel + 1)

    def _look_at_scores(
        self, references: Sequence[Any], scores: Sequence[ScoreType]
    ) -> None:
        """Warns the caller's caller if scores of single segments may mislead, unless
        `look_at` has told a reason."""
        trouble = self._misjudged(scores)
        if trouble and not self._misread(references):
            warnings.warn(f"{type(self).__name__} {trouble}", stacklevel=3)

    def fitted(
        self, references: Sequence[Sequence[Text]], hypotheses: Sequence[Any]
    ) -> Self:
        """Returns the metric with what it needs to know of a whole corpus.

        Most metrics need nothing and return themselves.

        Raises:
            TypeError, ValueError: As `corpus_score`.
        """
        self._check(references, hypotheses)
        self.look_at(references, stacklevel=3)
        return self._fit(references)

    def statistics(self, references: Sequence[Text], hypothesis: Any) -> np.ndarray:
        """Statistics of one segment, a 1-D array. Their sums go to `score_from`.

        Args:
            references: The references of the segment.
            hypothesis: The text to score.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
            ValueError: If there are no references, or a list of one token is a text.
        """
        self._check_segment(references, hypothesis)
        count = len(references)
        own = self._segment_statistics(references, hypothesis)
        return np.array([1, count, count * count, *own], dtype=float)

    def corpus_statistics(
        self,
        references: Sequence[Sequence[Text]],
        hypotheses: Sequence[Any],
        *,
        jobs: int = 1,
    ) -> np.ndarray:
        """Statistics of many segments, `(segments, statistics)`.

        Args:
            references: One list of references for each hypothesis.
            hypotheses: The texts to score.
            jobs: Number of processes; see `metrics.parallel`.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
            ValueError: If the lengths differ, or there is nothing to score.
        """
        self._check(references, hypotheses)
        return self._rows(references, hypotheses, jobs)

    def _rows(
        self,
        references: Sequence[Sequence[Text]],
        hypotheses: Sequence[Any],
        jobs: int = 1,
    ) -> np.ndarray:
        jobs = check_integer("jobs", jobs)
        if jobs > 1:
            from .parallel import statistics_in_processes

            return np.concatenate(
                list(statistics_in_processes(self, references, hypotheses, jobs))
            )
        blocks = []
        for start in range(0, len(hypotheses), BLOCK):
            block = references[start : start + BLOCK]
            counts = np.array([len(r) for r in block], dtype=float)
            shared = [np.ones(len(block)), counts, counts * counts]
            rows = self._block_statistics(block, hypotheses[start : start + BLOCK])
            blocks.append(np.column_stack([*shared, rows]))
        return np.concatenate(blocks)

    def sentence_score(self, references: Sequence[Text], hypothesis: Any) -> ScoreType:
        """The score of one segment.

        For BLEU, make the metric with `BLEU(effective_order=True)`: without it a text
        of fewer than four words scores 0, and a warning says so.

        Args:
            references: The references of the segment.
            hypothesis: The text to score.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
            ValueError: If there are no references, or a list of one token is a text.
        """
        statistics = self.statistics(references, hypothesis)
        first = references[0] if references else ""
        if isinstance(first, str) and not first.isascii():
            self.look_at([references], stacklevel=2)
        score = self.score_from(statistics)
        self._look_at_scores([references], [score])
        return score

    def sentence_scores(
        self, references: Sequence[Sequence[Text]], hypotheses: Sequence[Any]
    ) -> list[ScoreType]:
        """The scores of many segments, one for each.

        For BLEU, make the metric with `BLEU(effective_order=True)`, as for
        `sentence_score`.

        Raises:
            TypeError, ValueError: As `corpus_score`.
        """
        rows = self.fitted(references, hypotheses)._rows(references, hypotheses)
        scores = [self._scored(row) for row in rows]
        self._look_at_scores(references, scores)
        return scores

    def corpus_score(
        self,
        references: Sequence[Sequence[Text]],
        hypotheses: Sequence[Any],
        *,
        confidence: float | None = None,
        resamples: int = 1000,
        seed: int = 12345,
        jobs: int = 1,
    ) -> ScoreType:
        """The score of a corpus.

        Args:
            references: One list of references for each hypothesis.
            hypotheses: The texts to score.
            confidence: Share of the resampled scores inside the interval, such as 0.95.
                `None` means no interval.
            resamples: Number of resampled corpora for the interval.
            seed: Seed of the resampling.
            jobs: Number of processes; see `metrics.parallel`.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
            ValueError: If the lengths differ, there is nothing to score, or an argument
                is out of its range.
        """
        bootstrap = checked_bootstrap(confidence, resamples, seed)
        rows = self.fitted(references, hypotheses)._rows(references, hypotheses, jobs)
        return self._score_with_interval(rows, *bootstrap)

    def score_rows(
        self,
        rows: np.ndarray,
        *,
        confidence: float | None = None,
        resamples: int = 1000,
        seed: int = 12345,
    ) -> ScoreType:
        """The score of a corpus from the rows of `corpus_statistics`.

        Args:
            rows: Statistics, `(segments, statistics)`.
            confidence, resamples, seed: As of `corpus_score`.
        Raises:
            TypeError: If `rows` does not hold numbers.
            ValueError: If an argument is out of its range.
        """
        bootstrap = checked_bootstrap(confidence, resamples, seed)
        rows = self._checked_statistics("rows", rows, 2)
        return self._score_with_interval(rows, *bootstrap)

    def _score_with_interval(
        self, rows: np.ndarray, confidence: float | None, resamples: int, seed: int
    ) -> ScoreType:
        score = self._scored(rows.sum(axis=0))
        if confidence is None:
            return score
        values = self.values_from(resampled_totals(rows, resamples, seed))
        interval = interval_of(values, confidence, resamples, seed)
        return dataclasses.replace(score, interval=interval)


def naming_arguments(constructor: Callable[..., None]) -> Callable[..., None]:
    """A constructor, with an error for an unknown argument that names the known."""
    _, *parameters = inspect.signature(constructor).parameters.values()
    known = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
    takes_all = len(known) < len(parameters)

    @functools.wraps(constructor)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in known and not takes_all:
                raise TypeError(unknown_argument(type(self).__name__, name, known))
        constructor(self, *args, **kwargs)

    return init


def check_metric(metric: object) -> None:
    """Checks that an argument is a metric.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(metric, Metric):
        raise TypeError(
            "`metric` must be a metric such as `BLEU()`. Received: "
            f"metric={shorten(metric)}"
        )
