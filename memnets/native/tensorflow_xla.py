"""The kernel under TensorFlow's XLA (`jit_compile=True`), as a custom call.

TensorFlow offers no public way to make a custom call known to its XLA. What is used
here is private, so it is tried once, on a small network, and not used unless it gives
what the library gives when it is called directly.
"""

import ctypes
import functools
import pathlib

import numpy as np
import tensorflow as tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops
from tensorflow.python.ops import control_flow_util

from . import library
from .layout import Layout

# Version of the calling convention of `XlaCallModule`, the oldest that TensorFlow 2.21
# describes as current.
VERSION = 9


def is_tracing():
    """Whether a graph is being made that XLA will compile."""
    graph = tf.compat.v1.get_default_graph()
    return control_flow_util.GraphOrParentsInXlaContext(graph)


@functools.cache
def is_available():
    """Whether this TensorFlow takes the kernel; tried once."""
    try:
        with tf.init_scope():
            return _register() and _gives_the_same()
    except Exception:  # whatever a later TensorFlow does about what is private
        return False


def _register():
    path = pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2"
    interface = ctypes.CDLL(str(path))["_ZN3xla3ffi12GetXlaFfiApiEv"]
    interface.restype = ctypes.c_void_p
    compiled, _ = library.load()
    compiled.memnets_register_xla.argtypes = [ctypes.c_void_p]
    return compiled.memnets_register_xla(interface()) == 0


def _gives_the_same():
    layout = Layout(1, 2, 1, 1, 1, 0, False, np.inf, (1,))
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


def forward(layout, threads, saves, inputs, mask, state, weights):
    """As `library.forward`, on tensors."""
    return _call(
        "memnets_ntm_forward",
        layout.sizes(0, 0, threads, saves),
        [inputs, mask, state, weights],
        results=[
            ("batch", "steps", layout.features_size),
            ("batch", layout.state_size),
            ("history",) if saves else (0,),
        ],
        history=_history(layout) if saves else (0, 0, 0),
    )


def backward(layout, threads, inputs, mask, weights, history, d_features, d_last_state):
    """As `library.backward`, on tensors."""
    return _call(
        "memnets_ntm_backward",
        layout.sizes(0, 0, threads, True),
        [inputs, mask, weights, history, d_features, d_last_state],
        results=[
            ("batch", "steps", layout.input_size),
            ("batch", layout.state_size),
            tuple(weights.shape),
        ],
    )


def _history(layout):
    """Values of history of one sequence: fixed, for each step, for each checkpoint."""
    none, one, two = (
        library.history_size(layout.sizes(1, steps, 1, True)) for steps in (0, 1, 2)
    )
    step = two - one
    return none, step, one - none - step


def _call(name, sizes, operands, results, history=(0, 0, 0)):
    """A custom call whose batch and number of steps may be known only when it runs.

    Args:
        name: Of the function.
        sizes: See `Layout.sizes`; batch and steps are filled in by the function.
        operands: Tensors, the first of them `(batch, steps, ...)`.
        results: Their shapes: numbers, "batch", "steps" and "history".
        history: See `_history`.
    """
    compiled, _ = library.load()
    operands = [tf.constant(sizes), *operands]
    types = [_type(operand.dtype, operand.shape) for operand in operands]
    names = [f"%operand{i}" for i in range(len(operands))]
    result_types = [
        _type(tf.float32, [n if isinstance(n, int) else None for n in shape])
        for shape in results
    ]
    # Shapes of results that are not constant are computed from those of operands.
    one = "tensor<1xi64>"
    fixed, step, checkpoint = history
    lines, shapes = [], []
    for place, size in enumerate(("batch", "steps")):
        lines += [
            f"%{size}0 = stablehlo.get_dimension_size %operand1, dim = {place}"
            f" : ({types[1]}) -> tensor<i32>",
            f"%{size}1 = stablehlo.reshape %{size}0 : (tensor<i32>) -> tensor<1xi32>",
            f"%{size} = stablehlo.convert %{size}1 : (tensor<1xi32>) -> {one}",
        ]
    every = compiled.memnets_checkpoint_steps()
    for constant, value in (
        ("fixed", fixed),
        ("step", step),
        ("checkpoint", checkpoint),
        ("every", every),
        ("rest", every - 1),
    ):
        lines.append(f"%{constant} = stablehlo.constant dense<{value}> : {one}")
    for result, operation, left, right in (
        ("raised", "add", "steps", "rest"),
        ("kept", "divide", "raised", "every"),
        ("of_checkpoints", "multiply", "kept", "checkpoint"),
        ("of_steps", "multiply", "steps", "step"),
        ("variable", "add", "of_steps", "of_checkpoints"),
        ("of_sequence", "add", "variable", "fixed"),
        ("history", "multiply", "of_sequence", "batch"),
    ):
        lines.append(f"%{result} = stablehlo.{operation} %{left}, %{right} : {one}")
    for i, shape in enumerate(results):
        for axis, size in enumerate(shape):
            if isinstance(size, int):
                constant = f"stablehlo.constant dense<{size}> : {one}"
                lines.append(f"%size{i}_{axis} = {constant}")
        parts = [
            f"%size{i}_{axis}" if isinstance(size, int) else f"%{size}"
            for axis, size in enumerate(shape)
        ]
        shapes.append((f"%shape{i}", f"tensor<{len(shape)}xi64>"))
        lines.append(
            f"%shape{i} = stablehlo.concatenate {', '.join(parts)}, dim = 0"
            f" : ({', '.join([one] * len(parts))}) -> tensor<{len(shape)}xi64>"
        )
    places = ", ".join(str(len(operands) + i) for i in range(len(results)))
    arguments = ", ".join([*names, *(name for name, _ in shapes)])
    argument_types = ", ".join([*types, *(kind for _, kind in shapes)])
    outputs = ", ".join(result_types)
    lines += [
        f"%results:{len(results)} = stablehlo.custom_call @{name}({arguments})"
        " {api_version = 4 : i32, indices_of_shape_operands ="
        f" dense<[{places}]> : tensor<{len(results)}xi64>}}"
        f" : ({argument_types}) -> ({outputs})",
        f"return {', '.join(f'%results#{i}' for i in range(len(results)))} : {outputs}",
    ]
    parameters = ", ".join(map(": ".join, zip(names, types, strict=True)))
    body = "\n".join(lines)
    module = (
        "module @memnets attributes {jax.uses_shape_polymorphism = true} {\n"
        f"func.func public @main({parameters}) -> ({outputs}) {{\n{body}\n}}\n}}"
    )
    return gen_xla_ops.xla_call_module(
        operands,
        version=VERSION,
        module=module,
        Sout=[[n if isinstance(n, int) else None for n in shape] for shape in results],
        Tout=["float32"] * len(results),
        platforms=["CPU"],
    )


def _type(dtype, shape):
    """The type of a tensor in StableHLO."""
    kind = {tf.float32: "f32", tf.int32: "i32", tf.uint8: "ui8"}[dtype]
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"tensor<{'x'.join([*sizes, kind])}>"
