"""Memory networks, which take the sentences of a story as entries of their memory."""

import dataclasses
from typing import TYPE_CHECKING

from ..checks import check_boolean, check_choice, check_integer, check_number
from ..contract.task import Task
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


@dataclasses.dataclass(frozen=True)
class MemoryNetwork(ModelConfig):
    """An end-to-end memory network, see `memnets.MemoryNetwork`. It learns tasks whose
    inputs are texts and a question, such as `stories`.

    Args:
        embedding_size: Size of the vectors of words.
        hops: Number of hops.
        tied: adjacent or layer: which tables of vectors are one.
        position_encoding: Whether the order of the words of a text counts.
        rectified: Whether half of the numbers of a query are rectified after each hop.
        max_entries: Ages of entries that have a vector of their own.
        empty_memories: Share of empty memories in training.
        linear_start: Batches of training at the start that are without softmax.
    """

    embedding_size: int = 50
    hops: int = 3
    tied: str = "adjacent"
    position_encoding: bool = True
    rectified: bool = False
    max_entries: int = 50
    empty_memories: float = 0.1
    linear_start: int = 0

    name = "memory-network"
    learning_rate = 1e-2
    clip_norm = 1.0
    sequences = 400_000

    def __post_init__(self) -> None:
        for name in ("embedding_size", "hops", "max_entries"):
            check_integer(name, getattr(self, name))
        check_choice("tied", self.tied, ("adjacent", "layer"))
        check_boolean("position_encoding", self.position_encoding)
        check_number("empty_memories", self.empty_memories, minimum=0, below=1)
        check_integer("linear_start", self.linear_start, minimum=0)

    def build(self, task: Task) -> "keras.Model":
        """The network of a task whose inputs are tokens `(B, entries + 1, words)`, the
        question in the last row.

        Raises:
            ValueError: If the task has other inputs or outputs.
        """
        import keras

        inputs = task.inputs()
        if (
            isinstance(inputs, dict)
            or len(inputs.shape) != 3
            or inputs.dtype != "int32"
            or task.every_step
            or task.output_size != task.input_size
        ):
            raise ValueError(
                f"The model {self.name} must have a task of texts and a question, such "
                f"as stories. Received: {task.name}"
            )
        outputs = self.layer(task.output_size)((inputs[:, :-1], inputs[:, -1]))
        return keras.Model(inputs, outputs, name="memory_network")

    def layer(self, units: int) -> "keras.layers.Layer":
        import memnets

        return memnets.MemoryNetwork(units, **dataclasses.asdict(self))

    @property
    def signature(self) -> str:
        return f"{self.name}|hops:{self.hops}|tied:{self.tied}|d:{self.embedding_size}"
