"""Finds and loads the compiled library."""

import ctypes
import functools
import importlib.util
import os

import numpy as np

# What it is compiled for, in the order of `memnets_processor_level`.
LEVELS = {"generic": "any processor", "x86_64_v3": "AVX2", "x86_64_v4": "AVX-512"}


OUT_OF_MEMORY = 2  # status, see `src/kernel.cpp`


@functools.cache
def load():
    """The compiled library for this processor, and what to say of it.

    Returns:
        `(library, description)`; the library is None if there is none that runs, and
        the description says why.
    """
    if os.environ.get("MEMNETS_NATIVE", "1") == "0":
        return None, "MEMNETS_NATIVE=0"
    paths = {level: path for level in LEVELS if (path := _path(level))}
    if "generic" not in paths:
        return None, "it was not built, for lack of a C++ compiler"
    try:
        usable = list(LEVELS)[: _open(paths["generic"]).memnets_processor_level() + 1]
        level = [level for level in usable if level in paths][-1]
        return _open(paths[level]), LEVELS[level]
    except OSError as error:
        return None, f"it could not be loaded: {error}"


def _path(level):
    spec = importlib.util.find_spec(f"memnets.native._kernel_{level}")
    return None if spec is None else spec.origin


def _open(path):
    library = ctypes.CDLL(path)
    pointer, sizes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int64]
    library.memnets_message.restype = ctypes.c_char_p
    library.memnets_message.argtypes = [ctypes.c_int]
    library.memnets_ntm_history_size.restype = ctypes.c_int64
    library.memnets_ntm_history_size.argtypes = sizes
    library.memnets_ntm_forward.argtypes = [*sizes, *[pointer] * 7]
    library.memnets_ntm_backward.argtypes = [*sizes, *[pointer] * 8]
    return library


def features(sizes):
    """Values that the network puts out at each step: its controller's and the reads."""
    return int(sizes[-1]) + int(sizes[3]) * int(sizes[4])


def gates(sizes):
    """Columns of the first cell's matrix."""
    return int(sizes[11]) * (4 if sizes[7] else 1)


def history_size(sizes):
    """Values that a forward pass leaves for the backward pass.

    Raises:
        ValueError: If the sizes are out of range.
    """
    library, _ = load()
    sizes = np.asarray(sizes, "int32")
    size = library.memnets_ntm_history_size(sizes.ctypes.data, sizes.size)
    if size < 0:
        raise ValueError(
            "The batch, the number of steps, the memory and the controller must be "
            f"small enough for the compiled kernel. Received: batch={sizes[0]}, "
            f"steps={sizes[1]}, memory_size={sizes[2]}, word_size={sizes[3]}, heads="
            f"{sizes[4]}+{sizes[5]}, controller_size={tuple(sizes[11:].tolist())}"
        )
    return size


def forward(sizes, inputs, mask, state, weights):
    """Runs the kernel on arrays, float32; an empty mask stands for none.

    Returns:
        `(features, last_state, history)`.
    """
    batch, steps = inputs.shape[:2]
    results = [
        np.empty((batch, steps, features(sizes)), "float32"),
        np.empty(state.shape, "float32"),
        np.empty(history_size(sizes), "float32"),
    ]
    _call("memnets_ntm_forward", sizes, [inputs, mask, state, weights], results)
    return results


def backward(sizes, mask, weights, history, d_features, d_last_state):
    """From the gradients of features and last state to those of all that went in.

    Returns:
        `(d_inputs, d_state, d_weights)`.
    """
    batch, steps = d_features.shape[:2]
    results = [
        np.empty((batch, steps, gates(sizes)), "float32"),
        np.empty(d_last_state.shape, "float32"),
        np.empty(weights.shape, "float32"),
    ]
    arguments = [mask, weights, history, d_features, d_last_state]
    _call("memnets_ntm_backward", sizes, arguments, results)
    return results


def _call(name, sizes, arguments, results):
    library, _ = load()
    # Kept in a list: pointers alone would let contiguous copies go.
    arrays = [*map(np.ascontiguousarray, arguments), *results]
    status = getattr(library, name)(
        sizes.ctypes.data,
        sizes.size,
        *(array.ctypes.data if array.size else None for array in arrays),
    )
    if status:
        error = MemoryError if status == OUT_OF_MEMORY else ValueError
        raise error(library.memnets_message(status).decode())
