"""Weights of layers under test: random values that are large enough for every part to
matter, and plain arrays of them for the oracles."""

import numpy as np
import reference


def randomise(layer, seed=0, scale=0.6):
    """Sets every weight of a built layer to normal noise.

    With the weights of the initialisers all heads are nearly equal, and a wrong shift
    direction would not be noticed.
    """
    rng = np.random.default_rng(seed)
    for variable in layer.weights:
        variable.assign(scale * rng.standard_normal(variable.shape))
    return layer


def arrays(layer):
    """Weights of a layer as float64 arrays."""
    return tuple(np.asarray(weight, "float64") for weight in layer.get_weights())


def ntm_weights(cell):
    """Weights of an `NTMCell` for `reference.ntm_run`."""
    return reference.NTMWeights(
        controller=arrays(cell.controller),
        heads=arrays(cell.heads),
        projection=arrays(cell.projection),
    )


def ntm_initial_state(cell):
    """Initial state of an `NTMCell` for `reference.ntm_run`."""
    state = cell.unpack(cell.get_initial_state(batch_size=1))
    return reference.NTMState(
        controller=tuple(np.asarray(x, "float64")[0] for x in state.controller),
        reads=np.asarray(state.reads, "float64")[0],
        weightings=np.asarray(state.weightings, "float64")[0],
        memory=np.asarray(state.memory, "float64")[0],
    )
