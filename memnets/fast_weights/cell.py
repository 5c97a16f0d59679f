"""One step of a network with fast weights, as a Keras cell."""

from typing import Any, NamedTuple

import keras
from keras import ops

from .. import backends
from ..checks import check_choice
from ..numerics.precision import (
    InnerPrecision,
    at_least_float32,
    inner_policy,
    within_range,
)
from ..numerics.tensor_checks import (
    Shape,
    Tensor,
    check_count,
    check_features,
    check_size,
    check_step,
)
from .rules import (
    RULES,
    FastWeightStep,
    read,
    unit_length,
    write,
)

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
    2. Each head writes the value at the key, see `memnets.fast_weights.rules`.
    3. It reads what is stored at the query.
    4. The output is a linear function of the input and of all that was read.

    Nothing that is read comes back to the next step but through the memory. That is
    what lets `FastWeights` run many steps at once; what must know of earlier steps to
    say what to write is a recurrent layer before it. Without a controller, and without
    reads in the state, it is not a `memnets.memory.Memory`.

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
        # Sizes of the parameters of a head: query, key, value, strength, decay.
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
    def _decays(self) -> bool:
        return self.rule == "gated-delta"

    @property
    def overwrites(self) -> bool:
        """Whether what is stored at a key is taken away when something is written."""
        return self.rule != "additive"

    def _heads_bias(self, shape: tuple[int, ...], dtype: str | None = None) -> Tensor:
        bias = [0.0] * sum(self._parts)
        if self._decays:
            bias[-1] = DECAY_BIAS
        return ops.convert_to_tensor(bias * self.num_heads, dtype)

    def build(self, input_shape: Shape) -> None:
        self._features = check_features("input_shape", input_shape, rank=2)
        reads = self.num_heads * self.value_size
        for layer, size in (
            (self.heads, self._features),
            (self.projection, self._features + reads),
        ):
            if not layer.built:
                layer.build((None, size))

    def get_initial_state(self, batch_size: int | Tensor = None) -> list[Tensor]:
        """The state before the first step: zeros."""
        return [
            ops.zeros((batch_size, size), self.compute_dtype)
            for size in self.state_size
        ]

    def unpack(self, states: list[Tensor]) -> FastWeightsState:
        """Gives names and shapes to a list of flat states `(..., size)`.

        Raises:
            ValueError: If the list has another length.
        """
        check_count("states", states, self.state_size)
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

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        memory = self.memory_of(states[1])
        step = self.split(self.head_parameters(inputs))
        memory = write(memory, step, self.overwrites)
        reads = ops.reshape(
            read(memory, step.query),
            (ops.shape(inputs)[0], self.num_heads * self.value_size),
        )
        output = self.outputs(inputs, reads)
        return output, self.pack(FastWeightsState(output, self.to_state(memory)))

    def head_parameters(self, inputs: Tensor) -> Tensor:
        """The parameters of all heads.

        Args:
            inputs: `(..., features)`.
        Returns:
            `(..., size)`, at least in float32. A step of zeros writes nothing, forgets
            nothing and reads zeros.
        """
        dtype = at_least_float32(self.compute_dtype)
        raw = ops.cast(self.heads(inputs), dtype)
        raw = self._by_head(raw)
        query, key, value, *gates = backends.current().split(raw, self._ends(), axis=-1)
        parts = [unit_length(query), unit_length(key), value, ops.sigmoid(gates[0])]
        parts += [ops.log_sigmoid(decay) for decay in gates[1:]]
        params = ops.concatenate(parts, axis=-1)
        return ops.reshape(params, (*ops.shape(inputs)[:-1], self.heads.units))

    def split(self, params: Tensor) -> FastWeightStep:
        """Gives names to parameters of a step, `(B, size)`, or of T steps, `(B, T,
        size)`."""
        params = self._by_head(params)
        if len(params.shape) == 4:
            params = ops.swapaxes(params, 1, 2)
        query, key, value, *gates = backends.current().split(
            params, self._ends(), axis=-1
        )
        strength, *decay = (gate[..., 0] for gate in gates)
        return FastWeightStep(query, key, value, strength, *(decay or [None]))

    def _by_head(self, x: Tensor) -> Tensor:
        shape = (*ops.shape(x)[:-1], self.num_heads, sum(self._parts))
        return ops.reshape(x, shape)

    def _ends(self) -> list[int]:
        return [sum(self._parts[: i + 1]) for i in range(len(self._parts) - 1)]

    def memory_of(self, flat: Tensor) -> Tensor:
        """The memory `(B, H, V, K)`, at least in float32, of a flat state."""
        dtype = at_least_float32(self.compute_dtype)
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
