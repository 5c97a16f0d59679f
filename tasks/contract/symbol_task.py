"""The contract of tasks whose outputs are symbols."""

import abc
import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from ..losses.tensors import log_softmax
from .neighbours import Beside
from .recipe import Recipe
from .sized_task import SizedTask, per_sequence
from .success import Success
from .symbol_presentation import SymbolPresentation
from .task import Batch, Column

if TYPE_CHECKING:
    import keras


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

    presentation = Beside(SymbolPresentation)
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

    def loss(self) -> "keras.Loss":
        from ..losses.symbol_measures import GroupedCrossEntropy

        return GroupedCrossEntropy(self.groups)

    def measures(self) -> "list[keras.Metric]":
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
        parts = self.parts(np.asarray(outputs))
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
                self.parts(targets), self.parts(outputs), strict=True
            )
        ]
        return np.stack(wrong, axis=-1)

    def _nats(self, targets: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The cost of each symbol, `(B, T, groups)`."""
        costs = [
            -np.where(target > 0, log_softmax(_choices(target, logits)), 0.0).sum(-1)
            for target, logits in zip(
                self.parts(targets), self.parts(outputs), strict=True
            )
        ]
        return np.stack(costs, axis=-1)

    def parts(self, values: np.ndarray) -> list[np.ndarray]:
        """Values `(..., output_size)` by group."""
        return np.split(values, np.cumsum(self.groups)[:-1], axis=-1)


def _choices(targets: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """The logits, but for symbols that are no choice."""
    return np.where(targets < 0, -np.inf, logits)


def _largest(values: np.ndarray) -> np.ndarray:
    """One-hot rows with a 1 where the values `(..., n)` are largest."""
    return np.eye(values.shape[-1], dtype=np.float32)[values.argmax(axis=-1)]
