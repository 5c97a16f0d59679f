"""The compiled kernel: whole sequences of an NTM, a DNC, an LRUA, an LSTM or a GRU in
one call.

It runs on the processor. Layers of this package use it automatically where `covers`
says so, those of Keras after `memnets.accelerate`. Otherwise the portable path in
`keras.ops` runs, with the same results up to rounding.
"""

import contextlib
import importlib.util
import itertools
import types
from collections.abc import Iterator
from typing import Any

import keras
from keras import ops

from .. import backends
from ..backends.exporting import is_exporting
from ..backends.masked_outputs import outputs_under_mask
from ..backends.torch_compiling import remembered
from ..cores import available_cores
from ..numerics.precision import within_range
from ..numerics.tensor_checks import Tensor
from . import coverage, kernel_layout, library, recurrent_kernel_layout

__all__ = [
    "available_cores",
    "covers",
    "is_available",
    "level",
    "portable_path",
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


@contextlib.contextmanager
def portable_path() -> Iterator[None]:
    """The portable path, for what the kernel lacks: gradients of gradients, and
    derivatives in forward mode."""
    global _enabled
    before, _enabled = _enabled, False
    try:
        yield
    finally:
        _enabled = before


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


def _why_not(sequences: Tensor | None = None) -> str | None:
    if not _enabled:
        return "it is switched off"
    compiled, description = library.load()
    if compiled is None:
        return description
    try:
        operation = _operation()
        if operation is None:
            return f"the backend is {keras.backend.backend()}"
        return operation.why_not(sequences)
    except ImportError as error:  # of a part of the backend that is not public
        return f"this version of {keras.backend.backend()} lacks a part: {error}"


def _operation() -> Any:
    """The module with the operation for the backend in use, None if it has none."""
    return _operation_of(keras.backend.backend())


@remembered
def _operation_of(backend: str) -> types.ModuleType | None:
    name = f"{__name__}.{backend}_op"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def covers(cell: keras.layers.Layer, sequences: Tensor | None = None) -> bool:
    """Whether the kernel can compute a cell and runs here.

    It computes in float32: an `NTMCell`, a `DNCCell` or an `LRUACell` with a named
    controller, or cells equal to those of a named one; a `keras.layers.LSTMCell` or
    `GRUCell` with the default activations. Layers that were changed, such as quantised
    ones, are asked what they are at each call; with LoRA the kernel runs.

    Args:
        cell: The cell.
        sequences: What it shall compute, `(B, T, features)`: they may lie on another
            device, or have sizes that are not known.
    """
    return (
        (_is_covered_memory(cell) or _is_covered_unit(cell))
        and _why_not(sequences) is None
        and not is_exporting()
    )


def _is_covered_memory(cell: keras.layers.Layer) -> bool:
    return (
        kernel_layout.layout_class(cell) is not None
        and coverage.has_plain_layers(cell)
        and (not cell.built or kernel_layout.has_expected_weights(cell))
    )


def _is_covered_unit(cell: keras.layers.Layer) -> bool:
    return coverage.is_recurrent_unit(cell) and (
        not cell.built or recurrent_kernel_layout.has_expected_weights(cell)
    )


def prepare(cell: keras.layers.Layer) -> None:
    """Finds what is remembered of a cell and its class, before `torch.compile` needs
    it; also while the kernel is switched off."""
    library.load()
    _operation()
    if _is_covered_memory(cell) or _is_covered_unit(cell):
        kernel_layout.float_bits(coverage.cell_clip(cell))
        if cell.built:
            _layout(cell).sizes(1, 1, 1, False)


def _layout(cell: keras.layers.Layer) -> kernel_layout.Layout:
    """The layout of a cell that is covered."""
    if kernel_layout.layout_class(cell):
        return kernel_layout.layout_of(cell)
    return recurrent_kernel_layout.recurrent_layout(cell)


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
    sequences = ops.cast(sequences, "float32")
    if mask is not None:
        mask = ops.cast(mask, "bool")
    if layer.go_backwards:
        sequences = ops.flip(sequences, 1)
        mask = None if mask is None else ops.flip(mask, 1)
    compute = (
        _compute_memory if kernel_layout.layout_class(layer.cell) else _compute_unit
    )
    outputs, states = compute(layer, sequences, initial_state, mask, training)
    return outputs[:, -1], outputs, states


def _compute_memory(
    layer: keras.layers.Layer,
    sequences: Tensor,
    initial_state: list[Tensor],
    mask: Tensor | None,
    training: bool,
) -> tuple[Tensor, list[Tensor]]:
    """Outputs and last states, in the order of processing."""
    cell = layer.cell
    first_output, *state = initial_state
    features, last_state = _operation().network(
        _layout(cell),
        cell.clip_inputs(sequences),
        mask,
        ops.concatenate(state, axis=-1),
        kernel_layout.weights_of(cell),
        training,
    )
    states = backends.current().split(
        last_state, list(itertools.accumulate(cell.state_size[1:-1])), axis=-1
    )
    outputs = cell.projection(features if layer.return_sequences else features[:, -1:])
    outputs = within_range(outputs, cell.output_dtype)
    last_output = outputs[:, -1]
    if mask is not None:
        outputs, last_output = outputs_under_mask(layer, outputs, first_output, mask)
    return outputs, [last_output, *states]


def _compute_unit(
    layer: keras.layers.Layer,
    sequences: Tensor,
    initial_state: list[Tensor],
    mask: Tensor | None,
    training: bool,
) -> tuple[Tensor, list[Tensor]]:
    """The same for an LSTM or a GRU."""
    cell = layer.cell
    if training and cell.dropout:
        sequences *= cell.get_dropout_mask(sequences[:, 0])[:, None]
    outputs, last_state = _operation().network(
        _layout(cell),
        sequences,
        mask,
        ops.concatenate(initial_state, axis=-1),
        recurrent_kernel_layout.recurrent_weights(cell),
        training,
    )
    states = ops.split(last_state, len(initial_state), axis=-1)
    if not layer.return_sequences:
        outputs = outputs[:, -1:]
    if mask is not None:
        outputs, _ = outputs_under_mask(layer, outputs, initial_state[0], mask)
    return outputs, states
