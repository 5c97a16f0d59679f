"""How tasks with long lags are shown: what matters of a long sequence, in a line."""

import numpy as np

from ..contract.parts import Batch
from ..contract.presentation import Presentation


class AnswerPresentation(Presentation):
    """Numbers over time, and an answer."""

    headline = "wrong"


class ClassPresentation(AnswerPresentation):
    """The same of an answer that is a class."""

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        task, lines = self.task, []
        for index, sequence in enumerate(task.checked_sequences(batch.inputs)):
            lines.append(f"sequence {index}: {task.text_of(sequence)}")
            lines.append(f"  target  {task.classes[batch.targets[index]]}")
            if outputs is not None:
                found = task.predict(outputs[index : index + 1])[0]
                best = int(found.argmax())
                lines.append(f"  output  {task.classes[best]} ({found[best]:.0%})")
            lines.append("")
        return "\n".join(lines[:-1])


class MarkedPresentation(AnswerPresentation):
    """The same of two marked numbers."""

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        task, lines = self.task, []
        for index, sequence in enumerate(task.checked_sequences(batch.inputs)):
            marked = [
                f"{number:+.2f} at step {step}"
                for step, (number, mark) in enumerate(sequence)
                if mark == 1
            ]
            lines.append(f"sequence {index}: {len(sequence)} steps")
            lines.append(f"  marked  {', '.join(marked)}")
            lines.append(f"  target  {batch.targets[index, 0]:.4f}")
            if outputs is not None:
                lines.append(f"  output  {task.predict(outputs)[index, 0]:.4f}")
            lines.append("")
        return "\n".join(lines[:-1])
