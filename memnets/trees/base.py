"""What the layers over trees share: the vectors of leaves and of parents."""

from typing import Any

import keras
from keras import ops

from ..cells.recurrent import as_activation, as_initializer, fresh
from ..checks import check_boolean
from ..numerics.precision import InnerPrecision
from ..numerics.tensor_checks import Tensor, check_size


class TreeLayer(InnerPrecision, keras.layers.Layer):
    """A layer that computes the nodes of a binary tree, all with the same weights.

    A leaf x has the vector V x + c. A parent of the nodes a and b has the vector
    activation(U [a; b] + d). With `bilinear` the n numbers [a; b]^T T_k [a; b] are
    added before the activation, k = 1 ... n.

    Args:
        units: Size of the vector of a node, n.
        bilinear: Whether products of the children's numbers count.
        activation: Any Keras activation of parents, or None.
        kernel_initializer: Of V and U.
        bilinear_initializer: Of T. With zeros a network begins as one without
            `bilinear`.
        **kwargs: Arguments of `keras.layers.Layer`.
    Raises:
        ValueError: If `units` is not a positive integer, or Keras has no such
            activation or initializer.
        TypeError: If `bilinear` is not a boolean.
    """

    def __init__(
        self,
        units: int,
        bilinear: bool = False,
        activation: Any = "tanh",
        *,
        kernel_initializer: Any = "glorot_uniform",
        bilinear_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        self.bilinear = check_boolean("bilinear", bilinear)
        self.activation = as_activation("activation", activation)
        self.kernel_initializer = as_initializer(
            "kernel_initializer", kernel_initializer
        )
        self.bilinear_initializer = as_initializer(
            "bilinear_initializer", bilinear_initializer
        )
        self.supports_masking = True
        self._features: int | None = None

    def build_weights(self, features: int) -> None:
        """Makes the weights for leaves of so many features."""
        self._features = features
        self.leaf_kernel = self._weight("leaf_kernel", (features, self.units))
        self.leaf_bias = self._weight("leaf_bias", (self.units,), "zeros")
        self.kernel = self._weight("kernel", (2 * self.units, self.units))
        self.bias = self._weight("bias", (self.units,), "zeros")
        if self.bilinear:
            self.bilinear_kernel = self._weight(
                "bilinear_kernel",
                (2 * self.units, self.units, 2 * self.units),
                fresh(self.bilinear_initializer),
            )

    def _weight(
        self,
        name: str,
        shape: tuple[int, ...],
        initializer: keras.initializers.Initializer | None = None,
    ) -> keras.Variable:
        initializer = initializer or fresh(self.kernel_initializer)
        return self.add_weight(name=name, shape=shape, initializer=initializer)

    def leaf_nodes(self, leaves: Tensor) -> Tensor:
        """The vectors `(B, L, n)` of leaves `(B, L, features)`."""
        leaves = ops.cast(leaves, self.compute_dtype)
        return ops.matmul(leaves, self.leaf_kernel) + self.leaf_bias

    def parent_nodes(self, pairs: Tensor) -> Tensor:
        """The vectors `(P, n)` of P parents, from those of two children side by side,
        `(P, 2 n)`."""
        values = ops.matmul(pairs, self.kernel) + self.bias
        if self.bilinear:
            # One matrix product for all T_k: [a; b]^T T_k side by side.
            matrix = ops.reshape(self.bilinear_kernel, (2 * self.units, -1))
            products = ops.reshape(
                ops.matmul(pairs, matrix), (-1, self.units, 2 * self.units)
            )
            values += ops.sum(products * pairs[:, None], axis=-1)
        return self.activation(values)

    def get_config(self) -> dict[str, Any]:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "bilinear": self.bilinear,
            "activation": keras.activations.serialize(self.activation),
            "kernel_initializer": serialize(self.kernel_initializer),
            "bilinear_initializer": serialize(self.bilinear_initializer),
        }
