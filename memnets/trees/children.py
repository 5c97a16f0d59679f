"""Trees as arrays: the two children of each parent."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..checks import check_integer, shorten

# Stands for both children of a parent that a smaller tree of a batch lacks.
ABSENT = -1
TREE = "a leaf, or a tuple of two trees"


Tree: TypeAlias = Any  # a leaf, or a tuple of two trees


def parse(text: str) -> Tree:
    """Reads a binary tree that is written with brackets.

    Args:
        text: Such as `"(the (cat sat))"`. Leaves are separated by blanks or brackets.
    Returns:
        The leaf as a string, or a tuple of two trees.
    Raises:
        ValueError: If the brackets do not match, or a bracket does not hold exactly two
            trees.
        TypeError: If `text` is not a string.
    Example:
        >>> parse("(the (cat sat))")
        ('the', ('cat', 'sat'))
    """
    if not isinstance(text, str):
        raise TypeError(f"`text` must be a string. Received: text={shorten(text)}")
    # The trees of each open bracket; the first list is that of the whole text.
    open_brackets: list[list[Any]] = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            open_brackets.append([])
        elif word == ")":
            trees = open_brackets.pop()
            if not open_brackets:
                raise _malformed("must not close a bracket that is not open", text)
            if len(trees) != 2:
                raise _malformed(
                    f"must have two trees in each bracket, not {len(trees)}", text
                )
            open_brackets[-1].append(tuple(trees))
        else:
            open_brackets[-1].append(word)
    if len(open_brackets) > 1:
        raise _malformed("must close every bracket", text)
    if len(open_brackets[0]) != 1:
        raise _malformed(f"must be one tree, not {len(open_brackets[0])}", text)
    return open_brackets[0][0]


def _malformed(what: str, text: str) -> ValueError:
    return ValueError(f"`text` {what}. Received: text={shorten(text)}")


def children_of(tree: Tree) -> tuple[list[Any], np.ndarray]:
    """Writes a binary tree as an array.

    Args:
        tree: A leaf, or a tuple of two trees. A leaf is anything but a tuple or a list.
    Returns:
        The leaves from left to right, and the children `(L - 1, 2)` of each parent, as
        `memnets.trees.TreeRNN` takes them. Parents are in post-order: the left
        sub-tree, the right one, then the parent itself.
    Raises:
        ValueError: If a tuple does not hold exactly two trees.
    Example:
        >>> leaves, children = children_of(("the", ("cat", "sat")))
        >>> leaves, children.tolist()
        (['the', 'cat', 'sat'], [[1, 2], [0, 3]])
    """
    leaves: list[Any] = []
    # Nodes are numbered when all leaves are counted: parents by -1, -2, ...
    pairs: list[tuple[int, int]] = []
    nodes: list[int] = []
    # Not by recursion, which would end at a depth of some hundred.
    todo: list[tuple[Any, bool]] = [(tree, False)]
    while todo:
        node, is_done = todo.pop()
        if is_done:
            right, left = nodes.pop(), nodes.pop()
            pairs.append((left, right))
            nodes.append(-len(pairs))
        elif not isinstance(node, (tuple, list)):
            nodes.append(len(leaves))
            leaves.append(node)
        elif len(node) != 2:
            raise ValueError(
                f"`tree` must be {TREE}. Received a node of {len(node)}: "
                f"{shorten(node)}"
            )
        else:
            todo += [(node, True), (node[1], False), (node[0], False)]
    children = np.array(pairs, "int32").reshape(-1, 2)
    return leaves, np.where(children < 0, len(leaves) - 1 - children, children)


def pad_children(
    trees: Sequence[np.ndarray], num_leaves: int | None = None
) -> np.ndarray:
    """The children of trees of different sizes, as one array.

    The leaves must be padded behind: `keras.utils.pad_sequences(..., padding="post")`.

    Args:
        trees: The children `(L_i - 1, 2)` of each tree, as `children_of` gives them.
        num_leaves: Leaves of the largest tree that the array has room for, L; None for
            the largest of `trees`.
    Returns:
        Array `(B, L - 1, 2)` of int32. Parents are numbered from L. Rows that a tree
        lacks hold -1.
    Raises:
        ValueError: If there is no tree, one is malformed, or larger than `num_leaves`.
    Example:
        >>> _, small = children_of("a")
        >>> _, large = children_of(("a", ("b", "c")))
        >>> pad_children([small, large]).tolist()
        [[[-1, -1], [-1, -1]], [[1, 2], [0, 3]]]
    """
    arrays = [_checked_tree(tree) for tree in trees]
    if not arrays:
        raise ValueError("`trees` must hold at least one tree. Received: none")
    most = max(len(array) for array in arrays)
    if num_leaves is not None:
        num_leaves = check_integer("num_leaves", num_leaves, minimum=most + 1)
        most = num_leaves - 1
    padded = np.full((len(arrays), most, 2), ABSENT, "int32")
    for row, array in zip(padded, arrays, strict=True):
        # Parents come after as many leaves as the largest tree has.
        later = np.where(array > len(array), most - len(array), 0)
        row[: len(array)] = array + later
    return padded


def _checked_tree(tree: np.ndarray) -> np.ndarray:
    """The children of one tree, in which every node but the root is a child once."""
    array = np.asarray(tree)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            "`trees` must hold integer arrays (L - 1, 2). "
            f"Received: one of type {array.dtype} and shape {array.shape}"
        )
    check_children(array[None])
    if sorted(array.ravel().tolist()) != list(range(2 * len(array))):
        raise ValueError(
            "`trees` must have every node but the root as a child once. "
            f"Received: {shorten(array.tolist())}"
        )
    return array


def check_children(children: np.ndarray) -> None:
    """Checks the values of children `(B, L - 1, 2)`, which are integers.

    Raises:
        ValueError: If a pair names a node that does not come before its parent, or
            follows a pair that is absent.
    """
    parents = np.arange(children.shape[1]) + children.shape[1] + 1
    absent = (children == ABSENT).all(axis=-1)
    known = ((children >= 0) & (children < parents[:, None])).all(axis=-1)
    late = known[:, 1:] & absent[:, :-1]
    for wrong, rule in (
        (~(absent | known), "name nodes that come before their parent, or be -1 twice"),
        (late, "have no pair after one that is absent"),
    ):
        if wrong.any():
            row, index = np.argwhere(wrong)[0]
            raise ValueError(
                f"`children` must {rule}. Received: children of tree {row}: "
                f"{shorten(children[row].tolist())}"
            )
