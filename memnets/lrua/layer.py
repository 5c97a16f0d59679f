"""A memory with least recently used access as a Keras layer."""

import keras

from ..memory.layer import MemoryLayer
from .cell import LRUACell


@keras.saving.register_keras_serializable("memnets")
class LRUA(MemoryLayer):
    """A network with least recently used access: `LRUACell` run over a sequence.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    memory unchanged. With a data type of float16 it takes and returns float16 and
    computes in float32, see `memnets.numerics.precision`. All arguments except `units`
    are keyword-only. On a processor a compiled kernel runs whole sequences, see
    `memnets.native`.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
        num_read_heads: Number of heads, R, each of which reads and writes; at most N.
        controller: `"lstm"`, `"feedforward"`, `"simple-rnn"`, or any Keras cell with
            vector states.
            Regularizers and initializers go on a cell that is passed in.
        controller_size: Units of a named controller, 100 if None. A tuple such as
            `(100, 100)` stacks several. None for a cell, which has its own size.
        decay: gamma, from 0 to less than 1: the share of the usage of a row that is
            left after a step. The paper does not say which.
        strengths: Whether a head also sets how sharply it reads, the key strength of an
            NTM. Without it, as in the paper, the softmax of cosines can give a row at
            most e^2 times the attention of another.
        separate_add: Whether a head writes a vector of its own. Without it, as in the
            paper, it writes its key.
        initial_memory: The memory before the first step:

            - `"zeros"`.
            - `"random"`: drawn once, not trained.
            - `"randomized"`: as random, but in training each sequence gets the memory
              with its rows rotated and the signs of its columns flipped at random. Only
              in a layer that is not stateful.
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
        ValueError: If a size is not a positive integer, there are more heads than rows,
            a name is unknown, `decay` is not from 0 to less than 1, a bound is not a
            positive number or not for this controller, `controller_size` is given for a
            cell, or a tensor has another shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
        Memory-Augmented Neural Networks, arXiv:1605.06065.
    Example:
        >>> layer = LRUA(8, memory_size=16, word_size=5, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 7, 3))).shape)
        (2, 7, 8)
        >>> tuple(layer.trace(np.zeros((2, 7, 3))).usage.shape)
        (2, 7, 16)
        >>> read_params, write_params = layer.trace_heads(np.zeros((2, 7, 3)))
        >>> tuple(read_params.key.shape), tuple(write_params.gate.shape)
        ((2, 7, 4, 5), (2, 7, 4, 1))
    """

    cell_class = LRUACell
