"""How a task is shown: sequences as text and figures, measures in print, reports."""

import math
import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .batch_checks import check_arrays
from .parts import Batch, Column, Section

if TYPE_CHECKING:
    import keras

    from ..figures.figure import Figure


class Presentation:
    """How a task is shown to people. This one shows numbers; a family of tasks has its
    own, in a class attribute of the task: `presentation = Beside(BitPresentation)`.

    Args:
        task: The task.
    """

    # The value of `Task.errors` that pictures and comparisons show; the first if None.
    headline: str | None = None

    def __init__(self, task: Any) -> None:
        self.task = task

    def column(self, name: str) -> Column:
        """How the measure or error of that name is printed.

        One without an entry in `Task.columns` counts as an error, unless `Task.success`
        asks for a value above a bound.
        """
        if name in self.task.columns:
            return self.task.columns[name]
        success = self.task.success
        is_score = (
            success is not None
            and success.measure == name
            and math.isfinite(success.above)
        )
        return Column(name.replace("_", " "), higher_is_better=is_score)

    @property
    def notes(self) -> tuple[str, ...]:
        """What commands say about the task's data on standard error."""
        return ()

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text.

        Args:
            batch: What to draw.
            outputs: Outputs of a model, drawn under the targets.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_arrays(self.task, batch, outputs)
        predictions = (
            None if outputs is None else self.task.predict(np.asarray(outputs))
        )
        drawn = []
        for index, target in enumerate(batch.targets):
            lines = [f"sequence {index}"]
            for name, inputs in batch.named_inputs.items():
                label = "input" if name == "inputs" else name
                lines.append(f"{label:>8}  {_numbers(inputs[index])}")
            lines.append(f"  target  {_numbers(target)}")
            if predictions is not None:
                lines.append(f"  output  {_numbers(predictions[index])}")
            drawn.append("\n".join(lines))
        return "\n\n".join(drawn)

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        """A Matplotlib figure of the first sequence of a batch; none if None.

        Args:
            batch: The batch.
            outputs: Outputs of a model.
            heads: The `memnets.HeadTrace` of the model's memories.
        """
        from ..figures.memory_figures import draw_steps

        target = np.asarray(batch.targets[0])
        prediction = np.asarray(self.task.predict(np.asarray(outputs))[0])
        panels = [
            (name, _channels(inputs[0])) for name, inputs in batch.named_inputs.items()
        ]
        if self.task.every_step:
            panels.append(("targets", _channels(target)))
            panels.append(("outputs", _channels(prediction)))
        figure = draw_steps(panels, heads)
        if not self.task.every_step:
            figure.suptitle(f"target {_numbers(target)}, output {_numbers(prediction)}")
        return figure

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        """Sections of a report that only this task has.

        Args:
            batch: A batch of one sequence.
            heads: The `memnets.HeadTrace` of one memory over that sequence.
        """
        return []

    def model_sections(self, model: "keras.Model") -> Iterable[Section]:
        """Sections of a report on a Keras model that only this task has."""
        return ()


@typing.runtime_checkable
class HasFloors(typing.Protocol):
    """A presentation that knows what answers score that no model has given."""

    def floors(self) -> list[list[str]]:
        """What stands beside the scores of an evaluation: rows of a table, the headings
        first."""


def _channels(values: np.ndarray) -> np.ndarray:
    """Values over time as `(T, channels)`."""
    values = np.asarray(values, float)
    return values.reshape(len(values), -1)


def _numbers(values: np.ndarray) -> str:
    """Values in one line; the middle of a long list is left out."""
    flat = np.array2string(
        np.asarray(values), precision=2, threshold=24, edgeitems=3, max_line_width=10**6
    )
    return " ".join(flat.split())
