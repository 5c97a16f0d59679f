"""The kernel as an operation of JAX: a custom call of XLA, with its gradient."""

import functools
import os
from collections.abc import Sequence
from typing import Any, NoReturn

import jax
import numpy as np
from jax import numpy as jnp

from ..cores import available_cores, threads_named
from ..numerics.tensor_checks import Tensor
from . import library
from .jax_shards import devices_here, on_each_shard
from .kernel_layout import Layout


def why_not(sequences: Tensor | None = None) -> str | None:
    """Why the kernel cannot run in the present context; None if it can.

    Args:
        sequences: What it shall compute; None for sequences of known sizes.
    """
    sizes = () if sequences is None else sequences.shape
    if not all(isinstance(size, int | None) for size in sizes):
        # Where it finds shapes, JAX has symbols for sizes.
        return "sizes are not known"
    backend = jax.default_backend()
    return _refused() if backend == "cpu" else f"JAX computes on {backend}"


def threads() -> int:
    """Number of threads that JAX would use on each of its devices."""
    if "xla_cpu_multi_thread_eigen=false" in os.environ.get("XLA_FLAGS", ""):
        return 1
    # XLA reads the variable when it makes its threads.
    all_threads = threads_named("NPROC") or len(available_cores())
    return max(1, all_threads // devices_here())


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
        training: Not used: JAX knows whether gradients will be needed.
    Returns:
        `(features, last_state)`, `(B, T, units + reads)` and `(B, size)`.
    """
    mask = jnp.zeros((0, 0), "uint8") if mask is None else jnp.asarray(mask, "uint8")
    return on_each_shard(
        functools.partial(_network, layout), (inputs, mask, state), weights
    )


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _network(
    layout: Layout, inputs: Tensor, mask: Tensor, state: Tensor, weights: Tensor
) -> tuple[Tensor, ...]:
    return tuple(_forward(layout, False, inputs, mask, state, weights)[:2])


def _network_forward(
    layout: Layout, inputs: Tensor, mask: Tensor, state: Tensor, weights: Tensor
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    *results, ticket = _forward(layout, True, inputs, mask, state, weights)
    return tuple(results), (inputs, mask, state, weights, ticket)


def _network_backward(
    layout: Layout, kept: tuple[Tensor, ...], gradients: tuple[Tensor, ...]
) -> tuple[Tensor, ...]:
    inputs, mask, _, weights, _ = kept
    batch, steps = inputs.shape[:2]
    d_inputs, d_state, d_weights = _call(
        f"memnets_{layout.kind}_backward",
        (
            _floats(inputs.shape),
            _floats((batch, layout.state_size)),
            _floats(weights.shape),
        ),
        layout.sizes(batch, steps, threads(), True),
        *kept,
        *gradients,
    )
    return d_inputs, np.zeros(mask.shape, jax.dtypes.float0), d_state, d_weights


_network.defvjp(_network_forward, _network_backward)


def _forward(
    layout: Layout,
    saves: bool,
    inputs: Tensor,
    mask: Tensor,
    state: Tensor,
    weights: Tensor,
) -> Sequence[Tensor]:
    batch, steps = inputs.shape[:2]
    sizes = layout.sizes(batch, steps, threads(), saves)
    library.history_size(layout, sizes)  # an error if they are out of range
    return _call(
        f"memnets_{layout.kind}_forward",
        (
            _floats((batch, steps, layout.features_size)),
            _floats((batch, layout.state_size)),
            jax.ShapeDtypeStruct((2,), "int32"),
        ),
        sizes,
        inputs,
        mask,
        state,
        weights,
    )


def _floats(shape: tuple[int, ...]) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, "float32")


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _call(
    name: str, results: tuple[jax.ShapeDtypeStruct, ...], *operands: Tensor
) -> Sequence[Tensor]:
    return jax.ffi.ffi_call(name, results, vmap_method="sequential")(*operands)


@_call.defjvp
def _refuse(name: str, results: Any, operands: Any, tangents: Any) -> NoReturn:
    raise NotImplementedError(library.NO_SECOND_GRADIENTS)


@functools.cache
def _refused() -> str | None:
    """Why JAX does not take the library; None if it does, which is tried once."""
    compiled, _ = library.load()
    try:
        for kind in library.kinds_of(compiled):
            for name in (f"memnets_{kind}_forward", f"memnets_{kind}_backward"):
                handler = jax.ffi.pycapsule(getattr(compiled, f"{name}_xla"))
                jax.ffi.register_ffi_target(name, handler, platform="cpu")
    except Exception as error:  # of another version, of any kind
        return f"this version of JAX does not take it: {error}"
    return None
