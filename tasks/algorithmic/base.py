"""The contract of the algorithmic tasks: a model puts out bits at every step, and an
algorithm knows the right ones."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..contract.batch_checks import check_batch
from ..contract.neighbours import Beside
from ..contract.published import Published
from ..contract.recipe import Recipe
from ..contract.sized_task import SizedTask, per_sequence
from ..contract.success import Success
from ..contract.task import Batch, Column

# Bits in print; a step whose output does not count is blank.
OFF, ON, UNMASKED = "·", "█", " "


class BitRecipe(Recipe):
    """The recipe of a task whose outputs are bits."""

    @property
    def chance_loss(self) -> float | None:
        """Loss of a uniform guess, in nats a bit."""
        return math.log(2)


@dataclasses.dataclass(frozen=True)
class BitTask(SizedTask):
    """A task whose outputs are logits of bits, with an algorithm for the right bits.

    A sequence has a *length*, in a unit of the task; the range of lengths to train on
    is part of the task. A logit above 0 counts as the bit 1. `solve` gives the bits,
    or, if the task is not `exact`, the best possible probabilities of a 1.
    """

    headline = "bit_errors"
    recipe = Beside(BitRecipe)

    @property
    def success(self) -> Success | None:
        # Heuristic: one sequence in a hundred has a wrong bit.
        return Success("bit_errors", 0.01)

    # --- what it is measured by ---

    def is_right(self, values: dict[str, float]) -> bool | None:
        """A success in bits must be one here as well. For other tasks 95% of the
        sequences must be without an error."""
        success = self.success
        if success is not None and success.measure == "bits_per_sequence":
            return success.reached({success.measure: values["bits"]})
        return super().is_right(values)

    def loss(self) -> Any:
        from .measures import masked_loss

        return masked_loss()

    def measures(self) -> list[Any]:
        from .measures import BitErrors, BitsPerSequence

        return [BitsPerSequence(), BitErrors()]

    @property
    def columns(self) -> dict[str, Column]:
        return {
            "bits_per_sequence": Column("bits"),
            "bit_errors": Column("wrong bits"),
            "perfect": Column("perfect", ".0%", higher_is_better=True),
            "bits": Column("bits"),
            "best_bits": Column("best possible bits"),
        }

    @property
    def published(self) -> Published | None:
        from .paper import published

        return published(self)

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        return (outputs > 0).astype(np.float32)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence: `bit_errors`, the number of wrong bits, those that are not
        numbers among them; `perfect`, whether it is 0; `bits`, the cross-entropy in
        bits; the wrong bits of each kind, see `error_parts`; and, if the task is not
        `exact`, `best_bits`, the cross-entropy of the best possible probabilities."""
        bits = outputs > 0
        wrong = (bits != (batch.targets > 0.5)) | np.isnan(outputs)
        bit_errors = per_sequence(wrong, batch)
        errors = {
            "bit_errors": bit_errors,
            "perfect": bit_errors == 0,
            "bits": per_sequence(_cross_entropy(outputs, batch), batch),
        }
        for part, where in self.error_parts(wrong, bits).items():
            errors[part] = per_sequence(where, batch)
        if not self.exact:
            chances = np.asarray(self.solve(batch.inputs), float)
            logits = np.log(chances) - np.log1p(-chances)
            errors["best_bits"] = per_sequence(_cross_entropy(logits, batch), batch)
        return errors

    def error_parts(
        self, wrong: np.ndarray, outputs: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The wrong bits by kind, for tasks that have several kinds.

        Args:
            wrong: Whether each bit is wrong, `(B, T, output_size)`, bool.
            outputs: The bits of the model, of the same shape, bool.
        Returns:
            For each name, which wrong bits are of that kind. Each wrong bit is of
            exactly one kind.
        """
        return {}

    # --- pictures ---

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text: time from left to right, a line for each channel.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, output_size)` of a model, drawn under the targets;
                `x` marks a wrong bit.
        Raises:
            TypeError: If `batch` is not a batch of arrays of numbers.
            ValueError: If an array has another shape than those of this task.
        """
        check_batch(self, batch, outputs)
        drawn = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            steps = int(np.flatnonzero(mask)[-1]) + 1 if mask.any() else len(mask)
            shown = mask[:steps] > 0
            rows = [f"sequence {index}"]
            rows += _rows("input", inputs[:steps], np.ones(steps, bool))
            rows += _rows("target", targets[:steps], shown)
            if outputs is not None:
                bits = self.predict(outputs[index, :steps])
                rows += _rows("output", bits, shown, wrong=bits != targets[:steps])
            drawn.append("\n".join(rows))
        return "\n\n".join(drawn)

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> Any:
        from .figures import draw_sequence

        return draw_sequence(
            batch.inputs[0],
            batch.targets[0],
            1 / (1 + np.exp(-outputs[0])),
            batch.mask[0],
            heads,
        )


def _cross_entropy(logits, batch):
    """The cost of each target in bits: -log2 of its probability; NaN of one that is not
    a number."""
    with np.errstate(invalid="ignore"):  # NumPy warns of NaN
        nats = np.logaddexp(0, np.where(batch.targets > 0.5, -logits, logits))
    return nats / np.log(2)


def _rows(label, values, shown, wrong=None) -> Iterator[str]:
    """A line of text for each channel; `values` is `(T, channels)`."""
    for channel in range(values.shape[1]):
        glyphs = [
            _glyph(value) if show else UNMASKED
            for value, show in zip(values[:, channel], shown, strict=True)
        ]
        if wrong is not None:
            glyphs = [
                "x" if is_wrong and show else glyph
                for glyph, is_wrong, show in zip(
                    glyphs, wrong[:, channel], shown, strict=True
                )
            ]
        yield f"{label if channel == 0 else '':>8} {channel:>2} {''.join(glyphs)}"


def _glyph(value):
    if value in (0.0, 1.0):
        return ON if value else OFF
    # A real number from -1 to 1, such as a priority.
    return "▁▂▃▄▅▆▇█"[int(np.clip((value + 1) * 4, 0, 7))]
