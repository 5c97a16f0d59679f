"""The contract of tasks whose outputs are symbols."""

import abc
import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..losses.log_softmax import log_softmax
from .batch_checks import check_batch
from .neighbours import Beside
from .recipe import Recipe
from .sized_task import SizedTask, per_sequence
from .success import Success
from .task import Batch, Column

# In print: a step without a symbol, and one whose output does not count.
BLANK, UNMASKED = "·", " "


class SymbolRecipe(Recipe):
    """The recipe of a task whose outputs are symbols."""

    @property
    def chance_loss(self) -> float | None:
        """Loss of a uniform guess, in nats a group."""
        groups = self.task.groups
        return sum(map(math.log, groups)) / len(groups)


@dataclasses.dataclass(frozen=True)
class SymbolTask(SizedTask):
    """A task whose outputs are symbols: at each step one of each of several groups, or
    of a single group.

    The outputs of a model are logits, `sum(groups)` at a step, with a softmax over each
    group. Targets have the same width, and each group is one-hot. A group of zeros is
    not asked for: it counts neither in the loss nor as an error. The symbol of a model
    is the one with the largest logit. A symbol whose target is below 0 is no choice, as
    in a curriculum that begins with fewer symbols.
    """

    headline = "symbol_errors"
    recipe = Beside(SymbolRecipe)

    @property
    @abc.abstractmethod
    def input_names(self) -> tuple[str, ...]:
        """The names of the input channels, for pictures."""

    @property
    @abc.abstractmethod
    def symbols(self) -> tuple[tuple[str, ...], ...]:
        """The names of the symbols of each group of outputs."""

    @property
    def groups(self) -> tuple[int, ...]:
        """The number of symbols of each group of outputs."""
        return tuple(map(len, self.symbols))

    @property
    def input_size(self) -> int:
        return len(self.input_names)

    @property
    def output_size(self) -> int:
        return sum(self.groups)

    # --- what it is measured by ---

    @property
    def success(self) -> Success | None:
        # Heuristic: one sequence in a hundred has a wrong symbol.
        return Success("symbol_errors", 0.01)

    def loss(self) -> Any:
        from ..losses.symbol_measures import GroupedCrossEntropy

        return GroupedCrossEntropy(self.groups)

    def measures(self) -> list[Any]:
        from ..losses.symbol_measures import SymbolErrors

        return [SymbolErrors(self.groups)]

    @property
    def columns(self) -> dict[str, Column]:
        return {
            "symbol_errors": Column("wrong symbols"),
            "perfect": Column("perfect", ".0%", higher_is_better=True),
            "bits": Column("bits"),
        }

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """The symbol of each group, one-hot."""
        parts = self._parts(np.asarray(outputs))
        return np.concatenate([_largest(part) for part in parts], axis=-1)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence: `symbol_errors`, the number of wrong symbols; `perfect`,
        whether it is 0; `bits`, the cross-entropy in bits."""
        wrong = per_sequence(self.wrong(batch.targets, outputs), batch)
        nats = per_sequence(self._nats(batch.targets, outputs), batch)
        return {
            "symbol_errors": wrong,
            "perfect": wrong == 0,
            "bits": nats / math.log(2),
        }

    def wrong(self, targets: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """Whether each symbol is wrong, `(B, T, groups)`: another one is largest, or
        one is not a number. It is never one that is not asked for."""
        wrong = [
            target.any(axis=-1)
            & (
                (target.argmax(axis=-1) != _choices(target, logits).argmax(axis=-1))
                | np.isnan(logits).any(axis=-1)
            )
            for target, logits in zip(
                self._parts(targets), self._parts(outputs), strict=True
            )
        ]
        return np.stack(wrong, axis=-1)

    def _nats(self, targets, outputs):
        """The cost of each symbol, `(B, T, groups)`."""
        costs = [
            -np.where(target > 0, log_softmax(_choices(target, logits)), 0.0).sum(-1)
            for target, logits in zip(
                self._parts(targets), self._parts(outputs), strict=True
            )
        ]
        return np.stack(costs, axis=-1)

    def _parts(self, values):
        return np.split(values, np.cumsum(self.groups)[:-1], axis=-1)

    # --- pictures ---

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
        check_batch(self, batch, outputs)
        drawn = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            seen = inputs.any(axis=1) | (mask > 0)
            steps = int(np.flatnonzero(seen)[-1]) + 1 if seen.any() else len(mask)
            counts = mask[:steps] > 0
            rows: dict[str, Sequence[str]] = {
                "input": self._input_text(inputs[:steps]),
                "target": self._symbol_text(targets[:steps], counts),
            }
            if outputs is not None:
                logits = np.asarray(outputs[index, :steps], float)
                wrong = self.wrong(targets[:steps], logits).any(axis=-1) & counts
                asked = counts & targets[:steps].any(axis=-1)
                rows["output"] = self._symbol_text(self.predict(logits), asked)
                rows["wrong"] = ["x" if is_wrong else UNMASKED for is_wrong in wrong]
            drawn.append("\n".join([f"sequence {index}", *_aligned(rows)]))
        return "\n\n".join(drawn)

    def _input_text(self, inputs: np.ndarray) -> list[str]:
        """The text of each step of inputs `(T, input_size)`."""
        return [
            "".join(self.input_names[channel] for channel in np.flatnonzero(step))
            or BLANK
            for step in inputs
        ]

    def _symbol_text(self, values: np.ndarray, counts: np.ndarray) -> list[str]:
        """The text of each step of one-hot values `(T, output_size)`."""
        parts = self._parts(values)
        return [
            "".join(
                names[int(part[step].argmax())]
                for names, part in zip(self.symbols, parts, strict=True)
                if part[step].any()
            )
            or BLANK
            if counts[step]
            else UNMASKED
            for step in range(len(values))
        ]

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> Any:
        from ..figures.memory_figures import draw_steps

        hidden = np.where(batch.mask[0, :, None] > 0, 0.0, np.nan)
        chances = [np.exp(log_softmax(part)) for part in self._parts(outputs[0])]
        return draw_steps(
            [
                ("inputs", batch.inputs[0]),
                ("targets", batch.targets[0] + hidden),
                ("outputs", np.concatenate(chances, axis=-1) + hidden),
            ],
            heads,
        )


def _choices(targets, logits):
    """The logits, but for symbols that are no choice."""
    return np.where(targets < 0, -np.inf, logits)


def _largest(values):
    """One-hot rows with a 1 where the values `(..., n)` are largest."""
    return np.eye(values.shape[-1], dtype=np.float32)[values.argmax(axis=-1)]


def _aligned(rows: dict[str, Sequence[str]]) -> list[str]:
    """A line for each row of text, with the texts of a step below each other."""
    widths = [max(map(len, step)) for step in zip(*rows.values(), strict=True)]
    space = "" if max(widths) == 1 else " "
    return [
        f"{label:>8} {space.join(map(str.ljust, texts, widths))}".rstrip()
        for label, texts in rows.items()
    ]
