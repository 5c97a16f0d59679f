"""What may control a memory: named controllers, or any Keras cell."""

import functools

import keras
from keras import tree

from .cells.clipped_lstm import ClippedLSTMCell
from .cells.feedforward import FeedforwardCell
from .checks import check_choice as one_of
from .checks import shorten as shown
from .tensor_checks import cell as check_cell
from .tensor_checks import check_size as integer

CONTROLLERS = {"feedforward": FeedforwardCell, "lstm": keras.layers.LSTMCell}


def get_controller(controller, controller_size, dtype, cell_clip=None):
    """Turns the `controller` argument of a memory network into a cell.

    Args:
        controller: `"feedforward"`, `"lstm"`, a cell, or the configuration of one.
        controller_size: Units of a named controller; a tuple stacks one cell for each
            entry.
        dtype: Data type policy of a named controller.
        cell_clip: Bound of the carries of `"lstm"`; none if None.
    Returns:
        A Keras cell.
    Raises:
        ValueError: If the name is unknown, the object is not a cell with vector states,
            it uses dropout, or `cell_clip` is given for another than `"lstm"`.
    """
    if cell_clip is not None and controller != "lstm":
        raise ValueError(
            "`cell_clip` is for the controller 'lstm': another must be None. "
            f"Received: cell_clip={shown(cell_clip)}, controller={shown(controller)}"
        )
    if isinstance(controller, dict):
        controller = keras.saving.deserialize_keras_object(controller)
    if isinstance(controller, str) or not hasattr(controller, "state_size"):
        cell_class = CONTROLLERS[one_of("controller", controller, CONTROLLERS)]
        if cell_clip is not None:
            cell_class = functools.partial(ClippedLSTMCell, cell_clip=cell_clip)
        sizes = (
            controller_size
            if isinstance(controller_size, (tuple, list))
            else [controller_size]
        )
        cells = [
            cell_class(integer("controller_size", size), dtype=dtype) for size in sizes
        ]
        if not cells:
            raise ValueError(
                f"`controller_size` must not be empty. Received: {controller_size!r}"
            )
        return (
            cells[0]
            if len(cells) == 1
            else keras.layers.StackedRNNCells(cells, dtype=dtype)
        )
    check_cell("controller", controller)
    for cell in _innermost(controller):
        # Keras renews the masks of a cell only if the RNN layer owns it directly: in
        # here one mask would be kept for ever on TensorFlow, and JAX would fail.
        if getattr(cell, "dropout", 0) or getattr(cell, "recurrent_dropout", 0):
            raise ValueError(
                "`controller` must not use dropout; apply dropout to the inputs or "
                f"outputs of the layer. Received: controller={cell}"
            )
    return controller


def _innermost(cell):
    """The cells of a stack, however deep it nests them."""
    if not hasattr(cell, "cells"):
        return [cell]
    return [inner for part in cell.cells for inner in _innermost(part)]


def flat_state_size(cell):
    """Sizes of the vector states of a cell, in one list however deep it nests them."""
    return [
        integer("controller.state_size", size) for size in tree.flatten(cell.state_size)
    ]


def flat_initial_state(cell, batch_size, dtype):
    """Initial states of a cell, each `(B, size)`, in the order of `flat_state_size`."""
    if hasattr(cell, "get_initial_state"):
        states = tree.flatten(cell.get_initial_state(batch_size=batch_size))
    else:
        states = [keras.ops.zeros((batch_size, size)) for size in flat_state_size(cell)]
    return [keras.ops.cast(state, dtype) for state in states]


def output_size(cell):
    """Size of a cell's output."""
    return getattr(cell, "output_size", None) or flat_state_size(cell)[0]
