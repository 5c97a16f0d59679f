"""A cell whose start is learned."""

from typing import Any

import keras
from keras import ops

from ..numerics.precision import InnerPrecision, needs_float32
from ..numerics.tensor_checks import Shape, Tensor
from .cell_checks import check_wrapped_cell
from .states import cell_step, flat_initial_state, flat_state_size, output_size


@keras.saving.register_keras_serializable("memnets")
class LearnedStart(InnerPrecision, keras.layers.Layer):
    """Any cell, with a weight in place of each vector of its initial state.

    The weights begin at zero; a cell that begins elsewhere adds its own start. A layer
    that shall use them after `reset_state` is `memnets.MemoryRNN`.

    Args:
        cell: A Keras cell with vector states.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, those of the cell in a flat list.
    Returns:
        `(output, states)`, those of the cell.
    Raises:
        ValueError: If `cell` is no cell, or uses dropout.
    Example:
        >>> cell = LearnedStart(keras.layers.GRUCell(4))
        >>> layer = keras.layers.RNN(cell)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape), len(layer.trainable_weights)
        ((2, 4), 4)
    """

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(cell, dict):
            cell = keras.saving.deserialize_keras_object(cell)
        self.cell = check_wrapped_cell("cell", cell)
        self.needs_float32 = needs_float32(cell)
        self.state_size = flat_state_size(cell)
        self.output_size = output_size(cell)

    def build(self, input_shape: Shape) -> None:
        if not self.cell.built:
            self.cell.build(input_shape)
        self.starts = [
            self.add_weight(name=f"start_{i}", shape=(size,), initializer="zeros")
            for i, size in enumerate(self.state_size)
        ]

    def get_initial_state(
        self, batch_size: int | Tensor = None, training: bool = False
    ) -> list[Tensor]:
        """The learned start of each sequence, tensors `(B, size)`.

        Args:
            batch_size: Number of sequences, B.
            training: Whether the cell randomizes its memory, if it can.
        """
        dtype = self.compute_dtype
        states = flat_initial_state(self.cell, batch_size, dtype, training)
        if not self.built:  # asked for the shapes alone
            return states
        return [
            state + ops.cast(start, state.dtype)
            for state, start in zip(states, self.starts, strict=True)
        ]

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        output, states = cell_step(self.cell, inputs, states)
        # A cell of Keras computes in float16 where this one computes in float32.
        output, *states = (ops.cast(x, self.compute_dtype) for x in (output, *states))
        return output, states

    def get_config(self) -> dict[str, Any]:
        cell = keras.saving.serialize_keras_object(self.cell)
        return {**super().get_config(), "cell": cell}
