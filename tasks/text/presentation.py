"""How texts are shown that models read and write."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..contract.batch_checks import check_token_batch
from ..contract.parts import Batch, Section
from ..contract.presentation import Presentation
from ..contract.splits import SPLITS
from ..losses.tensors import log_softmax
from ..wording import counted
from .base import PIECE

if TYPE_CHECKING:
    import keras

    from ..figures.figure import Figure


# Measured: with 6-grams of the plays in the package, the bits per character of 1,000
# characters have a standard deviation of 0.19, those of 100 of 0.44. Models differ by
# less.
FEWEST_CHARACTERS = 1_000


class WritingPresentation(Presentation):
    """Texts that are written, each below what it is of."""

    headline = "bleu"

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws texts as text, each below what it is of.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, tokens)` of a model with teacher forcing; the most
                probable tokens are drawn below.
        """
        decode, lines = self.task.target_vocabulary.decode, []
        for index, targets in enumerate(batch.targets):
            lines += [*self.heading(batch, index), f"  target  {decode(targets)}"]
            if outputs is not None:
                found = self.task.predict(outputs[index])[batch.mask[index] > 0]
                lines.append(f"  output  {decode(found)}")
            lines.append("")
        return "\n".join(lines[:-1])

    def heading(self, batch: Batch, index: int) -> list[str]:
        """The lines of `render` above the target of a text."""
        return [f"sequence {index}"]

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        """The first pair: each token of the target and the bits it cost the model."""
        from .figures import draw_token_bits

        counts = batch.mask[0] > 0
        log_probs = log_softmax(np.asarray(outputs[:1]))
        bits = -np.take_along_axis(log_probs, batch.targets[:1, :, None], 2)[0, :, 0]
        shown = self.task.target_vocabulary.shown(batch.targets[0][counts])
        return draw_token_bits(shown, bits[counts] / np.log(2), heads)


class PairPresentation(WritingPresentation):
    """The same below the texts that are read."""

    def model_sections(self, model: "keras.Model") -> Iterable[Section]:
        """BLEU by length, the best and the worst lines, and attention."""
        from .pair_report import sections

        return sections(self.task, model)

    def heading(self, batch: Batch, index: int) -> list[str]:
        source = self.task.source_vocabulary.decode(batch.inputs["source"][index])
        return [*super().heading(batch, index), f"  source  {source}"]


class TranslationPresentation(PairPresentation):
    """The same of pairs that were read from files."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How many pairs the training leaves out, whether the vocabulary is smaller
        than was asked for, and how many pairs of the other splits are in the training
        too; of another split, how many sources are cut."""
        task = self.task
        num_lines, most = len(task.corpus.sources), task.max_length
        if task.split == "train":
            _, blank, too_long = task._used(task.lengths[-1] - 1)
            text = f"{blank + too_long:,} of {num_lines:,} pairs are left out: "
            text += f"{blank:,} are blank, {too_long:,} have more than {most} tokens."
            used = [task.source_vocabulary, task.target_vocabulary]
            sizes = [v.note_on_size(task.vocabulary_size) for v in used]
            left_out = [text] if blank + too_long else []
            seen = [note for name in SPLITS[1:] for note in _seen(task.on(name))]
            return tuple(dict.fromkeys([*left_out, *sizes[0], *sizes[1], *seen]))
        encode = task.source_vocabulary.encode
        cut = sum(len(encode(line)) > most for line in task.corpus.sources)
        text = f"{cut:,} of {num_lines:,} sources have more than {most} tokens: cut."
        return ((text,) if cut else ()) + _seen(task)


def _seen(task: Any) -> tuple[str, ...]:
    """A note on pairs of a split that are in the training too."""
    try:
        corpus, trained = task.corpus, task.on("train").corpus
    except ValueError:  # one is not there, or there are several tests to choose from
        return ()
    seen, total = corpus.count_in(trained), len(corpus.sources)
    if not seen:
        return ()
    return (
        f"{seen:,} of {total:,} pairs of the {task.split} are in the training too: "
        "scores of the split are too good.",
    )


class LanguageModelPresentation(Presentation):
    """Windows of a text."""

    headline = "bits_per_character"
    evaluated = f"pieces of {PIECE:,}"

    @property
    def notes(self) -> tuple[str, ...]:
        """That a split is too short to measure by; of the split to train on, that the
        validation is."""
        task = self.task
        measured = task.on("validation") if task.split == "train" else task
        count = len(measured.tokens)
        if count >= FEWEST_CHARACTERS:
            return ()
        return (
            f"The split {measured.split} has {counted(count, 'character')}: bits per "
            f"character of less than {FEWEST_CHARACTERS:,} are mostly chance.",
        )

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws windows as text: what is read, and below it, where it counts, what
        comes next.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, tokens)` of a model; the most probable characters
                are drawn below.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_token_batch(self.task, batch, outputs)
        lines = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            lines += [f"sequence {index}", f"   input  {self._shown(inputs)}"]
            lines.append(f"  target  {self._shown(targets, mask)}")
            if outputs is not None:
                found = self.task.predict(outputs[index])
                lines.append(f"  output  {self._shown(found, mask)}")
            lines.append("")
        return "\n".join(lines[:-1])

    def _shown(self, tokens: np.ndarray, mask: np.ndarray | None = None) -> str:
        """Tokens in one line, with blanks where they do not count."""
        from .figures import SHOWN

        text = self.task.vocabulary.decode(tokens).translate(SHOWN)
        counts = np.ones(len(text)) if mask is None else mask
        shown = (c if count else " " for c, count in zip(text, counts, strict=True))
        return "".join(shown).rstrip()

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        """A text with the bits that each character cost the model; with the heads of a
        memory, both over time."""
        from .figures import draw_bits

        bits = self.task.log_probabilities(batch, np.asarray(outputs))[0] / -math.log(2)
        text = self.task.vocabulary.decode(batch.targets[0])
        return draw_bits(text, bits, heads)
