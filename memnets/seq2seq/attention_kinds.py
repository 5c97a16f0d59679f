"""When a decoder attends: never, after its recurrence, or before each of its steps."""

import contextlib
from contextlib import AbstractContextManager
from typing import Any, Protocol

import keras

from ..cells.states import output_size
from ..numerics.precision import inner_policy, needs_float32
from ..numerics.tensor_checks import Tensor
from .attention import Attended, Encoded, GeneralAttention
from .attentive_cell import AttentiveCell


class AttentionKind(Protocol):
    """What the layers of a decoder are, and what they see of a memory.

    Attributes:
        layer: The attention, if it is a layer beside the decoder.
        width: What it adds to the outputs of the decoder.
    """

    layer: Any
    width: int

    def wrap(self, layer: keras.layers.Layer) -> keras.layers.RNN:
        """A layer of the decoder with this attention, given one without."""

    def prepare(self, memory: Tensor, mask: Tensor | None) -> Attended | None:
        """What the decoder attends to, given what was read at each position."""

    def holding(self, attended: Attended | None) -> AbstractContextManager[None]:
        """A context in which the layers of the decoder can be called."""

    def contexts(self, outputs: Tensor, attended: Attended | None) -> list[Tensor]:
        """What is joined to the outputs of the decoder."""

    def weights(
        self, network: keras.Model, embedded: Tensor, encoded: Encoded
    ) -> Tensor:
        """The weights of each step `(B, T, S)` of a network, given what its decoder
        reads and what was encoded."""


class NoAttention:
    """The decoder begins with what was read, and sees no more of it."""

    layer: Any = None
    width = 0

    def __init__(self, memory_size: int, policy: Any) -> None:
        self._memory_size, self._policy = memory_size, policy

    def wrap(self, layer: keras.layers.Layer) -> keras.layers.RNN:
        return layer

    def prepare(self, memory: Tensor, mask: Tensor | None) -> Attended | None:
        return None

    def holding(self, attended: Attended | None) -> AbstractContextManager[None]:
        return contextlib.nullcontext()

    def contexts(self, outputs: Tensor, attended: Attended | None) -> list[Tensor]:
        return []

    def weights(
        self, network: keras.Model, embedded: Tensor, encoded: Encoded
    ) -> Tensor:
        raise ValueError(
            "`attention` must be general or additive: without attention there are "
            "no weights. Received: attention='none'"
        )


class AttentionAfter(NoAttention):
    """After the recurrence, of which any layers can be: Luong, Pham, Manning (2015)."""

    def __init__(self, memory_size: int, policy: Any) -> None:
        super().__init__(memory_size, policy)
        self.layer = GeneralAttention(dtype=policy)
        self.width = memory_size

    def prepare(self, memory: Tensor, mask: Tensor | None) -> Attended | None:
        return self.layer.attended(memory, mask)

    def contexts(self, outputs: Tensor, attended: Attended | None) -> list[Tensor]:
        return [self.layer.attend(outputs, attended)[0]]

    def weights(
        self, network: keras.Model, embedded: Tensor, encoded: Encoded
    ) -> Tensor:
        outputs = network._decode(embedded, encoded, False)
        return self.layer.attend(outputs, encoded.attended)[1]


class AttentionBefore(NoAttention):
    """Before each step, by the cell: Bahdanau, Cho, Bengio (2015)."""

    def wrap(self, layer: keras.layers.Layer) -> keras.layers.RNN:
        cell = type(layer.cell).from_config(layer.cell.get_config())
        policy = layer.dtype_policy
        self._cell: Any = AttentiveCell(
            cell, self._memory_size, output_size(cell), dtype=policy
        )
        return keras.layers.RNN(
            self._cell,
            return_sequences=True,
            return_state=True,
            unroll=layer.unroll,
            zero_output_for_mask=layer.zero_output_for_mask,
            # It rounds first states to its own precision. A MemoryRNN would not, but
            # Keras saves layers in a list by their classes, and saved networks have
            # this one.
            dtype=inner_policy(policy, needs_float32(cell)),
        )

    def prepare(self, memory: Tensor, mask: Tensor | None) -> Attended | None:
        return self._cell.attention.attended(memory, mask)

    def holding(self, attended: Attended | None) -> AbstractContextManager[None]:
        return self._cell.holding(attended)

    def weights(
        self, network: keras.Model, embedded: Tensor, encoded: Encoded
    ) -> Tensor:
        return self._cell.attention_weights(
            embedded, encoded.states[0], encoded.attended
        )


# By the names of the argument `attention`.
ATTENTIONS: dict[str, type] = {
    "none": NoAttention,
    "general": AttentionAfter,
    "additive": AttentionBefore,
}
