"""A recursive network over trees that are given with the data."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from .. import backends
from ..checks import check_boolean, shorten
from ..numerics.tensor_checks import (
    Shape,
    Structure,
    Tensor,
    check_features,
    check_tensor,
)
from .base import TreeLayer
from .children import ABSENT, check_children


@keras.saving.register_keras_serializable("memnets")
class TreeRNN(TreeLayer):
    """Combines the leaves of binary trees, each tree of its own shape, into one vector.

    A leaf x has the vector V x + c. A parent of the nodes a and b has the vector
    activation(U [a; b] + d). With `bilinear` the n numbers [a; b]^T T_k [a; b] are
    added before the activation.

    A tree is a list of pairs of nodes. The nodes 0 ... L-1 are the leaves, and pair t
    makes the node L + t: children come before their parents, the root last. Trees of
    one batch may differ in shape and size. A smaller one has its leaves first, and
    `(-1, -1)` in place of the pairs that it lacks. `memnets.trees.children_of` writes
    the pairs of a tree, `memnets.trees.pad_children` those of a batch.

    The layer visits the nodes one after another, the trees of a batch at the same time.

    Args:
        units: Size of the vector of a node, n.
        bilinear: Whether products of the children's numbers count.
        activation: Any Keras activation of parents, or None.
        return_sequences: Whether to return all nodes, not the root alone.
        kernel_initializer: Of the weights of leaves and of parents.
        bilinear_initializer: Of the weights of products.
        **kwargs: Arguments of `keras.layers.Layer`.
    Call arguments:
        trees: A pair of tensors, leaves `(B, L, features)` and children
            `(B, L - 1, 2)` of integers.
    Returns:
        Tensor `(B, n)`, the roots; with `return_sequences` tensor `(B, 2 L - 1, n)`,
        leaves first, with a mask that shows the nodes of each tree. Nodes that a tree
        lacks are zeros. A mask of the leaves is not needed: the children tell how many
        there are.
    Raises:
        ValueError: If an argument is out of its range, or a shape is wrong. Of children
            in a NumPy array also: if a pair names a node that does not come before it,
            or follows a pair that is absent.
        TypeError: If a flag is not a boolean, leaves are not real numbers, or children
            not integers.
    Reference:
        Goodfellow, Bengio, Courville (2016), Deep Learning, section 10.6. Bilinear:
        Socher et al. (2013), Recursive Deep Models for Semantic Compositionality Over
        a Sentiment Treebank, section 4.3.
    Example:
        >>> from memnets import trees
        >>> words, children = trees.children_of(trees.parse("(the (cat sat))"))
        >>> words, children.tolist()
        (['the', 'cat', 'sat'], [[1, 2], [0, 3]])
        >>> leaves = np.eye(3)[None]  # one tree, whose words are one-hot vectors
        >>> tuple(TreeRNN(8)((leaves, children[None])).shape)
        (1, 8)
    """

    def __init__(
        self,
        units: int,
        bilinear: bool = False,
        activation: Any = "tanh",
        return_sequences: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, bilinear, activation, **kwargs)
        self.return_sequences = check_boolean("return_sequences", return_sequences)

    def build(self, trees_shape: Sequence[Shape]) -> None:
        leaves_shape, _ = _check_pair("trees_shape", trees_shape)
        self.build_weights(check_features("leaves_shape", leaves_shape, rank=3))

    def __call__(self, trees: Any, **kwargs: Any) -> Tensor:
        leaves, children = _check_pair("trees", trees)
        check_tensor("leaves", leaves, ("B", "L", self._features or "features"))
        batch_size, num_leaves, _ = leaves.shape
        if num_leaves == 0:
            raise ValueError(
                "`leaves` must have at least one leaf. Received: leaves of shape "
                f"{tuple(leaves.shape)}"
            )
        expected = "L - 1" if num_leaves is None else num_leaves - 1
        check_tensor("children", children, (batch_size or "B", expected, 2))
        if "int" not in keras.backend.standardize_dtype(children.dtype):
            raise TypeError(
                "`children` must be integers, and an input of them "
                "keras.Input((None, 2), dtype='int32'). "
                f"Received: children of type {children.dtype}"
            )
        if isinstance(children, np.ndarray):
            check_children(children)
        return super().__call__((leaves, children), **kwargs)

    def call(self, trees: Sequence[Tensor]) -> Tensor:
        leaves, children = trees
        children = ops.cast(children, "int32")
        nodes = self._all_nodes(self.leaf_nodes(leaves), children)
        if self.return_sequences:
            shown = _nodes_present(leaves, children)
            return self.to_output(ops.where(shown[..., None], nodes, 0))
        num_parents = ops.sum(ops.cast(_parents_present(children), "int32"), axis=1)
        last = ops.shape(leaves)[1] + num_parents - 1
        root = ops.where(num_parents > 0, last, 0)
        root = ops.take_along_axis(nodes, root[:, None, None], axis=1)
        return self.to_output(root[:, 0])

    def _all_nodes(self, leaves: Tensor, children: Tensor) -> Tensor:
        """The vectors of leaves and parents `(B, 2 L - 1, n)`; those of absent parents
        have no meaning."""
        batch_size, num_leaves = ops.shape(leaves)[0], ops.shape(leaves)[1]
        num_parents = ops.shape(children)[1]
        size = num_leaves + num_parents
        room = ops.zeros((batch_size, num_parents, self.units), leaves.dtype)
        rows = ops.arange(batch_size, dtype="int32")
        # Absent children read some leaf, which nobody looks at.
        flat_children = ops.maximum(children, 0) + size * rows[:, None, None]

        def step(index: Tensor, nodes: Tensor) -> Tensor:
            pair = ops.take(flat_children, index, axis=1)
            values = ops.take(ops.reshape(nodes, (-1, self.units)), pair, axis=0)
            parents = self.parent_nodes(ops.reshape(values, (-1, 2 * self.units)))
            places = ops.stack([rows, ops.zeros_like(rows) + num_leaves + index], 1)
            return ops.scatter_update(nodes, places, parents)

        return backends.current().fori_loop(
            num_parents, step, ops.concatenate([leaves, room], axis=1)
        )

    def compute_mask(
        self, inputs: Structure, previous_mask: Structure = None
    ) -> Tensor | None:
        if not self.return_sequences:
            return None
        return _nodes_present(*inputs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "return_sequences": self.return_sequences}


def _check_pair(name: str, value: Any) -> Sequence[Any]:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return value
    raise ValueError(
        f"`{name}` must be a pair, (leaves, children). "
        f"Received: {name}={shorten(value)}"
    )


def _parents_present(children: Tensor) -> Tensor:
    return ops.not_equal(children[..., 0], ABSENT)


def _nodes_present(leaves: Tensor, children: Tensor) -> Tensor:
    """Which nodes a tree has, `(B, 2 L - 1)`. It has one leaf more than parents, and
    its leaves come first."""
    parents = _parents_present(children)
    num_parents = ops.sum(ops.cast(parents, "int32"), axis=1, keepdims=True)
    # Numbers of the leaves from 1, also where there is no tensor yet but its shape.
    numbers = ops.cumsum(ops.ones_like(leaves[..., 0], dtype="int32"), axis=1)
    return ops.concatenate([numbers <= num_parents + 1, parents], axis=1)
