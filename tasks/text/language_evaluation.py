"""How language models are measured: on a part of the text, as one stream."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..contract.parts import Batch, Scores
from ..contract.splits import NamedSplitEvaluation
from .base import PIECE
from .windows import windows_in_order

if TYPE_CHECKING:
    import keras

# Heuristic: characters that are read after each epoch.
VALIDATED = 50_000


class LanguageModelEvaluation(NamedSplitEvaluation):
    """An evaluation that reads a split as one stream."""

    @property
    def num_eval_sequences(self) -> int:
        """Pieces in which the split is read."""
        return -(-(len(self.task.tokens) - 1) // PIECE)

    def eval_batches(
        self, num_sequences: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """The split from its beginning, piece by piece, at most `num_sequences`."""
        tokens = self.task.tokens
        for number in range(min(num_sequences, self.num_eval_sequences)):
            start = number * PIECE
            inputs = tokens[start : start + PIECE]
            targets = tokens[start + 1 : start + PIECE + 1]
            mask = np.ones(len(targets), np.float32)
            # All pieces of one shape: another would be compiled too.
            arrays = (
                np.pad(a, (0, PIECE - len(a)))[None] for a in (inputs, targets, mask)
            )
            yield Batch(*arrays)

    def measured(
        self, model: "keras.Model", batch: Batch
    ) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The errors of the task; a piece counts by its number of characters."""
        values, _ = super().measured(model, batch)
        return values, batch.mask.sum(axis=1)

    def score(
        self, model: "keras.Model", num_sequences: int, rng: np.random.Generator
    ) -> Scores:
        return super().score(_Stream(model), num_sequences, rng)

    def validator(self, model: "keras.Model") -> Callable[[], dict[str, float]]:
        """Bits per character of the first validation characters, which are read in
        windows as in training, many at once: reading them as one stream, as an
        evaluation does, would take long after each epoch."""
        task = self.task.on("validation")
        tokens = task.tokens[:VALIDATED]
        batches = windows_in_order(tokens, task.window, task.context)

        def validate() -> dict[str, float]:
            bits = weights = 0.0
            for batch in batches:
                outputs = np.asarray(model.predict_on_batch(batch.inputs), float)
                counts = batch.mask.sum(axis=1)
                found = task.errors(batch, outputs)["bits_per_character"]
                bits, weights = bits + found @ counts, weights + counts.sum()
            return {"val_bits_per_character": float(bits / weights)}

        return validate


class _Stream:
    """A model whose state is carried from batch to batch."""

    def __init__(self, model: "keras.Model") -> None:
        from memnets import StreamingModel

        self._model = StreamingModel(model)
        self._states: list[np.ndarray] | None = None

    def predict_on_batch(self, inputs: np.ndarray) -> np.ndarray:
        if self._states is None:
            self._states = self._model.initial_states(len(inputs))
        outputs, self._states = self._model.advance(inputs, self._states)
        return outputs
