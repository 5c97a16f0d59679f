"""The state of a memory before the first step."""

from typing import Any

import keras
import numpy as np
from keras import ops

from ..numerics.tensor_checks import Tensor, check_batch_size
from .addressing import softmax

MEMORIES = ("constant", "constant-trainable", "learned", "random", "randomized")
WEIGHTINGS = ("uniform", "one-hot", "learned")
READS = ("zeros", "learned")
ZEROS = "zeros"
# Of other memories than that of an NTM: a constant one would be zeros but for 1e-6.
ZERO_MEMORIES = (ZEROS, "learned", "random", "randomized")

# Collier and Beel (2018), section 3.3. Not zero: a zero row has no direction.
MEMORY_CONSTANT = 1e-6
# Tuned: with 1e-3 or 0.5 copy was not learned, see benchmarks/trials.md. The cosine can
# tell the rows apart from the first step on, and they are small beside what is written.
MEMORY_STDDEV = 0.1


class InitialState(keras.layers.Layer):
    """The memory, weightings and reads before the first step, and their weights.

    Args:
        memory_shape: `(N, W)`.
        num_heads: Number of read and write heads together, H.
        num_read_heads: Number of read heads, R.
        memory: One of `MEMORIES`, see `memnets.NTM`, or `ZEROS`.
        weightings: One of `WEIGHTINGS` or `ZEROS`.
        reads: One of `READS`.
    Reference:
        Collier, Beel (2018), Implementing Neural Turing Machines, arXiv:1807.08518.
    """

    def __init__(
        self,
        memory_shape: tuple[int, int],
        num_heads: int,
        num_read_heads: int,
        memory: str,
        weightings: str,
        reads: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_rows, self.word_size = memory_shape
        self.num_heads = num_heads
        self.num_read_heads = num_read_heads
        self.memory_mode = memory
        self.weightings_mode = weightings
        self.reads_mode = reads
        self.seed_generator = (
            keras.random.SeedGenerator() if self.is_randomized else None
        )

    @property
    def is_randomized(self) -> bool:
        """Whether each sequence gets a randomized memory in training."""
        return self.memory_mode == "randomized"

    def build(self, input_shape: Any = None) -> None:
        if self.memory_mode != ZEROS:
            constant = self.memory_mode.startswith("constant")
            self.memory = self.add_weight(
                name="memory",
                shape=(self.num_rows, self.word_size),
                initializer=keras.initializers.Constant(MEMORY_CONSTANT)
                if constant
                else keras.initializers.RandomNormal(stddev=MEMORY_STDDEV),
                trainable=self.memory_mode in ("constant-trainable", "learned"),
            )
        if self.weightings_mode == "learned":
            self.weighting_logits = self.add_weight(
                name="weighting_logits", shape=(self.num_heads, self.num_rows)
            )
        if self.reads_mode == "learned":
            self.reads = self.add_weight(
                name="reads",
                shape=(self.num_read_heads, self.word_size),
                initializer="zeros",
            )
        self.built = True

    def load_own_variables(self, store: Any) -> None:
        """Reads the weights. Rows that are all alike may be fewer or more in the file.

        Raises:
            ValueError: If other weights were saved for another number of rows.
        """
        values = {name: np.asarray(store[name]) for name in store.keys()}
        own = self._trainable_variables + self._non_trainable_variables
        for name, variable in zip(map(str, range(len(own))), own, strict=True):
            saved = values.get(name)
            if saved is None or saved.shape == tuple(variable.shape):
                continue
            if self.memory_mode == "constant" and variable is self.memory:
                values[name] = np.repeat(saved[:1], self.num_rows, axis=0)
            elif saved.ndim == 2 and self.num_rows in variable.shape:
                rows = saved.shape[tuple(variable.shape).index(self.num_rows)]
                raise ValueError(
                    f"`memory_size` must be {rows}, as in the file, whose initial "
                    "state has weights for each row. "
                    f"Received: memory_size={self.num_rows}"
                )
        super().load_own_variables(values)

    def tensors(self, batch_size: Any, training: bool = False) -> dict[str, Tensor]:
        """The initial reads, weightings and memory, by these names.

        Args:
            batch_size: Number of sequences, B, or a scalar tensor.
            training: Whether to randomize the memory (only with `"randomized"`).
        Returns:
            Tensors `(B, R, W)`, `(B, H, N)` and `(B, N, W)`. All examples are equal,
            except for a randomized memory.
        Raises:
            ValueError: If the layer is not built, or `batch_size` is negative.
        """
        check_batch_size(batch_size)
        if not self.built:
            raise ValueError(
                "The initial state must be built before it is asked for. Call or build "
                "the layer first."
            )
        first = {
            "reads": self._first_reads(),
            "weightings": self._first_weightings(),
            "memory": ops.zeros((self.num_rows, self.word_size))
            if self.memory_mode == ZEROS
            else self.memory,
        }
        tensors = {
            name: ops.repeat(
                ops.cast(value, self.compute_dtype)[None], batch_size, axis=0
            )
            for name, value in first.items()
        }
        if training and self.is_randomized:
            tensors["memory"] = self._randomized(batch_size)
        return tensors

    def _first_weightings(self):
        shape = (self.num_heads, self.num_rows)
        if self.weightings_mode == "learned":
            return softmax(ops.convert_to_tensor(self.weighting_logits))
        if self.weightings_mode == "one-hot":
            return ops.one_hot(ops.zeros((self.num_heads,), "int32"), self.num_rows)
        share = 0.0 if self.weightings_mode == ZEROS else 1.0 / self.num_rows
        return ops.full(shape, share, self.compute_dtype)

    def _first_reads(self):
        if self.reads_mode == "learned":
            return self.reads
        return ops.zeros((self.num_read_heads, self.word_size))

    def _randomized(self, batch_size):
        """A memory for each sequence: the layer's memory with its rows rotated and the
        signs of its columns flipped, both at random.

        The values are still normally distributed. Drawing new ones would take three
        times as long as the rest of a training step.
        """
        places = keras.random.randint(
            (batch_size, 1), 0, self.num_rows, seed=self.seed_generator
        )
        places = (places + ops.arange(self.num_rows, dtype="int32")) % self.num_rows
        signs = keras.random.randint(
            (batch_size, 1, self.word_size), 0, 2, seed=self.seed_generator
        )
        memory = ops.take(ops.cast(self.memory, self.compute_dtype), places, axis=0)
        return memory * ops.cast(2 * signs - 1, self.compute_dtype)
