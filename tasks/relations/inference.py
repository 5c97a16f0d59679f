"""Inference in a graph: relations that are chains of edges."""

import dataclasses
import functools

import numpy as np

from ..checks import check_integer
from .graph_task import GraphTask, Question
from .graphs import BLANK, Edge, walk

# The relations of the paper, and how many edges each stands for.
RELATIONS = 400
SHORTEST, LONGEST = 2, 5
# Labels of edges. A relation has the number after them.
EDGE_LABELS = 10


@dataclasses.dataclass(frozen=True)
class Inference(GraphTask):
    """A graph in, then a node and a relation; after ten blank steps the triple with the
    node at the other end of the relation comes out.

    A relation stands for a chain of labels of edges, as "grandfather" for two times
    "father". The 400 relations are the same in all sequences, and never told: a network
    learns them. There are 100 of each length from 2 to 5, as far as there are as many
    chains of ten labels.

    Args:
        min_nodes: Nodes of the smallest graph.
        max_nodes: Nodes of the largest graph.
        min_degree: The smallest number of edges that leave a node.
        max_degree: The largest.
        min_path: Edges of the shortest chain.
        max_path: Edges of the longest chain.
        data_seed: Seed of the relations.
    Raises:
        ValueError: If a parameter is out of its range; if a batch is drawn, and hardly
            any graph has a relation of a wanted length.
    Reference:
        Graves et al. (2016), Hybrid Computing Using a Neural Network with Dynamic
        External Memory, Nature 538, Methods, Inference.
    """

    min_path: int = 2
    max_path: int = 3
    data_seed: int = 0

    name = "inference"
    num_labels = EDGE_LABELS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("min_path", self.min_path, SHORTEST, LONGEST)
        check_integer("max_path", self.max_path, SHORTEST, LONGEST)
        check_integer("data_seed", self.data_seed, minimum=0)

    @property
    def most_query_steps(self) -> int:
        return 1

    @property
    def most_answer_steps(self) -> int:
        return 1

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        return tuple(range(self.min_path, self.max_path + 1))

    def ask(
        self, edges: list[Edge], length: int, rng: np.random.Generator
    ) -> Question | None:
        chains = _relations(self.data_seed)
        numbers = [i for i, chain in enumerate(chains) if len(chain) == length]
        nodes = list({edge.source for edge in edges})
        for number in rng.permutation(numbers):
            for node in rng.permutation(nodes):
                path = walk(edges, int(node), list(chains[number]))
                if path is not None:
                    triple = Edge(
                        int(node), EDGE_LABELS + int(number), path[-1].destination
                    )
                    return Question([triple._replace(destination=BLANK)], [triple])
        return None

    def answer(self, edges: list[Edge], query: list[Edge], steps: int) -> list[Edge]:
        source, relation, _ = query[0]
        chains = _relations(self.data_seed)
        number = relation - EDGE_LABELS
        path = None
        if 0 <= number < len(chains):
            path = walk(edges, source, list(chains[number]))
        if path is None:
            raise ValueError("has no such relation")
        return [Edge(source, relation, path[-1].destination)][:steps]


@functools.cache
def _relations(seed: int) -> list[tuple[int, ...]]:
    """The chains of labels that relations stand for."""
    rng = np.random.default_rng(seed)
    lengths = range(SHORTEST, LONGEST + 1)
    chains: list[tuple[int, ...]] = []
    for length in lengths:
        numbers = rng.choice(
            EDGE_LABELS**length, RELATIONS // len(lengths), replace=False
        )
        chains += [tuple(map(int, f"{number:0{length}d}")) for number in numbers]
    return chains
