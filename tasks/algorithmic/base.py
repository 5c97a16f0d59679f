"""The contract of the algorithmic tasks: a model puts out bits at every step, and an
algorithm knows the right ones."""

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..contract.neighbours import Beside
from ..contract.recipe import Recipe
from ..contract.sized_task import SizedTask, per_sequence
from ..contract.success import Success
from ..contract.task import Batch, Column
from .presentation import BitPresentation

if TYPE_CHECKING:
    import keras


class BitRecipe(Recipe):
    """The recipe of a task whose outputs are bits."""

    @property
    def chance_loss(self) -> float | None:
        """Loss of a uniform guess, in nats a bit."""
        return math.log(2)


class StoringRecipe(BitRecipe):
    """The recipe of a task whose answer needs every vector of a sequence, which a
    network stores in a row of its memory each."""

    def places_needed(self, lengths: Iterable[int] | None = None) -> int:
        return max(self.task.size[:1] if lengths is None else lengths)


@dataclasses.dataclass(frozen=True)
class BitTask(SizedTask):
    """A task whose outputs are logits of bits, with an algorithm for the right bits.

    A sequence has a *length*, in a unit of the task; the range of lengths to train on
    is part of the task. A logit above 0 counts as the bit 1. `solve` gives the bits,
    or, if the task is not `exact`, the best possible probabilities of a 1.
    """

    presentation = Beside(BitPresentation)
    recipe = Beside(BitRecipe)

    @property
    def success(self) -> Success | None:
        # Heuristic: one sequence in a hundred has a wrong bit.
        return Success("bit_errors", 0.01)

    # --- what it is measured by ---

    def loss(self) -> "keras.Loss":
        from .measures import masked_loss

        return masked_loss()

    def measures(self) -> "list[keras.Metric]":
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


def _cross_entropy(logits: np.ndarray, batch: Batch) -> np.ndarray:
    """The cost of each target in bits: -log2 of its probability; NaN of one that is not
    a number."""
    with np.errstate(invalid="ignore"):  # NumPy warns of NaN
        nats = np.logaddexp(0, np.where(batch.targets > 0.5, -logits, logits))
    return nats / np.log(2)
