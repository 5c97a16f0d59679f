"""The state of a memory network: as named tensors and as flat vectors."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from keras import ops

from ..numerics.tensor_checks import Structure, Tensor, check_count


@dataclasses.dataclass(frozen=True)
class StateLayout:
    """How the state of a memory network lies in flat vectors, the output first.

    Flat vectors are the only form of state that `return_state`, `Bidirectional` and
    masks support on every backend.

    Attributes:
        state_class: The class of the named state, such as `NTMState`.
        units: Size of the output.
        controller_sizes: Sizes of the states of the controller.
        shapes: Shapes of the other parts by name, in their order: the reads first, the
            memory `(N, W)` last.
        rows_last: Whether the memory is stored with its last two axes in reverse order.
    """

    state_class: Any
    units: int
    controller_sizes: tuple[int, ...]
    shapes: dict[str, tuple[int, ...]]
    rows_last: bool = False

    @property
    def sizes(self) -> list[int]:
        """Sizes of the flat vectors."""
        return [self.units, *self.controller_sizes, *map(math.prod, self._stored)]

    @property
    def _stored(self) -> list[tuple[int, ...]]:
        if not self.rows_last:
            return list(self.shapes.values())
        *shapes, (*leading, num_rows, word_size) = self.shapes.values()
        return [*shapes, (*leading, word_size, num_rows)]

    def split(self, states: list[Tensor]) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        """The state of the controller, the reads, and the rest of the flat states."""
        _, *others = states
        count = len(self.controller_sizes)
        return others[:count], others[count], others[count + 1 :]

    def shaped(self, leading: Sequence[int], parts: list[Tensor]) -> list[Tensor]:
        """The last flat parts in the shapes in which they are stored.

        Args:
            leading: Sizes of the axes before.
            parts: The last of the flat states, as many as wanted.
        """
        return [
            ops.reshape(part, (*leading, *shape))
            for part, shape in zip(parts, self._stored[-len(parts) :], strict=True)
        ]

    def memory_state(self, parts: list[Tensor]) -> Structure:
        """The named state of which only the memory is known, see `Memory.access`.

        Args:
            parts: The flat states `(B, size)` after the reads.
        """
        _, *names = self.shapes
        named = dict(zip(names, self.shaped((-1,), parts), strict=True))
        return self.state_class(output=None, controller=None, reads=None, **named)

    def memory_parts(self, reads: Tensor, state: Structure) -> list[Tensor]:
        """The reads and the parts of the memory of a named state, flat.

        Raises:
            ValueError: If one has another size: its values would become those of
                another example.
        """
        _, *names = self.shapes
        parts, flat = [reads, *(getattr(state, name) for name in names)], []
        for name, part, shape in zip(self.shapes, parts, self._stored, strict=True):
            found, size = tuple(part.shape[1:]), math.prod(shape)
            if None not in found and math.prod(found) != size:
                raise ValueError(
                    f"`access` must return `{name}` of shape (B, "
                    f"{', '.join(map(str, shape))}). Received: {tuple(part.shape)}"
                )
            flat.append(ops.reshape(part, (-1, size)))
        return flat

    def store(self, states: list[Tensor]) -> list[Tensor]:
        """Flat states `(B, size)` in the shapes in which they are stored. A cell that
        is called with such states returns such states."""
        count = len(states) - len(self.shapes)
        batch_size = ops.shape(states[0])[0]
        return [*states[:count], *self.shaped((batch_size,), states[count:])]

    def flatten(self, states: list[Tensor]) -> list[Tensor]:
        """The reverse of `store`."""
        return [_flatten(state, len(state.shape) - 1) for state in states]

    def are_stored(self, states: Structure) -> bool:
        """Whether the states are what `store` returns."""
        if not isinstance(states, (list, tuple)):
            return False
        vectors = [(self.units,), *((size,) for size in self.controller_sizes)]
        shapes = [tuple(getattr(state, "shape", ()))[1:] for state in states]
        return shapes == [*vectors, *self._stored]

    def unpack(self, states: list[Tensor]) -> Structure:
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

    def pack(self, state: Structure) -> list[Tensor]:
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

    def _turned(self, memory: Tensor) -> Tensor:
        """The memory as it is named from the one that is stored, or the reverse."""
        return ops.swapaxes(memory, -1, -2) if self.rows_last else memory


def _flatten(tensor: Tensor, axes: int) -> Tensor:
    """A tensor whose last axes are one."""
    shape = tuple(ops.shape(tensor))
    # Not -1: its size would be ambiguous for an empty batch.
    return ops.reshape(tensor, (*shape[:-axes], math.prod(shape[-axes:])))
