"""The contract of the algorithmic tasks: bits out at every step, and an algorithm that
knows them."""

import abc
import dataclasses
import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from ..base import Batch, Column, Published, Success, Task
from ..batch_checks import check_batch

# What a batch is drawn with: a seed or a generator.
Rng = int | np.random.Generator | None
# The smallest and the largest sequence, in every way in which it can grow.
Ranges = tuple[tuple[int, int], ...]

# How bits look when a batch is printed; a step whose output does not count is blank.
OFF, ON, UNMASKED = "·", "█", " "
# Heuristic: an evaluation over several sizes, as in training, has so many times more
# sequences. What a trained network still gets wrong there is rare.
SEVERAL_SIZES = 10


@dataclasses.dataclass(frozen=True)
class BitTask(Task):
    """A task whose outputs are logits of bits, and which knows the right bits.

    A sequence has a *length*, in the task's own unit; the range to train on is part of
    the task. A logit above 0 is read as 1.
    """

    # Whether `solve` gives the targets. If not, no algorithm could, and `solve` gives
    # their probabilities.
    exact: ClassVar[bool] = True
    headline = "bit_errors"

    @property
    def success(self) -> Success | None:
        # Heuristic: one sequence in a hundred has a wrong bit.
        return Success("bit_errors", 0.01)

    @property
    def chance_loss(self) -> float | None:
        return math.log(2)  # nats a bit

    @abc.abstractmethod
    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The exact targets `(B, T, output_size)` of inputs `(B, T, input_size)`, by
        the textbook algorithm; or the best probabilities of a 1, see `exact`.

        Raises:
            TypeError, ValueError: If they are no sequences of this task.
        """

    # --- sizes ---

    @property
    @abc.abstractmethod
    def size_ranges(self) -> Ranges:
        """The smallest and the largest sequence that `sample` draws, in every way in
        which it can grow; its length comes first."""

    @property
    @abc.abstractmethod
    def eval_lengths(self) -> tuple[int, ...]:
        """Lengths to evaluate at unless told otherwise, within and beyond training."""

    @property
    def size(self) -> tuple[int, ...]:
        return tuple(largest for _, largest in self.size_ranges)

    @property
    def sizes(self) -> str:
        return " x ".join(
            str(most) if least == most else f"{least}-{most}"
            for least, most in self.size_ranges
        )

    @property
    def eval_tasks(self) -> tuple[Self, ...]:
        """The task itself, then single sizes within and beyond training."""
        single = self._single_sizes()
        return single if self in single else (self, *single)

    def _single_sizes(self) -> tuple[Self, ...]:
        return tuple(self.at_length(length) for length in self.eval_lengths)

    @property
    def num_eval_sequences(self) -> int:
        several = any(least < most for least, most in self.size_ranges)
        return self.eval_sequences * (SEVERAL_SIZES if several else 1)

    @abc.abstractmethod
    def at_length(self, length: int) -> Self: ...

    # --- what it is measured by ---

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
        """By sequence: wrong bits, whether there is none, the cross-entropy in bits;
        what of the wrong bits is of which kind (`error_parts`); and, where no algorithm
        knows the targets, the cross-entropy of the best probabilities there are."""
        bits = outputs > 0
        wrong = bits != (batch.targets > 0.5)
        bit_errors = _per_sequence(wrong, batch)
        errors = {
            "bit_errors": bit_errors,
            "perfect": bit_errors == 0,
            "bits": _per_sequence(_cross_entropy(outputs, batch), batch),
        }
        for part, where in self.error_parts(wrong, bits).items():
            errors[part] = _per_sequence(where, batch)
        if not self.exact:
            chances = np.asarray(self.solve(batch.inputs), float)
            logits = np.log(chances) - np.log1p(-chances)
            errors["best_bits"] = _per_sequence(_cross_entropy(logits, batch), batch)
        return errors

    def error_parts(
        self, wrong: np.ndarray, outputs: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The wrong bits by kind, where a task tells them apart.

        Args:
            wrong: Whether each bit is wrong, `(B, T, output_size)`, bool.
            outputs: The bits of the model, of the same shape, bool.
        Returns:
            By name, which of the wrong bits are of that kind; each is of one kind.
        """
        return {}

    # --- pictures ---

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text, time from left to right, one channel a line.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, output_size)` of a model, drawn under the targets;
                `x` marks a wrong bit.
        Raises:
            TypeError, ValueError: If they are not of this task.
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
    """Bits that each target costs, -log2 of its probability."""
    return np.logaddexp(0, np.where(batch.targets > 0.5, -logits, logits)) / np.log(2)


def _per_sequence(values, batch):
    return (values.sum(axis=-1) * batch.mask).sum(axis=-1)


def _rows(label, values, shown, wrong=None) -> Iterator[str]:
    """One line of text a channel; `values` is `(T, channels)`."""
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
    # A real number, such as a priority, by its size from -1 to 1.
    return "▁▂▃▄▅▆▇█"[int(np.clip((value + 1) * 4, 0, 7))]


def between(low: int, high: int, share: float) -> int:
    """The whole number that is `share` of the way from `low` to `high`."""
    return low + round(share * (high - low))
