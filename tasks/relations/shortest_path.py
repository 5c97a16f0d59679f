"""Shortest paths in a graph."""

import dataclasses
import functools

import numpy as np

from ..contract.neighbours import Beside
from ..contract.sized_task import RangedStream, per_sequence
from ..contract.task import Batch
from .graph_task import GraphTask, Question
from .graphs import BLANK, Edge, shortest_paths, triples_of

# Heuristic: of so many graphs, so many must have a path of some length. Then hardly any
# draw ends without one.
TRIED, OFTEN = 1_000, 20


class ShortestPathStream(RangedStream):
    """Graphs of a curriculum often have paths of its lengths."""

    def easier(self, share: float) -> "ShortestPath":
        task, easier = self.task, super().easier(share)
        for nodes in range(easier.max_nodes, task.max_nodes):
            for path in range(easier.max_path, task.min_path - 1, -1):
                stage = dataclasses.replace(easier, max_nodes=nodes, max_path=path)
                if _is_frequent(path, stage):
                    return stage
        return dataclasses.replace(easier, max_nodes=task.max_nodes)


@dataclasses.dataclass(frozen=True)
class ShortestPath(GraphTask):
    """A graph in, then two nodes; after ten blank steps the triples of a shortest path
    from the first to the second come out.

    The target is one of the shortest paths; in an evaluation any of them is right. The
    number of steps that are marked as those of the answer is that of the path.
    Deviation: in the paper the network is fed with its own answer of the step before.

    Args:
        min_nodes: Nodes of the smallest graph.
        max_nodes: Nodes of the largest graph.
        min_degree: The smallest number of edges that leave a node.
        max_degree: The largest.
        min_path: Edges of the shortest path.
        max_path: Edges of the longest path.
    Raises:
        ValueError: If a parameter is out of its range; if a batch is drawn, and hardly
            any graph has a path of a wanted length.
    Reference:
        Graves et al. (2016), Hybrid Computing Using a Neural Network with Dynamic
        External Memory, Nature 538, Methods, Shortest path.
    """

    name = "shortest-path"
    stream = Beside(ShortestPathStream)

    @property
    def most_query_steps(self) -> int:
        return 1

    @property
    def most_answer_steps(self) -> int:
        return self.max_path

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        longer = self.max_path + 1
        return (self.max_path, longer)[: 1 + _is_frequent(longer, self)]

    def ask(
        self, edges: list[Edge], length: int, rng: np.random.Generator
    ) -> Question | None:
        for source in rng.permutation(list({edge.source for edge in edges})):
            paths = shortest_paths(edges, int(source)).values()
            found = [path for path in paths if len(path) == length]
            if found:
                path = found[rng.integers(len(found))]
                query = Edge(path[0].source, BLANK, path[-1].destination)
                return Question([query], path)
        return None

    def answer(self, edges: list[Edge], query: list[Edge], steps: int) -> list[Edge]:
        source, _, destination = query[0]
        path = shortest_paths(edges, source).get(destination)
        if not path:
            raise ValueError("has no path from the one node to the other")
        return path[:steps]

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """As of every task with symbols; but a sequence with any of the shortest paths
        is perfect, and has no wrong symbols."""
        errors = super().errors(batch, outputs)
        wrong = self.wrong(batch.targets, outputs)
        wrong[self._has_shortest_path(batch, outputs)] = False
        counts = per_sequence(wrong, batch)
        return {**errors, "symbol_errors": counts, "perfect": counts == 0}

    def _has_shortest_path(self, batch: Batch, outputs: np.ndarray) -> np.ndarray:
        right = []
        for inputs, logits in zip(batch.inputs, outputs, strict=True):
            edges, [(source, _, destination)], due = self.read(inputs)
            path = triples_of(self.predict(logits[due]))
            ends = [source, *(edge.destination for edge in path)]
            starts = [*(edge.source for edge in path), destination]
            has_numbers = not np.isnan(logits[due]).any()
            right.append(has_numbers and set(path) <= set(edges) and ends == starts)
        return np.array(right)


@functools.lru_cache(maxsize=1_000)  # every block of a curriculum asks
def _is_frequent(length: int, task: "ShortestPath") -> bool:
    """Whether graphs of a task often have a shortest path of so many edges, so that one
    is found soon."""
    rng, found = np.random.default_rng(0), 0
    for _ in range(TRIED):
        found += task.ask(task.draw_graph(rng), length, rng) is not None
        if found == OFTEN:
            return True
    return False
