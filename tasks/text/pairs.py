"""The contract of the tasks that read one text and write another."""

import abc
import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..base import Task
from ..batch_checks import check_share
from ..checks import check_integer, check_number
from ..metrics_package import metrics_package
from ..parts import Batch, Column, Scores, Section
from .base import log_softmax
from .tokens import END, PAD, START

# Heuristic: a wider beam is probably a mistake.
LARGEST_BEAM = 200
# Names of the models that read one text and write another.
PAIR_MODELS = (
    *("gru-attention", "lstm-attention", "bahdanau", "ntm-attention", "ntm-memory"),
    *("gru-seq2seq", "lstm-seq2seq", "ntm-seq2seq", "cho", "sutskever"),
)


@dataclasses.dataclass(frozen=True)
class PairTask(Task, abc.ABC):
    """A source in, a target out, both as tokens.

    The inputs of a batch are `(B, 2, T)`: the sources with an end token, and what the
    decoder reads, which is the start token and the target. Its targets `(B, T)` are the
    target and an end token, which counts; what fills a sequence up does not.
    """

    input_dtype = "int32"
    headline = "bleu"
    compared_models = ("gru-seq2seq", "gru-attention", "ntm-attention")
    # Of scores; their order is that of the tables.
    metrics: ClassVar[tuple[str, ...]] = ("bleu", "meteor", "chrf", "ter")

    # --- texts: what a task says ---

    @property
    @abc.abstractmethod
    def source_vocabulary(self) -> Any:
        """The vocabulary of sources, such as `Words`."""

    @property
    @abc.abstractmethod
    def target_vocabulary(self) -> Any:
        """The vocabulary of targets."""

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

    @property
    def output_size(self) -> int:
        return self.target_vocabulary.size

    @property
    def input_shape(self) -> tuple:
        return (2, None)

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
        inputs = np.full((len(pairs), 2, width), PAD, np.int32)
        targets = np.full((len(pairs), width), PAD, np.int32)
        for row, (source, target) in enumerate(pairs):
            longest = max(len(source), len(target))
            if longest >= width:
                raise ValueError(
                    f"`pairs` must have less than {width} tokens. Received: {longest}"
                )
            inputs[row, 0, : len(source) + 1] = [*source, END]
            inputs[row, 1, : len(target) + 1] = [START, *target]
            targets[row, : len(target) + 1] = [*target, END]
        return Batch(inputs, targets, (targets != PAD).astype(np.float32))

    def features(self, inputs: Any) -> Any:
        raise ValueError(
            f"`model` must read one text and write another for the task {self.name}, "
            "as gru-attention does."
        )

    # --- what it is measured by ---

    @property
    def smoothing(self) -> float:
        """Share of the probability of a target that all tokens have in the loss."""
        return 0.0

    def loss(self) -> Any:
        from ..smoothed_loss import SmoothedCrossEntropy

        return SmoothedCrossEntropy(self.smoothing)

    def measures(self) -> list[Any]:
        from .measures import BitsPerToken

        return [BitsPerToken()]

    @property
    def columns(self) -> dict[str, Column]:
        def score(label):
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
        """Arguments of `Translator` in evaluations."""
        return {}

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

    def score_texts(self, references: list[list[str]], hypotheses: list[str]) -> Scores:
        """Scores of texts against their references."""
        values, intervals, signatures = {}, {}, {}
        for name, metric in self._metrics().items():
            score = metric.corpus_score(references, hypotheses, confidence=0.95)
            values[name] = float(score)
            if score.interval:
                intervals[name] = (score.interval.low, score.interval.high)
            signatures[name] = score.signature
        exact = [h in r for r, h in zip(references, hypotheses, strict=True)]
        values["exact"] = float(np.mean(exact))
        words = [
            sum(len(text.split()) for text in texts)
            for texts in (hypotheses, [group[0] for group in references])
        ]
        values["length_ratio"] = words[0] / max(1, words[1])
        return Scores(values, intervals, signatures, len(hypotheses))

    def _metrics(self):
        package = metrics_package()
        return {name: package.get(name) for name in self.metrics}

    # --- pictures ---

    def model_sections(self, model: Any) -> Iterable[Section]:
        """BLEU by length, the best and the worst lines, and attention."""
        from .pair_report import sections

        return sections(self, model)

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws pairs as text.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, tokens)` of a model with teacher forcing; the most
                probable tokens are drawn below.
        """
        lines = []
        for index in range(len(batch.inputs)):
            counts = batch.mask[index] > 0
            source = self.source_vocabulary.decode(batch.inputs[index, 0])
            target = self.target_vocabulary.decode(batch.targets[index])
            lines += [f"sequence {index}", f"  source  {source}", f"  target  {target}"]
            if outputs is not None:
                found = self.predict(outputs[index])[counts]
                lines.append(f"  output  {self.target_vocabulary.decode(found)}")
            lines.append("")
        return "\n".join(lines[:-1])

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> Any:
        """The first pair: each token of the target and the bits it cost the model."""
        from .figures import draw_token_bits

        counts = batch.mask[0] > 0
        log_probs = log_softmax(np.asarray(outputs[:1]))
        bits = -np.take_along_axis(log_probs, batch.targets[:1, :, None], 2)[0, :, 0]
        shown = self.target_vocabulary.shown(batch.targets[0][counts])
        return draw_token_bits(shown, bits[counts] / np.log(2), heads)


def check_decoding(task: Any) -> None:
    """Checks the fields of a task that say how texts are written.

    Raises:
        ValueError: If one is out of its range.
    """
    check_integer("beam_size", task.beam_size, 1, LARGEST_BEAM)
    check_number("length_penalty", task.length_penalty, minimum=0)
    if hasattr(task, "label_smoothing"):
        check_share(task.label_smoothing, "label_smoothing")
