"""Hochreiter's bound on the error that flows back through a simple network."""

import keras
import numpy as np
from keras import ops

from ..cells.elman import ElmanCell

# The largest slope of each activation.
SLOPES = {"sigmoid": 0.25, "tanh": 1.0, "relu": 1.0, "linear": 1.0}


def hochreiter_bound(cell: keras.layers.Layer, lags: np.ndarray) -> np.ndarray | None:
    """n (f'_max |W|)^q: an error of a simple recurrent network is scaled by at most
    that much on its way q steps back.

    |W| is the largest sum of absolute weights into one unit.

    Args:
        cell: The cell, n units.
        lags: Numbers of steps, q.
    Returns:
        An array like `lags`; None for a cell that is not a simple network.
    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, section 3.1.
    """
    slope = SLOPES.get(getattr(getattr(cell, "activation", None), "__name__", ""))
    simple = type(cell) in (keras.layers.SimpleRNNCell, ElmanCell)
    if not simple or slope is None:
        return None
    weights = np.abs(ops.convert_to_numpy(cell.recurrent_kernel).astype(float))
    # Keras' rows are the units that send.
    largest = weights.sum(axis=0).max()
    with np.errstate(over="ignore"):
        return cell.units * (slope * largest) ** np.asarray(lags, float)
