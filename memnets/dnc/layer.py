"""The Differentiable Neural Computer as a Keras layer."""

import keras

from .. import native
from ..memory.layer import MemoryLayer
from ..numerics.tensor_checks import Structure, Tensor
from .cell import DNCCell


@keras.saving.register_keras_serializable("memnets")
class DNC(MemoryLayer):
    """A Differentiable Neural Computer: `DNCCell` run over a sequence.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    memory unchanged. With a data type of float16 it takes and returns float16 and
    computes in float32, see `memnets.numerics.precision`. All arguments except `units`
    are keyword-only.

    Links take most of the time and of the state, which has `num_write_heads *
    memory_size ** 2` numbers for them.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
        num_read_heads: Number of read heads, R.
        num_write_heads: Number of write heads, 1 in the paper. More than one allocate
            rows in turn.
        controller: `"lstm"`, `"feedforward"`, `"simple-rnn"`, or any Keras cell with
            vector states.
            Regularizers and initializers go on a cell that is passed in.
        controller_size: Units of a named controller, 100 if None. A tuple such as
            `(100, 100)` stacks several. None for a cell, which has its own size.
        links: Whether read heads can move to what was written before and after. If
            not, they read by content only, and the state has neither precedence nor
            links.
        deallocate: Whether freed rows are also erased, so that they are no longer found
            by content.
        masks: Whether each head also sets which components of a row count when it
            looks for content.
        mask_min: Smallest value of a mask, from 0. With 0, learning is slower.
        sharpen_links: Whether moves along links are sharpened, so that they do not blur
            on long ways.
        usage_gradient: Whether the gradient goes from the usage of rows back to what
            was written; there always is one to what was freed.
        allocation_bias: Initial bias of the allocation gates. Above 0, write heads
            first write to free rows; below 0, to rows that they find by content. With 0
            they begin with half of each, which spreads a write over many rows.
        initial_memory: The memory before the first step:

            - `"zeros"`.
            - `"random"`: drawn once, not trained.
            - `"randomized"`: as random, but in training each sequence gets the memory
              with its rows rotated and the signs of its columns flipped at random. Only
              in a `DNC` that is not stateful.
            - `"learned"`: random at the start of training.
        input_clip: Inputs are clipped to [-input_clip, input_clip], so that the network
            never sees larger numbers than in training. None for no bound.
        cell_clip: The carries of the `"lstm"` controller are clipped to [-cell_clip,
            cell_clip]. None for no bound.
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
        ValueError: If a size is not a positive integer, a name is unknown, `mask_min`
            is not from 0 to less than 1, links are sharpened without links, a bias is
            not a finite number, a bound is not a positive number or not for this
            controller, `controller_size` is given for a cell, or a tensor has another
            shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network
        with Dynamic External Memory, Nature 538; `deallocate`, `masks` and
        `sharpen_links`: Csordas, Schmidhuber (2019), Improving Differentiable Neural
        Computers Through Memory Masking, De-allocation, and Link Distribution Sharpness
        Control, arXiv:1904.10278.
    Example:
        >>> layer = DNC(8, memory_size=16, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> state = layer.trace(np.zeros((2, 5, 3)))
        >>> tuple(state.usage.shape), tuple(state.links.shape)
        ((2, 5, 16), (2, 5, 1, 16, 16))
        >>> read_params, write_params = layer.trace_heads(np.zeros((2, 5, 3)))
        >>> tuple(read_params.mode.shape), tuple(write_params.write_gate.shape)
        ((2, 5, 1, 3), (2, 5, 1, 1))
    """

    cell_class = DNCCell

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> tuple[Tensor, Tensor, Structure]:
        if mask is not None or native.covers(self.cell, sequences):
            return super().inner_loop(sequences, initial_state, mask, training)
        # XLA is faster at links that are matrices. Keras can mask vectors only.
        layout = self.cell.state_layout
        last_output, outputs, states = super().inner_loop(
            sequences, layout.store(initial_state), mask, training
        )
        return last_output, outputs, layout.flatten(states)
