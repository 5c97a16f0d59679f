"""The precision in which layers compute under Keras' policies of half precision.

- bfloat16 has the range of float32. Layers compute in it where the policy says so.
- float16 ends at 65,504, which gradients of large inputs exceed. A layer whose policy
  is `"float16"` or `"mixed_float16"` therefore takes and returns float16 and computes
  in float32.
- States that a layer returns keep the type in which they are computed, so that a
  sequence in two parts gives what it gives in one.
- Weights are stored in float32 under every policy: with 8 or 11 bits, an update of a
  thousandth of a weight would be rounded away.
"""

from collections.abc import Iterator
from typing import Any

import keras
from keras import ops, tree

from ..checks import check_boolean
from .tensor_checks import Structure, Tensor, check_policy

_INNER_POLICIES = {
    "float16": "float32",
    "mixed_float16": "float32",
    "bfloat16": "mixed_bfloat16",
}
FLOAT16_LARGEST = 65504.0


def at_least_float32(dtype: str | keras.DTypePolicy) -> str:
    """The data type to compute with where half precision has too few digits: float32,
    or float64 for float64.

    Args:
        dtype: That of a tensor, or of the computations of a layer; also of integers.
    """
    # Keras on JAX says float32 of float64 too, although JAX can compute in float64.
    if keras.backend.standardize_dtype(dtype) == "float64":
        return "float64"
    return keras.backend.result_type(dtype, "float32")


def tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent, in the data type of `x`."""
    # Keras on JAX computes that of float64 in float32.
    if keras.backend.standardize_dtype(x.dtype) == "float64":
        return 2 * ops.sigmoid(2 * x) - 1
    return ops.tanh(x)


def inner_policy(
    policy: keras.DTypePolicy, needs_float32: bool = False
) -> keras.DTypePolicy:
    """The `keras.DTypePolicy` for the sub-layers of a layer with the given policy.

    Args:
        policy: That of the layer.
        needs_float32: Whether the layer computes in float32 under bfloat16 too.
    """
    name = _INNER_POLICIES.get(policy.name)
    if needs_float32 and policy.name.endswith("bfloat16"):
        name = "float32"
    return keras.DTypePolicy(name) if name else policy


def needs_float32(cell: keras.layers.Layer) -> bool:
    """Whether a cell, or one of stacked cells, has states that bfloat16 would round to
    something else, such as numbers of rows."""
    if getattr(cell, "needs_float32", False):
        return True
    return any(map(needs_float32, getattr(cell, "cells", ())))


class KeepsPolicies(keras.layers.Layer):
    """A layer that is loaded with the policies that its sub-layers had when it was
    saved: those of quantised ones, and those that a user has set. Keras saves them only
    of layers that have a configuration of their own.
    """

    def get_build_config(self) -> dict[str, Any] | None:
        """What Keras saves beside the configuration of a layer that is built."""
        config = super().get_build_config()
        policies = {
            path: _policy_config(part)
            for path, part in _parts(self)
            if part.dtype_policy.name not in _usual_policies(self.dtype_policy)
        }
        return {**config, "policies": policies} if config and policies else config

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds the layer, with what `get_build_config` returned."""
        policies = config.get("policies", {})
        for path, part in _parts(self):
            if path in policies and not part.built:
                part.dtype_policy = keras.dtype_policies.get(policies[path]["dtype"])
                if "quantization" in policies[path]:
                    part.quantization_config = keras.saving.deserialize_keras_object(
                        policies[path]["quantization"]
                    )
        super().build_from_config(
            {key: value for key, value in config.items() if key != "policies"}
        )


def _policy_config(part: keras.layers.Layer) -> dict[str, Any]:
    config = {"dtype": keras.dtype_policies.serialize(part.dtype_policy)}
    quantization = getattr(part, "quantization_config", None)
    if quantization is not None:
        config["quantization"] = keras.saving.serialize_keras_object(quantization)
    return config


def _usual_policies(policy: keras.DTypePolicy) -> set[str]:
    """The names of the policies that a layer with a policy gives to its sub-layers."""
    inner = (inner_policy(policy, needs_float32) for needs_float32 in (False, True))
    return {policy.name, *(each.name for each in inner)}


def _parts(
    layer: keras.layers.Layer, path: str = ""
) -> Iterator[tuple[str, keras.layers.Layer]]:
    """The sub-layers of a layer, and theirs, each with the attributes that lead to it.
    Names of layers are no paths: Keras numbers them anew."""
    # On PyTorch a layer is a module, which keeps its sub-layers apart.
    attributes = {**vars(layer), **vars(layer).get("_modules", {})}
    for name, value in attributes.items():
        if name.startswith("_"):
            continue  # of Keras itself, which keeps a list of all sub-layers
        for index, part in enumerate(tree.flatten(value)):
            if isinstance(part, keras.layers.Layer):
                yield f"{path}{name}/{index}", part
                yield from _parts(part, f"{path}{name}/{index}/")


class InnerPrecision(KeepsPolicies):
    """A layer that computes in the precision of `inner_policy`.

    Among the bases of a class it stands before the class of Keras.
    """

    # Whether it computes in float32 under bfloat16 too, which has 8 binary digits.
    needs_float32 = False

    # What Keras says of the policy itself: `torch.compile` cannot read `super()` here.
    _policy_compute_dtype = keras.layers.Layer.compute_dtype
    _policy_variable_dtype = keras.layers.Layer.variable_dtype

    def __init__(
        self, *args: Any, dtype: Any = None, trainable: bool = True, **kwargs: Any
    ) -> None:
        dtype = check_policy("dtype", dtype)
        trainable = check_boolean("trainable", trainable)
        super().__init__(*args, dtype=dtype, trainable=trainable, **kwargs)

    @property
    def compute_dtype(self) -> str:
        """The data type of the computations."""
        inner = self._other_policy()
        return inner.compute_dtype if inner else self._policy_compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The data type of the weights."""
        inner = self._other_policy()
        return inner.variable_dtype if inner else self._policy_variable_dtype

    @property
    def output_dtype(self) -> str:
        """The data type of the outputs."""
        return self._policy_compute_dtype

    def _other_policy(self) -> keras.DTypePolicy | None:
        inner = inner_policy(self.dtype_policy, self.needs_float32)
        return None if inner is self.dtype_policy else inner

    def to_output(self, results: Structure) -> Structure:
        """Casts a structure of tensors to `output_dtype`, clipped to its range."""
        return tree.map_structure(
            lambda x: ops.cast(within_range(x, self.output_dtype), self.output_dtype),
            results,
        )


def within_range(x: Tensor, dtype: str) -> Tensor:
    """`x` clipped to the range of `dtype`; the data type of `x` stays."""
    if dtype != "float16":
        return x
    return ops.clip(x, -FLOAT16_LARGEST, FLOAT16_LARGEST)
