"""One step of a network with a sparse access memory, as a Keras cell."""

from typing import Any, NamedTuple

import keras
from keras import ops

from ..checks import check_choice, check_number
from ..memory.initial_state import ZERO_MEMORIES, ZEROS
from ..memory.memory_cell import MemoryCell
from ..numerics.tensor_checks import Tensor, check_size
from . import row_choice, sparse_access
from .hash_index import HashIndex
from .heads import SAMHeadLayout


class SAMState(NamedTuple):
    """The state of a sparse access memory with its parts named.

    The leading axes `...` are the batch, or batch and time. Each of the R heads reads K
    rows.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        read_rows: `(..., R, K)`, the numbers of the rows that were read.
        read_weights: `(..., R, K)`, their weights.
        write_rows: `(..., R, K + 1)`, the numbers of the rows that were written to, the
            least recently accessed row last.
        write_weights: `(..., R, K + 1)`, their weights.
        last_access: `(..., N)`, the step of the last access to each row; 0 for none.
        step: `(..., 1)`, the number of steps so far.
        memory: `(..., N, W)`, the memory matrix.
        buckets: `(..., tables, buckets, slots)`, the numbers of the rows in each bucket
            of the index, plus 1; 0 where a slot is empty. See `memnets.sam.hash_index`.
            None without an index.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    read_rows: Tensor
    read_weights: Tensor
    write_rows: Tensor
    write_weights: Tensor
    last_access: Tensor
    step: Tensor
    memory: Tensor
    buckets: Tensor | None = None


# How the rows nearest to a key are found.
EXACT, HASHING = "exact", "hashing"
# Row numbers and steps are stored in float32, which has all integers up to here.
LARGEST_MEMORY = 2**24


@keras.saving.register_keras_serializable("memnets")
class SAMCell(MemoryCell):
    """One step of a network with a sparse access memory (SAM).

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets the parameters of each head.
    2. The least recently accessed rows, one for each head, are set to zero. Each head
       adds a vector to its row and to the few rows that it read in the previous step
       (`memnets.sam.sparse_access`).
    3. Each head reads the few rows of the new memory that are nearest to its key.
    4. A row that was read or written by more than a trace counts as accessed.
    5. The output is a linear function of the controller's output and of the reads.

    Not to be confused with LRUA, whose heads read and write all rows, and whose usage
    decays.

    `keras.layers.RNN(SAMCell(...))` works; `SAM` can also be traced, and its
    `reset_state()` restores an initial memory that is not zero. The cell follows the
    contract of `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `SAM`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `SAM`.
        TypeError: If a flag is not a boolean.
    Reference:
        Rae, Hunt, Harley, Danihelka, Senior, Wayne, Graves, Lillicrap (2016), Scaling
        Memory-Augmented Neural Networks with Sparse Reads and Writes, arXiv:1610.09027,
        section 3.
    Example:
        >>> tuple(keras.layers.RNN(SAMCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    needs_float32 = True
    # The inputs of a step that is recomputed are kept: here, the memory of each step.
    recomputes_access = False

    def __init__(
        self,
        units: int,
        *,
        memory_size: int = 128,
        word_size: int = 20,
        num_read_heads: int = 1,
        num_rows_read: int = 4,
        controller: Any = "lstm",
        controller_size: int | tuple[int, ...] | list[int] | None = None,
        search: str = EXACT,
        initial_memory: str = ZEROS,
        beta_bias: float = 4.0,
        gate_bias: float = -4.0,
        write_gate_bias: float = 2.0,
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
        self.num_rows_read = check_size("num_rows_read", num_rows_read)
        self._check_rows()
        self.search = check_choice("search", search, (EXACT, HASHING))
        self.index = None
        if self.search == HASHING:
            self.index = HashIndex(self.memory_size, self.word_size)
        self.beta_bias = check_number("beta_bias", beta_bias)
        self.gate_bias = check_number("gate_bias", gate_bias)
        self.write_gate_bias = check_number("write_gate_bias", write_gate_bias)
        heads, rows = self.num_read_heads, self.num_rows_read
        self.head_layout = SAMHeadLayout(heads, self.word_size)
        self._make_memory(
            SAMState,
            {
                "read_rows": (heads, rows),
                "read_weights": (heads, rows),
                "write_rows": (heads, rows + 1),
                "write_weights": (heads, rows + 1),
                "last_access": (self.memory_size,),
                "step": (1,),
                **self._index_shapes,
            },
            check_choice("initial_memory", initial_memory, ZERO_MEMORIES),
            initial_weightings=ZEROS,
            initial_reads=ZEROS,
            rows_first=True,
            bias_initializer=self._heads_bias,
        )

    def _check_rows(self):
        if self.memory_size > LARGEST_MEMORY:
            raise ValueError(
                f"`memory_size` must be at most {LARGEST_MEMORY:,}. "
                f"Received: memory_size={self.memory_size}"
            )
        for name in ("num_read_heads", "num_rows_read"):
            if getattr(self, name) > self.memory_size:
                raise ValueError(
                    f"`{name}` must be at most `memory_size`. Received: "
                    f"{name}={getattr(self, name)}, memory_size={self.memory_size}"
                )

    @property
    def _index_shapes(self):
        if self.index is None:
            return {}
        return {"buckets": self.index.shape}

    def _heads_bias(self, shape, dtype=None):
        bias = self.head_layout.initial_bias(
            self.beta_bias, self.gate_bias, self.write_gate_bias
        )
        return ops.convert_to_tensor(bias, dtype)

    def _initial_parts(self, batch_size, training):
        parts = super()._initial_parts(batch_size, training)
        del parts["weightings"]  # only those of a few rows are stored
        if self.index is not None and self.initial.memory_mode != ZEROS:
            differ = training and self.initial.is_randomized
            memory = parts["memory"] if differ else parts["memory"][:1]
            buckets = self.index.build(memory)
            parts["buckets"] = (
                buckets if differ else ops.repeat(buckets, batch_size, axis=0)
            )
        return parts

    def _access_memory(self, raw: Tensor, *parts: Tensor) -> list[Tensor]:
        prev_rows, prev_weights, _, _, last_access, step, *buckets, memory = parts
        read_params, write_params = self.head_layout.split(raw)
        step = step + 1.0
        free = row_choice.least_recent_rows(last_access, self.num_read_heads)
        write_rows = ops.concatenate(
            [ops.cast(prev_rows, free.dtype), free[..., None]], axis=2
        )
        write_weights = sparse_access.write_weights(
            prev_weights, write_params.gate, write_params.write_gate
        )
        memory, buckets = self._write(
            memory, buckets, (write_rows, write_weights, write_params.add, free)
        )
        rows = self._nearest_rows(memory, buckets, read_params.key)
        words, memory = sparse_access.take_rows(memory, rows)
        weights = sparse_access.sparse_weighting(words, *read_params)
        last_access = sparse_access.update_access(
            last_access,
            ops.concatenate([_in_one(rows), _in_one(write_rows)], axis=1),
            ops.concatenate([_in_one(weights), _in_one(write_weights)], axis=1),
            step,
        )
        return [
            sparse_access.read(words, weights),
            *(ops.cast(rows, raw.dtype), weights),
            *(ops.cast(write_rows, raw.dtype), write_weights),
            *(last_access, step, *buckets, memory),
        ]

    def _write(self, memory, buckets, written):
        """The new memory, and the buckets of what its rows hold now."""
        if self.index is None:
            return sparse_access.write(memory, *written), buckets
        rows = _in_one(written[0])
        before, memory = sparse_access.take_rows(memory, written[0])
        # The last row of each head is the one that is erased.
        memory = sparse_access.write(memory, *written, lost=before[:, :, -1])
        after, memory = sparse_access.take_rows(memory, rows)
        before = ops.reshape(before, ops.shape(after))
        return memory, [self.index.update(*buckets, rows, before, after)]

    def _nearest_rows(self, memory, buckets, key):
        if self.index is None:
            return row_choice.nearest_rows(memory, key, self.num_rows_read)
        return self.index.nearest_rows(memory, *buckets, key, self.num_rows_read)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["num_write_heads"]  # as many as read heads
        return {
            **config,
            "num_rows_read": self.num_rows_read,
            "search": self.search,
            "beta_bias": self.beta_bias,
            "gate_bias": self.gate_bias,
            "write_gate_bias": self.write_gate_bias,
        }


def _in_one(tensor):
    """A tensor `(B, heads, size)` as `(B, heads size)`."""
    _, heads, size = tensor.shape
    return ops.reshape(tensor, (-1, heads * size))
