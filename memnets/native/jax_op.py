"""The kernel as an operation of JAX: a custom call of XLA, with its gradient."""

import functools
import os

import jax
import numpy as np
from jax import numpy as jnp

from memnets.native import library


def runs_on_cpu():
    """Whether JAX computes on the processor."""
    return jax.default_backend() == "cpu"


def threads():
    """Number of threads that JAX would use."""
    if "xla_cpu_multi_thread_eigen=false" in os.environ.get("XLA_FLAGS", ""):
        return 1
    return len(os.sched_getaffinity(0))


def network(sizes, inputs, mask, state, weights, training):
    """Runs the kernel.

    Args:
        sizes: Function of `(batch, steps, saves)`, see `layout.sizes`.
        inputs: `(B, T, gates)`, see `layout.inputs_and_weights`.
        mask: `(B, T)`, boolean, or None.
        state: `(B, size)`.
        weights: `(size,)`.
        training: Not used: JAX knows whether it needs gradients.
    Returns:
        `(features, last_state)`, `(B, T, units + reads)` and `(B, size)`.
    """
    batch, steps = inputs.shape[:2]
    kept = {saves: tuple(sizes(batch, steps, saves).tolist()) for saves in (False, True)}
    mask = jnp.zeros((0, 0), "uint8") if mask is None else jnp.asarray(mask, "uint8")
    return _network(kept[False], kept[True], inputs, mask, state, weights)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _network(sizes, saving_sizes, inputs, mask, state, weights):
    features, last_state, _ = _forward(sizes, inputs, mask, state, weights)
    return features, last_state


def _network_forward(sizes, saving_sizes, inputs, mask, state, weights):
    features, last_state, history = _forward(
        saving_sizes, inputs, mask, state, weights
    )
    return (features, last_state), (mask, state, weights, history)


def _network_backward(sizes, saving_sizes, residuals, gradients):
    mask, state, weights, history = residuals
    batch, steps = sizes[:2]
    d_inputs, d_state, d_weights = _call(
        "memnets_ntm_backward",
        [(batch, steps, library.gates(sizes)), state.shape, weights.shape],
        saving_sizes,
        mask,
        weights,
        history,
        *gradients,
    )
    no_gradient = np.zeros(mask.shape, jax.dtypes.float0)
    return d_inputs, no_gradient, d_state, d_weights


_network.defvjp(_network_forward, _network_backward)


def _forward(sizes, inputs, mask, state, weights):
    batch, steps = inputs.shape[:2]
    return _call(
        "memnets_ntm_forward",
        [
            (batch, steps, library.features(sizes)),
            state.shape,
            (library.history_size(sizes),),
        ],
        sizes,
        inputs,
        mask,
        state,
        weights,
    )


def _call(name, shapes, sizes, *operands):
    _register()
    call = jax.ffi.ffi_call(
        name,
        [jax.ShapeDtypeStruct(shape, "float32") for shape in shapes],
        vmap_method="sequential",
    )
    return call(np.array(sizes, "int32"), *operands)


@functools.cache
def _register():
    compiled, _ = library.load()
    for name in ("memnets_ntm_forward", "memnets_ntm_backward"):
        handler = jax.ffi.pycapsule(getattr(compiled, f"{name}_xla"))
        jax.ffi.register_ffi_target(name, handler, platform="cpu")
