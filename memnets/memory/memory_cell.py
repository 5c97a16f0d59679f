"""What the cells of all networks share whose memory has rows."""

from typing import Any

from ..numerics.tensor_checks import check_size
from .controlled_cell import ControlledCell
from .initial_state import InitialState


class MemoryCell(ControlledCell):
    """One step of a network with a memory of rows, which heads read and write by
    weightings.

    The constructor of a subclass sets `head_layout`, and ends with `_make_memory`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are documented in `NTM`. Also `name`, `dtype`,
            `trainable`.
    """

    def __init__(
        self,
        units: int,
        *,
        memory_size: int,
        word_size: int,
        num_read_heads: int,
        num_write_heads: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, **kwargs)
        self.memory_size = check_size("memory_size", memory_size)
        self.word_size = check_size("word_size", word_size)
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        self.num_read_heads = check_size("num_read_heads", num_read_heads)
        self.num_write_heads = check_size("num_write_heads", num_write_heads)
        self.num_heads = self.num_read_heads + self.num_write_heads

    def _make_memory(
        self,
        state_class,
        shapes,
        initial_memory,
        initial_weightings,
        initial_reads,
        **initializers,
    ):
        """Makes the dense layers, the initial state and the layout of the state.

        Args:
            state_class: Class of the named state.
            shapes: Shapes of its parts between reads and memory, by name.
            initial_memory, initial_weightings, initial_reads: See `InitialState`.
            **initializers: Of the layer that sets the heads; `rows_first`, see
                `StateLayout`.
        """
        self._make_layers(
            state_class,
            {
                "reads": (self.num_read_heads, self.word_size),
                **shapes,
                "memory": (self.memory_size, self.word_size),
            },
            **initializers,
        )
        self.initial = InitialState(
            (self.memory_size, self.word_size),
            self.num_heads,
            self.num_read_heads,
            initial_memory,
            initial_weightings,
            initial_reads,
            dtype=self.inner_policy,
            name="initial_state",
        )

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if not self.initial.built:
            self.initial.build()

    def _initial_parts(self, batch_size, training):
        return self.initial.tensors(batch_size, training)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "memory_size": self.memory_size,
            "word_size": self.word_size,
            "num_read_heads": self.num_read_heads,
            "num_write_heads": self.num_write_heads,
            "initial_memory": self.initial.memory_mode,
        }
