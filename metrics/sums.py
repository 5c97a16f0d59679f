"""The pure half of a metric: the score of a sum of statistics."""

import abc
import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic

import numpy as np

from .checks import shorten
from .scores import ScoreType, signed
from .signatures import shown_setting, version
from .text_checks import check_statistics, is_iterable

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


class ScoreOfSums(abc.ABC, Generic[ScoreType]):
    """The score of summed statistics, and the signature that tells how it was made.

    A subclass counts the statistics, see `base.Metric`.
    """

    name: ClassVar[str]
    # Number of the metric's own statistics, none of which is negative. `score_from`
    # checks its argument against it. `None` leaves that check to `_score`.
    num_statistics: int | None = None

    @abc.abstractmethod
    def _score(self, totals: np.ndarray, segments: int) -> ScoreType:
        """The score of summed statistics, without the signature. A pure function."""

    @abc.abstractmethod
    def _settings(self) -> dict[str, object]:
        """Everything that changes the score, for the signature."""

    def score_from(self, totals: Sequence[float] | np.ndarray) -> ScoreType:
        """The score of summed statistics. A pure function.

        Args:
            totals: The sum of the statistics of segments, a 1-D array.
        Raises:
            TypeError: If `totals` does not hold numbers.
            ValueError: If `totals` is not a 1-D array of finite numbers, does not have
                the number of statistics of the metric, or has no segments.
        """
        if isinstance(totals, np.ndarray) and self._is_sound_sum(totals):
            return self._scored(totals)
        return self._scored(self._checked_statistics("totals", totals, 1))

    def _is_sound_sum(self, totals: np.ndarray) -> bool:
        """Whether `_checked_statistics` would return an array as it is, by a quick look
        that all sums of short segments pass."""
        if self.num_statistics is None or totals.dtype != float:
            return False
        if totals.shape != (NUM_SHARED + self.num_statistics,):
            return False
        values = totals.tolist()
        return values[0] >= 1 and min(values) >= 0 and math.isfinite(sum(values))

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
        return signed(score, _rounded(score.value), self.signature(count))

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

    def signature(self, references: str | int = "any") -> str:
        """One line with all that is needed to compute the same number again.

        Args:
            references: Number of references of each segment, or "var" if it varies.
        """
        settings = {"refs": references, **self._settings(), "v": version()}
        try:
            return _line(self.name, *settings, *settings.values())
        except TypeError:  # a setting that is not hashable
            return _line.__wrapped__(self.name, *settings, *settings.values())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature()}>"


# Typed: True is shown as "yes", 1 as "1". Heuristic: more metrics than are in use.
@functools.lru_cache(maxsize=256, typed=True)
def _line(name: str, *settings: object) -> str:
    """A signature, of the names of settings and then their values."""
    half = len(settings) // 2
    pairs = zip(settings[:half], settings[half:], strict=True)
    return "|".join([name, *(f"{k}:{shown_setting(v)}" for k, v in pairs)])


def _rounded(value: float) -> float:
    """A score as a Python float, 0 if it is closer to 0 than `MIN_SCORE`."""
    return 0.0 if abs(value) < MIN_SCORE else float(value)


def exact_sum(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The sum of arrays of one shape, rounded once.

    Example:
        >>> exact_sum([np.array([1e16]), np.array([1.0]), np.array([-1e16])])
        array([1.])
    """
    stacked = np.stack(arrays)
    if not stacked.size:
        return stacked.sum(axis=0)
    try:
        return np.apply_along_axis(math.fsum, 0, stacked)
    except OverflowError:
        return stacked.sum(axis=0)  # an infinity, which the caller refuses by name
