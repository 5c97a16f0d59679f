"""The states of any Keras cell as a flat list of vectors."""

from typing import Any

import keras
from keras import tree

from ..tensor_checks import Tensor, check_size


def flat_state_size(cell: Any) -> list[int]:
    """Sizes of the vector states of a cell, which may be nested, as one list."""
    return [
        check_size("controller.state_size", size)
        for size in tree.flatten(cell.state_size)
    ]


def flat_initial_state(cell: Any, batch_size: Any, dtype: str) -> list[Tensor]:
    """Initial states of a cell, each `(B, size)`, in the order of `flat_state_size`."""
    if hasattr(cell, "get_initial_state"):
        states = tree.flatten(cell.get_initial_state(batch_size=batch_size))
    else:
        states = [keras.ops.zeros((batch_size, size)) for size in flat_state_size(cell)]
    return [keras.ops.cast(state, dtype) for state in states]


def output_size(cell: Any) -> int:
    """Size of a cell's output."""
    return getattr(cell, "output_size", None) or flat_state_size(cell)[0]


def output_place(cell: Any) -> int:
    """Which of the states of `flat_state_size` is the last output: the first one, of
    cells that are stacked that of the last cell."""
    if not isinstance(cell, keras.layers.StackedRNNCells):
        return 0
    *below, last = cell.cells
    return sum(len(flat_state_size(part)) for part in below) + output_place(last)


def cell_step(
    cell: Any, inputs: Tensor, states: list[Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """One step of a cell, from and to a flat list of states.

    Args:
        cell: The cell.
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, in the order of `flat_state_size`.
    """
    single = isinstance(cell.state_size, int)
    structure = [cell.state_size] if single else cell.state_size
    output, new_states = cell(inputs, tree.pack_sequence_as(structure, list(states)))
    return output, tree.flatten(new_states)
