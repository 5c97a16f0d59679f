"""The kernel as two operations of PyTorch, with their gradients.

They are operations of `torch.library`, which `torch.compile` and `torch.export` take as
they are. Tensors are passed where they lie, without a copy.
"""

import ctypes
import functools
import pathlib
from typing import Any, NoReturn

import numpy as np
import torch

from ..backends.torch import device_type, is_transforming
from ..numerics.tensor_checks import Tensor
from . import library
from .kernel_layout import Layout

# "meta" is where Keras finds shapes.
_DEVICES = ("cpu", "meta")
# Behind the ticket of the kernel: the threads of the forward pass, which the backward
# pass must have too.
THREADS_AT = 2


def why_not(sequences: Tensor | None = None) -> str | None:
    """Why the kernel cannot run in the present context; None if it can.

    Args:
        sequences: What it shall compute; None for a tensor on the device of Keras.
    """
    if is_transforming():
        return "a function is transformed by torch.func or the forward mode"
    device = device_type()
    if isinstance(sequences, torch.Tensor):
        device = sequences.device.type
    return None if device in _DEVICES else f"PyTorch computes on {device}"


def threads() -> int:
    """Number of threads that PyTorch uses within an operation."""
    return torch.get_num_threads()


@functools.cache
def _lend_threads() -> None:
    """Lets the kernel run on the threads of PyTorch, which wait busily for the next
    operation: others would find no free core."""
    kernel, _ = library.load()
    path = pathlib.Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    try:
        team = ctypes.CDLL(str(path)).GOMP_parallel
    except (OSError, AttributeError):  # PyTorch was built with other threads
        return
    kernel.memnets_lend_threads(ctypes.cast(team, ctypes.c_void_p))


def network(
    layout: Layout,
    inputs: Tensor,
    mask: Tensor | None,
    state: Tensor,
    weights: Tensor,
    training: bool,
) -> tuple[Tensor, Tensor]:
    """Runs the kernel.

    Args:
        layout: A `Layout`.
        inputs: `(B, T, features)`.
        mask: `(B, T)`, boolean, or None.
        state: `(B, size)`.
        weights: `(size,)`, see `weights_of`.
        training: Not used: PyTorch knows whether gradients will be needed.
    Returns:
        `(features, last_state)`, `(B, T, units + reads)` and `(B, size)`.
    """
    library.check_shapes(layout, inputs, mask, state)
    needs_gradients = torch.is_grad_enabled() and any(
        tensor.requires_grad for tensor in (inputs, state, weights)
    )
    # The operation knows the rest of the sizes: an exported program may leave the
    # batch and the steps open.
    features, last_state, _ = _forward(
        inputs,
        mask,
        state,
        weights,
        layout.kind,
        layout.numbers,
        layout.features_size,
        needs_gradients,
    )
    return features, last_state


@torch.library.custom_op("memnets::forward", mutates_args=())
def _forward(
    inputs: torch.Tensor,
    mask: torch.Tensor | None,
    state: torch.Tensor,
    weights: torch.Tensor,
    kind: str,
    numbers: list[int],
    features_size: int,
    saves: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    results = _forward_results(
        inputs, mask, state, weights, kind, numbers, features_size, saves
    )
    results[2][THREADS_AT] = used = threads()
    arguments = [inputs, mask, state, weights]
    _call(f"memnets_{kind}_forward", used, saves, numbers, arguments, results)
    return results


@_forward.register_fake
def _forward_results(
    inputs: Tensor,
    mask: Tensor | None,
    state: Tensor,
    weights: Tensor,
    kind: str,
    numbers: list[int],
    features_size: int,
    saves: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    return (
        inputs.new_empty((*inputs.shape[:2], features_size)),
        torch.empty_like(state, memory_format=torch.contiguous_format),
        inputs.new_empty((THREADS_AT + 1,), dtype=torch.int32),  # the ticket
    )


@torch.library.custom_op("memnets::backward", mutates_args=())
def _backward(
    inputs: torch.Tensor,
    mask: torch.Tensor | None,
    state: torch.Tensor,
    weights: torch.Tensor,
    ticket: torch.Tensor,
    d_features: torch.Tensor,
    d_last_state: torch.Tensor,
    kind: str,
    numbers: list[int],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    arguments = [inputs, mask, state, weights, ticket, d_features, d_last_state]
    results = _backward_results(*arguments, kind, numbers)
    used = int(ticket[THREADS_AT])
    _call(f"memnets_{kind}_backward", used, True, numbers, arguments, results)
    return results


@_backward.register_fake
def _backward_results(
    inputs: Tensor, mask: Tensor | None, state: Tensor, weights: Tensor, *others: Any
) -> tuple[Tensor, Tensor, Tensor]:
    return tuple(  # type: ignore[return-value]
        torch.empty_like(tensor, memory_format=torch.contiguous_format)
        for tensor in (inputs, state, weights)
    )


def _keep(ctx: Any, inputs: tuple, output: tuple) -> None:
    *tensors, ctx.kind, ctx.numbers, _, _ = inputs
    ctx.save_for_backward(*tensors, output[-1])


def _gradients(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
    d_inputs, d_state, d_weights = _backward(
        *context.saved_tensors, *gradients[:2], context.kind, context.numbers
    )
    return d_inputs, None, d_state, d_weights, None, None, None, None


def _refuse_second_gradients(context: Any, *gradients: Tensor) -> NoReturn:
    raise NotImplementedError(library.NO_SECOND_GRADIENTS)


_forward.register_autograd(_gradients, setup_context=_keep)
_backward.register_autograd(_refuse_second_gradients)


def _call(
    name: str,
    used_threads: int,
    saves: bool,
    numbers: list[int],
    arguments: list[Any],
    results: tuple[Tensor, ...],
) -> None:
    """Calls a function of the kernel, which writes the results; see `Layout.sizes`."""
    _lend_threads()
    batch, steps = arguments[0].shape[:2]
    sizes = np.array([batch, steps, used_threads, saves, *numbers], "int32")
    arrays = [
        np.empty(0) if tensor is None else tensor.detach().numpy()
        for tensor in arguments
    ]
    library.call(name, sizes, arrays, [result.numpy() for result in results])
