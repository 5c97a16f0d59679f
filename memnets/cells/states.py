"""The states of any Keras cell as a flat list of vectors."""

import inspect

import keras
from keras import tree

from ..numerics.tensor_checks import Structure, Tensor, check_size


def flat_state_size(cell: keras.layers.Layer) -> list[int]:
    """Sizes of the vector states of a cell, which may be nested, as one list."""
    return [
        check_size("controller.state_size", size)
        for size in tree.flatten(cell.state_size)
    ]


def free_state_size(cell: keras.layers.Layer) -> list[int]:
    """As `flat_state_size`, with 0 for states that cannot hold any numbers: those of a
    memory, such as weightings, and the output beside it, which no step reads."""
    if isinstance(cell, keras.layers.StackedRNNCells):
        return [size for part in cell.cells for size in free_state_size(part)]
    sizes = flat_state_size(cell)
    if not hasattr(cell, "unpack"):
        return sizes
    controller = getattr(cell, "controller", None)
    free = [0, *(free_state_size(controller) if controller else [])]
    return free + [0] * (len(sizes) - len(free))


def flat_initial_state(
    cell: keras.layers.Layer,
    batch_size: int | Tensor,
    dtype: str,
    training: bool | None = False,
) -> list[Tensor]:
    """Initial states of a cell, each `(B, size)`, in the order of `flat_state_size`.

    In training they are randomized in a cell that does so, if its `get_initial_state`
    takes `training`.
    """
    if isinstance(cell, keras.layers.StackedRNNCells):
        parts = [
            flat_initial_state(part, batch_size, dtype, training) for part in cell.cells
        ]
        return tree.flatten(parts)
    if not hasattr(cell, "get_initial_state"):
        sizes = flat_state_size(cell)
        return [keras.ops.zeros((batch_size, size), dtype) for size in sizes]
    takes_training = "training" in inspect.signature(cell.get_initial_state).parameters
    options = {"training": training} if takes_training else {}
    states = tree.flatten(cell.get_initial_state(batch_size=batch_size, **options))
    return [keras.ops.cast(state, dtype) for state in states]


def output_size(cell: keras.layers.Layer) -> int:
    """Size of a cell's output."""
    return getattr(cell, "output_size", None) or flat_state_size(cell)[0]


def output_place(cell: keras.layers.Layer) -> int:
    """The index of the last output among the states of `flat_state_size`: 0, or for
    stacked cells that of the first state of the last cell."""
    if not isinstance(cell, keras.layers.StackedRNNCells):
        return 0
    *below, last = cell.cells
    return sum(len(flat_state_size(part)) for part in below) + output_place(last)


def cell_step(
    cell: keras.layers.Layer, inputs: Tensor, states: list[Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """One step of a cell, from and to a flat list of states.

    Args:
        cell: The cell.
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, in the order of `flat_state_size`.
    """
    output, new_states = cell(inputs, packed_states(cell, states))
    return output, tree.flatten(new_states)


def packed_states(cell: keras.layers.Layer, states: list[Tensor]) -> list:
    """States of a flat list as a cell or a recurrent layer takes them: a list, which is
    nested for stacked cells."""
    if isinstance(cell.state_size, int):
        return list(states)
    # Keras wraps the lists of a layer in a class that JAX does not know.
    return _plain(tree.pack_sequence_as(cell.state_size, list(states)))


def _plain(structure: Structure) -> Structure:
    if isinstance(structure, list | tuple):
        return [_plain(part) for part in structure]
    return structure
