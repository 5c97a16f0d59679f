"""Graph traversal: follow edges that are named one after the other."""

import dataclasses

import numpy as np

from ..contract.neighbours import Beside
from ..contract.recipe import Settings
from ..models.dnc import DNCFeedforward
from .graph_task import GraphRecipe, GraphTask, Question
from .graphs import BLANK, Edge, leaving, walk


class TraversalRecipe(GraphRecipe):
    """Tuned, see docs/recipes.md."""

    compared_models = ("dnc-feedforward", "ntm-lstm", "lstm")
    training = {DNCFeedforward: {"learning_rate": 3e-3, "sequences": 400_000}}

    @property
    def models(self) -> Settings:
        """Rows with room for a whole triple, one for each step, also on paths of twice
        the length."""
        task = self.task
        return {
            DNCFeedforward: {
                "memory_size": task.max_degree * task.max_nodes + 4 * task.max_path,
                "word_size": 96,
                "num_read_heads": 2,
                "masks": True,
            }
        }


@dataclasses.dataclass(frozen=True)
class Traversal(GraphTask):
    """A graph in, then a node and the labels of edges; out come the triples of the path
    that leads from the node along these edges.

    Args:
        min_nodes: Nodes of the smallest graph.
        max_nodes: Nodes of the largest graph.
        min_degree: The smallest number of edges that leave a node.
        max_degree: The largest.
        min_path: Edges of the shortest path.
        max_path: Edges of the longest path.
    Raises:
        ValueError: If a parameter is out of its range.
    Reference:
        Graves et al. (2016), Hybrid Computing Using a Neural Network with Dynamic
        External Memory, Nature 538, Methods, Traversal.
    """

    name = "traversal"
    planning = 0
    recipe = Beside(TraversalRecipe)

    @property
    def most_query_steps(self) -> int:
        return self.max_path

    @property
    def most_answer_steps(self) -> int:
        return self.max_path

    def ask(
        self, edges: list[Edge], length: int, rng: np.random.Generator
    ) -> Question | None:
        """Every node has an edge, so there is a path of any length."""
        leave = leaving(edges)
        node = int(rng.choice(list(leave)))
        path: list[Edge] = []
        for _ in range(length):
            path.append(leave[node][rng.integers(len(leave[node]))])
            node = path[-1].destination
        first, *others = path
        query = [first._replace(destination=BLANK)]
        query += [Edge(BLANK, edge.label, BLANK) for edge in others]
        return Question(query, path)

    def answer(self, edges: list[Edge], query: list[Edge], steps: int) -> list[Edge]:
        path = walk(edges, query[0].source, [edge.label for edge in query])
        if path is None:
            raise ValueError("has no such path")
        return path[:steps]
