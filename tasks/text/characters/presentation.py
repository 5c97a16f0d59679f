"""How the tasks of characters are shown: sources and answers."""

from typing import TYPE_CHECKING

import numpy as np

from ...contract.batch_checks import check_token_batch
from ...contract.parts import Batch
from ...contract.presentation import Presentation

if TYPE_CHECKING:
    from ...figures.figure import Figure


class CharacterPresentation(Presentation):
    """Texts as they are read and written."""

    headline = "answers"

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, output_size)` of a model, drawn under the answers.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_token_batch(self.task, batch, outputs)
        lines = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            lines.append(f"sequence {index}")
            lines += [f"  {line}" for line in self.task.source_of(inputs).split("\n")]
            lines.append(f"  target  {self.task.alphabet.text(targets[mask > 0])}")
            if outputs is not None:
                found = self.task.predict(outputs[index])[mask > 0]
                lines.append(f"  output  {self.task.alphabet.text(found)}")
            lines.append("")
        return "\n".join(lines[:-1])

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        from .figures import draw_answer

        return draw_answer(self.task.alphabet, batch, np.asarray(outputs, float), heads)
