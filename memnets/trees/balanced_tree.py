"""A recursive network over a balanced tree, whose shape does not depend on the data."""

from typing import Any

import keras
from keras import ops

from ..loop import repeat
from ..tensor_checks import Tensor, check_features, check_sequences
from .base import TreeLayer


@keras.saving.register_keras_serializable("memnets")
class BalancedTree(TreeLayer):
    """Combines a sequence pair by pair, level by level, into one vector.

    The steps of the sequence are the leaves. On each level neighbours become a parent,
    and a last node without neighbour moves up as it is. N leaves are combined in
    ceil(log2 N) levels, where a recurrent network takes N steps. The vectors of leaves
    and parents are those of `memnets.trees.TreeRNN`.

    Args:
        units: Size of the vector of a node, n.
        bilinear: Whether products of the children's numbers count.
        activation: Any Keras activation of parents, or None.
        kernel_initializer: Of the weights of leaves and of parents.
        bilinear_initializer: Of the weights of products.
        **kwargs: Arguments of `keras.layers.Layer`.
    Call arguments:
        sequences: Tensor `(B, N, features)` of at least one step.
        mask: Boolean tensor `(B, N)`, or None. A step with `False` is no leaf: the tree
            is that of the sequence without it.
    Returns:
        Tensor `(B, n)`, the root; zeros for a sequence without a leaf.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong.
        TypeError: If `bilinear` is not a boolean, or a tensor does not hold real
            numbers.
    Reference:
        Goodfellow, Bengio, Courville (2016), Deep Learning, section 10.6. Bilinear:
        Socher et al. (2013), Recursive Deep Models for Semantic Compositionality Over
        a Sentiment Treebank, section 4.3.
    Example:
        >>> tuple(BalancedTree(8)(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def build(self, sequences_shape: Any) -> None:
        self.build_weights(check_features("sequences_shape", sequences_shape, rank=3))

    def __call__(
        self, sequences: Tensor, mask: Tensor | None = None, **kwargs: Any
    ) -> Tensor:
        check_sequences(sequences, mask, self._features)
        if mask is not None:
            kwargs["mask"] = mask
        return super().__call__(sequences, **kwargs)

    def call(self, sequences: Tensor, mask: Tensor | None = None) -> Tensor:
        nodes = self.leaf_nodes(sequences)
        size = nodes.shape[1]
        if mask is None:
            count = ops.reshape(ops.shape(nodes)[1], (1, 1))
        else:
            nodes, count = _leaves_first(nodes, ops.cast(mask, "bool"))
        if size is None:
            root = self._root_of_any_size(nodes, count)
        else:
            for _ in range((size - 1).bit_length()):
                nodes = self._level(nodes, count)
                count = (count + 1) // 2
            root = nodes[:, 0]
        return self.to_output(ops.where(count > 0, root, 0))

    def _level(self, nodes, count):
        """The nodes of the next level, of which there are half as many."""
        left = nodes[:, ::2]
        # One more, so that the last node of an odd number has a neighbour to take.
        right = ops.concatenate([nodes, ops.zeros_like(nodes[:, :1])], axis=1)[:, 1::2]
        parents = self.parent_nodes(ops.concatenate([left, right], axis=-1))
        neighbour = 2 * ops.arange(ops.shape(left)[1], dtype="int32") + 1
        return ops.where((neighbour < count)[..., None], parents, left)

    def _root_of_any_size(self, nodes, count):
        """The root where the number of leaves is known only when the graph runs, as in
        an exported model."""
        size = ops.shape(nodes)[1]
        counts = ops.broadcast_to(count, (ops.shape(nodes)[0], 1))

        def level(_, state):
            nodes, counts = state
            parents = self._level(nodes, counts)
            # A loop keeps the shape of its value.
            rest = nodes[:, ops.shape(parents)[1] :]
            return ops.concatenate([parents, ops.zeros_like(rest)], axis=1), (
                (counts + 1) // 2
            )

        # ceil(log2 N): the powers of two below N.
        levels = ops.sum(ops.cast(size > 2 ** ops.arange(31), "int32"))
        nodes, _ = repeat(levels, level, (nodes, counts))
        return nodes[:, 0]

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        return None

    def compute_output_shape(self, sequences_shape: Any) -> tuple[Any, int]:
        return (sequences_shape[0], self.units)


def _leaves_first(nodes, mask):
    """The nodes with those that the mask shows at the front, and their numbers
    `(B, 1)`."""
    places = ops.arange(ops.shape(nodes)[1], dtype="int32")
    hidden_last = ops.where(mask, places, places + ops.shape(nodes)[1])
    order = ops.argsort(hidden_last, axis=1)
    nodes = ops.take_along_axis(nodes, order[..., None], axis=1)
    return nodes, ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)
