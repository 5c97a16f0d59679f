"""The state of a memory before the first step."""

from collections.abc import Iterator, Mapping
from typing import Any

import keras
import numpy as np
from keras import ops

from .. import backends
from ..numerics.tensor_checks import Shape, Tensor, check_batch_size
from .addressing import softmax
from .base import Memory

MEMORIES = ("constant", "constant-trainable", "learned", "random", "randomized")
WEIGHTINGS = ("uniform", "one-hot", "learned")
READS = ("zeros", "learned")
ZEROS = "zeros"
# For memories other than an NTM's: their constant one is zeros but for 1e-6.
ZERO_MEMORIES = (ZEROS, "learned", "random", "randomized")

# Collier and Beel (2018), section 3.3. Not zero: a zero row has no direction.
MEMORY_CONSTANT = 1e-6
# Tuned: with 1e-3 or 0.5 copy was not learned, see benchmarks/trials.md. The cosine can
# tell the rows apart from the first step on, and they are small beside what is written.
MEMORY_STDDEV = 0.1


class InitialState(keras.layers.Layer):
    """The state of a memory before the first step, and its weights.

    Args:
        memory: The `Memory`, whose `initial` names how parts of its state begin:
            `memory` by one of `MEMORIES` or `ZEROS`, `weightings` by one of
            `WEIGHTINGS`, `reads` by one of `READS`, others by an array.
    Reference:
        Collier, Beel (2018), Implementing Neural Turing Machines, arXiv:1807.08518.
    """

    def __init__(self, memory: Memory, **kwargs: Any) -> None:
        super().__init__(name="initial_state", **kwargs)
        self._shapes, self._initial_from = memory.shapes, memory.initial_from
        self.num_rows = memory.shapes["memory"][0]
        self.modes, self._arrays = {}, {}
        for name, value in memory.initial.items():
            if not isinstance(value, str):
                self._arrays[name] = value
            elif value != ZEROS:
                self.modes[name] = value
        self.seed_generator = (
            keras.random.SeedGenerator() if self.is_randomized else None
        )

    @property
    def is_randomized(self) -> bool:
        """Whether each sequence gets a randomized memory in training."""
        return self.modes.get("memory") == "randomized"

    def build(self, input_shape: Shape | None = None) -> None:
        mode = self.modes.get("memory")
        if mode is not None:
            self.memory = self.add_weight(
                name="memory",
                shape=self._shapes["memory"],
                initializer=keras.initializers.Constant(MEMORY_CONSTANT)
                if mode.startswith("constant")
                else keras.initializers.RandomNormal(stddev=MEMORY_STDDEV),
                trainable=mode in ("constant-trainable", "learned"),
            )
        if self.modes.get("weightings") == "learned":
            self.weighting_logits = self.add_weight(
                name="weighting_logits", shape=self._shapes["weightings"]
            )
        if self.modes.get("reads") == "learned":
            self.reads = self.add_weight(
                name="reads", shape=self._shapes["reads"], initializer="zeros"
            )
        self.built = True

    def load_own_variables(self, store: Mapping[str, np.ndarray]) -> None:
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
            if self.modes.get("memory") == "constant" and variable is self.memory:
                values[name] = np.repeat(saved[:1], self.num_rows, axis=0)
            elif saved.ndim == 2 and self.num_rows in variable.shape:
                rows = saved.shape[tuple(variable.shape).index(self.num_rows)]
                raise ValueError(
                    f"`memory_size` must be {rows}, as in the file, whose initial "
                    "state has weights for each row. "
                    f"Received: memory_size={self.num_rows}"
                )
        super().load_own_variables(values)

    def tensors(
        self, batch_size: int | Tensor, training: bool = False
    ) -> dict[str, Tensor]:
        """The parts of the state that do not begin with zeros, by name.

        Args:
            batch_size: Number of sequences, B, or a scalar tensor.
            training: Whether to randomize the memory (only with `"randomized"`).
        Returns:
            Tensors `(B, ...)`. All examples are equal, except for a randomized memory
            and what follows from it.
        Raises:
            ValueError: If the layer is not built, or `batch_size` is negative.
        """
        check_batch_size(batch_size)
        if not self.built:
            raise ValueError(
                "The initial state must be built before it is asked for. Call or build "
                "the layer first."
            )
        equal = {
            name: ops.cast(value, self.compute_dtype)[None]
            for name, value in (*self._named(), *self._arrays.items())
        }
        differing = {}
        if "memory" in equal:
            if training and self.is_randomized:
                del equal["memory"]
                differing["memory"] = self._randomized(batch_size)
            group = differing or equal
            group.update(self._initial_from(group["memory"]))
        repeat = backends.current().repeat_row
        return {
            **{name: repeat(x, batch_size) for name, x in equal.items()},
            **differing,
        }

    def _named(self) -> Iterator[tuple[str, Tensor]]:
        """The parts that a mode names, with their values."""
        for name, mode in self.modes.items():
            yield (
                name,
                self._weighting(mode) if name == "weightings" else getattr(self, name),
            )

    def _weighting(self, mode: str) -> Tensor:
        num_heads, num_rows = self._shapes["weightings"]
        if mode == "learned":
            return softmax(ops.convert_to_tensor(self.weighting_logits))
        if mode == "one-hot":
            return ops.one_hot(ops.zeros((num_heads,), "int32"), num_rows)
        return ops.full((num_heads, num_rows), 1.0 / num_rows, self.compute_dtype)

    def _randomized(self, batch_size: int | Tensor) -> Tensor:
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
            (batch_size, 1, self._shapes["memory"][1]), 0, 2, seed=self.seed_generator
        )
        memory = ops.take(ops.cast(self.memory, self.compute_dtype), places, axis=0)
        return memory * ops.cast(2 * signs - 1, self.compute_dtype)
