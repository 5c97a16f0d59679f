"""Random graphs whose nodes and edges have labels, as lists of triples."""

from collections import deque
from typing import NamedTuple

import numpy as np

# Labels have three digits.
DIGITS = 3
LABELS = 10**DIGITS
POWERS = 10 ** np.arange(DIGITS)[::-1]
# Stands for a part of a triple that is not told.
BLANK = -1


class Edge(NamedTuple):
    """A triple of labels.

    Attributes:
        source: The node that the edge leaves.
        label: The label of the edge.
        destination: The node that it enters.
    """

    source: int
    label: int
    destination: int


def random_graph(
    num_nodes: int, degrees: tuple[int, int], num_labels: int, rng: np.random.Generator
) -> list[Edge]:
    """Draws a graph.

    Nodes are points in the unit square. From each node edges lead to its K nearest
    ones, where K is drawn for each node. Labels of nodes differ, and so do those of the
    edges that leave a node.

    Args:
        num_nodes: Number of nodes.
        degrees: The smallest and the largest K; a node has at most `num_nodes - 1`.
        num_labels: Labels of edges are below this number.
        rng: A generator.
    Returns:
        The edges, in random order.
    Reference:
        Graves et al. (2016), Hybrid Computing Using a Neural Network with Dynamic
        External Memory, Methods, Graph task descriptions.
    """
    points = rng.random((num_nodes, 2))
    distances = ((points[:, None] - points) ** 2).sum(axis=-1)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argsort(axis=1)
    names = rng.choice(LABELS, num_nodes, replace=False)
    low, high = (min(degree, num_nodes - 1) for degree in degrees)
    edges = []
    for node, degree in enumerate(rng.integers(low, high + 1, num_nodes)):
        labels = rng.choice(num_labels, degree, replace=False)
        edges += [
            Edge(int(names[node]), int(label), int(names[other]))
            for label, other in zip(labels, nearest[node, :degree], strict=True)
        ]
    return [edges[index] for index in rng.permutation(len(edges))]


def leaving(edges: list[Edge]) -> dict[int, list[Edge]]:
    """The edges that leave each node that has any, in their order in the list."""
    found: dict[int, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
    return found


def walk(edges: list[Edge], source: int, labels: list[int]) -> list[Edge] | None:
    """The edges with these labels, each from the end of the one before; None if there
    is no such walk."""
    by_label = {(edge.source, edge.label): edge for edge in edges}
    path: list[Edge] = []
    for label in labels:
        edge = by_label.get((source, label))
        if edge is None:
            return None
        path.append(edge)
        source = edge.destination
    return path


def shortest_paths(edges: list[Edge], source: int) -> dict[int, list[Edge]]:
    """A shortest path from a node to each one that can be reached, by breadth-first
    search; of several, the one whose edges come first in the list."""
    leave = leaving(edges)
    paths: dict[int, list[Edge]] = {source: []}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        for edge in leave.get(node, ()):
            if edge.destination not in paths:
                paths[edge.destination] = [*paths[node], edge]
                queue.append(edge.destination)
    return paths


def triple_rows(triples: list[Edge]) -> np.ndarray:
    """Triples as rows of nine digits, each one-hot: `(n, 90)`; blanks are zeros."""
    labels = np.array(triples, int).reshape(-1, 3, 1, 1)
    digits = labels // POWERS[:, None] % 10
    rows = (digits == np.arange(10)) & (labels != BLANK)
    return rows.reshape(-1, 3 * DIGITS * 10).astype(np.float32)


def triples_of(rows: np.ndarray) -> list[Edge]:
    """The triples of rows `(n, 90)`; a label with a missing digit is a blank."""
    digits = rows.reshape(len(rows), 3, DIGITS, 10)
    labels = (digits.argmax(axis=-1) * POWERS).sum(axis=-1)
    told = digits.any(axis=-1).all(axis=-1)
    return [Edge(*map(int, triple)) for triple in np.where(told, labels, BLANK)]
