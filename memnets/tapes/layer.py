"""A network with a tape as a Keras layer."""

import keras
from keras import ops

from ..memory.layer import MemoryLayer
from ..numerics.tensor_checks import Tensor
from .cell import TapeCell


@keras.saving.register_keras_serializable("memnets")
class TapeRNN(MemoryLayer):
    """A network with a tape, the Tape-RNN: `TapeCell` run over a sequence.

    The tape is a ring of cells. At each step a word replaces the cell under the head,
    and the head stays, or moves one cell left or right. With `jumps` it may also move
    as many cells as the input is long, which the network is then told.
    Not to be confused with the NTM, whose heads also address by content, and which
    erases and adds in place of replacing.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the tape
    unchanged. All arguments except `units` are keyword-only.

    No weight depends on `memory_size`: weights that were trained with one can be used
    with a larger one, for longer sequences.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of cells, N. What is written onto more cells than that
            overwrites the first ones, as the tape is a ring.
        word_size: Components of a cell, W.
        writer_sizes: Sizes of the rectified layers between the controller and the word.
        round_moves: Whether the most probable move is done alone, outside of training,
            rather than all of them by their probabilities.
        jumps: Whether the head can also jump left and right by the length of the input.
        length_features: The length of the input is the number of steps at which one of
            the first so many features is not 0, such as those of the symbols of a
            string, and not of what follows it. None counts every step. Steps that are
            masked do not count.
        controller: `"simple-rnn"`, `"lstm"`, `"feedforward"`, or any Keras cell with
            vector states.
        controller_size: Units of a named controller, 100 if None. A tuple such as
            `(100, 100)` stacks several. None for a cell, which has its own size.
        input_clip: Inputs are clipped to [-input_clip, input_clip]. None for no bound.
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
        initial_state: List of tensors `(B, size)`, sizes in `layer.cell.state_size`. A
            `length` in it that is not 0 stays, as that of a sequence in pieces does.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
        training: Whether this is training, which does not round moves.
    Returns:
        Tensor `(B, units)`, or `(B, T, units)` with `return_sequences`; with
        `return_state` followed by the tensors of the last state.
    Raises:
        ValueError: If a size is not a positive integer, a name is unknown, a bound is
            not a positive number or not for this controller, `controller_size` is given
            for a cell, `length_features` is given without `jumps` or exceeds the
            features, or a tensor has another shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        Delétang, Ruoss et al. (2023), Neural Networks and the Chomsky Hierarchy,
        arXiv:2207.02098, appendix.

        Deviation: a simple recurrent controller has tanh here, where the public code
        rectifies; pass `keras.layers.SimpleRNNCell(256, activation="relu")` for that.
        Deviation: `round_moves` is not in the paper.
    Example:
        >>> layer = TapeRNN(8, memory_size=16, jumps=True, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> state = layer.trace(np.zeros((2, 5, 3)))
        >>> tuple(state.memory.shape), float(state.length[0, 0, 0])
        ((2, 5, 16, 8), 5.0)
        >>> tuple(layer.trace_heads(np.zeros((2, 5, 3))).moves.shape)
        (2, 5, 1, 5)
    """

    cell_class = TapeCell

    def first_state(
        self, sequences: Tensor, initial_state: list[Tensor], mask: Tensor | None
    ) -> list[Tensor]:
        memory = self.cell.memory
        if not memory.jumps:
            return initial_state
        counted = ops.ones_like(sequences[..., 0], dtype="bool")
        if memory.length_features is not None:
            counted = ops.any(sequences[..., : memory.length_features] != 0, axis=-1)
        if mask is not None:
            counted = ops.logical_and(counted, ops.cast(mask, "bool"))
        length = ops.sum(ops.cast(counted, "float32"), axis=1, keepdims=True)
        return self.cell.with_length(initial_state, length)
