"""What memory networks share: tokens in, hops over the entries of a memory, an answer
out."""

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from ..checks import check_boolean, check_number, shorten
from ..memory.tracing import HeadTrace, MemoryTrace
from ..numerics.precision import InnerPrecision, at_least_float32
from ..numerics.tensor_checks import Shape, Structure, Tensor, check_size, check_tensor
from .hops import ages, attention, half_rectified, next_query, position_encoding, read

# Standard deviation of new weights: section 4.2 of the paper.
SPREAD = 0.1


class Hops(NamedTuple):
    """What the hops of a memory network did; K hops over N entries.

    Attributes:
        logits: `(B, vocabulary_size)`, the answer.
        queries: `(B, K + 1, d)`: that of the question, and after each hop.
        attention: `(B, K, N)`.
        values: `(B, K, N, d)`, what a hop could read.
        readings: `(B, K, d)`, what it read.
    """

    logits: Tensor
    queries: Tensor
    attention: Tensor
    values: Tensor
    readings: Tensor


class HopLayer(InnerPrecision, keras.layers.Layer):
    """A network that looks several times at a memory of texts to answer a question.

    Entries, values and question are tokens, 0 for padding at any place. An entry
    without a word is padding, and gets no attention.

    A subclass makes the weights in `build_weights`, and says what a hop compares with
    the query (`key_tables`), what it reads (`value_tables`), and what makes the answer
    of the last query (`answer_table`).

    Args:
        vocabulary_size: Number of tokens, with padding.
        embedding_size: Size of a vector, d.
        hops: Number of hops, K.
        position_encoding: Whether the order of the words of a text counts.
        rectified: Whether half of the numbers of a query are rectified.
        max_entries: Ages of entries that have a vector of their own, older ones share
            the last; None if the age of an entry does not count.
        empty_memories: Share of empty memories among the entries in training. They get
            no attention: they make the entries before them older.
        linear_start: Batches of training at the start that are without the softmax of
            the attention.
        seed: Of the empty memories.
        **kwargs: Arguments of `keras.layers.Layer`.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int = 50,
        *,
        hops: int = 3,
        position_encoding: bool = True,
        rectified: bool = False,
        max_entries: int | None = 50,
        empty_memories: float = 0.1,
        linear_start: int = 0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary_size = check_size("vocabulary_size", vocabulary_size, minimum=2)
        self.embedding_size = check_size("embedding_size", embedding_size)
        self.hops = check_size("hops", hops)
        self.position_encoding = check_boolean("position_encoding", position_encoding)
        self.rectified = check_boolean("rectified", rectified)
        self.max_entries = max_entries
        if max_entries is not None:
            self.max_entries = check_size("max_entries", max_entries)
        self.empty_memories = check_number(
            "empty_memories", empty_memories, minimum=0, below=1
        )
        self.linear_start = check_size("linear_start", linear_start, minimum=0)
        self.seed = seed
        self._drops = self.max_entries is not None and self.empty_memories > 0
        self._generator = keras.random.SeedGenerator(seed) if self._drops else None

    @property
    @abc.abstractmethod
    def parts(self) -> tuple[str, ...]:
        """The names of the inputs: entries, or keys and values, and the question."""

    @abc.abstractmethod
    def build_weights(self) -> None:
        """Makes the tables of vectors and the mappings."""

    @abc.abstractmethod
    def key_tables(self, hop: int) -> tuple[Tensor, Tensor | None]:
        """The vectors of words `(vocabulary_size, d)` and of ages `(max_entries, d)`
        that make the keys of a hop, which counts from 0."""

    @abc.abstractmethod
    def value_tables(self, hop: int) -> tuple[Tensor, Tensor | None]:
        """The same of what a hop reads."""

    @property
    @abc.abstractmethod
    def question_table(self) -> Tensor:
        """The vectors of the words of a question `(vocabulary_size, d)`."""

    @property
    @abc.abstractmethod
    def answer_table(self) -> Tensor:
        """The vectors of answers `(vocabulary_size, d)`."""

    def mapping(self, hop: int) -> tuple[Tensor | None, bool]:
        """The arguments `mapping` and `whole` of `hops.next_query`."""
        return None, False

    def build(self, inputs_shape: Sequence[Shape]) -> None:
        self.build_weights()
        if self.linear_start:
            # A weight, so that a network that is loaded goes on where it was.
            self._batches = self.add_weight(
                name="batches",
                shape=(),
                dtype="int32",
                initializer="zeros",
                trainable=False,
            )

    def table(self, name: str, rows: int | None = None) -> keras.Variable:
        """A new table of vectors."""
        return self.add_weight(
            name=name,
            shape=(rows or self.vocabulary_size, self.embedding_size),
            initializer=keras.initializers.RandomNormal(stddev=SPREAD),
        )

    @property
    def is_linear(self) -> bool | Tensor:
        """Whether the attention is without its softmax, as it is at first: False, or
        a tensor."""
        return self._batches < self.linear_start if self.linear_start else False

    def __call__(self, inputs: Any, **kwargs: Any) -> Tensor:
        return super().__call__(self._checked(inputs), **kwargs)

    def call(self, inputs: Sequence[Tensor], training: bool = False) -> Tensor:
        logits = self._run(inputs, training).logits
        if training and self.linear_start:
            # It stays within its type however long the training is.
            after = ops.minimum(self._batches + 1, self.linear_start)
            self._batches.assign(after)
        return self.to_output(logits)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> keras.KerasTensor:
        spec = super().compute_output_spec(*args, **kwargs)
        return keras.KerasTensor(spec.shape, dtype=self.output_dtype)

    def trace(self, inputs: Sequence[Tensor]) -> Hops:
        """The attention of each hop, and what it is made of.

        Args:
            inputs: Those of a call, arrays.
        """
        inputs = self._checked(inputs)
        if not self.built:
            self(inputs)
        return self._run([ops.convert_to_tensor(part) for part in inputs], False)

    def trace_memory(self, inputs: Sequence[Tensor]) -> MemoryTrace:
        """What reports draw, see `memnets.TraceableMemory`: steps are hops, and rows of
        the memory are entries."""
        traced = self.trace(inputs)
        readings, weighting, values = map(
            _to_numpy, (traced.readings, traced.attention, traced.values)
        )
        return MemoryTrace([HeadTrace("hops", "hop", readings, weighting)], values)

    def _run(self, inputs: Sequence[Tensor], training: bool) -> Hops:
        keys, question = inputs[0], inputs[-1]
        values = inputs[-2]  # of two inputs, the entries are keys and values
        mask = ops.any(ops.not_equal(keys, 0), axis=-1)
        age = self._ages(mask, training)
        queries = [self._texts(question, self.question_table)]
        weightings, contents, readings = [], [], []
        for hop in range(self.hops):
            stored = self._entries(keys, age, self.key_tables(hop))
            contents.append(self._entries(values, age, self.value_tables(hop)))
            weightings.append(attention(queries[-1], stored, mask, self.is_linear))
            readings.append(read(weightings[-1], contents[-1]))
            query = next_query(queries[-1], readings[-1], *self.mapping(hop))
            queries.append(half_rectified(query) if self.rectified else query)
        logits = ops.matmul(queries[-1], ops.transpose(self.answer_table))  # eq. 3
        stacked = [
            ops.stack(part, axis=1)
            for part in (queries, weightings, contents, readings)
        ]
        return Hops(logits, *stacked)

    def _entries(
        self, tokens: Tensor, age: Tensor | None, tables: tuple[Tensor, Tensor | None]
    ) -> Tensor:
        words, by_age = tables
        vectors = self._texts(tokens, words)
        if by_age is None:
            return vectors
        return vectors + ops.take(ops.cast(by_age, vectors.dtype), age, axis=0)

    def _texts(self, tokens: Tensor, table: Tensor) -> Tensor:
        """The vectors `(..., d)` of texts `(..., J)`: sums over their words."""
        mask = ops.not_equal(tokens, 0)
        table = ops.cast(table, self.compute_dtype)
        vectors = ops.take(table, tokens, axis=0)
        if self.position_encoding:
            weights = position_encoding(mask, self.embedding_size, self.compute_dtype)
        else:
            weights = ops.cast(mask, self.compute_dtype)[..., None]
        return ops.sum(vectors * weights, axis=-2)

    def _ages(self, mask: Tensor, training: bool) -> Tensor | None:
        if self.max_entries is None:
            return None
        empty = None
        if training and self._drops:
            drawn = keras.random.uniform(ops.shape(mask), seed=self._generator)
            empty = drawn < self.empty_memories
        return ops.clip(ages(mask, empty), 0, self.max_entries - 1)

    def _checked(self, inputs: Any) -> tuple[Tensor, ...]:
        if not isinstance(inputs, (tuple, list)) or len(inputs) != len(self.parts):
            raise ValueError(
                f"`inputs` must be ({', '.join(self.parts)}). "
                f"Received: inputs={shorten(inputs)}"
            )
        *entries, question = inputs
        batch_size, count = "B", "entries"
        for name, part in zip(self.parts, entries, strict=False):
            check_tensor(name, part, (batch_size, count, "words"))
            batch_size = part.shape[0] or batch_size
            count = part.shape[1] or count
        check_tensor("question", question, (batch_size, "words"))
        for name, part in zip(self.parts, inputs, strict=True):
            self._check_tokens(name, part)
        return tuple(inputs)

    def _check_tokens(self, name: str, tokens: Tensor) -> None:
        if "int" not in keras.backend.standardize_dtype(tokens.dtype):
            raise TypeError(
                f"`{name}` must be integers, and an input of them "
                f"keras.Input(..., dtype='int32'). "
                f"Received: {name} of type {tokens.dtype}"
            )
        if isinstance(tokens, np.ndarray) and tokens.size:
            low, high = int(tokens.min()), int(tokens.max())
            if low < 0 or high >= self.vocabulary_size:
                raise ValueError(
                    f"`{name}` must be tokens from 0 to {self.vocabulary_size - 1}. "
                    f"Received: {low if low < 0 else high}"
                )

    def compute_output_shape(self, inputs_shape: Sequence[Shape]) -> Shape:
        return (inputs_shape[0][0], self.vocabulary_size)

    def compute_mask(self, inputs: Structure, previous_mask: Structure = None) -> None:
        return None

    def get_config(self) -> dict[str, Any]:
        names = (
            *("vocabulary_size", "embedding_size", "hops", "position_encoding"),
            *("rectified", "max_entries", "empty_memories", "linear_start", "seed"),
        )
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def _to_numpy(tensor: Tensor) -> np.ndarray:
    return ops.convert_to_numpy(ops.cast(tensor, at_least_float32(tensor.dtype)))
