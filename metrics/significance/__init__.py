"""Whether systems differ by more than chance."""

from .paired_test import PairedTest
from .partial_sums import Sums, merge_sums, score_sums, sums
from .tests import (
    approximate_randomization,
    approximate_randomization_of_sums,
    paired_bootstrap,
    paired_bootstrap_of_sums,
)

__all__ = [
    "PairedTest",
    "Sums",
    "approximate_randomization",
    "approximate_randomization_of_sums",
    "merge_sums",
    "paired_bootstrap",
    "paired_bootstrap_of_sums",
    "score_sums",
    "sums",
]
