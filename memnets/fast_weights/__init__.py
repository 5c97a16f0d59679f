"""Fast weights: a matrix that is written at keys and read at queries."""

from .cell import FastWeightsCell, FastWeightsState
from .layer import FastWeights

__all__ = ["FastWeights", "FastWeightsCell", "FastWeightsState"]
