"""From what a decoder knows at a step to logits of the next token."""

from typing import Any

import keras
from keras import ops

from ..checks import check_integer
from ..numerics.tensor_checks import Shape, Tensor


class TiedReadout(keras.layers.Layer):
    """Logits E . dropout(tanh(W x + b)), where E is the embedding of the tokens.

    Args:
        embedding: The embedding of the target's tokens.
        dropout: Share of the hidden layer that training sets to 0.
    Reference:
        Press, Wolf (2017), Using the Output Embedding to Improve Language Models.
    """

    def __init__(self, embedding: Any, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.embedding = embedding
        policy = self.dtype_policy
        self.hidden = keras.layers.Dense(embedding.output_dim, "tanh", dtype=policy)
        self.dropout = keras.layers.Dropout(dropout, dtype=policy)

    def build(self, input_shape: Shape) -> None:
        self.hidden.build(input_shape)
        self.bias = self.add_weight(
            shape=(self.embedding.input_dim,), initializer="zeros", name="bias"
        )
        self.built = True

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        hidden = self.dropout(self.hidden(inputs), training=training)
        table = ops.cast(self._table(), self.compute_dtype)
        return ops.matmul(hidden, ops.transpose(table)) + self.bias

    def _table(self) -> Tensor:
        """The embeddings of all tokens, `(tokens, size)`."""
        embedding = self.embedding
        if (
            type(embedding) is keras.layers.Embedding
            and not embedding.quantization_mode
        ):
            return embedding.embeddings
        # The weights of a quantised layer are integers, which it scales itself.
        return embedding(ops.arange(embedding.input_dim))


@keras.saving.register_keras_serializable("memnets")
class MaxoutReadout(keras.layers.Layer):
    """Logits G_l G_r max(pairs of W x + b), of low rank.

    Args:
        num_tokens: Number of tokens.
        num_units: Number of maxout units, each the larger of two numbers.
        rank: Size between the two factors of the last layer.
    Reference:
        Cho et al. (2014), Learning Phrase Representations using RNN Encoder-Decoder,
        appendix A.1.2, and section 4.1 for the sizes.
    """

    def __init__(
        self, num_tokens: int, num_units: int = 500, rank: int = 100, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.num_tokens = check_integer("num_tokens", num_tokens)
        self.num_units = check_integer("num_units", num_units)
        self.rank = check_integer("rank", rank)
        policy = self.dtype_policy
        self.pairs = keras.layers.Dense(2 * num_units, dtype=policy)
        self.inner = keras.layers.Dense(rank, use_bias=False, dtype=policy)
        self.outer = keras.layers.Dense(num_tokens, dtype=policy)

    def build(self, input_shape: Shape) -> None:
        leading = tuple(input_shape[:-1])
        self.pairs.build(input_shape)
        self.inner.build((*leading, self.num_units))
        self.outer.build((*leading, self.rank))
        self.built = True

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        # The first half and the second half, of which each unit takes the larger.
        first, second = ops.split(self.pairs(inputs), 2, axis=-1)
        return self.outer(self.inner(ops.maximum(first, second)))

    def get_config(self) -> dict[str, Any]:
        sizes = {
            name: getattr(self, name) for name in ("num_tokens", "num_units", "rank")
        }
        return {**super().get_config(), **sizes}
