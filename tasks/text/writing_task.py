"""The contract of the tasks whose models write text."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..checks import check_integer, check_number
from ..contract.batch_checks import check_share
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column, Scores
from ..contract.task import Task
from ..losses.tensors import log_softmax
from ..metrics_package import metrics_package
from .presentation import WritingPresentation
from .scored import confidence_for, scored
from .tokens import END, PAD, START, TokenVocabulary

if TYPE_CHECKING:
    import keras

# Heuristic: a wider beam is probably a mistake.
LARGEST_BEAM = 200


@dataclasses.dataclass(frozen=True)
class WritingTask(Task, abc.ABC):
    """Something in, a text out, as tokens.

    The targets of a batch, `(B, T)`, are the text and an end token, which counts; what
    fills a text up does not.
    """

    presentation = Beside(WritingPresentation)
    # The names of scores, in the order of the tables.
    metrics: ClassVar[tuple[str, ...]] = ("bleu", "meteor", "chrf", "ter")
    # Parameters that decide what the vocabulary is.
    learned_with: ClassVar[tuple[str, ...]] = ()

    @property
    @abc.abstractmethod
    def target_vocabulary(self) -> TokenVocabulary:
        """The vocabulary of what is written, such as `Words`."""

    @property
    def output_size(self) -> int:
        return self.target_vocabulary.size

    def features(self, inputs: "keras.KerasTensor") -> "keras.KerasTensor":
        raise ValueError(
            f"`model` must write a text for the task {self.name}, as "
            f"{self.recipe.compared_models[0]} does."
        )

    # --- what it is measured by ---

    @property
    def smoothing(self) -> float:
        """Share of the probability of a target that all tokens have in the loss."""
        return 0.0

    def loss(self) -> "keras.Loss":
        from ..losses.smoothed_loss import SmoothedCrossEntropy

        return SmoothedCrossEntropy(self.smoothing)

    def measures(self) -> "list[keras.Metric]":
        from .measures import BitsPerToken

        return [BitsPerToken()]

    @property
    def columns(self) -> dict[str, Column]:
        def score(label: str) -> Column:
            return Column(label, ".4f", higher_is_better=True)

        return {
            "bleu": score("BLEU"),
            "bleu_lowercase": score("BLEU lowercase"),
            "meteor": score("METEOR"),
            "chrf": score("chrF"),
            "ter": Column("TER", ".4f"),
            "exact": Column("exactly right", ".1%", higher_is_better=True),
            "length_ratio": Column("length ratio"),
            "unended": Column("never ended", ".1%"),
            "bits_per_token": Column("bits per token"),
        }

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """The most probable token at each step."""
        return np.asarray(outputs).argmax(axis=-1)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence, with teacher forcing: `bits_per_token`."""
        log_probs = np.take_along_axis(
            log_softmax(outputs), batch.targets[..., None], axis=2
        )[..., 0]
        sums = (log_probs * batch.mask).sum(axis=1)
        return {"bits_per_token": -sums / batch.mask.sum(axis=1) / np.log(2)}

    # --- evaluation: texts that are written, and scored ---

    @property
    def decoding(self) -> dict[str, Any]:
        """How texts are written in evaluations, by the fields that say so: arguments of
        `Translator` or `Describer`."""
        names = ("beam_size", "length_penalty")
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def score_texts(self, references: list[list[str]], hypotheses: list[str]) -> Scores:
        """Scores of texts against their references.

        A score that is 0 whatever is written is left out, such as CIDEr-D of a single
        text. Of few texts there are no intervals.
        """
        values, intervals, signatures = {}, {}, {}
        confidence = confidence_for(len(hypotheses))
        for name, metric in self._metrics().items():
            score = scored(metric, references, hypotheses, confidence=confidence)
            if self.presentation.column(name).higher_is_better and not float(score):
                longest = [max(group, key=len) for group in references]
                if not float(scored(metric, references, longest)):
                    continue
            values[name] = float(score)
            if score.interval:
                intervals[name] = (score.interval.low, score.interval.high)
            signatures[name] = score.signature
        exact = [h in r for r, h in zip(references, hypotheses, strict=True)]
        values["exact"] = float(np.mean(exact))
        values["length_ratio"] = _length_ratio(references, hypotheses)
        return Scores(values, intervals, signatures, len(hypotheses))

    def _metrics(self) -> dict[str, Any]:
        package = metrics_package()
        return {name: package.get(name) for name in self.metrics}


def tokens_of(texts: Sequence[list[int]], width: int) -> tuple[np.ndarray, np.ndarray]:
    """What a decoder reads, and its targets, `(B, width)` each, int32.

    Args:
        texts: The tokens of each text.
        width: Steps.
    Raises:
        ValueError: If one has no room for its tokens and one more.
    """
    read = np.full((len(texts), width), PAD, np.int32)
    targets = np.full((len(texts), width), PAD, np.int32)
    for row, text in enumerate(texts):
        if len(text) >= width:
            raise ValueError(
                f"`texts` must have less than {width} tokens. Received: {len(text)}"
            )
        read[row, : len(text) + 1] = [START, *text]
        targets[row, : len(text) + 1] = [*text, END]
    return read, targets


def _length_ratio(references: list[list[str]], hypotheses: list[str]) -> float:
    """Words of the texts / words of their references, of several references the length
    that is closest: what the brevity penalty of BLEU is made of."""
    counts = metrics_package().BLEU(max_order=1, tokenizer="none")
    totals = counts.corpus_statistics(references, hypotheses).sum(axis=0)
    score = counts.score_from(totals)
    return score.hypothesis_length / max(1, score.reference_length)


def check_decoding(task: Any) -> None:
    """Checks the fields of a task that say how texts are written.

    Raises:
        ValueError: If one is out of its range.
    """
    check_integer("beam_size", task.beam_size, 1, LARGEST_BEAM)
    check_number("length_penalty", task.length_penalty, minimum=0)
    if hasattr(task, "label_smoothing"):
        check_share(task.label_smoothing, "label_smoothing")
