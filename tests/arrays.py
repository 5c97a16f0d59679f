"""Random arrays and trees that several tests share. A recursive network over nested
tuples is written in NumPy, by recursion, as the equations are printed."""

import numpy as np
import pytest

from memnets import trees

ROW_AXES = pytest.mark.parametrize("row_axis", [1, 2])
SHAPES = pytest.mark.parametrize(
    ("batch_size", "num_heads", "num_rows", "word_size"),
    [(2, 1, 8, 4), (3, 4, 8, 5), (1, 2, 1, 3), (1, 1, 5, 1)],
)


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def weighting(seed, *shape):
    raw = np.random.default_rng(seed).exponential(size=shape)
    return (raw / raw.sum(axis=-1, keepdims=True)).astype("float32")


def random_tree(leaves, rng):
    """A nested tuple over a list of leaves, of a random shape."""
    parts = list(leaves)
    while len(parts) > 1:
        i = rng.integers(len(parts) - 1)
        parts[i : i + 2] = [(parts[i], parts[i + 1])]
    return parts[0]


def balanced_tree(leaves):
    """Neighbours become a parent, level by level; an odd node moves up."""
    parts = list(leaves)
    while len(parts) > 1:
        pairs = [tuple(parts[i : i + 2]) for i in range(0, len(parts), 2)]
        parts = [pair if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


def left_chain(leaves):
    chain, *rest = leaves
    for leaf in rest:
        chain = (chain, leaf)
    return chain


def random_batch(sizes, features, rng):
    """Trees of some sizes: the nested tuples over the numbers of the leaves, leaves
    `(B, L, features)` and children `(B, L - 1, 2)`."""
    nested = [random_tree(range(size), rng) for size in sizes]
    children = trees.pad_children([trees.children_of(tree)[1] for tree in nested])
    return nested, rng.standard_normal((len(sizes), max(sizes), features)), children


def vectors(layer, tree, leaves):
    """The vectors of all nodes of one tree in post-order, its leaves `(L, features)`;
    the last one is the root."""
    weights = {w.name: np.asarray(w, "float64") for w in layer.weights}
    if not isinstance(tree, tuple):
        return [leaves[tree] @ weights["leaf_kernel"] + weights["leaf_bias"]]
    left, right = (vectors(layer, child, leaves) for child in tree)
    pair = np.concatenate([left[-1], right[-1]])
    values = pair @ weights["kernel"] + weights["bias"]
    for k in range(layer.units if layer.bilinear else 0):
        values[k] += pair @ weights["bilinear_kernel"][:, k] @ pair
    return [*left, *right, np.tanh(values)]
