"""Self-attention that knows how far apart two steps are."""

from typing import Any

import keras
from keras import ops

from ..checks import check_boolean, check_integer
from ..memory.addressing import softmax
from ..numerics.precision import at_least_float32
from ..numerics.tensor_checks import Shape, Tensor

# The longest wave of the encodings of distances, in steps over 2 pi: that of the paper.
LONGEST_WAVE = 10_000.0
# Standard deviation of the first values of the two biases, as in the public code.
BIAS_SCALE = 0.02
# A score of what must not be seen. Finite: a step may see nothing at all.
HIDDEN = -1e9


@keras.saving.register_keras_serializable("memnets")
class RelativeAttention(keras.layers.Layer):
    """Self-attention with the relative positions of Transformer-XL.

    For each head the score of step j for step i is

        ((q_i + u) . k_j + (q_i + v) . W r_{i-j}) / sqrt(head_size),

    with queries q and keys k of the inputs, two learned biases u and v, and the
    sinusoids r of the distance i - j, which is below 0 for steps to come. What comes
    out is a linear map of the heads' means of values. No map has a bias.

    A layer of Keras with no positions at all is `keras.layers.MultiHeadAttention`.

    Args:
        num_heads: Number of heads.
        head_size: Size of the queries, keys and values of each head.
        causal: Whether a step sees only itself and steps before it.
    Call arguments:
        inputs: Tensor `(B, T, features)`.
        mask: `(B, T)`, false at steps that no other step sees.
    Returns:
        Tensor `(B, T, features)`.
    Raises:
        ValueError: If a size is not a positive integer.
        TypeError: If `causal` is not True or False.
    Reference:
        Dai, Yang et al. (2019), Transformer-XL: Attentive Language Models beyond a
        Fixed-Length Context, arXiv:1901.02860, section 3.3.

        Deviation: the paper has no steps to come, whose distances are below 0; as in
        the public code of Delétang et al. (2023), arXiv:2207.02098.
    Example:
        >>> attention = RelativeAttention(2, 4)
        >>> tuple(attention(np.zeros((3, 5, 6))).shape)
        (3, 5, 6)
    """

    # Read by `memnets.StreamingModel`: the output at a step depends on other steps.
    mixes_steps = True

    def __init__(
        self, num_heads: int, head_size: int, causal: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads = check_integer("num_heads", num_heads)
        self.head_size = check_integer("head_size", head_size)
        self.causal = check_boolean("causal", causal)
        self.supports_masking = True
        self._maps = {
            name: keras.layers.Dense(
                num_heads * head_size,
                use_bias=False,
                name=name,
                dtype=self.dtype_policy,
            )
            for name in ("queries", "keys", "values", "distances")
        }

    def build(self, input_shape: Shape) -> None:
        width, features = self.num_heads * self.head_size, input_shape[-1]
        for name, layer in self._maps.items():
            if not layer.built:
                layer.build((None, None, width if name == "distances" else features))
        self.content_bias, self.position_bias = (
            self.add_weight(
                shape=(self.num_heads, self.head_size),
                initializer=keras.initializers.RandomNormal(stddev=BIAS_SCALE),
                name=name,
            )
            for name in ("content_bias", "position_bias")
        )
        self.output_map = keras.layers.Dense(
            features, use_bias=False, name="outputs", dtype=self.dtype_policy
        )
        self.output_map.build((None, None, width))
        self.built = True

    def call(self, inputs: Tensor, mask: Tensor | None = None) -> Tensor:
        steps = ops.shape(inputs)[1]
        queries, keys, values = (
            self._heads(name, inputs) for name in ("queries", "keys", "values")
        )
        sinusoids = ops.cast(self._sinusoids(steps), self.compute_dtype)
        distances = self._heads("distances", sinusoids[None])[0]
        content = queries + ops.cast(self.content_bias, queries.dtype)
        position = queries + ops.cast(self.position_bias, queries.dtype)
        scores = ops.einsum("bihd,bjhd->bhij", content, keys)
        scores += _by_distance(ops.einsum("bihd,rhd->bhir", position, distances), steps)
        scores = ops.cast(scores, at_least_float32(self.compute_dtype))
        scores = self._hidden(scores / self.head_size**0.5, steps, mask)
        weights = ops.cast(softmax(scores), values.dtype)
        means = ops.einsum("bhij,bjhd->bihd", weights, values)
        width = self.num_heads * self.head_size
        return self.output_map(ops.reshape(means, (-1, steps, width)))

    def _heads(self, name: str, inputs: Tensor) -> Tensor:
        """A linear map of `(B, T, features)`, by head: `(B, T, H, size)`."""
        mapped = self._maps[name](inputs)
        steps = ops.shape(inputs)[1]
        return ops.reshape(mapped, (-1, steps, self.num_heads, self.head_size))

    def _sinusoids(self, steps: Tensor | int) -> Tensor:
        """Encodings of the distances from `steps - 1` down to `1 - steps`, `(2 T - 1,
        width)`: sines, then cosines of waves of growing length."""
        width = self.num_heads * self.head_size
        distances = steps - 1 - ops.arange(2 * steps - 1)
        waves = LONGEST_WAVE ** (-ops.arange(0, width, 2, dtype="float32") / width)
        angles = ops.cast(distances, "float32")[:, None] * waves
        return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1)[:, :width]

    def _hidden(
        self, scores: Tensor, steps: Tensor | int, mask: Tensor | None
    ) -> Tensor:
        """Scores `(B, H, T, T)` without those of steps that must not be seen."""
        if mask is not None:
            scores = ops.where(mask[:, None, None, :], scores, HIDDEN)
        if self.causal:
            order = ops.arange(steps)
            scores = ops.where(order[:, None] >= order, scores, HIDDEN)
        return scores

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "head_size": self.head_size,
            "causal": self.causal,
        }


def _by_distance(scores: Tensor, steps: Tensor | int) -> Tensor:
    """Scores of distances `(B, H, T, 2 T - 1)`, the longest first, as those of steps
    `(B, H, T, T)`: row i of the result begins with the distance i - 0.

    With one more column, each row of the flat scores begins one place earlier than in
    the result, so that one shift serves all rows.
    """
    wide = ops.pad(scores, [[0, 0], [0, 0], [0, 0], [0, 1]])
    heads = scores.shape[1]
    flat = ops.reshape(wide, (-1, heads, 2 * steps * steps))
    count = 2 * steps - 1
    cut = flat[:, :, steps - 1 : steps - 1 + steps * count]
    return ops.reshape(cut, (-1, heads, steps, count))[..., :steps]
