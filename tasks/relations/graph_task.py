"""The contract of tasks about a graph that is told edge by edge."""

import abc
import dataclasses
from typing import ClassVar, NamedTuple

import numpy as np

from ..checks import check_integer
from ..contract.batch_checks import (
    check_draw,
    check_inputs,
    check_integers,
    check_range,
    check_sequence,
)
from ..contract.neighbours import Beside
from ..contract.sized_task import RangedEvaluation, RangedTask, Rng
from ..contract.symbol_task import SymbolRecipe, SymbolTask
from ..contract.task import Batch
from .graph_presentation import GraphPresentation
from .graphs import BLANK, DIGITS, LABELS, Edge, random_graph, triple_rows, triples_of

TRIPLE = 3 * DIGITS * 10
# The channels that mark the steps of the query and those of the answer.
QUERY, ANSWER = TRIPLE, TRIPLE + 1
# Heuristic: of so many graphs one should have a path of the wanted length.
MOST_DRAWS = 10_000


class Question(NamedTuple):
    """What is asked of a graph.

    Attributes:
        query: The triples of the query, with blanks.
        answer: Those of the answer.
    """

    query: list[Edge]
    answer: list[Edge]


class GraphRecipe(SymbolRecipe):
    """The recipe of a task about a graph."""

    compared_models = ("dnc-lstm", "ntm-lstm", "lstm")

    @property
    def curriculum(self) -> float:
        return 0.5  # heuristic: half of the training has graphs that grow


class GraphEvaluation(RangedEvaluation):
    """An evaluation by the length of the path that an answer needs."""

    eval_sequences = 200


@dataclasses.dataclass(frozen=True)
class GraphTask(RangedTask, SymbolTask):
    """A graph in, edge by edge in random order; a query; then triples out.

    An edge is a triple: the label of its source, its own label, and the label of its
    destination. A label has three digits, each one of ten channels, so that a triple is
    90 wide. Two more channels mark the steps of the query and those of the answer.
    Between them are blank steps, in which a network can plan.

    The subclass says what is asked, and how it is answered. The length is that of the
    path that the answer needs.
    """

    # Steps between the query and the answer.
    planning: ClassVar[int] = 10
    # Labels of edges are below this number.
    num_labels: ClassVar[int] = LABELS
    size_names = ("path", "nodes")
    presentation = Beside(GraphPresentation)
    evaluation = Beside(GraphEvaluation)
    recipe = Beside(GraphRecipe)

    min_nodes: int = 3
    max_nodes: int = 10
    min_degree: int = 2
    max_degree: int = 3
    min_path: int = 1
    max_path: int = 4

    def __post_init__(self) -> None:
        check_integers(self, "min_nodes", "max_nodes", minimum=2)
        check_integers(self, "min_degree", "max_degree", "min_path", "max_path")
        check_integer("max_nodes", self.max_nodes, 2, LABELS)
        check_integer("max_degree", self.max_degree, 1, self.num_labels)
        for name in ("nodes", "degree", "path"):
            check_range(self, f"min_{name}", f"max_{name}")

    @abc.abstractmethod
    def ask(
        self, edges: list[Edge], length: int, rng: np.random.Generator
    ) -> Question | None:
        """A question about a graph whose answer needs a path of that length; None if
        there is no such path."""

    @abc.abstractmethod
    def answer(self, edges: list[Edge], query: list[Edge], steps: int) -> list[Edge]:
        """The triples of the answer.

        Args:
            edges: The graph.
            query: The query.
            steps: How many triples are due.
        Raises:
            ValueError: If the graph has no answer.
        """

    @property
    @abc.abstractmethod
    def most_query_steps(self) -> int:
        """The largest number of steps of a query."""

    @property
    @abc.abstractmethod
    def most_answer_steps(self) -> int:
        """The largest number of steps of an answer."""

    # --- sizes ---

    @property
    def input_names(self) -> tuple[str, ...]:
        digits = tuple("0123456789") * (3 * DIGITS)
        return (*digits, "query", "answer")

    @property
    def symbols(self) -> tuple[tuple[str, ...], ...]:
        return (tuple("0123456789"),) * (3 * DIGITS)

    # --- the data ---

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        told = self.max_nodes * min(self.max_degree, self.max_nodes - 1)
        steps = told + self.most_query_steps + self.planning + self.most_answer_steps
        inputs = np.zeros((batch_size, steps, TRIPLE + 2), np.float32)
        targets = np.zeros((batch_size, steps, TRIPLE), np.float32)
        mask = np.zeros((batch_size, steps), np.float32)
        for sequence, target, counts in zip(inputs, targets, mask, strict=True):
            edges, (query, answer) = self._draw(rng)
            rows = triple_rows([*edges, *query])
            sequence[: len(rows), :TRIPLE] = rows
            sequence[len(edges) : len(rows), QUERY] = 1
            begin = len(rows) + self.planning
            due = slice(begin, begin + len(answer))
            sequence[due, ANSWER] = counts[due] = 1
            target[due] = triple_rows(answer)
        return Batch(inputs, targets, mask)

    def _draw(self, rng: np.random.Generator) -> tuple[list[Edge], Question]:
        length = int(rng.integers(self.min_path, self.max_path + 1))
        for _ in range(MOST_DRAWS):
            edges = self.draw_graph(rng)
            question = self.ask(edges, length, rng)
            if question is not None:
                return edges, question
        raise ValueError(
            f"`max_path` must be a length that paths of {self.name} have in graphs of "
            f"up to {self.max_nodes} nodes. Received: {length}, which none of "
            f"{MOST_DRAWS:,} graphs had"
        )

    def draw_graph(self, rng: np.random.Generator) -> list[Edge]:
        """The edges of a random graph of these sizes."""
        nodes = int(rng.integers(self.min_nodes, self.max_nodes + 1))
        degrees = self.min_degree, self.max_degree
        return random_graph(nodes, degrees, self.num_labels, rng)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        targets = np.zeros((*inputs.shape[:2], TRIPLE), np.float32)
        for sequence, target in zip(inputs, targets, strict=True):
            edges, query, due = self.read(sequence)
            try:
                target[due] = triple_rows(self.answer(edges, query, len(due)))
            except ValueError as error:
                check_sequence(self, False, str(error))
        return targets

    def read(self, inputs: np.ndarray) -> tuple[list[Edge], list[Edge], np.ndarray]:
        """The graph and the query of inputs `(T, 92)`, and the steps of the answer.

        Raises:
            ValueError: If they are no sequence of this task.
        """
        asked = np.flatnonzero(inputs[:, QUERY])
        due = np.flatnonzero(inputs[:, ANSWER])
        check_sequence(self, len(asked) and len(due), "has no query or no answer")
        edges = triples_of(inputs[: asked[0], :TRIPLE])
        whole = edges and BLANK not in (label for edge in edges for label in edge)
        check_sequence(self, whole, "has an edge without a label")
        return edges, triples_of(inputs[asked, :TRIPLE]), due
