"""Fast weights: a matrix that a network writes into at each step."""

from typing import Any, NamedTuple

import keras
from keras import ops

from .checks import check_choice
from .fast_weights_rules import (
    RULES,
    FastWeightStep,
    read,
    run_chunk,
    unit_length,
    write,
)
from .masked_outputs import latest_steps, outputs_under_mask
from .precision import InnerPrecision, inner_policy, within_range
from .rnn import MemoryRNN
from .tensor_checks import Tensor, check_features, check_size, check_step

# Initial bias of alpha before the sigmoid: at first, 2% are forgotten in a step.
DECAY_BIAS = 4.0


class FastWeightsState(NamedTuple):
    """The state of fast weights.

    Attributes:
        output: `(B, units)`, the last output.
        memory: `(B, H, V, K)`, the fast weights of each head.
    """

    output: Tensor
    memory: Tensor


@keras.saving.register_keras_serializable("memnets")
class FastWeightsCell(InnerPrecision, keras.layers.Layer):
    """One step of a network with fast weights.

    1. A linear layer of the input sets for each head a key and a query, both of length
       1, a value, and how strongly to write, beta, from 0 to 1.
    2. Each head writes the value at the key, see `memnets.fast_weights_rules`.
    3. It reads what is stored at the query.
    4. The output is a linear function of the input and of all that was read.

    Nothing that is read comes back to the next step but through the memory. That is
    what lets `FastWeights` run many steps at once; what must know of earlier steps to
    say what to write is a recurrent layer before it.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `FastWeights`.
            Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `FastWeights`.
    Reference:
        Schlag, Irie, Schmidhuber (2021), Linear Transformers Are Secretly Fast Weight
        Programmers, arXiv:2102.11174, section 4.2.

        Deviation: keys and queries are divided by their Euclidean lengths, as in Yang
        et al. (2024), arXiv:2406.06484, section 3.4, and not by sums of a feature map.
    Example:
        >>> tuple(keras.layers.RNN(FastWeightsCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(
        self,
        units: int,
        *,
        key_size: int = 32,
        value_size: int | None = None,
        num_heads: int = 1,
        rule: str = "delta",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        self.key_size = check_size("key_size", key_size)
        if value_size is None:
            value_size = key_size
        self.value_size = check_size("value_size", value_size)
        self.num_heads = check_size("num_heads", num_heads)
        self.rule = check_choice("rule", rule, RULES)
        memory = self.num_heads * self.key_size * self.value_size
        check_size("num_heads * key_size * value_size", memory)
        self.output_size = self.units
        self.state_size = [self.units, memory]
        # Sizes of what a head is told: query, key, value, strength, decay.
        self._parts = [self.key_size, self.key_size, self.value_size, 1]
        self._parts += [1] * self._decays
        policy = inner_policy(self.dtype_policy)
        self.heads = keras.layers.Dense(
            self.num_heads * sum(self._parts),
            bias_initializer=self._heads_bias,
            dtype=policy,
            name="heads",
        )
        self.projection = keras.layers.Dense(
            self.units, dtype=policy, name="projection"
        )
        self._features: int | None = None

    @property
    def _decays(self):
        return self.rule == "gated-delta"

    @property
    def overwrites(self) -> bool:
        """Whether what is stored at a key is taken away when something is written."""
        return self.rule != "additive"

    def _heads_bias(self, shape, dtype=None):
        bias = [0.0] * sum(self._parts)
        if self._decays:
            bias[-1] = DECAY_BIAS
        return ops.convert_to_tensor(bias * self.num_heads, dtype)

    def build(self, input_shape: Any) -> None:
        self._features = check_features("input_shape", input_shape, rank=2)
        reads = self.num_heads * self.value_size
        for layer, size in (
            (self.heads, self._features),
            (self.projection, self._features + reads),
        ):
            if not layer.built:
                layer.build((None, size))

    def get_initial_state(self, batch_size: Any = None) -> list[Tensor]:
        """The state before the first step: zeros."""
        return [
            ops.zeros((batch_size, size), self.compute_dtype)
            for size in self.state_size
        ]

    def unpack(self, states: list[Tensor]) -> FastWeightsState:
        """Gives names and shapes to a list of flat states `(..., size)`."""
        output, memory = states
        shape = (self.num_heads, self.value_size, self.key_size)
        return FastWeightsState(
            output, ops.reshape(memory, (*ops.shape(memory)[:-1], *shape))
        )

    def pack(self, state: FastWeightsState) -> list[Tensor]:
        """Turns a `FastWeightsState` into the list of flat states."""
        shape = (*ops.shape(state.output)[:-1], self.state_size[1])
        return [state.output, ops.reshape(state.memory, shape)]

    def __call__(self, inputs: Tensor, states: list[Tensor], **kwargs: Any) -> Any:
        check_step(inputs, states, self._features, self.state_size)
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs: Tensor, states: list[Tensor]) -> Any:
        memory = self.memory_of(states[1])
        step = self.split(self.told(inputs))
        memory = write(memory, step, self.overwrites)
        reads = ops.reshape(
            read(memory, step.query),
            (ops.shape(inputs)[0], self.num_heads * self.value_size),
        )
        output = self.outputs(inputs, reads)
        return output, self.pack(FastWeightsState(output, self.to_state(memory)))

    def told(self, inputs: Tensor) -> Tensor:
        """What all heads are told, `(..., size)`, of inputs `(..., features)`, at least
        in float32; where it is zeros, nothing happens."""
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        raw = ops.cast(self.heads(inputs), dtype)
        raw = self._by_head(raw)
        query, key, value, *gates = ops.split(raw, self._ends(), axis=-1)
        parts = [unit_length(query), unit_length(key), value, ops.sigmoid(gates[0])]
        parts += [ops.log_sigmoid(decay) for decay in gates[1:]]
        told = ops.concatenate(parts, axis=-1)
        return ops.reshape(told, (*ops.shape(inputs)[:-1], self.heads.units))

    def split(self, told: Tensor) -> FastWeightStep:
        """What each head is told at a step, of `(B, size)`, or at T steps, of `(B, T,
        size)`."""
        told = self._by_head(told)
        if len(told.shape) == 4:
            told = ops.swapaxes(told, 1, 2)
        query, key, value, *gates = ops.split(told, self._ends(), axis=-1)
        strength, *decay = (gate[..., 0] for gate in gates)
        return FastWeightStep(query, key, value, strength, *(decay or [None]))

    def _by_head(self, x):
        shape = (*ops.shape(x)[:-1], self.num_heads, sum(self._parts))
        return ops.reshape(x, shape)

    def _ends(self):
        return [sum(self._parts[: i + 1]) for i in range(len(self._parts) - 1)]

    def memory_of(self, flat: Tensor) -> Tensor:
        """The memory `(B, H, V, K)`, at least in float32, of a flat state."""
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        shape = (-1, self.num_heads, self.value_size, self.key_size)
        return ops.reshape(ops.cast(flat, dtype), shape)

    def to_state(self, x: Tensor) -> Tensor:
        """A memory as a state has it."""
        return ops.cast(within_range(x, self.output_dtype), self.compute_dtype)

    def outputs(self, inputs: Tensor, reads: Tensor) -> Tensor:
        """Outputs `(..., units)` of inputs `(..., features)` and reads `(..., H V)`."""
        both = [ops.cast(x, self.compute_dtype) for x in (inputs, reads)]
        output = self.projection(ops.concatenate(both, axis=-1))
        return within_range(output, self.output_dtype)

    def get_config(self) -> dict[str, Any]:
        names = ("units", "key_size", "value_size", "num_heads", "rule")
        return {**super().get_config(), **{n: getattr(self, n) for n in names}}


@keras.saving.register_keras_serializable("memnets")
class FastWeights(MemoryRNN):
    """Fast weights: `FastWeightsCell` run over a sequence, many steps at once.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `Bidirectional`, initial states passed
    in, mixed precision, saving and loading. A masked step leaves the memory unchanged.
    What it stores is not bound to rows: a head can hold as many values as its keys have
    numbers without mixing them up.

    Args:
        units: Size of the output, which is linear.
        key_size: Numbers of a key, K.
        value_size: Numbers of a value, V; that of a key if None.
        num_heads: Number of heads, each with a memory of its own.
        rule: How a head writes: `"additive"` adds to what is stored at a key,
            `"delta"` replaces it, `"gated-delta"` also forgets a learned share of all
            that is stored.
        chunk_size: So many steps are computed at once, by products of matrices; None to
            compute step by step. Results differ only by rounding.
        return_sequences: Whether to return the output of every step, or of the last
            step only.
        return_state: Whether to also return the last state, for `layer.cell.unpack`.
        stateful: Whether a batch continues from the last state of the previous batch,
            until `reset_state()`.
        **kwargs: `go_backwards`, `zero_output_for_mask`, `unroll` (of the loop step by
            step), `name`, `dtype`, `trainable`.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        initial_state: List of tensors `(B, size)`, sizes in `layer.cell.state_size`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
    Returns:
        Tensor `(B, units)`, or `(B, T, units)` with `return_sequences`; with
        `return_state` followed by the tensors of the last state.
    Raises:
        ValueError: If a size is not a positive integer, `rule` is unknown, or a tensor
            has another shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        See `FastWeightsCell` and `memnets.fast_weights_rules`.
    Example:
        >>> layer = FastWeights(8, key_size=4, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> tuple(layer.trace(np.zeros((2, 5, 3))).memory.shape)
        (2, 5, 1, 4, 4)
    """

    def __init__(
        self,
        units: int,
        *,
        key_size: int = 32,
        value_size: int | None = None,
        num_heads: int = 1,
        rule: str = "delta",
        chunk_size: int | None = 32,
        return_sequences: bool = False,
        return_state: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        cell = FastWeightsCell(
            units,
            key_size=key_size,
            value_size=value_size,
            num_heads=num_heads,
            rule=rule,
            dtype=kwargs.get("dtype"),
            name="cell",
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            stateful=stateful,
            **kwargs,
        )
        self.chunk_size = chunk_size
        if chunk_size is not None:
            self.chunk_size = check_size("chunk_size", chunk_size)

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> Any:
        # For an export, JAX has a symbol for the steps, which it cannot divide.
        is_symbol = not isinstance(sequences.shape[1], int | None)
        if self.chunk_size is None or is_symbol:
            return super().inner_loop(sequences, initial_state, mask, training)
        cell = self.cell
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
            mask = None if mask is None else ops.flip(mask, 1)
        told = cell.told(sequences)
        if mask is not None:
            mask = ops.cast(mask, "bool")
            told = ops.where(mask[..., None], told, 0.0)
        first_output, memory = initial_state
        reads, memory = self._run_chunks(told, memory)
        seen = [sequences, reads]
        if mask is not None:
            latest = latest_steps(mask)[..., None]
            seen = [ops.take_along_axis(x, latest, axis=1) for x in seen]
        if not self.return_sequences:
            seen = [x[:, -1:] for x in seen]
        outputs = cell.outputs(*seen)
        last_output = outputs[:, -1]
        if mask is not None:
            outputs, last_output = outputs_under_mask(self, outputs, first_output, mask)
        return outputs[:, -1], outputs, [last_output, memory]

    def _run_chunks(self, told, memory):
        """Reads `(B, T, H V)` and the last memory, flat."""
        rows, steps, size = ops.shape(told)
        # Steps of zeros change nothing.
        missing = -steps % self.chunk_size
        told = ops.concatenate(
            [told, ops.zeros((rows, missing, size), told.dtype)], axis=1
        )
        chunks = ops.reshape(told, (rows, -1, self.chunk_size * size))
        loop = keras.layers.RNN(
            _ChunkCell(self.cell, self.chunk_size, told.dtype),
            return_sequences=True,
            return_state=True,
            dtype=keras.backend.standardize_dtype(told.dtype),
        )
        # The first state of a cell is its last output.
        width = loop.cell.output_size
        start = [ops.zeros((rows, width), told.dtype), ops.cast(memory, told.dtype)]
        reads, _, memory = loop(chunks, initial_state=start)
        reads = ops.reshape(reads, (rows, -1, width // self.chunk_size))
        return reads[:, :steps], ops.cast(memory, self.cell.compute_dtype)

    def trace(
        self,
        sequences: Tensor,
        initial_state: list[Tensor] | None = None,
        mask: Tensor | None = None,
    ) -> FastWeightsState:
        """The named state after every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
            initial_state: List of tensors `(B, size)`; zeros if `None`.
            mask: Boolean tensor `(B, T)`.
        Returns:
            `FastWeightsState` whose tensors have a time axis after the batch axis:
            `memory` is `(B, T, H, V, K)`.
        """
        return self.cell.unpack(super().trace(sequences, initial_state, mask))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        # The layer's arguments are those of its cell and those of the loop.
        del config["cell"]
        cell_config = self.cell.get_config()
        for key in ("name", "trainable", "dtype"):
            del cell_config[key]
        return {**config, **cell_config, "chunk_size": self.chunk_size}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "FastWeights":
        return cls(**config)


class _ChunkCell(keras.layers.Layer):
    """A step of the loop over chunks. It has no weights: what the heads are told was
    computed before."""

    def __init__(self, cell: FastWeightsCell, size: int, dtype: Any) -> None:
        super().__init__(dtype=keras.backend.standardize_dtype(dtype))
        self._compute = cell
        self._size = size
        self.output_size = size * cell.num_heads * cell.value_size
        self.state_size = [self.output_size, cell.state_size[1]]

    def build(self, input_shape: Any) -> None:
        pass

    def call(self, inputs: Tensor, states: list[Tensor]) -> Any:
        cell, rows = self._compute, ops.shape(inputs)[0]
        told = ops.reshape(inputs, (rows, self._size, cell.heads.units))
        memory = cell.memory_of(states[1])
        reads, memory = run_chunk(memory, cell.split(told), cell.overwrites)
        reads = ops.reshape(ops.swapaxes(reads, 1, 2), (rows, self.output_size))
        memory = within_range(memory, cell.output_dtype)
        return reads, [reads, ops.reshape(memory, (rows, self.state_size[1]))]
