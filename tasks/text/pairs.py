"""The contract of the tasks that read one text and write another."""

import abc
import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..contract.parts import Batch, Scores, Section
from .tokens import PAD
from .writing_task import WritingTask, tokens_of

# Names of the models that read one text and write another.
PAIR_MODELS = (
    *("gru-attention", "lstm-attention", "bahdanau", "ntm-attention", "ntm-memory"),
    *("gru-seq2seq", "lstm-seq2seq", "ntm-seq2seq", "cho", "sutskever"),
)


@dataclasses.dataclass(frozen=True)
class PairTask(WritingTask, abc.ABC):
    """A source in, a target out, both as tokens.

    The inputs of a batch are tokens `(B, T)`: `source`, the sources with an end token,
    and `target`, what the decoder reads, which is the start token and the target. Its
    targets `(B, T)` are the target and an end token, which counts; what fills a
    sequence up does not.
    """

    compared_models = ("gru-attention", "gru-seq2seq", "ntm-attention")

    # --- texts: what a task says ---

    @property
    @abc.abstractmethod
    def source_vocabulary(self) -> Any:
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

    def inputs(self) -> Any:
        import keras

        return {
            name: keras.Input((None,), dtype="int32", name=name)
            for name in ("source", "target")
        }

    @property
    def shared_vocabulary(self) -> bool:
        """Whether sources and targets have one vocabulary."""
        return False

    def batch_of(
        self, pairs: Sequence[tuple[list[int], list[int]]], width: int
    ) -> Batch:
        """Tokens of sources and of targets as a batch.

        Raises:
            ValueError: If one has no room for its tokens and one more.
        """
        _, sources = tokens_of([source for source, _ in pairs], width)
        read, targets = tokens_of([target for _, target in pairs], width)
        mask = (targets != PAD).astype(np.float32)
        return Batch({"source": sources, "target": read}, targets, mask)

    # --- evaluation: texts that are written, and scored ---

    def score(self, model: Any, num_sequences: int, rng: np.random.Generator) -> Scores:
        """Scores of what a model writes for `num_sequences` sources."""
        from .translator import Translator

        sources, references = self.eval_pairs(num_sequences, rng)
        written = Translator(model, self, **self.decoding).translate(sources)
        hypotheses = [best[0].text for best in written]
        scores = self.score_texts(references, hypotheses)
        cut = [not best[0].ended for best in written]
        scores.values["unended"] = float(np.mean(cut))
        return scores

    # --- pictures ---

    def model_sections(self, model: Any) -> Iterable[Section]:
        """BLEU by length, the best and the worst lines, and attention."""
        from .pair_report import sections

        return sections(self, model)

    def _heading(self, batch, index):
        source = self.source_vocabulary.decode(batch.inputs["source"][index])
        return [*super()._heading(batch, index), f"  source  {source}"]
