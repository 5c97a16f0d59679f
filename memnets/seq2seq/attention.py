"""Attention: how much each step of a network looks at each position of a memory."""

from typing import Any, NamedTuple

import keras
from keras import ops

from ..checks import check_integer
from ..memory.addressing import softmax
from ..memory_networks.hops import PADDING
from ..numerics.precision import at_least_float32, tanh
from ..numerics.tensor_checks import Shape, Tensor


class Attended(NamedTuple):
    """What attention looks at, prepared once for all steps.

    Attributes:
        memory: `(B, S, width)`, the positions.
        keys: `(B, S, units)`, what queries are compared with.
        bias: `(B, 1, S)`, 0 at real positions and very negative at padding, at least
            in float32.
    """

    memory: Tensor
    keys: Tensor
    bias: Tensor


class Encoded(NamedTuple):
    """What was read.

    Attributes:
        attended: What the decoder attends to; None without attention.
        summary: `(B, width)`, what the decoder is told at every step; None if nothing.
        states: The decoder's first states, a list for each layer.
    """

    attended: Attended | None
    summary: Tensor | None
    states: list[list[Tensor]]


class _Attention(keras.layers.Layer):
    """What both kinds of attention share."""

    def attended(self, memory: Tensor, mask: Tensor | None = None) -> Attended:
        """Prepares a memory.

        Args:
            memory: `(B, S, width)`.
            mask: `(B, S)`, true at real positions; all are real if None.
        """
        if mask is None:
            mask = ops.ones(ops.shape(memory)[:2], "bool")
        bias = ops.where(mask, 0.0, PADDING)[:, None]
        # In float16 padding would be infinite, and padding alone not a number.
        bias = ops.cast(bias, at_least_float32(self.compute_dtype))
        # These methods are called without Keras' own casts.
        memory, kernel = self._cast(memory), self._cast(self.kernel)
        return Attended(memory, ops.matmul(memory, kernel), bias)

    def attend(self, query: Tensor, attended: Attended) -> tuple[Tensor, Tensor]:
        """Looks at a memory.

        Args:
            query: `(B, T, query width)`, a query for each of T steps.
            attended: The memory.
        Returns:
            The contexts `(B, T, width)`, means of the memory's positions, and the
            weights `(B, T, S)` of these means, which sum to 1.
        """
        scores = self.scores(self._cast(query), attended.keys)
        scores = ops.cast(scores, attended.bias.dtype) + attended.bias
        weights = self._cast(softmax(scores))
        return ops.matmul(weights, attended.memory), weights

    # Keras gives the mask of `memory` to an argument of this name.
    def call(
        self, query: Tensor, memory: Tensor, memory_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As `attend`, of a memory that was not prepared."""
        return self.attend(query, self.attended(memory, memory_mask))

    def _cast(self, values: Tensor) -> Tensor:
        return ops.cast(values, self.compute_dtype)

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """How well queries `(B, T, ...)` and keys `(B, S, ...)` fit: `(B, T, S)`."""
        raise NotImplementedError


@keras.saving.register_keras_serializable("memnets")
class GeneralAttention(_Attention):
    """Attention by products: e_ij = s_i . W h_j.

    Reference:
        Luong, Pham, Manning (2015), Effective Approaches to Attention-based Neural
        Machine Translation, equation 8, "general".
    Example:
        >>> attention = GeneralAttention()
        >>> contexts, weights = attention(np.ones((2, 3, 4)), np.ones((2, 5, 6)))
        >>> tuple(contexts.shape), tuple(weights.shape)
        ((2, 3, 6), (2, 3, 5))
    """

    def build(self, query_shape: Shape, memory_shape: Shape) -> None:
        self.kernel = self.add_weight(
            shape=(memory_shape[-1], query_shape[-1]), name="kernel"
        )
        self.built = True

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        return ops.matmul(query, ops.swapaxes(keys, 1, 2))


@keras.saving.register_keras_serializable("memnets")
class AdditiveAttention(_Attention):
    """Attention by a small network: e_ij = v . tanh(W s_i + U h_j).

    Args:
        units: Size of v.
    Reference:
        Bahdanau, Cho, Bengio (2015), Neural Machine Translation by Jointly Learning to
        Align and Translate, appendix A.1.2.
    Example:
        >>> attention = AdditiveAttention(7)
        >>> contexts, weights = attention(np.ones((2, 3, 4)), np.ones((2, 5, 6)))
        >>> tuple(contexts.shape), tuple(weights.shape)
        ((2, 3, 6), (2, 3, 5))
    """

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = check_integer("units", units)

    def build(self, query_shape: Shape, memory_shape: Shape) -> None:
        self.query_kernel = self.add_weight(
            shape=(query_shape[-1], self.units), name="query_kernel"
        )
        self.kernel = self.add_weight(
            shape=(memory_shape[-1], self.units), name="kernel"
        )
        self.vector = self.add_weight(shape=(self.units, 1), name="vector")
        self.built = True

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        query = ops.matmul(query, self._cast(self.query_kernel))
        hidden = tanh(query[:, :, None] + keys[:, None])
        return ops.matmul(hidden, self._cast(self.vector))[..., 0]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units}
