"""Sums that do not depend on the order in which they are added."""

import math
from collections.abc import Sequence

import numpy as np


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
