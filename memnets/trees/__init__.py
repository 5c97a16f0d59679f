"""Recursive networks, which compute a vector for each node of a tree, and helpers that
write trees as arrays."""

from .balanced_tree import BalancedTree
from .children import children_of, pad_children, parse
from .tree_rnn import TreeRNN

__all__ = ["BalancedTree", "TreeRNN", "children_of", "pad_children", "parse"]
