"""How a controller's output becomes a word to write and the moves of the head."""

from typing import Any, NamedTuple

import keras
from keras import ops

from ..memory.addressing import softmax
from ..numerics.tensor_checks import Shape, Tensor


class TapeParameters(NamedTuple):
    """What a network does to the tape.

    Attributes:
        moves: `(B, 1, A)`, probabilities of `memnets.tapes.rules.MOVES`. Softmax.
        word: `(B, 1, W)`, what replaces the cell under the head.
    """

    moves: Tensor
    word: Tensor


def parameters(raw: dict[str, Tensor]) -> TapeParameters:
    """Squashes raw values `(B, 1, values)`."""
    return TapeParameters(moves=softmax(raw["moves"]), word=raw["word"])


class TapeHeads(keras.layers.Layer):
    """The raw parameters: moves by a dense layer, the word by a small network.

    Args:
        num_moves: Number of moves, A.
        word_size: Components of a word, W.
        writer_sizes: Sizes of the rectified layers before the word.
        kernel_initializer: Of all matrices.
    """

    def __init__(
        self,
        num_moves: int,
        word_size: int,
        writer_sizes: tuple[int, ...],
        *,
        kernel_initializer: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)

        def dense(size: int, **options: Any) -> keras.layers.Layer:
            return keras.layers.Dense(
                size,
                kernel_initializer=kernel_initializer,
                dtype=self.dtype_policy,
                **options,
            )

        self.writer = [
            dense(size, activation="relu", name=f"writer_{index}")
            for index, size in enumerate(writer_sizes)
        ]
        self.word = dense(word_size, name="word")
        self.moves = dense(num_moves, name="moves")

    def build(self, input_shape: Shape) -> None:
        size = input_shape[-1]
        layers = [(self.moves, size)]
        for layer in (*self.writer, self.word):
            layers.append((layer, size))
            size = layer.units
        for layer, inputs in layers:
            if not layer.built:
                layer.build((None, inputs))

    def call(self, hidden: Tensor) -> Tensor:
        word = hidden
        for layer in (*self.writer, self.word):
            word = layer(word)
        return ops.concatenate([self.moves(hidden), word], axis=-1)
