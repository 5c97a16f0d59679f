"""The contract of every metric: statistics of segments are added, then scored.

A metric is two functions. `statistics` turns a segment into numbers that may be added.
`score_from` turns their sum into a score. Everything else follows from these two for
all metrics: scores of corpora and sentences, intervals, the tests in `significance.py`,
and the merging of statistics that several machines counted.
"""

import abc
import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from .addition import exact_sum
from .bootstrap import Interval, checked_bootstrap, interval_of, resampled_totals
from .checks import check_integer, shorten
from .signatures import shown_setting, version
from .text_checks import check_corpus, check_segment, check_statistics, is_iterable

Text = str | Sequence[str]

# Segments that are counted together. This bounds the memory of a large corpus.
BLOCK = 4096

# A score closer to 0 than this is given as 0. BLEU of one word against 500 is 1e-217,
# which looks like a mistake. Heuristic: far below any score that prints as nonzero.
MIN_SCORE = 1e-100

# What an array of statistics is, by its number of dimensions.
_SHAPES = {
    1: "1-D array, the sum of statistics of at least one segment",
    2: "2-D array, with the statistics of a segment in each row",
}

# The first statistics of every metric: segments, references, squared references. Their
# sums tell whether all segments have the same number of references.
NUM_SHARED = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class Score:
    """A score and its parts. Each metric adds parts of its own.

    Attributes:
        value: The score. A value closer to 0 than 1e-100 is given as 0.
        signature: All that is needed to compute the same number again.
        interval: Confidence interval, if one was asked for.
    """

    value: float
    signature: str = ""
    interval: Interval | None = None

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        if specification:
            return format(self.value, specification)
        return str(self)

    def __str__(self) -> str:
        text = f"{self.signature.split('|')[0]} {self.value:.4f}"
        if self.interval:
            text += f" [{self.interval.low:.4f}, {self.interval.high:.4f}]"
        return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class MeanScore(Score):
    """The mean of sentence scores, for metrics that define the corpus score so.

    Attributes:
        segments: Number of segments.
    """

    segments: int


ScoreType = TypeVar("ScoreType", bound=Score, covariant=True)


class Metric(abc.ABC, Generic[ScoreType]):
    """A text metric.

    References come first, one list of them for each hypothesis. A string is text, which
    the metric tokenises. A list of strings is tokens.

    A subclass defines `_segment_statistics`, `_score` and `_settings`. It may define
    `_block_statistics` if counting many segments together is faster, `_fit` if a
    statistic depends on the whole corpus, and `_misread` if there are texts whose words
    it does not find.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    # Whether several processes are worth their start for a long corpus.
    slow: ClassVar[bool] = False
    # Number of the metric's own statistics, none of which is negative. `score_from`
    # checks its argument against it. `None` leaves that check to `_score`.
    num_statistics: int | None = None

    @abc.abstractmethod
    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Any
    ) -> Sequence[float]:
        """The metric's own statistics of a checked segment. They may be added."""

    @abc.abstractmethod
    def _score(self, totals: np.ndarray, segments: int) -> ScoreType:
        """The score of summed statistics, without the signature. A pure function."""

    @abc.abstractmethod
    def _settings(self) -> dict[str, object]:
        """Everything that changes the score, for the signature."""

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

    def look_at(self, references: Sequence[Any], *, stacklevel: int = 1) -> None:
        """Warns if the metric does not find the words of most references, which are
        checked. `stacklevel` is as of `warnings.warn`; 1 is the caller."""
        if trouble := self._misread(references):
            warnings.warn(f"{type(self).__name__} {trouble}", stacklevel=stacklevel + 1)

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
            ValueError: If there are no references.
        """
        self._check_segment(references, hypothesis)
        return self._rows([references], [hypothesis])[0]

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

    def score_from(self, totals: Sequence[float] | np.ndarray) -> ScoreType:
        """The score of summed statistics. A pure function.

        Args:
            totals: The sum of the statistics of segments, a 1-D array.
        Raises:
            TypeError: If `totals` does not hold numbers.
            ValueError: If `totals` is not a 1-D array of finite numbers, does not have
                the number of statistics of the metric, or has no segments.
        """
        return self._scored(self._checked_statistics("totals", totals, 1))

    def _checked_statistics(self, name: str, statistics: Any, ndim: int) -> np.ndarray:
        """An array of a sum of statistics (1-D), or of rows of statistics (2-D)."""
        array = check_statistics(name, statistics)
        has_size = array.ndim == ndim and array.size and array.shape[-1] > NUM_SHARED
        if not has_size or (array[..., 0] < 1).any():
            raise ValueError(
                f"`{name}` must be a {_SHAPES[ndim]}. Received: shape {array.shape}"
            )
        if self.num_statistics is not None:
            size = NUM_SHARED + self.num_statistics
            if array.shape[-1] != size or (array < 0).any():
                raise ValueError(
                    f"`{name}` must have the {size} statistics of {self.name}, none "
                    f"below 0. Received: {array.shape[-1]} numbers, the smallest "
                    f"{array.min()}"
                )
        return array

    def _scored(self, totals: np.ndarray) -> ScoreType:
        """The score of checked sums, with its signature."""
        segments, references, squared = totals[:NUM_SHARED].tolist()
        same = segments * squared == references * references
        score = self._score(totals[NUM_SHARED:], int(segments))
        count = f"{references / segments:.0f}" if same else "var"
        return dataclasses.replace(
            score, value=_rounded(score.value), signature=self.signature(count)
        )

    def values_from(self, many_totals: np.ndarray) -> np.ndarray:
        """The values of the scores of many sums, without their parts.

        Args:
            many_totals: Sums of statistics, `(sums, statistics)`.
        Returns:
            Array `(sums,)`.
        """
        return np.array(
            [
                _rounded(self._score(t[NUM_SHARED:], int(t[0])).value)
                for t in many_totals
            ],
            dtype=float,
        )

    def merge(self, totals: Iterable[Sequence[float] | np.ndarray]) -> ScoreType:
        """The score of sums that several machines counted, in any order.

        Args:
            totals: The sum of statistics of each machine.
        Raises:
            TypeError: If the sums do not hold numbers.
            ValueError: If the sums differ in shape or there are none, or as
                `score_from`.
        """
        if not is_iterable(totals):
            raise TypeError(
                f"`totals` must be a list of sums. Received: {shorten(totals)}"
            )
        arrays = [check_statistics("totals", total) for total in totals]
        shapes = [array.shape for array in arrays]
        if len(set(shapes)) != 1:
            raise ValueError(
                "`totals` must be sums of statistics of one shape. Received shapes: "
                f"{shorten(shapes)}"
            )
        return self.score_from(exact_sum(arrays))

    def sentence_score(self, references: Sequence[Text], hypothesis: Any) -> ScoreType:
        """The score of one segment.

        Args:
            references: The references of the segment.
            hypothesis: The text to score.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
            ValueError: If there are no references.
        """
        statistics = self.statistics(references, hypothesis)
        first = references[0] if references else ""
        if isinstance(first, str) and not first.isascii():
            self.look_at([references], stacklevel=2)
        return self.score_from(statistics)

    def sentence_scores(
        self, references: Sequence[Sequence[Text]], hypotheses: Sequence[Any]
    ) -> list[ScoreType]:
        """The scores of many segments, one for each.

        Raises:
            TypeError, ValueError: As `corpus_score`.
        """
        rows = self.fitted(references, hypotheses)._rows(references, hypotheses)
        return [self._scored(row) for row in rows]

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

    def signature(self, references: str | int = "any") -> str:
        """One line with all that is needed to compute the same number again.

        Args:
            references: Number of references of each segment, or "var" if it varies.
        """
        settings = {"refs": references, **self._settings(), "v": version()}
        shown = (f"{k}:{shown_setting(v)}" for k, v in settings.items())
        return "|".join([self.name, *shown])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature()}>"


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


def _rounded(value: float) -> float:
    """A score as a Python float, 0 if it is closer to 0 than `MIN_SCORE`."""
    return 0.0 if abs(value) < MIN_SCORE else float(value)
