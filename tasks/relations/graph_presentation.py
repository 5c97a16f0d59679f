"""How tasks about a graph are shown: its edges, the query and the answer."""

from typing import TYPE_CHECKING

import numpy as np

from ..contract.batch_checks import check_batch
from ..contract.parts import Batch, Section
from ..contract.symbol_presentation import SymbolPresentation
from ..figures.fetched import fetched
from .graphs import BLANK, DIGITS, Edge, triples_of

if TYPE_CHECKING:
    from ..figures.figure import Figure

# Edges in a line of print.
PER_LINE = 4


class GraphPresentation(SymbolPresentation):
    """Edges in words, and the graph as a figure."""

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text: the graph, the query, and the triples of the answer.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, 90)` of a model, drawn under the targets; `x` marks
                a wrong triple.
        Raises:
            TypeError: If `batch` is not a batch of arrays of numbers.
            ValueError: If an array has another shape than those of this task.
        """
        check_batch(self.task, batch, outputs)
        drawn = []
        for index, (inputs, targets, _) in enumerate(zip(*batch, strict=True)):
            edges, query, due = self.task.read(inputs)
            lines = [f"sequence {index}", *_listed("graph", [*map(_text, edges)])]
            lines += _listed("query", [*map(_text, query)])
            answer = triples_of(targets[due])
            lines += _listed("target", [*map(_text, answer)])
            if outputs is not None:
                given = triples_of(self.task.predict(np.asarray(outputs[index, due])))
                texts = [
                    _text(triple) + " x" * (triple != right)
                    for triple, right in zip(given, answer, strict=True)
                ]
                lines += _listed("output", texts)
            drawn.append("\n".join(lines))
        return "\n\n".join(drawn)

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        from .graph_figures import draw_graph

        edges, query, due = self.task.read(batch.inputs[0])
        given = triples_of(self.task.predict(np.asarray(outputs[0, due])))
        return draw_graph(edges, triples_of(batch.targets[0, due]), given)

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        edges, query, due = self.task.read(batch.inputs[0])
        steps = {str(number): int(step) for number, step in enumerate(due, 1)}
        told = [_text(edge) for edge in (*edges, *query)]
        rows = fetched(told, steps, heads, title="step of the answer")
        if not rows:
            return []
        text = (
            "For each step of the answer, the memory row that a read head attends to "
            "most, and the edge of the step at which a write head wrote there last."
        )
        return [Section("fetched", "What was read for the answer", text, None, rows)]


def _listed(label: str, texts: list[str]) -> list[str]:
    """Texts in lines of a few, the first with a label."""
    lines = [texts[i : i + PER_LINE] for i in range(0, len(texts), PER_LINE)]
    labels = [label, *[""] * (len(lines) - 1)]
    return [
        f"{name:>8}  {'   '.join(line)}".rstrip()
        for name, line in zip(labels, lines, strict=True)
    ]


def _text(triple: Edge) -> str:
    source, label, destination = (
        "?" * DIGITS if part == BLANK else f"{part:0{DIGITS}d}" for part in triple
    )
    return f"{source} -{label}-> {destination}"
