"""Stacks, queues, deques or lists as a memory: state, heads and rule."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from ..checks import check_boolean, check_choice, check_number
from ..memory.base import Memory
from ..memory.tracing import MemoryTrace
from ..numerics.tensor_checks import Tensor, check_size
from . import head_parameters, rules
from .head_parameters import StackParameters


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


@dataclasses.dataclass(frozen=True, kw_only=True)
class StackMemory(Memory):
    """Stacks, queues, deques or lists. The arguments are documented in `StackRNN`."""

    state_class = StackState
    default_controller = "feedforward"
    rows_last = True
    places = "depth"

    kind: str = "stack"
    num_stacks: int = 2
    depth: int = 64
    element_size: int = 8
    read_depth: int = 2
    round_actions: bool = False
    noise: float = 0.0
    pop_bias: float = 0.0

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, rules.KINDS)
        self.check_sizes("num_stacks", "depth", "element_size")
        check_size(
            "num_stacks * depth * (1 + element_size)",
            self.num_stacks * self.depth * (1 + self.element_size),
        )
        self.check_sizes("read_depth")
        most = self.depth - rules.first_read(self.kind, self.depth)
        if self.read_depth > most:
            raise ValueError(
                f"`read_depth` must be at most {most} for a {self.kind} of "
                f"{self.depth} places. Received: read_depth={self.read_depth}"
            )
        pop_bias = float(check_number("pop_bias", self.pop_bias))
        if pop_bias and not any(self._pops):
            raise ValueError(
                f"`pop_bias` must be 0 for a {self.kind}, which has no action that "
                f"pops. Received: pop_bias={self.pop_bias}"
            )
        self.set_checked(
            round_actions=check_boolean("round_actions", self.round_actions),
            noise=float(check_number("noise", self.noise, minimum=0)),
            pop_bias=pop_bias,
        )

    @property
    def action_names(self) -> tuple[str, ...]:
        """The actions, in the order of their probabilities."""
        return tuple(rules.KINDS[self.kind])

    @property
    def _pops(self) -> list[bool]:
        """Whether each action removes an element."""
        return [name.startswith("pop") for name in self.action_names]

    @property
    def noise_size(self) -> int:
        """Numbers of noise of one step, one for each action of each stack."""
        return self.num_stacks * len(self.action_names)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        width = 1 + self.element_size
        reads = rules.num_reads(self.kind, self.read_depth)
        return {
            "reads": (self.num_stacks, reads, width),
            "dropped": (self.num_stacks,),
            "memory": (self.num_stacks, self.depth, width),
        }

    @property
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        return {
            "actions": (self.num_stacks, len(self.action_names)),
            "element": (self.num_stacks, self.element_size),
        }

    @property
    def head_biases(self) -> dict[str, Any]:
        return {"actions": np.where(self._pops, self.pop_bias, 0.0)}

    def parameters(self, raw: dict[str, Tensor]) -> StackParameters:
        return head_parameters.parameters(raw)

    def split_rounded(self, raw: Tensor) -> StackParameters:
        """As `split`, but the most probable action has all the probability."""
        parameters = self.split(raw)
        return parameters._replace(actions=rules.rounded(parameters.actions))

    def access(
        self, parameters: StackParameters, state: StackState
    ) -> tuple[Tensor, StackState]:
        actions, element = parameters
        dropped = state.dropped + rules.dropped(self.kind, state.memory, actions)
        places = rules.update(self.kind, state.memory, actions, element)
        reads = rules.read(self.kind, places, self.read_depth)
        reads = ops.swapaxes(reads, -1, -2)
        return reads, state._replace(dropped=dropped, memory=places)

    def trace(self, parameters: StackParameters, state: StackState) -> MemoryTrace:
        actions, places = parameters.actions, state.memory
        if self.round_actions:
            actions = ops.convert_to_numpy(rules.rounded(actions))
        names = [self.kind]
        if self.num_stacks > 1:
            names = [f"{self.kind} {index + 1}" for index in range(self.num_stacks)]
        listed = ",\n".join(self.action_names)
        first = rules.first_read(self.kind, self.depth)
        what = "head" if self.kind == "list" else "front"
        row_values, step_values = [], []
        for index, name in enumerate(names):
            of_stack = places[:, :, index]
            row_values.append((f"{name}\nfilled", of_stack[..., 0]))
            step_values.append((f"{name}\n{listed}", actions[:, :, index]))
            step_values.append((f"{name}\n{what}", of_stack[:, :, first, 1:]))
        # `(B, T, S, P, 1 + E)`, with all stacks beside each other.
        rows = np.swapaxes(places, 2, 3)
        return MemoryTrace(
            heads=[],
            memory=rows.reshape(*rows.shape[:3], -1),
            row_values=tuple(row_values),
            step_values=tuple(step_values),
        )
