"""One step of a network with least recently used access, as a Keras cell."""

from typing import Any, NamedTuple

import keras
from keras import ops

from ..checks import check_boolean, check_choice, check_number
from ..memory import access, addressing
from ..memory.initial_state import ZERO_MEMORIES, ZEROS
from ..memory.memory_cell import MemoryCell
from ..numerics.tensor_checks import Tensor
from . import least_used
from .heads import LRUAHeadLayout
from .kernel_layout import LRUALayout


class LRUAState(NamedTuple):
    """The state of an LRUA memory with its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        weightings: `(..., 2 R, N)`, of reading, then of writing.
        usage: `(..., N)`, >= 0, how much each row has been read and written recently.
        memory: `(..., N, W)`, the memory matrix.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    weightings: Tensor
    usage: Tensor
    memory: Tensor


@keras.saving.register_keras_serializable("memnets")
class LRUACell(MemoryCell):
    """One step of a network with least recently used access, a "memory-augmented neural
    network" (MANN).

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets a key and a write gate of each head.
    2. The least used rows, one for each head, are set to zero. Each head writes its key
       to its least used row, or to the rows that it read in the previous step
       (`memnets.lrua.least_used`).
    3. Each head reads by content, with the same key, from the new memory.
    4. What was read and written counts as used.
    5. The output is a linear function of the controller's output and of the reads.

    Not to be confused with the NTM, whose heads also shift, nor with the DNC, whose
    read heads free rows.

    `keras.layers.RNN(LRUACell(...))` works; `LRUA` can also be traced, and its
    `reset_state()` restores an initial memory that is not zero. The cell follows the
    contract of `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `LRUA`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `LRUA`.
        TypeError: If a flag is not a boolean.
    Reference:
        Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
        Memory-Augmented Neural Networks, arXiv:1605.06065, section 3.
    Example:
        >>> tuple(keras.layers.RNN(LRUACell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    kernel_layout = LRUALayout

    def __init__(
        self,
        units: int,
        *,
        memory_size: int = 128,
        word_size: int = 40,
        num_read_heads: int = 4,
        controller: Any = "lstm",
        controller_size: int | tuple[int, ...] | list[int] | None = None,
        decay: float = 0.95,
        strengths: bool = False,
        separate_add: bool = False,
        initial_memory: str = ZEROS,
        input_clip: float | None = None,
        cell_clip: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            memory_size=memory_size,
            word_size=word_size,
            num_read_heads=num_read_heads,
            num_write_heads=num_read_heads,
            controller=controller,
            controller_size=controller_size,
            input_clip=input_clip,
            cell_clip=cell_clip,
            **kwargs,
        )
        if self.num_read_heads > self.memory_size:
            raise ValueError(
                "`num_read_heads` must be at most `memory_size`. Received: "
                f"num_read_heads={num_read_heads}, memory_size={memory_size}"
            )
        self.decay = float(check_number("decay", decay, minimum=0, below=1))
        self.strengths = check_boolean("strengths", strengths)
        self.separate_add = check_boolean("separate_add", separate_add)
        self.head_layout = LRUAHeadLayout(
            self.num_read_heads, self.word_size, self.separate_add, self.strengths
        )
        num_rows = self.memory_size
        self._make_memory(
            LRUAState,
            {"weightings": (self.num_heads, num_rows), "usage": (num_rows,)},
            check_choice("initial_memory", initial_memory, ZERO_MEMORIES),
            initial_weightings=ZEROS,
            initial_reads=ZEROS,
        )

    def _access_memory(self, raw: Tensor, *parts: Tensor) -> list[Tensor]:
        weightings, usage, memory = parts
        read_params, write_params = self.head_layout.split(raw)
        prev_read = weightings[:, : self.num_read_heads]
        free = least_used.least_used_weighting(usage, self.num_read_heads)
        write = least_used.write_weighting(prev_read, free, write_params.gate)
        memory = least_used.write(memory, write, write_params.add, free, row_axis=2)
        beta = read_params.beta
        if beta is None:
            beta = ops.ones_like(write_params.gate)
        read = addressing.content_weighting(memory, read_params.key, beta, row_axis=2)
        reads = access.read(memory, read, row_axis=2)
        # Usage only chooses rows, and no gradient goes through a choice.
        used = least_used.update_usage(
            usage, ops.stop_gradient(read), ops.stop_gradient(write), self.decay
        )
        return [reads, ops.concatenate([read, write], axis=1), used, memory]

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["num_write_heads"]  # as many as read heads
        return {
            **config,
            "decay": self.decay,
            "strengths": self.strengths,
            "separate_add": self.separate_add,
        }
