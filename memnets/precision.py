"""What the layers compute in under Keras' policies of half precision.

bfloat16 has the range of float32, and is computed in where a policy asks for it.
float16 ends at 65,504: a gradient is an input of 1e4 times an error, and sums in which
infinities cancel are NaN. A layer whose policy is `"float16"` or `"mixed_float16"`
therefore takes and returns float16, and computes in float32 in between.

Weights are kept in float32 under every policy: in 8 or 11 bits a weight forgets an
update of a thousandth of it.
"""

import keras
from keras import ops, tree

from . import checks, tensor_checks

_INNER_POLICIES = {
    "float16": "float32",
    "mixed_float16": "float32",
    "bfloat16": "mixed_bfloat16",
}
FLOAT16_LARGEST = 65504.0


def inner_policy(policy):
    """The policy for the parts of a layer with the given policy."""
    name = _INNER_POLICIES.get(policy.name)
    return keras.DTypePolicy(name) if name else policy


class InnerPrecision:
    """What a layer is that computes in the precision of `inner_policy`.

    Stands before the class of Keras among the bases.
    """

    def __init__(self, *args, dtype=None, trainable=True, **kwargs):
        dtype = tensor_checks.policy("dtype", dtype)
        trainable = checks.check_boolean("trainable", trainable)
        super().__init__(*args, dtype=dtype, trainable=trainable, **kwargs)

    @property
    def compute_dtype(self):
        """The data type of the computations."""
        inner = self._other_policy()
        return inner.compute_dtype if inner else super().compute_dtype

    @property
    def variable_dtype(self):
        """The data type of the weights."""
        inner = self._other_policy()
        return inner.variable_dtype if inner else super().variable_dtype

    @property
    def output_dtype(self):
        """The data type of what comes out."""
        return super().compute_dtype

    def _other_policy(self):
        inner = inner_policy(self.dtype_policy)
        return None if inner is self.dtype_policy else inner

    def to_output(self, results):
        """Casts what comes out. What `output_dtype` cannot hold becomes the nearest
        number that it can."""
        return tree.map_structure(
            lambda x: ops.cast(within_range(x, self.output_dtype), self.output_dtype),
            results,
        )


def within_range(x, dtype):
    """`x` with what `dtype` cannot hold replaced by the nearest number that it can, in
    its own data type."""
    if dtype != "float16":
        return x
    return ops.clip(x, -FLOAT16_LARGEST, FLOAT16_LARGEST)
