"""The compiled kernel: whole sequences of an NTM, a DNC or an LRUA in one call.

It runs on the processor. `NTM`, `DNC` and `LRUA` use it automatically where `covers`
says so. Otherwise the portable path in `keras.ops` runs, with the same results up to
rounding.
"""

import importlib
import types

import keras
import numpy as np
from keras import ops

from ..numerics.precision import within_range
from ..numerics.tensor_checks import Tensor
from ..recurrent.masked_outputs import outputs_under_mask
from ..saving.exporting import is_exporting
from . import coverage, layout, library
from .cores import available_cores

__all__ = [
    "available_cores",
    "covers",
    "is_available",
    "level",
    "run",
    "set_enabled",
    "status",
]

_enabled = True


def set_enabled(enabled: bool) -> None:
    """Switches the kernel on or off for later calls and traces.

    Keras keeps the compiled training step of a model: switch before the first `fit`.
    """
    global _enabled
    _enabled = bool(enabled)


def status() -> str:
    """One line that says whether the kernel runs here, and if not, why.

    Example:
        >>> status()  # doctest: +SKIP
        'compiled kernel (AVX-512, 2 threads)'
    """
    reason = _why_not()
    if reason:
        return f"portable path, without the compiled kernel: {reason}"
    _, description = library.load()
    return f"compiled kernel ({description}, {_operation().threads()} threads)"


def level() -> str:
    """The instructions that the kernel is compiled for here, as `status` names them;
    "portable" if the portable path runs. Each rounds differently.

    Example:
        >>> level()  # doctest: +SKIP
        'AVX-512'
    """
    if _why_not():
        return "portable"
    _, description = library.load()
    return description


def is_available() -> bool:
    """Whether the kernel runs here."""
    return _why_not() is None


def _why_not() -> str | None:
    if not _enabled:
        return "it is switched off"
    compiled, description = library.load()
    if compiled is None:
        return description
    if keras.backend.backend() not in ("tensorflow", "jax"):
        return f"the backend is {keras.backend.backend()}"
    try:
        return _operation().why_not()
    except ImportError as error:  # of a part of the backend that is not public
        return f"this version of {keras.backend.backend()} lacks a part: {error}"


def _operation() -> types.ModuleType:
    """The module with the operation for the backend in use."""
    return importlib.import_module(f"{__name__}.{keras.backend.backend()}_op")


def covers(cell: keras.layers.Layer) -> bool:
    """Whether the kernel can compute a cell and runs here.

    It needs an `NTMCell`, a `DNCCell` or an `LRUACell`, float32 and a named controller,
    or cells equal to those of a named one. Layers in it that were changed, such as
    quantised ones, are asked what they are at each call; with LoRA the kernel runs.
    """
    return (
        layout.layout_class(cell) is not None
        and coverage.has_plain_layers(cell)
        and (not cell.built or layout.has_expected_weights(cell))
        and is_available()
        and not is_exporting()
    )


def run(
    layer: keras.layers.Layer,
    sequences: Tensor,
    initial_state: list[Tensor],
    mask: Tensor | None,
    training: bool,
) -> tuple[Tensor, Tensor, list[Tensor]]:
    """The result of `keras.layers.RNN.inner_loop`, for a layer whose cell is covered.

    Args:
        layer: The layer.
        sequences: `(B, T, features)`.
        initial_state: List of tensors, see `cell.state_size`.
        mask: `(B, T)` or None.
        training: Whether the layer is being trained.
    Returns:
        `(last_output, outputs, states)`.
    """
    cell = layer.cell
    if mask is not None:
        mask = ops.cast(mask, "bool")
    if layer.go_backwards:
        sequences = ops.flip(sequences, 1)
        mask = None if mask is None else ops.flip(mask, 1)
    first_output, *state = initial_state
    features, last_state = _operation().network(
        layout.layout_of(cell),
        cell.clip_inputs(ops.cast(sequences, "float32")),
        mask,
        ops.concatenate(state, axis=-1),
        layout.weights_of(cell),
        training,
    )
    states = ops.split(last_state, np.cumsum(cell.state_size[1:-1]).tolist(), axis=-1)
    outputs = cell.projection(features if layer.return_sequences else features[:, -1:])
    outputs = within_range(outputs, cell.output_dtype)
    last_output = outputs[:, -1]
    if mask is not None:
        outputs, last_output = outputs_under_mask(layer, outputs, first_output, mask)
    return outputs[:, -1], outputs, [last_output, *states]
