"""One step of the Neural Turing Machine, as a Keras cell."""

from typing import Any

import keras

from ..memory.cell import MemoryCell
from .kernel_layout import NTMLayout
from .memory import NTMMemory


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

    memory_class = NTMMemory
    kernel_layout = NTMLayout

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "NTMCell":
        return super().from_config(current_config(config))


def current_config(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration with its values renamed where an earlier version saved it."""
    config = dict(config)
    if config.get("initial_memory") == "redrawn":
        config["initial_memory"] = "randomized"
    if not isinstance(config.get("controller", ""), str):
        config.pop("controller_size", None)  # it had no effect beside a cell
    return config
