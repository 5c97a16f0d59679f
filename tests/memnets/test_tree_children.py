"""Trees as text, as nested tuples and as arrays."""

import re

import arrays
import numpy as np
import pytest

from memnets import trees

DEEP = 5_000


def from_children(leaves, children):
    """The nested tuple that an array describes."""
    nodes = list(leaves)
    for left, right in children:
        nodes.append((nodes[left], nodes[right]))
    return nodes[-1]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("cat", "cat"),
        ("(a b)", ("a", "b")),
        ("(the (cat sat))", ("the", ("cat", "sat"))),
        (" ( (a  b)\n(c d)) ", (("a", "b"), ("c", "d"))),
        ("((a b)c)", (("a", "b"), "c")),
    ],
)
def test_brackets_are_read(text, tree):
    assert trees.parse(text) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "`text` must be one tree, not 0. Received: text=''"),
        ("a b", "`text` must be one tree, not 2. Received"),
        ("(a b) c", "`text` must be one tree, not 2. Received"),
        ("(a b", "`text` must close every bracket. Received"),
        ("a b)", "`text` must not close a bracket that is not open. Received"),
        ("(a b))", "`text` must not close a bracket that is not open. Received"),
        ("()", "`text` must have two trees in each bracket, not 0. Received"),
        ("(a)", "`text` must have two trees in each bracket, not 1. Received"),
        ("(a (b c) d)", "`text` must have two trees in each bracket, not 3. Received"),
    ],
)
def test_malformed_text_is_an_error(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        trees.parse(text)


@pytest.mark.parametrize("text", [None, 3, b"(a b)", ["a", "b"]])
def test_text_must_be_a_string(text):
    with pytest.raises(TypeError, match="^`text` must be a string. Received: text="):
        trees.parse(text)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 31])
def test_an_array_describes_the_tree_that_it_was_written_from(size):
    tree = arrays.random_tree(range(size), np.random.default_rng(size))
    leaves, children = trees.children_of(tree)
    assert leaves == list(range(size)) and children.shape == (size - 1, 2)
    assert from_children(leaves, children) == tree
    # Children before parents.
    assert (children < np.arange(size, 2 * size - 1)[:, None]).all()


def test_lists_are_trees_as_tuples_are_and_leaves_may_be_anything():
    leaves, children = trees.children_of([None, [("a", 2), {"b": 1}]])
    assert leaves == [None, "a", 2, {"b": 1}]
    assert children.tolist() == [[1, 2], [4, 3], [0, 5]]


@pytest.mark.parametrize("tree", [(), ("a",), ("a", "b", "c"), ("a", ("b", ()))])
def test_nodes_without_two_children_are_errors(tree):
    with pytest.raises(ValueError, match="^`tree` must be a leaf, or a tuple of two "):
        trees.children_of(tree)


def test_trees_may_be_deep():
    text = "(" * DEEP + "a" + " b)" * DEEP
    leaves, children = trees.children_of(trees.parse(text))
    assert leaves == ["a"] + ["b"] * DEEP
    assert children[-1].tolist() == [2 * DEEP - 1, DEEP]


@pytest.mark.parametrize("room", [None, 12])
def test_padded_trees_are_the_trees(room):
    rng = np.random.default_rng(1)
    sizes = (3, 1, 8)
    nested = [arrays.random_tree(range(size), rng) for size in sizes]
    children = [trees.children_of(tree)[1] for tree in nested]
    padded = trees.pad_children(children, room)
    largest = room or 8
    assert padded.shape == (3, largest - 1, 2) and padded.dtype == np.int32
    for tree, size, children in zip(nested, sizes, padded, strict=True):
        assert (children[size - 1 :] == -1).all()
        present = children[: size - 1]
        # A list in which each node has the number that the array gives it.
        if size > 1:
            assert from_children(range(largest), present) == tree


@pytest.mark.parametrize(
    ("arrays", "room", "message"),
    [
        ([], None, "`trees` must hold at least one tree. Received: none"),
        ([[[0, 1, 2]]], None, "`trees` must hold integer arrays (L - 1, 2)."),
        ([[0, 1]], None, "`trees` must hold integer arrays (L - 1, 2)."),
        ([[[0.0, 1.0]]], None, "`trees` must hold integer arrays (L - 1, 2)."),
        ([[[0, 2]]], None, "`children` must name nodes that come before their parent"),
        ([[[0, -1]]], None, "`children` must name nodes that come before their parent"),
        ([[[-1, -1], [0, 1]]], None, "`children` must have no pair after one that is"),
        ([[[0, 0]]], None, "`trees` must have every node but the root as a child once"),
        ([[[0, 1], [0, 2]]], None, "`trees` must have every node but the root as a "),
        ([[[0, 1], [-1, -1]]], None, "`trees` must have every node but the root as a"),
        ([[[0, 1]]], 1, "`num_leaves` must be an integer of at least 2. Received"),
    ],
)
def test_trees_that_cannot_be_padded_are_errors(arrays, room, message):
    arrays = [np.array(array) for array in arrays]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        trees.pad_children(arrays, room)
