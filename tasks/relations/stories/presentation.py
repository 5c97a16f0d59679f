"""How stories are shown: sentences, question and answer."""

from typing import TYPE_CHECKING

import numpy as np

from ...contract.batch_checks import check_arrays
from ...contract.parts import Batch, Section
from ...contract.presentation import Presentation
from ...figures.fetched import fetched

if TYPE_CHECKING:
    from ...figures.figure import Figure

# Heuristic: one step to look for each fact of `three-facts`; others may have more.
PLANNING = 3


class StoryPresentation(Presentation):
    """A story as text, the hops over it as a figure."""

    headline = "wrong"

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text: sentences, with `*` before those from which the answer
        follows, question and answer.

        Args:
            batch: What to draw.
            outputs: Logits `(B, V)` of a model, drawn under the answer.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_arrays(self.task, batch, outputs)
        lines = []
        for index, target in enumerate(batch.targets):
            sentences, question = self.task.told(batch.inputs[index])
            lines.append(f"sequence {index}")
            for sentence, is_fact in zip(sentences, target[1:], strict=True):
                if sentence:
                    lines.append(f"  {'*' if is_fact else ' '} {sentence}")
            lines.append(f"    {question}")
            lines.append(f"  target  {self.task.words.text(target[:1])}")
            if outputs is not None:
                token = int(self.task.predict(outputs[index]))
                lines.append(f"  output  {self.task.words.text([token])}")
            lines.append("")
        return "\n".join(lines[:-1])

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        from .figures import draw_hops

        hops = [head for head in heads if head.kind == "hop"]
        if not hops:
            return None
        sentences, question = self.task.told(batch.inputs[0])
        answers = (
            self.task.words.text(batch.targets[0, :1]),
            self.task.words.text(self.task.predict(outputs[:1])),
        )
        facts = batch.targets[0, 1:] > 0
        return draw_hops(sentences, question, answers, facts, hops[0].weighting[0])

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        if self.task.read_by == "word":
            return []
        sentences, question = self.task.told(batch.inputs[0])
        names = ["question", *(f"blank step {n}" for n in range(1, PLANNING + 1))]
        steps = {name: step for step, name in enumerate(names, len(sentences))}
        rows = fetched([*sentences, question], steps, heads)
        if not rows:
            return []
        text = (
            "For the question and each step after it, the memory row that a read head "
            "attends to most, and what was read when a write head wrote there last."
        )
        return [Section("fetched", "What was read for the answer", text, None, rows)]
