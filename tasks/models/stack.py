"""The network with stacks that tasks are trained with."""

import dataclasses
from typing import TYPE_CHECKING

from ..checks import check_choice, check_integer, check_number
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class StackModel(ModelConfig):
    """A network with stacks, queues, deques or lists, see `memnets.StackRNN`.

    Args:
        kind: stack, queue, deque or list.
        num_stacks: Number of stacks.
        depth: Number of places of each.
        element_size: Components of an element.
        read_depth: Number of places at the front, or from the head of a list on, that
            the network sees.
        controller: feedforward, lstm or simple-rnn.
        controller_size: Units of the controller.
        round_actions: Whether actions are rounded outside of training.
        noise: Scale of the noise on actions in training.
        pop_bias: Initial bias of the actions that pop.
    """

    kind: str = "stack"
    num_stacks: int = 10
    depth: int = 64
    element_size: int = 1
    read_depth: int = 2
    controller: str = "feedforward"
    controller_size: int = 40
    round_actions: bool = True
    # Tuned: without noise, networks that are right in training are wrong with rounded
    # actions, see docs/recipes.md.
    noise: float = 1.0
    pop_bias: float = 0.0

    name = "stack"
    places = "depth"
    learning_rate = 1e-2
    clip_norm = 1.0
    sequences = 19_200

    def __post_init__(self) -> None:
        sizes = ("num_stacks", "depth", "element_size", "read_depth", "controller_size")
        for name in sizes:
            check_integer(name, getattr(self, name))
        check_choice("kind", self.kind, ("stack", "queue", "deque", "list"))
        check_choice(
            "controller", self.controller, ("feedforward", "lstm", "simple-rnn")
        )
        check_number("noise", self.noise, minimum=0)
        check_number("pop_bias", self.pop_bias)

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        return memnets.StackRNN(units, return_sequences=True, **self.parameters)

    @property
    def signature(self) -> str:
        sizes = f"{self.num_stacks}x{self.depth}x{self.element_size}"
        text = f"{self.name}|{self.kind}:{sizes}|controller:{self.controller}"
        return self.with_controller(text)
