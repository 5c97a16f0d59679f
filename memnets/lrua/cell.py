"""One step of a network with least recently used access, as a Keras cell."""

import keras

from ..memory.cell import MemoryCell
from .kernel_layout import LRUALayout
from .memory import LRUAMemory


@keras.saving.register_keras_serializable("memnets")
class LRUACell(MemoryCell):
    """One step of a network with least recently used access, a "memory-augmented neural
    network" (MANN).

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets a key and a write gate of each head.
    2. The least used rows, one for each head, are set to zero. Each head writes its key
       to its least used row, or to the rows that it read in the previous step
       (`memnets.lrua.rules`).
    3. Each head reads by content, with the same key, from the new memory.
    4. What was read and written counts as used.
    5. The output is a linear function of the controller's output and of the reads.

    Not to be confused with the NTM, whose heads also shift, nor with the DNC, whose
    read heads free rows.

    `keras.layers.RNN(LRUACell(...))` works; `LRUA` can also be traced, and its
    `reset_state()` restores an initial memory that is not zero. The cell follows the
    contract of `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `LRUA`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `LRUA`.
        TypeError: If a flag is not a boolean.
    Reference:
        Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
        Memory-Augmented Neural Networks, arXiv:1605.06065, section 3.
    Example:
        >>> tuple(keras.layers.RNN(LRUACell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    memory_class = LRUAMemory
    kernel_layout = LRUALayout
