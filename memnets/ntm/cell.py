"""One step of the Neural Turing Machine, as a Keras cell."""

from typing import Any, NamedTuple

import keras
from keras import ops

from ..checks import check_choice, shorten
from ..memory import access, addressing
from ..memory.initial_state import MEMORIES, READS, WEIGHTINGS
from ..memory.memory_cell import MemoryCell
from ..numerics.tensor_checks import Tensor, check_biases, check_size
from .heads import HeadLayout
from .kernel_layout import NTMLayout


class NTMState(NamedTuple):
    """The state of an NTM with its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        weightings: `(..., H, N)`, read heads first, then write heads.
        memory: `(..., N, W)`, the memory matrix.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    weightings: Tensor
    memory: Tensor


@keras.saving.register_keras_serializable("memnets")
class NTMCell(MemoryCell):
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

    kernel_layout = NTMLayout

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
        super().__init__(
            units,
            memory_size=memory_size,
            word_size=word_size,
            num_read_heads=num_read_heads,
            num_write_heads=num_write_heads,
            controller=controller,
            controller_size=controller_size,
            input_clip=input_clip,
            cell_clip=cell_clip,
            **kwargs,
        )
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
        self.head_layout = HeadLayout(
            self.num_heads, self.num_write_heads, self.word_size, self.shift_range
        )
        self._make_memory(
            NTMState,
            {"weightings": (self.num_heads, self.memory_size)},
            check_choice("initial_memory", initial_memory, MEMORIES),
            check_choice("initial_weightings", initial_weightings, WEIGHTINGS),
            check_choice("initial_reads", initial_reads, READS),
            kernel_initializer=self._heads_kernel,
            bias_initializer=self._heads_bias,
        )

    def _biases(self, name, of_read_heads, of_write_heads):
        """The initial biases of both kinds of heads."""
        of_read_heads = check_biases(name, of_read_heads, self.num_read_heads)
        if of_write_heads is None:
            of_write_heads = of_read_heads
            is_tuple = isinstance(of_read_heads, tuple)
            if is_tuple and self.num_read_heads != self.num_write_heads:
                raise ValueError(
                    f"`write_{name}` must be given if `{name}` has one number for each "
                    f"of the {self.num_read_heads} read heads, and there are "
                    f"{self.num_write_heads} write heads. "
                    f"Received: {name}={shorten(of_read_heads)}, write_{name}=None"
                )
        return (
            of_read_heads,
            check_biases(f"write_{name}", of_write_heads, self.num_write_heads),
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

    def _access_memory(self, raw: Tensor, *parts: Tensor) -> list[Tensor]:
        prev_weightings, memory = parts
        addressing_params, write_params = self.head_layout.split(raw)
        weightings = _address(memory, prev_weightings, addressing_params)
        write_weightings = weightings[:, self.num_read_heads :]
        memory = access.write(memory, write_weightings, *write_params, row_axis=2)
        reads = access.read(memory, weightings[:, : self.num_read_heads], row_axis=2)
        return [reads, weightings, memory]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "shift_range": self.shift_range,
            "initial_weightings": self.initial.weightings_mode,
            "initial_reads": self.initial.reads_mode,
            "gate_bias": self.gate_bias,
            "write_gate_bias": self.write_gate_bias,
            "shift_bias": self.shift_bias,
            "write_shift_bias": self.write_shift_bias,
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
