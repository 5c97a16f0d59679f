"""What PyTorch does in its own way."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
import torch
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

from ..numerics.tensor_checks import Structure, Tensor
from .base import Backend
from .torch_compiling import asked
from .torch_state import give_names
from .torch_steps import record_steps


@asked
def is_transforming() -> bool:
    """Whether `torch.func` or the forward mode transforms what is computed now, for
    which PyTorch has no public way to ask."""
    return (
        torch._C._functorch.peek_interpreter_stack() is not None
        or forward_ad._current_level >= 0
    )


def device_type() -> str:
    """Where Keras puts tensors, as "cpu" or "cuda". Keras has no public way to ask."""
    from keras.src.backend.torch.core import get_device

    return torch.device(get_device()).type


class Torch(Backend):
    """PyTorch, which runs operation by operation, and loops in Python."""

    zero_before_first_step = True
    # `jit_compile` would ask for `torch.compile`, which compiles a loop step by step.
    has_xla = False
    runs_eagerly = True

    def record_steps(self, model: keras.Model, context: Callable) -> None:
        record_steps(model, context)

    def device_kind(self) -> str:
        kind = device_type()
        return "GPU" if kind == "cuda" else kind.upper()

    def name_weights(self, layer: keras.layers.Layer) -> None:
        give_names(layer)

    def own_precision(self) -> contextlib.AbstractContextManager:
        # Under autocast, a memory would be rounded at each step.
        device = device_type()
        # On "meta" only shapes are found.
        if device == "meta" or not torch.is_autocast_enabled(device):
            return contextlib.nullcontext()
        return torch.autocast(device, enabled=False)

    def random_state(self) -> list[np.ndarray]:
        devices = [torch.cuda] if torch.cuda.is_available() else []
        states = [torch.get_rng_state(), *(d.get_rng_state() for d in devices)]
        return [state.numpy() for state in states]

    def set_random_state(self, state: list[np.ndarray]) -> None:
        first, *others = map(torch.from_numpy, state)
        torch.set_rng_state(first)
        if others and torch.cuda.is_available():
            torch.cuda.set_rng_state(others[0])

    def recomputed(self, function: Callable) -> Callable:
        def run(*tensors: Tensor) -> list[Tensor]:
            if not torch.is_grad_enabled() or is_transforming():
                return function(*tensors)
            return checkpoint(
                function, *tensors, use_reentrant=False, preserve_rng_state=False
            )

        return run

    def fori_loop(
        self,
        count: int | Tensor,
        step: Callable[[Tensor, Structure], Structure],
        value: Structure,
    ) -> Structure:
        for index in range(int(count)):
            value = step(index, value)
        return value

    def repeat_row(self, tensor: Tensor, count: int | Tensor) -> Tensor:
        # That of Keras has one row in memory, to which a variable cannot be assigned.
        return tensor.repeat(count, *[1] * (tensor.ndim - 1))

    def top_k(self, values: Tensor, count: int) -> tuple[Tensor, Tensor]:
        # `torch.topk` has no order of equal numbers.
        values = keras.ops.convert_to_tensor(values)
        found, places = torch.sort(values, dim=-1, descending=True, stable=True)
        return found[..., :count], places[..., :count].int()

    def split(self, tensor: Tensor, ends: Sequence[int], axis: int) -> list[Tensor]:
        # Keras puts the ends on the device, and waits for it to have them again.
        return list(torch.tensor_split(tensor, tuple(ends), dim=axis))

    def scatter(
        self, indices: Tensor, values: Tensor, shape: tuple[int | Tensor, ...]
    ) -> Tensor:
        # That of Keras is a loop in Python over all places.
        axes = indices.shape[-1]
        places = tuple(indices.reshape(-1, axes).unbind(1))
        values = values.reshape(-1, *shape[axes:])
        return values.new_zeros(shape).index_put(places, values, accumulate=True)

    def scatter_max(self, values: Tensor, places: Tensor, others: Tensor) -> Tensor:
        return values.scatter_reduce(0, places.long(), others, "amax")

    def custom_gradient(self, function: Callable) -> Callable:
        # That of Keras takes one argument and one result.
        def run(*tensors: Tensor) -> Structure:
            if is_transforming():  # The function has the gradients of its operations.
                return function(*tensors)[0]
            return _WithGradient.apply(function, *tensors)

        return run

    def all_finite(self, tensors: Sequence[Tensor]) -> Tensor:
        # One operation for all of them. The largest of numbers with a NaN is NaN.
        filled = [t if t.numel() else t.new_zeros(1) for t in tensors]
        largest = torch._foreach_norm(filled, torch.inf)
        return torch.stack([torch.isfinite(number) for number in largest])

    def gradient(self, function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
        return torch.func.grad(function)(at)

    def gradient_at_zero(
        self,
        function: Callable[[Tensor | None], tuple[Tensor, Any]],
        example: Callable[[Any], Tensor],
    ) -> tuple[Tensor, Any]:
        _, results = function(None)
        zeros = torch.zeros_like(example(results)).requires_grad_()
        value, results = function(zeros)
        return torch.autograd.grad(value, zeros, materialize_grads=True)[0], results


class _WithGradient(torch.autograd.Function):
    """A function that returns its result and a function for the gradients."""

    @staticmethod
    def forward(ctx: Any, function: Callable, *tensors: Tensor) -> Structure:
        result, ctx.gradient = function(*tensors)
        ctx.function = function
        ctx.save_for_backward(*tensors)
        return result

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        gradient = ctx.gradient
        if torch.is_grad_enabled():
            # It will be differentiated again: what the function has kept for it is not
            # connected to the tensors.
            _, gradient = ctx.function(*ctx.saved_tensors)
        gradients = gradient(*upstream)
        return None, *(gradients if isinstance(gradients, tuple) else (gradients,))
