"""A sparse access memory as a Keras layer."""

import keras

from ..memory.layer import MemoryLayer
from .cell import SAMCell


@keras.saving.register_keras_serializable("memnets")
class SAM(MemoryLayer):
    """A network with a sparse access memory: `SAMCell` run over a sequence.

    A step reads and writes a few rows, and what is kept for the gradients grows with
    the number of steps but not with the number of rows: for large memories. Each step
    compares its keys with all rows, or with `search="hashing"` with some four thousand.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    memory unchanged. With a data type of float16 it takes and returns float16 and
    computes in float32, and with bfloat16 too, which has too few digits for the numbers
    of rows; see `memnets.numerics.precision`. All arguments except `units` are
    keyword-only. There is no compiled kernel for this layer.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
        num_read_heads: Number of heads, R, each of which reads and writes; at most N.
        num_rows_read: Number of rows that a head reads in a step, K; at most N. The
            paper has 4 to 8.
        search: How the rows nearest to a key are found:

            - `"exact"`: all rows are compared with it.
            - `"hashing"`: by an index, which sometimes misses the nearest one, takes 11
              to 23 numbers a row in the state, and is faster than `"exact"` from tens
              of thousands of rows on; see `memnets.sam.hash_index`. A memory that is
              not zeros at first is put into it before the first step.
        controller: `"lstm"`, `"feedforward"`, `"simple-rnn"`, or any Keras cell with
            vector states.
            Regularizers and initializers go on a cell that is passed in.
        controller_size: Units of a named controller, 100 if None. A tuple such as
            `(100, 100)` stacks several. None for a cell, which has its own size.
        initial_memory: The memory before the first step:

            - `"zeros"`.
            - `"random"`: drawn once, not trained.
            - `"randomized"`: as random, but in training each sequence gets the memory
              with its rows rotated and the signs of its columns flipped at random. Only
              in a layer that is not stateful.
            - `"learned"`: random at the start of training.
        beta_bias: Initial bias of the key strengths: above 0, heads first read little
            but the nearest row.
        gate_bias: Initial bias of the gates: below 0, heads first write to the least
            recently accessed row; above 0, to the rows that they have just read.
        write_gate_bias: Initial bias of the write gates: above 0, heads first write at
            every step.
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
        ValueError: If a size is not a positive integer, there are more heads than rows
            or fewer rows than a head reads, there are more than 2^24 rows, a name is
            unknown, a bias is not a finite number, a bound is not a positive number or
            not for this controller, `controller_size` is given for a cell, or a tensor
            has another shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        Rae, Hunt, Harley, Danihelka, Senior, Wayne, Graves, Lillicrap (2016), Scaling
        Memory-Augmented Neural Networks with Sparse Reads and Writes, arXiv:1610.09027.
    Example:
        >>> layer = SAM(8, memory_size=16, word_size=5, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 7, 3))).shape)
        (2, 7, 8)
        >>> tuple(layer.trace(np.zeros((2, 7, 3))).read_rows.shape)
        (2, 7, 1, 4)
        >>> read_params, write_params = layer.trace_heads(np.zeros((2, 7, 3)))
        >>> tuple(read_params.key.shape), tuple(write_params.gate.shape)
        ((2, 7, 1, 5), (2, 7, 1, 1))
    """

    cell_class = SAMCell
