"""The contract of the tasks that read one text and write another."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..contract.evaluation import Evaluation
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Scores
from ..contract.recipe import Recipe
from .presentation import PairPresentation
from .tokens import PAD, TokenPair, TokenVocabulary
from .writing_task import WritingTask, tokens_of

if TYPE_CHECKING:
    import keras


class TextPairRecipe(Recipe):
    """The recipe of a task whose models read one text and write another."""

    compared_models = ("gru-attention", "gru-seq2seq", "ntm-attention")


class PairEvaluation(Evaluation):
    """An evaluation of texts that a model writes."""

    def score(
        self, model: "keras.Model", num_sequences: int, rng: np.random.Generator
    ) -> Scores:
        """Scores of what a model writes for `num_sequences` sources."""
        from .translator import Translator

        task = self.task
        sources, references = task.eval_pairs(num_sequences, rng)
        written = Translator(model, task, **task.decoding).translate(sources)
        hypotheses = [best[0].text for best in written]
        scores = task.score_texts(references, hypotheses)
        cut = [not best[0].ended for best in written]
        scores.values["unended"] = float(np.mean(cut))
        return scores


@dataclasses.dataclass(frozen=True)
class PairTask(WritingTask, abc.ABC):
    """A source in, a target out, both as tokens.

    The inputs of a batch are tokens `(B, T)`: `source`, the sources with an end token,
    and `target`, what the decoder reads, which is the start token and the target. Its
    targets `(B, T)` are the target and an end token, which counts; what fills a
    sequence up does not.
    """

    recipe = Beside(TextPairRecipe)
    presentation = Beside(PairPresentation)
    evaluation = Beside(PairEvaluation)

    # --- texts: what a task says ---

    @property
    @abc.abstractmethod
    def source_vocabulary(self) -> TokenVocabulary:
        """The vocabulary of sources, such as `Words`."""

    @property
    @abc.abstractmethod
    def widths(self) -> tuple[int, ...]:
        """The lengths that batches are filled up to."""

    @property
    def source_widths(self) -> tuple[int, ...]:
        """The lengths that sources are filled up to when they are translated. Those
        that are too long for the last one are cut."""
        return self.widths

    @abc.abstractmethod
    def eval_pairs(
        self, count: int, rng: np.random.Generator
    ) -> tuple[list[str], list[list[str]]]:
        """Sources of an evaluation, and for each its references."""

    # --- the data ---

    @property
    def input_size(self) -> int:
        return self.source_vocabulary.size

    def inputs(self) -> "dict[str, keras.KerasTensor]":
        import keras

        return {
            name: keras.Input((None,), dtype="int32", name=name)
            for name in ("source", "target")
        }

    @property
    def shared_vocabulary(self) -> bool:
        """Whether sources and targets have one vocabulary."""
        return False

    def batch_of(self, pairs: Sequence[TokenPair], width: int) -> Batch:
        """Tokens of sources and of targets as a batch.

        Raises:
            ValueError: If one has no room for its tokens and one more.
        """
        _, sources = tokens_of([source for source, _ in pairs], width)
        read, targets = tokens_of([target for _, target in pairs], width)
        mask = (targets != PAD).astype(np.float32)
        return Batch({"source": sources, "target": read}, targets, mask)
