"""Reading lists of questions about words, line by line."""

from typing import TYPE_CHECKING

from ..checks import check_number
from ..metrics_package import metrics_module
from ..plain_text import lines_of, name_of, read_text
from .text import Path

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from metrics import Interval

RESAMPLES = 1000  # of an interval: that of `metrics`
SEED = 12345


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, also gzipped.

    Raises:
        ValueError: If it cannot be read, is not text or is empty.
    """
    return lines_of(read_text(path, name_of(path)))


def check_confidence(confidence: float | None) -> float | None:
    """Returns the confidence of an interval; None means no interval.

    Raises:
        ValueError: If it is neither None nor between 0 and 1.
    """
    if confidence is None:
        return None
    return check_number("confidence", confidence, above=0, below=1)


def are_enough(count: int) -> bool:
    """Whether so many answers have an interval: of fewer it is far too narrow."""
    return count >= metrics_module("bootstrap").FEWEST_SEGMENTS


def interval_of(values: "ArrayLike", confidence: float) -> "Interval":
    """The `Interval` of `metrics` that holds a share of resampled scores."""
    bootstrap = metrics_module("bootstrap")
    return bootstrap.interval_of(values, confidence, RESAMPLES, SEED)
