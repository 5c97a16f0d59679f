"""The state of a memory network: as named tensors and as flat vectors."""

import dataclasses
import math
from typing import Any

from keras import ops

from ..numerics.tensor_checks import Tensor, check_count


@dataclasses.dataclass(frozen=True)
class StateLayout:
    """How the state of a memory network lies in flat vectors, the output first.

    Flat vectors are the only form of state that `return_state`, `Bidirectional` and
    masks support on every backend. The memory is stored as `(W, N)`: processors are
    fast at a long last axis. Where only a few rows are read, it is stored as `(N, W)`.

    Attributes:
        state_class: The class of the named state, such as `NTMState`.
        units: Size of the output.
        controller_sizes: Sizes of the states of the controller.
        shapes: Shapes of the other parts by name, in their order: the reads first, the
            memory `(N, W)` last.
        rows_first: Whether the memory is stored as `(N, W)`.
    """

    state_class: Any
    units: int
    controller_sizes: tuple[int, ...]
    shapes: dict[str, tuple[int, ...]]
    rows_first: bool = False

    @property
    def sizes(self) -> list[int]:
        """Sizes of the flat vectors."""
        return [self.units, *self.controller_sizes, *map(math.prod, self._stored)]

    @property
    def _stored(self):
        if self.rows_first:
            return list(self.shapes.values())
        *shapes, (*leading, num_rows, word_size) = self.shapes.values()
        return [*shapes, (*leading, word_size, num_rows)]

    def split(self, states: list[Tensor]) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        """The state of the controller, the reads, and the rest of the flat states."""
        _, *others = states
        count = len(self.controller_sizes)
        return others[:count], others[count], others[count + 1 :]

    def shaped(self, leading: Any, parts: list[Tensor]) -> list[Tensor]:
        """The last flat parts in the shapes in which they are stored.

        Args:
            leading: Sizes of the axes before.
            parts: The last of the flat states, as many as wanted.
        """
        return [
            ops.reshape(part, (*leading, *shape))
            for part, shape in zip(parts, self._stored[-len(parts) :], strict=True)
        ]

    def store(self, states: list[Tensor]) -> list[Tensor]:
        """Flat states `(B, size)` in the shapes in which they are stored. A cell that
        is called with such states returns such states."""
        count = len(states) - len(self.shapes)
        batch_size = ops.shape(states[0])[0]
        return [*states[:count], *self.shaped((batch_size,), states[count:])]

    def flatten(self, states: list[Tensor]) -> list[Tensor]:
        """The reverse of `store`."""
        return [_flatten(state, len(state.shape) - 1) for state in states]

    def are_stored(self, states: Any) -> bool:
        """Whether the states are what `store` returns."""
        if not isinstance(states, (list, tuple)):
            return False
        vectors = [(self.units,), *((size,) for size in self.controller_sizes)]
        shapes = [tuple(getattr(state, "shape", ()))[1:] for state in states]
        return shapes == [*vectors, *self._stored]

    def unpack(self, states: list[Tensor]) -> Any:
        """Gives names and shapes to a list of flat states `(..., size)`.

        Raises:
            ValueError: If the list has another length.
        """
        check_count("states", states, self.sizes)
        controller, reads, others = self.split(states)
        leading = tuple(ops.shape(states[0]))[:-1]
        parts = self.shaped(leading, [reads, *others])
        parts[-1] = self._turned(parts[-1])
        named = dict(zip(self.shapes, parts, strict=True))
        return self.state_class(output=states[0], controller=controller, **named)

    def pack(self, state: Any) -> list[Tensor]:
        """Turns a named state into the list of flat states that Keras passes around."""
        stored = state._replace(memory=self._turned(state.memory))
        return [
            state.output,
            *state.controller,
            *(
                _flatten(getattr(stored, name), len(shape))
                for name, shape in self.shapes.items()
            ),
        ]

    def _turned(self, memory):
        """The memory as it is named from the one that is stored, or the reverse."""
        return memory if self.rows_first else ops.swapaxes(memory, -1, -2)


def _flatten(tensor, axes):
    """A tensor whose last axes are one."""
    shape = tuple(ops.shape(tensor))
    # Not -1: its size would be ambiguous for an empty batch.
    return ops.reshape(tensor, (*shape[:-axes], math.prod(shape[-axes:])))
