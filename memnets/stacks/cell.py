"""One step of a network with stacks, queues, deques or lists, as a Keras cell."""

import functools
from typing import Any, NamedTuple

import keras
from keras import ops

from ..checks import check_boolean, check_choice, check_number
from ..memory.controlled_cell import ControlledCell
from ..numerics.tensor_checks import Tensor, check_size
from . import rules as stack_rules
from .heads import StackHeadLayout


class StackState(NamedTuple):
    """The state of a network with stacks, its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., S, reads, 1 + E)`, what the network sees of each stack, see
            `memnets.stacks.rules.read`.
        dropped: `(..., S)`, how many elements were lost for want of a place.
        memory: `(..., S, P, 1 + E)`, the places, the front first; the head of a list is
            at place `P // 2`. Component 0 says how much a place is filled; it is 1 or 0
            where actions are rounded.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    dropped: Tensor
    memory: Tensor


@keras.saving.register_keras_serializable("memnets")
class StackCell(ControlledCell):
    """One step of a network with stacks, queues, deques or lists.

    1. The controller sees the input and what was read in the previous step.
    2. Its output sets for each stack the probabilities of its actions, and an element
       that may be pushed.
    3. Each stack is updated, see `memnets.stacks.rules`, and read.
    4. The output is a linear function of the controller's output and of the reads.

    `StackRNN` runs it over sequences. The cell follows the contract of
    `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `StackRNN`,
            which passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
        noise: Tensor `(B, noise_size)`, added to what the actions are a softmax of;
            None for no noise. Of a cell with `noise`, it may also follow the inputs,
            `(B, features + noise_size)`. Only `StackRNN` draws it, and hands it over
            so; any other layer that runs the cell has no noise.
        training: Whether this is a step of training, which does not round actions.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `StackRNN`.
    Reference:
        Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
        Recurrent Nets, arXiv:1503.01007, section 3.

        Deviation: the output also sees what is read after the step; in the paper it
        sees the controller only, and so what was read before.
    Example:
        >>> tuple(keras.layers.RNN(StackCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(
        self,
        units: int,
        *,
        kind: str = "stack",
        num_stacks: int = 2,
        depth: int = 64,
        element_size: int = 8,
        read_depth: int = 2,
        round_actions: bool = False,
        noise: float = 0.0,
        pop_bias: float = 0.0,
        controller: Any = "feedforward",
        controller_size: int | tuple[int, ...] | list[int] | None = None,
        input_clip: float | None = None,
        cell_clip: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            controller=controller,
            controller_size=controller_size,
            input_clip=input_clip,
            cell_clip=cell_clip,
            **kwargs,
        )
        self.kind = check_choice("kind", kind, stack_rules.KINDS)
        self.num_stacks = check_size("num_stacks", num_stacks)
        self.depth = check_size("depth", depth)
        self.element_size = check_size("element_size", element_size)
        width = 1 + self.element_size
        check_size(
            "num_stacks * depth * (1 + element_size)",
            self.num_stacks * self.depth * width,
        )
        self.read_depth = check_size("read_depth", read_depth)
        most = self.depth - stack_rules.first_read(kind, self.depth)
        if self.read_depth > most:
            raise ValueError(
                f"`read_depth` must be at most {most} for a {kind} of {depth} places. "
                f"Received: read_depth={read_depth}"
            )
        self.round_actions = check_boolean("round_actions", round_actions)
        self.noise = float(check_number("noise", noise, minimum=0))
        self.pop_bias = self._check_pop_bias(pop_bias)
        self.head_layout = StackHeadLayout(
            self.num_stacks, len(self.action_names), self.element_size
        )
        reads = stack_rules.num_reads(self.kind, self.read_depth)
        self._make_layers(
            StackState,
            {
                "reads": (self.num_stacks, reads, width),
                "dropped": (self.num_stacks,),
                "memory": (self.num_stacks, self.depth, width),
            },
            bias_initializer=self._heads_bias,
        )

    def _check_pop_bias(self, pop_bias):
        checked = float(check_number("pop_bias", pop_bias))
        if checked and not self._pops:
            raise ValueError(
                f"`pop_bias` must be 0 for a {self.kind}, which has no action that "
                f"pops. Received: pop_bias={pop_bias}"
            )
        return checked

    @property
    def _pops(self):
        """The numbers of the actions that remove an element."""
        names = enumerate(self.action_names)
        return [index for index, name in names if name.startswith("pop")]

    def _heads_bias(self, shape, dtype=None):
        bias = self.head_layout.initial_bias(self._pops, self.pop_bias)
        return ops.convert_to_tensor(bias, dtype)

    @property
    def action_names(self) -> tuple[str, ...]:
        """The actions, in the order of their probabilities."""
        return tuple(stack_rules.KINDS[self.kind])

    @property
    def noise_size(self) -> int:
        """Numbers of noise of one step, one for each action of each stack."""
        return self.num_stacks * len(self.action_names)

    def __call__(self, inputs: Tensor, states: list[Tensor], **kwargs: Any) -> Any:
        features = self._features if self.noise else None
        if features and inputs.shape[1:] == (features + self.noise_size,):
            inputs, kwargs["noise"] = inputs[:, :features], inputs[:, features:]
        return super().__call__(inputs, states, **kwargs)

    def call(
        self,
        inputs: Tensor,
        states: list[Tensor],
        noise: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        rounds = self.round_actions and not training
        access = functools.partial(self._access_memory, rounds=rounds)
        shift = None
        if noise is not None:
            others = self.head_layout.size - self.noise_size
            shift = ops.pad(ops.cast(noise, self.compute_dtype), ((0, 0), (0, others)))
        return self._step(inputs, states, access, shift)

    def _access_memory(
        self, raw: Tensor, *parts: Tensor, rounds: bool = False
    ) -> list[Tensor]:
        dropped, places = parts
        actions, element = self.head_layout.split(raw)
        if rounds:
            actions = stack_rules.rounded(actions)
        dropped = dropped + stack_rules.dropped(self.kind, places, actions)
        places = stack_rules.update(self.kind, places, actions, element)
        reads = stack_rules.read(self.kind, places, self.read_depth)
        return [ops.swapaxes(reads, -1, -2), dropped, places]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "kind": self.kind,
            "num_stacks": self.num_stacks,
            "depth": self.depth,
            "element_size": self.element_size,
            "read_depth": self.read_depth,
            "round_actions": self.round_actions,
            "noise": self.noise,
            "pop_bias": self.pop_bias,
        }
