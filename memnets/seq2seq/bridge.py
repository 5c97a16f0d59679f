"""How the decoder begins, given how the encoder ended."""

from collections.abc import Sequence
from typing import Any

import keras

from ..cells.states import flat_state_size, free_state_size
from ..ntm.cell import NTMCell
from ..numerics.tensor_checks import Shape, Tensor

BRIDGES = ("learned", "states", "memory", "input", "none")


@keras.saving.register_keras_serializable("memnets")
class Bridge(keras.layers.Layer):
    """The first states of the layers of a decoder.

    - `learned`: every state is tanh(W h), where h is the last output of the encoder;
      of a cell with a memory only those of its controller.
    - `states`: the last states of the encoder, layer by layer; both have equal cells.
    - `memory`: the decoder, a Neural Turing Machine, begins with the memory that the
      encoder, another one, has written, and else as it always begins.
    - `input`: as the decoder always begins, after it has read W h as its first input.
    - `none`: as the decoder always begins.

    Args:
        kind: Which of them.
        sizes: For each layer of the decoder, the sizes of its states, 0 for one that is
            not learned; `learned` only.
        input_size: Width of the decoder's inputs; `input` only.
    Reference:
        Bahdanau, Cho, Bengio (2015), Neural Machine Translation by Jointly Learning to
        Align and Translate, appendix A.2.2, of `learned`; Vinyals, Toshev, Bengio,
        Erhan (2015), Show and Tell, equation 10, of `input`.
    """

    def __init__(
        self, kind: str, sizes: list[list[int]], input_size: int = 0, **kwargs: Any
    ) -> None:
        # States are not rounded to the precision in which the maps compute.
        kwargs.setdefault("autocast", False)
        super().__init__(**kwargs)
        self.kind = kind
        self.input_size = input_size
        self.sizes = sizes if kind == "learned" else []
        policy = self.dtype_policy
        self.first_input = None
        if kind == "input":
            self.first_input = keras.layers.Dense(input_size, dtype=policy)
        self.maps = [
            [keras.layers.Dense(size, "tanh", dtype=policy) for size in layer if size]
            for layer in self.sizes
        ]

    def build(self, last_shape: Shape) -> None:
        for layer in self.maps:
            for dense in layer:
                dense.build(last_shape)
        if self.first_input is not None:
            self.first_input.build(last_shape)
        self.built = True

    def call(self, last: Tensor, ends: list, begins: list) -> list:
        """The first states of each layer of the decoder.

        Args:
            last: Last output of the encoder, `(B, width)`.
            ends: Last states of each layer of the encoder, flat lists.
            begins: How each layer of the decoder would begin by itself.
        """
        if self.kind == "learned":
            return [
                self._learned(last, *parts)
                for parts in zip(self.maps, self.sizes, begins, strict=True)
            ]
        if self.kind == "states":
            return ends
        if self.kind == "memory":
            # The memory is the last of the states of an NTM.
            return [
                [*begin[:-1], end[-1]] for end, begin in zip(ends, begins, strict=True)
            ]
        return begins

    def _learned(
        self,
        last: Tensor,
        maps: Sequence[keras.layers.Dense],
        sizes: Sequence[int],
        begin: Sequence[Tensor],
    ) -> list[Tensor]:
        """The first states of a layer, which would begin with `begin` by itself."""
        learned = (dense(last) for dense in maps)
        return [
            next(learned) if size else state
            for size, state in zip(sizes, begin, strict=True)
        ]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "kind": self.kind,
            "sizes": self.sizes,
            "input_size": self.input_size,
        }


def check_bridge(kind: str, encoder: list, decoder: list) -> str:
    """Returns the kind of a bridge, if these cells can be joined so.

    Raises:
        ValueError: If not.
    """
    if kind not in BRIDGES:
        raise ValueError(
            f"`bridge` must be one of {', '.join(BRIDGES)}. Received: bridge={kind!r}"
        )
    sizes = [[flat_state_size(cell) for cell in cells] for cells in (encoder, decoder)]
    if kind == "states" and sizes[0] != sizes[1]:
        raise ValueError(
            "`bridge` 'states' needs an encoder and a decoder with equal states. "
            f"Received: state sizes {sizes[0]} and {sizes[1]}"
        )
    memories = [
        [
            (cell.memory_size, cell.word_size) if isinstance(cell, NTMCell) else None
            for cell in cells
        ]
        for cells in (encoder, decoder)
    ]
    if kind == "memory" and (memories[0] != memories[1] or not all(memories[0])):
        raise ValueError(
            "`bridge` 'memory' needs Neural Turing Machines with memories of one size "
            "as encoder and as decoder. "
            f"Received: (memory_size, word_size) {memories[0]} and {memories[1]}"
        )
    if kind == "learned" and not any(map(any, map(free_state_size, decoder))):
        raise ValueError(
            "`bridge` 'learned' needs a decoder whose controller has a state; 'none' "
            f"needs nothing. Received: {[type(cell).__name__ for cell in decoder]}"
        )
    return kind
