"""How tasks are shown whose outputs are symbols."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..losses.tensors import log_softmax
from .batch_checks import check_batch
from .parts import Batch
from .presentation import Presentation

if TYPE_CHECKING:
    from ..figures.figure import Figure

# In print: a step without a symbol, and one whose output does not count.
BLANK, UNMASKED = "·", " "


class SymbolPresentation(Presentation):
    """Names of channels and of symbols, over time."""

    headline = "symbol_errors"

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text: time from left to right, a step as the names of its
        input channels, or its symbols.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, output_size)` of a model, drawn under the targets;
                `x` marks a step with a wrong symbol.
        Raises:
            TypeError: If `batch` is not a batch of arrays of numbers.
            ValueError: If an array has another shape than those of this task.
        """
        check_batch(self.task, batch, outputs)
        drawn = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            seen = inputs.any(axis=1) | (mask > 0)
            steps = int(np.flatnonzero(seen)[-1]) + 1 if seen.any() else len(mask)
            counts = mask[:steps] > 0
            rows: dict[str, Sequence[str]] = {
                "input": input_text(self.task.input_names, inputs[:steps]),
                "target": self._symbol_text(targets[:steps], counts),
            }
            if outputs is not None:
                logits = np.asarray(outputs[index, :steps], float)
                wrong = self.task.wrong(targets[:steps], logits).any(axis=-1) & counts
                asked = counts & targets[:steps].any(axis=-1)
                rows["output"] = self._symbol_text(self.task.predict(logits), asked)
                rows["wrong"] = ["x" if is_wrong else UNMASKED for is_wrong in wrong]
            drawn.append("\n".join([f"sequence {index}", *_aligned(rows)]))
        return "\n\n".join(drawn)

    def _symbol_text(self, values: np.ndarray, counts: np.ndarray) -> list[str]:
        """The text of each step of one-hot values `(T, output_size)`."""
        parts = self.task.parts(values)
        return [
            "".join(
                names[int(part[step].argmax())]
                for names, part in zip(self.task.symbols, parts, strict=True)
                if part[step].any()
            )
            or BLANK
            if counts[step]
            else UNMASKED
            for step in range(len(values))
        ]

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        from ..figures.memory_figures import draw_steps

        hidden = np.where(batch.mask[0, :, None] > 0, 0.0, np.nan)
        chances = [np.exp(log_softmax(part)) for part in self.task.parts(outputs[0])]
        return draw_steps(
            [
                ("inputs", batch.inputs[0]),
                ("targets", batch.targets[0] + hidden),
                ("outputs", np.concatenate(chances, axis=-1) + hidden),
            ],
            heads,
        )


def input_text(names: Sequence[str], inputs: np.ndarray) -> list[str]:
    """The text of each step of inputs `(T, channels)`, from the names of channels."""
    return [
        "".join(names[channel] for channel in np.flatnonzero(step).tolist()) or BLANK
        for step in inputs
    ]


def _aligned(rows: dict[str, Sequence[str]]) -> list[str]:
    """A line for each row of text, with the texts of a step below each other."""
    widths = [max(map(len, step)) for step in zip(*rows.values(), strict=True)]
    space = "" if max(widths) == 1 else " "
    return [
        f"{label:>8} {space.join(map(str.ljust, texts, widths))}".rstrip()
        for label, texts in rows.items()
    ]
