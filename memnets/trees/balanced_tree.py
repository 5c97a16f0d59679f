"""A recursive network over a balanced tree, whose shape does not depend on the data."""

from typing import Any

import keras
from keras import ops

from .. import backends
from ..numerics.tensor_checks import (
    MAX_SIZE,
    Shape,
    Structure,
    Tensor,
    check_features,
    check_sequences,
)
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

    def build(self, sequences_shape: Shape) -> None:
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
        batch_size, size = ops.shape(nodes)[0], ops.shape(nodes)[1]
        if mask is None:
            count = ops.broadcast_to(size, (batch_size, 1))
        else:
            nodes, count = _leaves_first(nodes, ops.cast(mask, "bool"))
        run = self._root if isinstance(size, int) else self._root_of_any_size
        return self.to_output(ops.where(count > 0, run(nodes, count), 0))

    def _root(self, nodes: Tensor, count: Tensor) -> Tensor:
        for _ in range((nodes.shape[1] - 1).bit_length()):
            nodes = self._next_level(nodes, count)
            count = (count + 1) // 2
        return nodes[:, 0]

    def _root_of_any_size(self, nodes: Tensor, count: Tensor) -> Tensor:
        """The root where the number of leaves is known only when the graph runs, as in
        an exported model."""

        def level(_: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
            nodes, count = state
            parents = self._next_level(nodes, count)
            # A loop keeps the shapes of its values.
            rest = ops.zeros_like(nodes[:, ops.shape(parents)[1] :])
            return ops.concatenate([parents, rest], axis=1), (count + 1) // 2

        levels = (MAX_SIZE - 1).bit_length()
        if nodes.shape[1] is None:
            # On TensorFlow. On JAX the number of steps must not depend on data; a root
            # that is alone stays as it is in further levels.
            powers = 2 ** ops.arange(levels, dtype="int32")
            levels = ops.sum(ops.cast(powers < ops.shape(nodes)[1], "int32"))
        nodes, _ = backends.current().fori_loop(levels, level, (nodes, count))
        return nodes[:, 0]

    def _next_level(self, nodes: Tensor, count: Tensor) -> Tensor:
        """Half as many nodes, the parents of neighbours."""
        left = nodes[:, ::2]
        # One more, so that the last node of an odd number has a neighbour to take.
        right = ops.concatenate([nodes, ops.zeros_like(nodes[:, :1])], axis=1)[:, 1::2]
        pairs = ops.concatenate([left, right], axis=-1)
        # Rows of a matrix: XLA finds no gradient of products of more axes in a loop.
        parents = self.parent_nodes(ops.reshape(pairs, (-1, 2 * self.units)))
        parents = ops.reshape(parents, ops.shape(left))
        neighbour = 2 * ops.arange(ops.shape(left)[1], dtype="int32") + 1
        return ops.where((neighbour < count)[..., None], parents, left)

    def compute_mask(self, inputs: Structure, previous_mask: Structure = None) -> None:
        return None


def _leaves_first(nodes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The nodes with those that the mask shows at the front, and their numbers
    `(B, 1)`."""
    places = ops.arange(ops.shape(nodes)[1], dtype="int32")
    hidden_last = ops.where(mask, places, places + ops.shape(nodes)[1])
    order = ops.argsort(hidden_last, axis=1)
    nodes = ops.take_along_axis(nodes, order[..., None], axis=1)
    return nodes, ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)
