"""Checks of cells that are arguments of layers and of other cells."""

from typing import Any

import keras

from ..checks import shorten


def check_cell(name: str, value: Any) -> keras.layers.Layer:
    """Returns `value`, a recurrent cell of Keras.

    Raises:
        ValueError: If it is something else.
    """
    if isinstance(value, keras.layers.RNN):
        raise ValueError(
            f"`{name}` must be a cell, such as keras.layers.LSTMCell(100), not a layer "
            f"that runs one. Received: {name}={shorten(value)}"
        )
    if isinstance(value, type) or not callable(value) or not _has_states(value):
        raise ValueError(
            f"`{name}` must be a cell, such as keras.layers.LSTMCell(100). "
            f"Received: {name}={shorten(value)}"
        )
    return value


def check_wrapped_cell(name: str, value: Any) -> keras.layers.Layer:
    """Returns `value`, a recurrent cell that can be a part of another cell.

    Keras renews the dropout masks of a cell only if a layer owns the cell directly. In
    another cell one mask would be kept for ever on TensorFlow, and JAX would fail.

    Raises:
        ValueError: If it is something else, or a cell in it uses dropout.
    """
    for cell in _innermost(check_cell(name, value)):
        if getattr(cell, "dropout", 0) or getattr(cell, "recurrent_dropout", 0):
            raise ValueError(
                f"`{name}` must not use dropout; apply dropout to the inputs or "
                f"outputs of the layer. Received: {name}={cell}"
            )
    return value


def _innermost(cell: keras.layers.Layer) -> list[keras.layers.Layer]:
    """The cells of a stack or a wrapper, which may be nested."""
    parts = getattr(cell, "cells", None) or [getattr(cell, "cell", None)]
    if parts == [None]:
        return [cell]
    return [inner for part in parts for inner in _innermost(part)]


def _has_states(value: object) -> bool:
    return hasattr(value, "state_size") and hasattr(value, "call")
