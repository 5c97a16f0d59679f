"""The Neural Turing Machine as a Keras layer."""

from typing import Any

import keras

from ..memory.layer import MemoryLayer
from .cell import NTMCell, current_config


@keras.saving.register_keras_serializable("memnets")
class NTM(MemoryLayer):
    """A Neural Turing Machine: `NTMCell` run over a sequence.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    memory unchanged. With a data type of float16 it takes and returns float16 and
    computes in float32, see `memnets.numerics.precision`. All arguments except `units`
    are keyword-only.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
        num_read_heads: Number of read heads, R.
        num_write_heads: Number of write heads.
        shift_range: Largest shift of a head in one step, K. With 0, heads address by
            content or keep their weighting.
        controller: `"lstm"`, `"feedforward"`, `"simple-rnn"`, or any Keras cell with
            vector states.
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
        gradient_bound: In training, the largest norm of the gradients that leave the
            layer, in proportion to the errors that enter it, such as 1; None for no
            bound. See `memnets.recurrent.gradient_bound`.
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
        >>> _, write_params = layer.trace_heads(np.zeros((2, 5, 3)))
        >>> tuple(write_params.add.shape)
        (2, 5, 1, 20)
        >>> [head.name for head in layer.trace_memory(np.zeros((2, 5, 3))).heads]
        ['write head', 'read head']
    """

    cell_class = NTMCell

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "NTM":
        return cls(**current_config(config))
