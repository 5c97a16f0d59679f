"""One step of the Neural Turing Machine, as a Keras cell."""

from typing import Any

import keras
from keras import ops

from . import access, addressing, controllers
from .cells import states as cell_states
from .heads import HeadLayout
from .initial_state import InitialState
from .precision import InnerPrecision, inner_policy, within_range
from .recomputation import recomputed
from .state import NTMState, StateLayout
from .tensor_checks import (
    Tensor,
    check_biases,
    check_bound,
    check_features,
    check_size,
    check_step,
)


@keras.saving.register_keras_serializable("memnets")
class NTMCell(InnerPrecision, keras.layers.Layer):
    """One step of a Neural Turing Machine.

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets the parameters of all heads.
    2. Each head finds its rows by content and by shifting its previous weighting (eqs.
       5-9, `memnets.addressing`).
    3. The write heads change the memory, M = M_prev (1 - w e) + w a (eqs. 3, 4).
    4. The read heads read the new memory, r = w M (eq. 2).
    5. The output is a linear function of the controller's output and of the reads.

    The paper leaves open whether to write or to read first and whether the output sees
    the reads. In this order, the output can contain what is read in the same step.
    Not to be confused with the DNC, which allocates free rows instead of shifting.

    `keras.layers.RNN(NTMCell(...))` works, but without the compiled kernel and with a
    `reset_state()` that writes zeros: use `NTM` to run over sequences. The cell itself
    follows the contract of `memnets.cells.base` and can be stacked with other cells or
    control another memory.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `NTM`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `NTM`.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 3.
    Example:
        >>> tuple(keras.layers.RNN(NTMCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(
        self,
        units: int,
        *,
        memory_size: int = 128,
        word_size: int = 20,
        num_read_heads: int = 1,
        num_write_heads: int = 1,
        shift_range: int = 1,
        controller: Any = "lstm",
        controller_size: int | tuple[int, ...] | list[int] | None = None,
        initial_memory: str = "random",
        initial_weightings: str = "one-hot",
        initial_reads: str = "zeros",
        gate_bias: float | tuple[float, ...] | list[float] = 2.0,
        write_gate_bias: float | tuple[float, ...] | list[float] | None = -4.0,
        shift_bias: float | tuple[float, ...] | list[float] = 2.0,
        write_shift_bias: float | tuple[float, ...] | list[float] | None = None,
        input_clip: float | None = None,
        cell_clip: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        self.memory_size = check_size("memory_size", memory_size)
        self.word_size = check_size("word_size", word_size)
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        self.num_read_heads = check_size("num_read_heads", num_read_heads)
        self.num_write_heads = check_size("num_write_heads", num_write_heads)
        self.num_heads = self.num_read_heads + self.num_write_heads
        self.shift_range = check_size("shift_range", shift_range, minimum=0)
        if 2 * self.shift_range + 1 > self.memory_size:
            raise ValueError(
                "`2 * shift_range + 1` must be at most `memory_size`. "
                f"Received: shift_range={shift_range}, memory_size={memory_size}"
            )
        self.gate_bias, self.write_gate_bias = self._biases(
            "gate_bias", gate_bias, write_gate_bias
        )
        self.shift_bias, self.write_shift_bias = self._biases(
            "shift_bias", shift_bias, write_shift_bias
        )
        self.input_clip, self.cell_clip = (
            clip if clip is None else check_bound(name, clip)
            for name, clip in (("input_clip", input_clip), ("cell_clip", cell_clip))
        )

        self._controller_name = controller if isinstance(controller, str) else None
        if controller_size is None and self._controller_name:
            controller_size = controllers.DEFAULT_SIZE
        self.controller_size = controller_size
        self._make_parts(controller, initial_memory, initial_weightings, initial_reads)
        self.output_size = self.units
        self.state_size = self.state_layout.sizes
        self._features: int | None = None

    def _biases(self, name, of_read_heads, of_write_heads):
        """The initial biases of both kinds of heads."""
        if of_write_heads is None:
            of_write_heads = of_read_heads
        return (
            check_biases(name, of_read_heads, self.num_read_heads),
            check_biases(f"write_{name}", of_write_heads, self.num_write_heads),
        )

    def _make_parts(self, controller, *initial_modes):
        # Sub-layers do not inherit the policy of the layer that owns them.
        policy = inner_policy(self.dtype_policy)
        self.controller = controllers.get_controller(
            controller, self.controller_size, policy, self.cell_clip
        )
        self.head_layout = HeadLayout(
            self.num_heads, self.num_write_heads, self.word_size, self.shift_range
        )
        self.heads = keras.layers.Dense(
            self.head_layout.size,
            kernel_initializer=self._heads_kernel,
            bias_initializer=self._heads_bias,
            dtype=policy,
            name="heads",
        )
        self.projection = keras.layers.Dense(
            self.units, dtype=policy, name="projection"
        )
        self.initial = InitialState(
            (self.memory_size, self.word_size),
            self.num_heads,
            self.num_read_heads,
            *initial_modes,
            dtype=policy,
            name="initial_state",
        )
        self.state_layout = StateLayout(
            self.units,
            tuple(cell_states.flat_state_size(self.controller)),
            self.num_read_heads,
            self.num_heads,
            self.memory_size,
            self.word_size,
        )

    def _heads_kernel(self, shape, dtype=None):
        kernel = keras.initializers.GlorotUniform()(shape, dtype)
        return self.head_layout.initial_kernel(kernel)

    def _heads_bias(self, shape, dtype=None):
        bias = self.head_layout.initial_bias(
            self.gate_bias,
            self.write_gate_bias,
            self.shift_bias,
            self.write_shift_bias,
        )
        return ops.convert_to_tensor(bias, dtype)

    def build(self, input_shape: Any) -> None:
        features = check_features("input_shape", input_shape, rank=2)
        self._features = features
        reads_size = self.num_read_heads * self.word_size
        controller_size = cell_states.output_size(self.controller)
        # A layer that load_model has built already must not be built twice.
        for layer, size in (
            (self.controller, features + reads_size),
            (self.heads, controller_size),
            (self.projection, controller_size + reads_size),
        ):
            if not layer.built:
                layer.build((None, size))
        if not self.initial.built:
            self.initial.build()

    def get_initial_state(
        self, batch_size: Any, training: bool = False
    ) -> list[Tensor]:
        """The state before the first step.

        Args:
            batch_size: Number of sequences, or a scalar tensor.
            training: Whether to randomize the memory (only with
                `initial_memory="randomized"`).
        Returns:
            List of tensors `(batch_size, size)`, sizes in `state_size`.
        """
        dtype = self.compute_dtype
        reads, weightings, memory = self.initial.tensors(batch_size, training)
        return self.pack(
            NTMState(
                output=ops.zeros((batch_size, self.units), dtype),
                controller=cell_states.flat_initial_state(
                    self.controller, batch_size, dtype
                ),
                reads=reads,
                weightings=weightings,
                memory=memory,
            )
        )

    def unpack(self, states: list[Tensor]) -> NTMState:
        """Gives names and shapes to a list of flat states `(..., size)`.

        Raises:
            ValueError: If the list has another length.
        """
        return self.state_layout.unpack(states)

    def pack(self, state: NTMState) -> list[Tensor]:
        """Turns an `NTMState` into the list of flat states that Keras passes around."""
        return self.state_layout.pack(state)

    def __call__(self, inputs: Tensor, states: list[Tensor], **kwargs: Any) -> Any:
        check_step(inputs, states, self._features, self.state_size)
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs: Tensor, states: list[Tensor]) -> Any:
        _, *controller_state, reads, weightings, memory = states
        hidden, controller_state = self._control(inputs, reads, controller_state)
        # Recomputing the memory step in the backward pass is cheaper than storing its
        # many N x W products.
        reads, weightings, memory = recomputed(self._access)(
            self.heads(hidden), weightings, memory
        )
        output = self.projection(ops.concatenate([hidden, reads], axis=-1))
        output = within_range(output, self.output_dtype)
        return output, [output, *controller_state, reads, weightings, memory]

    def clip_inputs(self, inputs: Tensor) -> Tensor:
        """Inputs clipped to [-input_clip, input_clip]."""
        if self.input_clip is None:
            return inputs
        # An integer type may not be able to represent the bound.
        inputs = ops.cast(inputs, self.compute_dtype)
        return ops.clip(inputs, -self.input_clip, self.input_clip)

    def _control(self, inputs, reads, flat_state):
        hidden, state = cell_states.cell_step(
            self.controller,
            ops.concatenate([self.clip_inputs(inputs), reads], axis=-1),
            flat_state,
        )
        # A cell that was passed in may compute in another precision than the loop.
        hidden, *state = (ops.cast(x, self.compute_dtype) for x in (hidden, *state))
        return hidden, state

    def _access(self, raw, weightings, memory):
        """The new reads, weightings and memory, all flat, from raw head parameters."""
        # Half precision has too few digits for the epsilons and for sharpening.
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        raw, weightings, memory = (
            ops.cast(x, dtype) for x in (raw, weightings, memory)
        )
        memory = ops.reshape(memory, (-1, self.word_size, self.memory_size))
        prev_weightings = ops.reshape(
            weightings, (-1, self.num_heads, self.memory_size)
        )
        addressing_params, write_params = self.head_layout.split(raw)
        weightings = _address(memory, prev_weightings, addressing_params)
        write_weightings = weightings[:, self.num_read_heads :]
        memory = access.write(memory, write_weightings, *write_params, row_axis=2)
        reads = access.read(memory, weightings[:, : self.num_read_heads], row_axis=2)
        return [
            ops.cast(ops.reshape(x, (-1, size)), self.compute_dtype)
            for x, size in zip(
                (reads, weightings, memory), self.state_size[-3:], strict=True
            )
        ]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "memory_size": self.memory_size,
            "word_size": self.word_size,
            "num_read_heads": self.num_read_heads,
            "num_write_heads": self.num_write_heads,
            "shift_range": self.shift_range,
            "controller": self._controller_name
            or keras.saving.serialize_keras_object(self.controller),
            "controller_size": self.controller_size,
            "initial_memory": self.initial.memory_mode,
            "initial_weightings": self.initial.weightings_mode,
            "initial_reads": self.initial.reads_mode,
            "gate_bias": self.gate_bias,
            "write_gate_bias": self.write_gate_bias,
            "shift_bias": self.shift_bias,
            "write_shift_bias": self.write_shift_bias,
            "input_clip": self.input_clip,
            "cell_clip": self.cell_clip,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "NTMCell":
        return super().from_config(current_config(config))


def _address(memory, prev_weightings, params):
    """The new weightings of all heads; `memory` is `(B, W, N)`."""
    content = addressing.content_weighting(memory, params.key, params.beta, row_axis=2)
    gated = addressing.interpolate(content, prev_weightings, params.gate)
    shifted = addressing.shift(gated, params.shift)
    return addressing.sharpen(shifted, params.gamma)


def current_config(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration with its values renamed where an earlier version saved it."""
    config = dict(config)
    if config.get("initial_memory") == "redrawn":
        config["initial_memory"] = "randomized"
    if not isinstance(config.get("controller", ""), str):
        config.pop("controller_size", None)  # it had no effect beside a cell
    return config
