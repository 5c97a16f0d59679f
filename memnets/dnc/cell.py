"""One step of the Differentiable Neural Computer, as a Keras cell."""

import keras

from ..memory.cell import MemoryCell
from .kernel_layout import DNCLayout
from .memory import DNCMemory


@keras.saving.register_keras_serializable("memnets")
class DNCCell(MemoryCell):
    """One step of a Differentiable Neural Computer.

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets the parameters of all heads.
    2. Rows that were written are in use, until free gates free what was read
       (`memnets.dnc.allocation`).
    3. The write heads find free rows, or rows by content, and change the memory, M =
       M_prev (1 - w e) + w v.
    4. Links keep which row was written after which (`memnets.dnc.linkage`).
    5. The read heads find rows by content, or move along the links in either direction,
       and read, r = w M.
    6. The output is a linear function of the controller's output and of the reads.

    Not to be confused with the NTM, whose heads shift to neighbouring rows instead. All
    rows are equal for a DNC: it cannot depend on their order.

    `keras.layers.RNN(DNCCell(...))` works; `DNC` can also be traced, and its
    `reset_state()` restores an initial memory that is not zero. The cell follows the
    contract of `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `DNC`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `DNC`.
        TypeError: If a flag is not a boolean.
    Reference:
        Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network
        with Dynamic External Memory, Nature 538, Methods.
    Example:
        >>> tuple(keras.layers.RNN(DNCCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    memory_class = DNCMemory
    kernel_layout = DNCLayout
