"""The Neural Turing Machine as a Keras layer."""

import inspect
from collections.abc import Callable
from typing import Any

import keras
from keras import ops, tree

from . import native
from .heads import AddressingParameters, WriteParameters
from .ntm_cell import NTMCell, current_config
from .rnn import MemoryRNN
from .state import NTMState
from .tensor_checks import Tensor
from .tracing import MemoryTrace, split_heads

CELL_ARGUMENTS = [
    parameter
    for parameter in inspect.signature(NTMCell.__init__).parameters.values()
    if parameter.kind is parameter.KEYWORD_ONLY
]


def _lists_cell_arguments(init: Callable) -> Callable:
    """Adds the arguments of `NTMCell` to the signature of `init`, which passes them on:
    for `help()`, `inspect.signature()` and notebooks."""
    signature = inspect.signature(init)
    layer, units, *others = signature.parameters.values()
    parameters = [layer, units, *CELL_ARGUMENTS, *others]
    setattr(init, "__signature__", signature.replace(parameters=parameters))  # noqa: B010
    return init


@keras.saving.register_keras_serializable("memnets")
class NTM(MemoryRNN):
    """A Neural Turing Machine: `NTMCell` run over a sequence.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    memory unchanged. With a data type of float16 it takes and returns float16 and
    computes in float32, see `memnets.precision`. All arguments except `units` are
    keyword-only.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
        num_read_heads: Number of read heads, R.
        num_write_heads: Number of write heads.
        shift_range: Largest shift of a head in one step, K. With 0, heads address by
            content or keep their weighting.
        controller: `"lstm"`, `"feedforward"`, or any Keras cell with vector states.
            Regularizers and initializers go on a cell that is passed in.
        controller_size: Units of a named controller, 100 if None. A tuple such as
            `(100, 100)` stacks several. None for a cell, which has its own size.
        initial_memory: The memory before the first step:

            - `"random"`: drawn once, not trained.
            - `"randomized"`: as random, but in training each sequence gets the memory
              with its rows rotated and the signs of its columns flipped at random, so
              that the network cannot depend on a fixed row. Only in an `NTM` that is
              not stateful.
            - `"constant"`: 1e-6, not trained.
            - `"constant-trainable"`: 1e-6 at the start of training.
            - `"learned"`: random at the start of training.
        initial_weightings: `"uniform"`, `"one-hot"` (on row 0) or `"learned"`.
        initial_reads: `"zeros"` or `"learned"`.
        gate_bias: Initial bias of the interpolation gates. Below 0, heads first address
            by location, starting from their previous rows; above 0, by content. By
            default read heads search and write heads advance. A tuple has one number
            for each read head.
        write_gate_bias: The same for the write heads; `gate_bias` if None.
        shift_bias: Initial bias of the shifts. Above 0, heads first advance by one row
            at each step; below 0, they first stay on the rows that they have found;
            with 0, they start without a direction. A tuple has one number for each
            read head.
        write_shift_bias: The same for the write heads; `shift_bias` if None.
        input_clip: Inputs are clipped to [-input_clip, input_clip], so that the network
            never sees larger numbers than in training. None for no bound.
        cell_clip: The carries of the `"lstm"` controller are clipped to [-cell_clip,
            cell_clip]: a carry that counts steps stops at the bound instead of growing
            beyond every value of training. None for no bound.
        return_sequences: Whether to return the output of every step, or of the last
            step only.
        return_state: Whether to also return the last state, for `layer.cell.unpack`.
        stateful: Whether a batch continues from the last state of the previous batch,
            until `reset_state()`.
        **kwargs: `go_backwards`, `unroll`, `zero_output_for_mask`, `name`, `dtype`,
            `trainable`.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        initial_state: List of tensors `(B, size)`, sizes in `layer.cell.state_size`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
        training: Whether to randomize the initial memory (only with
            `initial_memory="randomized"`).
    Returns:
        Tensor `(B, units)`, or `(B, T, units)` with `return_sequences`; with
        `return_state` followed by the tensors of the last state.
    Raises:
        ValueError: If a size is not a positive integer, `2 * shift_range + 1 >
            memory_size`, a name is unknown, a bound is not a positive number or not for
            this controller, `controller_size` is given for a cell, or a tensor has
            another shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401;
        initial states: Collier, Beel (2018), Implementing Neural Turing Machines,
        arXiv:1807.08518.
    Example:
        >>> layer = NTM(8, memory_size=16, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> tuple(layer.trace(np.zeros((2, 5, 3))).memory.shape)
        (2, 5, 16, 20)
    """

    # The way of a call: NTM.call, MemoryRNN.call, keras.layers.RNN.call, then
    # NTM.inner_loop: the compiled kernel, or the loop of Keras over NTMCell.

    @_lists_cell_arguments
    def __init__(
        self,
        units: int,
        *,
        return_sequences: bool = False,
        return_state: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        cell_arguments = {
            argument.name: kwargs.pop(argument.name)
            for argument in CELL_ARGUMENTS
            if argument.name in kwargs
        }
        cell = NTMCell(units, dtype=kwargs.get("dtype"), name="cell", **cell_arguments)
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            stateful=stateful,
            **kwargs,
        )

    def call(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        # Keras asks the cell for an initial state without passing `training`.
        resample = training and self.cell.initial.is_randomized and not self.stateful
        if resample and initial_state is None:
            batch_size = ops.shape(sequences)[0]
            initial_state = self.cell.get_initial_state(batch_size, training=True)
        return super().call(sequences, initial_state, mask, training)

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> Any:
        if type(self.cell) is NTMCell and native.covers(self.cell):
            return native.run(self, sequences, initial_state, mask, training)
        return super().inner_loop(sequences, initial_state, mask, training)

    def trace(
        self,
        sequences: Tensor,
        initial_state: list[Tensor] | None = None,
        mask: Tensor | None = None,
    ) -> NTMState:
        """The named state after every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
            initial_state: List of tensors `(B, size)`; the cell's own initial state if
                `None`.
            mask: Boolean tensor `(B, T)`.
        Returns:
            `NTMState` whose tensors have a time axis after the batch axis: `memory` is
            `(B, T, N, W)`.
        """
        return self.cell.unpack(super().trace(sequences, initial_state, mask))

    def trace_heads(
        self, sequences: Tensor
    ) -> tuple[AddressingParameters, WriteParameters]:
        """The parameters of the heads at every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
        Returns:
            `(AddressingParameters, WriteParameters)` of `memnets.heads`, whose tensors
            have a time axis after the batch axis, in the order of processing: `add` is
            `(B, T, heads, W)`.
        Example:
            >>> layer = NTM(8, return_sequences=True)
            >>> addressing_params, write_params = layer.trace_heads(np.zeros((2, 5, 3)))
            >>> tuple(write_params.add.shape)
            (2, 5, 1, 20)
        """
        self._check_call(sequences, None, None)
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        batch_size, steps, _ = sequences.shape
        after = super().trace(sequences)
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
        first = tree.flatten(self.get_initial_state(batch_size))
        # The state before each step; then all steps are computed as one large batch.
        before = [
            ops.concatenate([start[:, None], states[:, :-1]], axis=1)
            for start, states in zip(first, after, strict=True)
        ]
        _, *controller_state, reads, _, _ = (
            ops.reshape(states, (batch_size * steps, -1)) for states in before
        )
        inputs = ops.reshape(sequences, (batch_size * steps, -1))
        hidden, _ = self.cell._control(inputs, reads, controller_state)
        return tree.map_structure(
            lambda values: ops.reshape(values, (batch_size, steps, *values.shape[1:])),
            self.cell.head_layout.split(self.cell.heads(hidden)),
        )

    def trace_memory(self, sequences: Tensor) -> MemoryTrace:
        """The memory and the heads at every step, for pictures: see
        `memnets.TraceableMemory`.

        Args:
            sequences: Tensor `(B, T, features)`.
        Example:
            >>> trace = NTM(8, num_read_heads=2).trace_memory(np.zeros((2, 5, 3)))
            >>> [head.name for head in trace.heads]
            ['write head', 'read head 1', 'read head 2']
        """
        _, write_params = self.trace_heads(sequences)
        state = self.trace(sequences)
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        added, read, weightings, memory = (
            ops.convert_to_numpy(ops.cast(tensor, dtype))
            for tensor in (
                write_params.add,
                state.reads,
                state.weightings,
                state.memory,
            )
        )
        num_read_heads = self.cell.num_read_heads
        heads = [
            *split_heads("write", added, weightings[:, :, num_read_heads:]),
            *split_heads("read", read, weightings[:, :, :num_read_heads]),
        ]
        return MemoryTrace(heads, memory)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        # The layer's arguments are those of its cell and those of the loop.
        del config["cell"]
        cell_config = self.cell.get_config()
        for key in ("name", "trainable", "dtype"):
            del cell_config[key]
        return {**config, **cell_config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "NTM":
        return cls(**current_config(config))
