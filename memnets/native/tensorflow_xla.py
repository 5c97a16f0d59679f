"""The kernel under TensorFlow's XLA (`jit_compile=True`), as a custom call.

TensorFlow has no public way to register a custom call for its XLA. The private way is
tried once, on a small network, and used only if its results equal those of the library
called directly.
"""

import ctypes
import functools
import pathlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import tensorflow as tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops
from tensorflow.python.ops import control_flow_util

from ..numerics.tensor_checks import Tensor
from . import library
from .kernel_layout import Layout, MemoryLayout

# Version of the calling convention of `XlaCallModule`: the oldest that the comments of
# TensorFlow 2.21 call supported.
VERSION = 9
ONE = "tensor<1xi64>"
# The shape of a result: numbers, "batch" and "steps".
Symbolic = tuple[int | str, ...]


def is_tracing() -> bool:
    """Whether a graph is being traced that XLA will compile."""
    graph = tf.compat.v1.get_default_graph()
    return control_flow_util.GraphOrParentsInXlaContext(graph)


@functools.cache
def why_not() -> str | None:
    """Why this version of TensorFlow does not run the kernel; tried once."""
    try:
        with tf.init_scope():
            reason = _register()
            if reason is None and not _gives_the_same():
                reason = "it gives other results"
            return reason
    except Exception as error:  # another version may fail in any way
        return f"{type(error).__name__}: {error}".splitlines()[0]


def _register() -> str | None:
    """Makes the kernel known to TensorFlow's XLA; why not, or None."""
    path = pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2"
    interface = ctypes.CDLL(str(path))["_ZN3xla3ffi12GetXlaFfiApiEv"]
    interface.restype = ctypes.c_void_p
    compiled, _ = library.load()
    reason = compiled.memnets_register_xla(interface())
    return reason and reason.decode()


class _Smallest(MemoryLayout):
    kind = "ntm"
    options = (0,)  # no shifts


def _gives_the_same() -> bool:
    layout = _Smallest(1, 2, 1, 1, 1, False, np.inf, (1,))
    inputs = np.full((1, 2, 1), 0.5, "float32")
    mask = np.zeros((0, 0), "uint8")
    state = np.full((1, layout.state_size), 0.5, "float32")
    weights = np.linspace(-1, 1, 2 + 1 + 2 * 12, dtype="float32")
    arrays = [inputs, mask, state, weights]
    run = tf.function(
        lambda *arrays: forward(layout, 1, True, *arrays)[:2], jit_compile=True
    )
    expected = library.forward(layout, 1, True, *arrays)[:2]
    return all(
        np.array_equal(result, value)
        for result, value in zip(run(*map(tf.constant, arrays)), expected, strict=True)
    )


def forward(
    layout: Layout, threads: int, saves: bool, *arguments: Tensor
) -> list[Tensor]:
    """`library.forward` on tensors."""
    return _call(
        f"memnets_{layout.kind}_forward",
        layout.sizes(0, 0, threads, saves),
        arguments,
        results=[
            (tf.float32, ("batch", "steps", layout.features_size)),
            (tf.float32, ("batch", layout.state_size)),
            (tf.int32, (2,)),
        ],
    )


def backward(layout: Layout, threads: int, *arguments: Tensor) -> list[Tensor]:
    """`library.backward` on tensors."""
    weights = arguments[3]
    return _call(
        f"memnets_{layout.kind}_backward",
        layout.sizes(0, 0, threads, True),
        arguments,
        results=[
            (tf.float32, ("batch", "steps", layout.input_size)),
            (tf.float32, ("batch", layout.state_size)),
            (tf.float32, tuple(weights.shape)),
        ],
    )


def _call(
    name: str,
    sizes: np.ndarray,
    operands: Sequence[Tensor],
    results: Sequence[tuple[tf.DType, Symbolic]],
) -> list[Tensor]:
    """A custom call whose batch and number of steps may be known only when it runs.

    Args:
        name: Name of the function.
        sizes: See `Layout.sizes`; the function fills in the batch and the steps.
        operands: Tensors, the first of them `(batch, steps, ...)`.
        results: Their types and shapes: numbers, "batch" and "steps".
    """
    operands = [tf.constant(sizes), *operands]
    types = [dtype for dtype, _ in results]
    shapes = [
        [n if isinstance(n, int) else None for n in shape] for _, shape in results
    ]
    return gen_xla_ops.xla_call_module(
        operands,
        version=VERSION,
        module=_module(name, operands, results),
        Sout=shapes,
        Tout=types,
        platforms=["CPU"],
    )


def _module(
    name: str,
    operands: Sequence[Tensor],
    results: Sequence[tuple[tf.DType, Symbolic]],
) -> str:
    """The text of a StableHLO module that makes the custom call.

    Shapes of results that are not constant are computed from those of the operands, and
    are operands of the call themselves.
    """
    types = [_type(operand.dtype, operand.shape) for operand in operands]
    names = [f"%operand{i}" for i in range(len(operands))]
    outputs = ", ".join(
        _type(dtype, [n if isinstance(n, int) else None for n in shape])
        for dtype, shape in results
    )
    shape_names = [f"%shape{i}" for i in range(len(results))]
    shape_types = [f"tensor<{len(shape)}xi64>" for _, shape in results]
    places = ", ".join(str(len(operands) + i) for i in range(len(results)))
    lines = [
        *_dimension_lines(types[1]),
        *(
            line
            for i, (_, shape) in enumerate(results)
            for line in _shape_lines(i, shape)
        ),
        f"%results:{len(results)} = stablehlo.custom_call"
        f" @{name}({', '.join([*names, *shape_names])})"
        " {api_version = 4 : i32, indices_of_shape_operands ="
        f" dense<[{places}]> : tensor<{len(results)}xi64>}}"
        f" : ({', '.join([*types, *shape_types])}) -> ({outputs})",
        f"return {', '.join(f'%results#{i}' for i in range(len(results)))} : {outputs}",
    ]
    parameters = ", ".join(map(": ".join, zip(names, types, strict=True)))
    body = "\n".join(lines)
    return (
        "module @memnets attributes {jax.uses_shape_polymorphism = true} {\n"
        f"func.func public @main({parameters}) -> ({outputs}) {{\n{body}\n}}\n}}"
    )


def _dimension_lines(inputs_type: str) -> Iterator[str]:
    """`%batch` and `%steps` of the first tensor behind the sizes."""
    for axis, size in enumerate(("batch", "steps")):
        yield (
            f"%{size}0 = stablehlo.get_dimension_size %operand1, dim = {axis}"
            f" : ({inputs_type}) -> tensor<i32>"
        )
        yield f"%{size}1 = stablehlo.reshape %{size}0 : (tensor<i32>) -> tensor<1xi32>"
        yield f"%{size} = stablehlo.convert %{size}1 : (tensor<1xi32>) -> {ONE}"


def _shape_lines(index: int, shape: Symbolic) -> Iterator[str]:
    """`%shape0` and so on, the shape of a result as a tensor."""
    parts = []
    for axis, size in enumerate(shape):
        if isinstance(size, int):
            yield f"%size{index}_{axis} = stablehlo.constant dense<{size}> : {ONE}"
            parts.append(f"%size{index}_{axis}")
        else:
            parts.append(f"%{size}")
    yield (
        f"%shape{index} = stablehlo.concatenate {', '.join(parts)}, dim = 0"
        f" : ({', '.join([ONE] * len(parts))}) -> tensor<{len(shape)}xi64>"
    )


def _type(dtype: tf.DType, shape: Iterable[int | None]) -> str:
    """The type of a tensor in StableHLO."""
    kind = {tf.float32: "f32", tf.int32: "i32", tf.uint8: "ui8"}[dtype]
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"tensor<{'x'.join([*sizes, kind])}>"
