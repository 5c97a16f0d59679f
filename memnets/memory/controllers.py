"""The controllers of a memory: from a name, or any Keras cell."""

import functools
from collections.abc import Sequence
from typing import Any

import keras

from ..cells.cell_checks import check_wrapped_cell
from ..cells.clipped_lstm import ClippedLSTMCell
from ..cells.feedforward import FeedforwardCell
from ..checks import shorten
from ..numerics.tensor_checks import check_size

CONTROLLERS = {
    "feedforward": FeedforwardCell,
    "lstm": keras.layers.LSTMCell,
    "simple-rnn": keras.layers.SimpleRNNCell,
}
# Graves, Wayne, Danihelka (2014), Tables 1 and 2.
DEFAULT_SIZE = 100


def get_controller(
    controller: str | dict[str, Any] | keras.layers.Layer,
    controller_size: int | Sequence[int] | None,
    dtype: str | keras.DTypePolicy,
    cell_clip: float | None = None,
) -> keras.layers.Layer:
    """Turns the `controller` argument of a memory network into a cell.

    Args:
        controller: `"feedforward"`, `"lstm"`, `"simple-rnn"`, a cell, or the
            configuration of one.
        controller_size: Units of a named controller; a tuple stacks one cell for each
            entry. None for a cell.
        dtype: Data type policy of a named controller.
        cell_clip: Bound of the carries of `"lstm"`; None for no bound.
    Returns:
        A Keras cell.
    Raises:
        ValueError: If the name is unknown, the object is not a cell with vector states
            or uses dropout, `controller_size` is given for a cell, or `cell_clip` for
            another controller than `"lstm"`.
    """
    if cell_clip is not None and controller != "lstm":
        raise ValueError(
            "`cell_clip` must be None for every controller other than 'lstm'. "
            f"Received: cell_clip={shorten(cell_clip)}, "
            f"controller={shorten(controller)}"
        )
    if isinstance(controller, dict):
        controller = keras.saving.deserialize_keras_object(controller)
    if isinstance(controller, str) and controller in CONTROLLERS:
        return _named_controller(controller, controller_size, dtype, cell_clip)
    if not hasattr(controller, "state_size"):
        names = ", ".join(map(repr, CONTROLLERS))
        raise ValueError(
            f"`controller` must be one of {names}, or a cell such as "
            f"keras.layers.GRUCell(64). Received: controller={shorten(controller)}"
        )
    check_wrapped_cell("controller", controller)
    if controller_size is not None:
        raise ValueError(
            "`controller_size` must be None if `controller` is a cell, which has its "
            f"own size. Received: controller_size={shorten(controller_size)}, "
            f"controller={shorten(controller)}"
        )
    return controller


def _named_controller(
    name: str,
    controller_size: Any,
    dtype: str | keras.DTypePolicy,
    cell_clip: float | None,
) -> keras.layers.Layer:
    cell_class = CONTROLLERS[name]
    if cell_clip is not None:
        cell_class = functools.partial(ClippedLSTMCell, cell_clip=cell_clip)
    sizes = (
        controller_size
        if isinstance(controller_size, (tuple, list))
        else [controller_size]
    )
    cells = [
        cell_class(check_size("controller_size", size), dtype=dtype) for size in sizes
    ]
    if not cells:
        raise ValueError(
            f"`controller_size` must not be empty. Received: {controller_size!r}"
        )
    if len(cells) == 1:
        return cells[0]
    return keras.layers.StackedRNNCells(cells, dtype=dtype)
