"""The configuration of a Keras model: only classes known to be harmless pass."""

import json
import pathlib
import re
from collections.abc import Collection, Iterable
from types import ModuleType
from typing import Any

import keras

from .archive import InvalidModelFile

# Heuristic: more than ten times what the largest pretrained network needs.
MAX_BYTES = 2**20
MAX_DEPTH = 64
MAX_WORK = 20_000
# The cost of a value, relative to that of other values of a configuration: a size in a
# list makes a whole cell.
WORK = {"layer_sizes": 100, "controller_size": 100, "writer_sizes": 100}
# The cost of each of a number of things: of a layer, or of a few operations.
REPEATED = {
    "context_layers": 100,
    "shift_range": 10,
    "hops": 10,
    "num_read_heads": 10,
    "num_write_heads": 10,
    "num_rows_read": 10,
    "depth": 5,
}
# Their depth is a number of places, which cost nothing to build. Keras finds a class by
# this name whatever else is said of it.
STACKS = ("memnets>StackCell", "memnets>StackRNN")

# Layers that only compute and need little memory besides their weights. Without
# `Normalization`: it fills an array of the size that its input claims to have.
LAYERS = """
InputLayer Dense EinsumDense Embedding Activation Identity Masking
RNN SimpleRNN SimpleRNNCell GRU GRUCell LSTM LSTMCell StackedRNNCells Bidirectional
TimeDistributed ReLU LeakyReLU PReLU ELU Softmax BatchNormalization LayerNormalization
RMSNormalization GroupNormalization UnitNormalization Dropout SpatialDropout1D
AlphaDropout GaussianDropout GaussianNoise ActivityRegularization Add Average
Concatenate Dot Maximum Minimum Multiply Subtract Flatten Permute RepeatVector Reshape
Cropping1D ZeroPadding1D Conv1D Conv2D MaxPooling1D MaxPooling2D AveragePooling1D
AveragePooling2D GlobalAveragePooling1D GlobalAveragePooling2D GlobalMaxPooling1D
GlobalMaxPooling2D Attention AdditiveAttention MultiHeadAttention GroupQueryAttention
Rescaling SpectralNormalization SeparableConv1D SeparableConv2D
DepthwiseConv1D DepthwiseConv2D Conv1DTranspose Conv2DTranspose UpSampling1D
Cropping2D ZeroPadding2D SpatialDropout2D
""".split()
# Operations in functional models, as in `inputs[:, -1] + 1`, and on masks.
OPERATIONS = """
Absolute Add All Any Argmax Argmin Clip Concatenate Cumsum Divide Equal Exp ExpandDims
Flip GetItem Greater GreaterEqual Less LessEqual Log LogicalAnd LogicalNot LogicalOr
Matmul Max Maximum Mean Min Minimum Multiply Negative NotEqual OnesLike Power Reshape
Sign Sqrt Square Squeeze Stack Std Subtract Sum Swapaxes Tanh Transpose TrueDivide Var
Where ZerosLike
""".split()
ALLOWED = {
    "keras.src.models.functional": ["Functional"],
    "keras": ["Sequential", "DTypePolicy"],
    "keras.layers": LAYERS,
    "keras.src.ops.numpy": OPERATIONS,
    "keras.src.ops.nn": [
        "Relu",
        "Sigmoid",
        "Softmax",
        "LogSoftmax",
        "OneHot",
        "Softplus",
        "Silu",
    ],
    "keras.src.ops.core": ["Cast"],
}
# Modules whose classes all pass.
MODULES = ("keras.initializers", "keras.regularizers", "keras.constraints")
# The classes that Keras writes for the arguments of calls.
TENSOR = "__keras_tensor__"
VALUES = {TENSOR, "__slice__", "__ellipsis__"}
# Arguments that make Keras compute while it reads weights.
NOT_SET = ("lora_rank", "quantization_config")
LAMBDA = (
    "holds a Lambda layer, whose code would be executed; "
    "keras.saving.load_model(path, safe_mode=False) reads it, if you trust the file."
)
QUANTIZED = (
    "holds a quantized layer, which is not supported here; keras.saving.load_model "
    "reads it, if you trust the file."
)


def read_config(path: pathlib.Path, custom_objects: dict[str, type]) -> dict[str, Any]:
    """Reads and checks the configuration of a model, without its compilation.

    Raises:
        InvalidModelFile: If it is not JSON, too large, or names a class that is not
            trusted.
    """
    config = read_json(path)
    trusted = set(custom_objects) | {
        keras.saving.get_registered_name(each) for each in custom_objects.values()
    }
    _check(config, trusted, 0)
    if not isinstance(config, dict) or "class_name" not in config:
        raise InvalidModelFile(f"is not a Keras model: {path.name} describes none.")
    if _work(config) > MAX_WORK:
        raise InvalidModelFile(
            f"is hostile or huge: {path.name} describes too many layers."
        )
    return config


def read_json(path: pathlib.Path) -> Any:
    """The content of a JSON file.

    Raises:
        InvalidModelFile: If it is not JSON, or too large.
    """
    if path.stat().st_size > MAX_BYTES:
        raise InvalidModelFile(
            f"is hostile or huge: {path.name} is larger than {MAX_BYTES} B."
        )
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise InvalidModelFile(
            f"is not a Keras model: {path.name} is not JSON."
        ) from None


def _check(node: Any, trusted: Collection[str], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InvalidModelFile("is hostile: its configuration is nested too deeply.")
    if isinstance(node, dict):
        if "class_name" in node:
            _check_class(node, trusted)
            node.pop("compile_config", None)
        _check_arguments(node)
    for child in _children(node):
        _check(child, trusted, depth + 1)


def _check_arguments(node: dict[str, Any]) -> None:
    """Rejects arguments that make Keras compute or change weights while it loads."""
    for name in NOT_SET:
        if node.get(name) is not None:
            raise InvalidModelFile(
                f"holds a layer with {name}, which is not supported."
            )
    config = node.get("config")
    policies = [node.get("dtype")]
    if node.get("class_name") == "DTypePolicy" and isinstance(config, dict):
        policies.append(config.get("name"))
    for policy in policies:
        if isinstance(policy, str) and re.search(
            "^(int|float8|gptq|awq).*_from_", policy
        ):
            raise InvalidModelFile(QUANTIZED)
    calls = node.get("inbound_nodes", [])
    if not isinstance(calls, list) or not all(map(_has_tensor, calls)):
        raise InvalidModelFile("is hostile: a layer that is called on constants.")


def _has_tensor(node: Any) -> bool:
    if isinstance(node, dict) and "class_name" in node:
        return node["class_name"] == TENSOR and "config" in node
    return any(_has_tensor(child) for child in _children(node))


def _children(node: Any) -> Iterable[Any]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _check_class(node: dict[str, Any], trusted: Collection[str]) -> None:
    """Rejects a class that Keras would not find among the trusted ones."""
    keys = ("module", "class_name", "registered_name")
    names: list[Any] = [node.get(key) for key in keys]
    module, name, registered = names
    for text in names:
        if not isinstance(text, str | None):
            raise InvalidModelFile("is hostile: a class whose name is not a string.")
    if name == "function":
        # Keras looks up a function by its `config`, whatever is registered beside it.
        registered = name = node.get("config")
        if not isinstance(name, str):
            raise InvalidModelFile("is hostile: a function whose name is not a string.")
    # Keras looks up the registered name first, and begins with the custom objects.
    if name in VALUES or (registered or name) in trusted:
        return
    if registered and ">" in registered:
        if registered.startswith("memnets>"):
            if isinstance(keras.saving.get_registered_object(registered), type):
                return
            raise InvalidModelFile(
                f"holds {registered[:60]!r}, which this version of memnets does not "
                "have: is the file newer?"
            )
        raise InvalidModelFile(
            f"holds {registered[:60]!r}, a class of another package: pass it in "
            "`custom_objects` if you trust the file."
        )
    if registered in (None, name):
        if name in ALLOWED.get(module, ()):
            return
        if module in MODULES and isinstance(getattr(_module(module), name, None), type):
            return
    raise InvalidModelFile(_refusal(module, name))


def _refusal(module: str | None, name: str | None) -> str:
    """Why a class that is not among the trusted ones is refused."""
    if name in ("Lambda", "__lambda__"):
        return LAMBDA
    if module == "keras.dtype_policies":  # all others are of quantised layers
        return QUANTIZED
    full = f"{module}.{name}" if module else str(name)
    return (
        f"holds {full[:60]!r}, which is not one of the classes that are known to be "
        "harmless. If you trust the file, pass the class in `custom_objects`, such as "
        f"{{{str(name)[:60]!r}: ...}}, or take keras.saving.load_model."
    )


def _module(name: str) -> ModuleType:
    return getattr(keras, name.removeprefix("keras."))


def _work(node: Any, key: str = "") -> int:
    """The cost of building: number of values, times the calls of their layer."""
    if isinstance(node, list):
        return sum(_work(child, key) for child in node)
    if not isinstance(node, dict):
        number = abs(node) if isinstance(node, int) else 0
        return 1 + WORK.get(key, 0) + REPEATED.get(key, 0) * number
    parts = {name: _work(child, name) for name, child in _costly(node).items()}
    calls = node.get("inbound_nodes")
    repeats = len(calls) if isinstance(calls, list) and calls else 1
    if node.get("class_name") == "Bidirectional":
        repeats *= 2  # it makes a second layer, which goes backwards
    return sum(parts.values()) + (repeats - 1) * parts.get("config", 0)


def _costly(node: dict[str, Any]) -> dict[str, Any]:
    """A part of a configuration without what costs nothing."""
    config = node.get("config")
    if node.get("registered_name") not in STACKS or not isinstance(config, dict):
        return node
    return {**node, "config": {k: v for k, v in config.items() if k != "depth"}}
