"""The network with a tape that tasks are trained with."""

import dataclasses
from typing import TYPE_CHECKING

from ..checks import check_boolean, check_choice, check_integer
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class TapeModel(ModelConfig):
    """A network with a tape, see `memnets.TapeRNN`.

    Args:
        memory_size: Number of cells, N.
        word_size: Components of a cell, W.
        writer_size: Units of each of the two layers that make a word.
        jumps: Whether the head can jump by the length of the input.
        length_features: The length of the input is the number of steps at which one of
            the first so many features is not 0; 0 for all steps.
        controller: simple-rnn, lstm or feedforward.
        controller_size: Units of the controller.
        round_moves: Whether moves are rounded outside of training.
    """

    memory_size: int = 128
    word_size: int = 8
    writer_size: int = 64
    jumps: bool = False
    length_features: int = 0
    controller: str = "simple-rnn"
    controller_size: int = 256
    round_moves: bool = False

    name = "tape"
    places = "memory_size"
    learning_rate = 1e-3
    clip_norm = 1.0

    def __post_init__(self) -> None:
        for name in ("memory_size", "word_size", "writer_size", "controller_size"):
            check_integer(name, getattr(self, name))
        check_integer("length_features", self.length_features, minimum=0)
        check_choice(
            "controller", self.controller, ("simple-rnn", "lstm", "feedforward")
        )
        for name in ("jumps", "round_moves"):
            check_boolean(name, getattr(self, name))

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        given = self.parameters
        writer_size, counted = given.pop("writer_size"), given.pop("length_features")
        return memnets.TapeRNN(
            units,
            writer_sizes=(writer_size, writer_size),
            length_features=(counted or None) if self.jumps else None,
            return_sequences=True,
            **given,
        )

    @property
    def signature(self) -> str:
        sizes = f"N:{self.memory_size}|W:{self.word_size}"
        jumps = "|jumps" if self.jumps else ""
        text = f"{self.name}|{sizes}{jumps}|controller:{self.controller}"
        return self.with_controller(text)
