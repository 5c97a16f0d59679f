"""How translation is trained: its budget, and passes over the pairs."""

from ..contract.parts import Batch
from ..contract.recipe import Settings
from ..contract.splits import Budget
from ..contract.stream import Stream
from ..models.base import ModelConfig
from .buckets import Passes
from .pairs import TextPairRecipe

# Tuned on Multi30k, and on 3,000 of its pairs, see docs/training.md.
BUDGET = Budget(size=29_000, passes=13, least_steps=400, most_epoch_steps=450)


class TranslationRecipe(TextPairRecipe):
    """The budget goes by the number of pairs."""

    validation_measure = "val_bleu"

    @property
    def training(self) -> Settings:
        size = self.task.pass_sequences
        return {ModelConfig: BUDGET.training(size, size, batch_size=64)}


class TranslationStream(Stream):
    """Passes over the pairs, in batches of pairs of about one length."""

    def batch(self, index: int, size: int, seed: int) -> Batch:
        task = self.task
        passes = task.once("passes", lambda: Passes(task._buckets()))
        rows = passes.rows(index, size, seed)
        pairs = task.pairs
        chosen = [pairs[row] for row in rows]
        longest = max(max(len(s), len(t)) for s, t in chosen) + 1
        return task.batch_of(chosen, next(w for w in task.widths if w >= longest))
