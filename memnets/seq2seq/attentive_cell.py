"""A recurrent cell that looks at a memory before each step."""

import contextlib
from collections.abc import Iterator
from typing import Any

import keras
from keras import ops, tree

from ..cells.cell_checks import check_wrapped_cell
from ..cells.states import (
    cell_step,
    flat_initial_state,
    flat_state_size,
    output_size,
    packed_states,
)
from ..checks import check_integer
from ..numerics.precision import InnerPrecision, inner_policy, needs_float32
from ..numerics.tensor_checks import Structure, Tensor
from .attention import AdditiveAttention, Attended


@keras.saving.register_keras_serializable("memnets")
class AttentiveCell(InnerPrecision, keras.layers.Layer):
    """A cell whose inputs are joined by what its state attends to: c_i is the context
    of the query s_{i-1}, and s_i = cell([x_i; c_i], s_{i-1}).

    The first entry of the cell's state is the query. The cell puts out [s_i; c_i].

    Keras' recurrent layers have no argument for what is attended to, and it is no
    state, as a step does not change it. The cell is given it for a while, see
    `holding`.

    Args:
        cell: A recurrent cell.
        memory_size: Width of the memory.
        attention_size: Size of the attention's hidden layer.
    Raises:
        ValueError: If `cell` is no cell, or uses dropout, or a size is not a positive
            integer.
    Reference:
        Bahdanau, Cho, Bengio (2015), Neural Machine Translation by Jointly Learning to
        Align and Translate, section 3.1.
    """

    def __init__(
        self, cell: Any, memory_size: int, attention_size: int, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.cell = check_wrapped_cell("cell", cell)
        self.memory_size = check_integer("memory_size", memory_size)
        self.needs_float32 = needs_float32(cell)
        policy = inner_policy(self.dtype_policy, self.needs_float32)
        self.attention = AdditiveAttention(attention_size, dtype=policy)
        self.state_size = cell.state_size
        self.output_size = output_size(cell) + self.memory_size
        self._held: Attended | None = None

    def build(self, input_shape: tuple[int | None, int]) -> None:
        query = flat_state_size(self.cell)[0]
        self.attention.build((None, None, query), (None, None, self.memory_size))
        self.cell.build((*input_shape[:-1], input_shape[-1] + self.memory_size))
        self.built = True

    def get_initial_state(
        self, batch_size: int | Tensor | None = None, training: bool = False
    ) -> list[Structure]:
        """The states of the cell before the first step, tensors `(B, size)`.

        Args:
            batch_size: Number of sequences, B.
            training: Whether the cell randomizes its memory, if it can.
        """
        dtype = self.compute_dtype
        states = flat_initial_state(self.cell, batch_size, dtype, training)
        return packed_states(self.cell, states)

    @contextlib.contextmanager
    def holding(self, attended: Attended) -> Iterator[None]:
        """Lets the cell attend to a memory of B texts. It may then be called with a
        multiple of B rows, those of one text side by side."""
        self._held = attended
        try:
            yield
        finally:
            self._held = None

    def call(self, inputs: Tensor, states: Structure) -> tuple[Tensor, Structure]:
        if self._held is None:  # Keras asks for the shape of the outputs
            context = ops.zeros((ops.shape(inputs)[0], self.memory_size), inputs.dtype)
        else:
            num_texts = ops.shape(self._held.memory)[0]
            query = tree.flatten(states)[0]
            size = query.shape[-1]
            query = ops.reshape(query, (num_texts, -1, size))
            context, _ = self.attention.attend(query, self._held)
            context = ops.reshape(context, (-1, self.memory_size))
        results = self.cell(ops.concatenate([inputs, context], -1), states)
        # A cell of Keras computes in float16 where this one computes in float32.
        output, states = tree.map_structure(
            lambda x: ops.cast(x, self.compute_dtype), results
        )
        return ops.concatenate([output, context], -1), states

    def attention_weights(
        self, inputs: Tensor, states: list, attended: Attended
    ) -> Tensor:
        """How much each step attends to each position of a memory, `(B, T, S)`.

        Args:
            inputs: `(B, T, size)`.
            states: The first states.
            attended: What is attended to.
        """
        weights = []
        with self.holding(attended):
            for position in range(inputs.shape[1]):
                weights.append(self.attention.attend(states[0][:, None], attended)[1])
                _, states = cell_step(self, inputs[:, position], states)
        return ops.concatenate(weights, axis=1)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "cell": keras.saving.serialize_keras_object(self.cell),
            "memory_size": self.memory_size,
            "attention_size": self.attention.units,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentiveCell":
        cell = keras.saving.deserialize_keras_object(config.pop("cell"))
        return cls(cell, **config)
