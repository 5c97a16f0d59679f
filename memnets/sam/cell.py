"""One step of a network with a sparse access memory, as a Keras cell."""

import keras

from ..memory.cell import MemoryCell
from .memory import SAMMemory


@keras.saving.register_keras_serializable("memnets")
class SAMCell(MemoryCell):
    """One step of a network with a sparse access memory (SAM).

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets the parameters of each head.
    2. The least recently accessed rows, one for each head, are set to zero. Each head
       adds a vector to its row and to the few rows that it read in the previous step
       (`memnets.sam.rules`).
    3. Each head reads the few rows of the new memory that are nearest to its key.
    4. A row that was read or written by more than a trace counts as accessed.
    5. The output is a linear function of the controller's output and of the reads.

    Not to be confused with LRUA, whose heads read and write all rows, and whose usage
    decays.

    `keras.layers.RNN(SAMCell(...))` works; `SAM` can also be traced, and its
    `reset_state()` restores an initial memory that is not zero. The cell follows the
    contract of `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `SAM`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `SAM`.
        TypeError: If a flag is not a boolean.
    Reference:
        Rae, Hunt, Harley, Danihelka, Senior, Wayne, Graves, Lillicrap (2016), Scaling
        Memory-Augmented Neural Networks with Sparse Reads and Writes, arXiv:1610.09027,
        section 3.
    Example:
        >>> tuple(keras.layers.RNN(SAMCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    memory_class = SAMMemory
