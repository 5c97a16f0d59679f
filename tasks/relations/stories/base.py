"""The contract of the tasks in which a story is read and a question answered."""

import abc
import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...checks import check_choice
from ...contract.batch_checks import check_arrays, check_sequence, check_tokens
from ...contract.success import Success
from ...contract.task import Batch, Column, Section, Task
from ...figures.fetched import fetched
from ...losses.one_hot import one_hot
from .story import PADDING, Story, Words, tokens_of

# Weston et al. (2015), Towards AI-Complete Question Answering, section 4: a task is
# failed below 95%.
FAILED = 0.05
READ_BY = ("word", "sentence")
# Heuristic: one step to look for each fact of `three-facts`; others may have more.
PLANNING = 3


@dataclasses.dataclass(frozen=True)
class StoryTask(Task):
    """A story and a question in, the answer out: one of the words.

    Inputs are tokens `(B, entries + 1, width)`: the sentences, oldest first, and the
    question in the last row; 0 is padding. A memory network takes the sentences as
    entries of its memory. A recurrent network reads all words one after the other, and
    does not see the padding; the answer is what it puts out at the last step, `?`. If
    `read_by` is "sentence", it reads a sentence at each step, all its words side by
    side. Three blank steps follow the question, in which it can look for facts, and the
    answer is what it puts out at the last of them.

    Targets are `(B, 1 + entries)`: the token of the answer, then 1 for each sentence
    from which it follows, a *supporting fact*. The facts are for pictures: no loss and
    no error counts them.

    Args:
        read_by: word or sentence: what a recurrent network reads at a step. It does not
            matter to memory networks.
    Raises:
        ValueError: If `read_by` is neither word nor sentence. A subclass that has a
            `__post_init__` of its own calls this one too.
    """

    read_by: str = dataclasses.field(default="word", kw_only=True)

    every_step = False
    headline = "wrong"
    compared_models = ("memory-network", "lstm")
    # Heuristic: a point of one percent is ten stories.
    eval_sequences = 1_000

    def __post_init__(self) -> None:
        check_choice("read_by", self.read_by, READ_BY)

    @property
    @abc.abstractmethod
    def words(self) -> Words:
        """The vocabulary."""

    @property
    @abc.abstractmethod
    def entries(self) -> int:
        """Sentences of the longest story."""

    @property
    @abc.abstractmethod
    def width(self) -> int:
        """Words of the longest text."""

    # --- the data ---

    @property
    def input_size(self) -> int:
        return self.words.size

    @property
    def output_size(self) -> int:
        return self.words.size

    def inputs(self) -> Any:
        import keras

        return keras.Input((None, self.width), dtype="int32", name="inputs")

    def batch_of(self, stories: Iterable[Story]) -> Batch:
        """Stories as a batch.

        Raises:
            ValueError: If a text is too long, or has a word that is not known.
        """
        inputs, targets = tokens_of(stories, self.words, self.entries, self.width)
        return Batch(inputs, targets, np.ones(len(inputs), np.float32))

    def features(self, inputs: Any) -> Any:
        """What a recurrent network reads.

        Returns:
            By words `(B, (entries + 1) * width, V)`: each is a row with a single 1, and
            padding is masked. By sentences `(B, entries + 1 + 3, width * (V - 1))`: the
            words of a sentence are side by side, and padding is zeros.
        """
        import keras

        words = keras.layers.Reshape((-1,), name="words")(inputs)
        if self.read_by == "word":
            return one_hot(words, self.input_size, mask_zero=True)
        rows = one_hot(words, self.input_size)[:, :, 1:]  # padding is zeros
        width = self.width * rows.shape[-1]
        rows = keras.layers.Reshape((-1, width), name="sentences")(rows)
        return keras.layers.ZeroPadding1D((0, PLANNING), name="planning")(rows)

    # --- what it is measured by ---

    @property
    def success(self) -> Success | None:
        return Success("wrong", FAILED)

    def loss(self) -> Any:
        from .measures import AnswerCrossEntropy

        return AnswerCrossEntropy()

    def measures(self) -> list[Any]:
        from .measures import AnswerErrors

        return [AnswerErrors()]

    @property
    def columns(self) -> dict[str, Column]:
        return {"wrong": Column("wrong", ".2%")}

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """The tokens of the answers, `(B,)`."""
        return np.asarray(outputs).argmax(axis=-1)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each story: `wrong`, whether the answer is wrong, or an output is not a
        number."""
        wrong = self.predict(outputs) != batch.targets[:, 0]
        wrong |= np.isnan(outputs).any(axis=-1)
        return {"wrong": wrong.astype(float)}

    def is_right(self, values: dict[str, float]) -> bool | None:
        return values["wrong"] < FAILED

    @property
    def size(self) -> tuple[int, ...]:
        return (self.entries,)

    # --- pictures ---

    def told(self, inputs: np.ndarray) -> tuple[list[str], str]:
        """The texts of inputs `(entries + 1, width)` of one story: its sentences,
        empty where there are fewer, and its question.

        Raises:
            ValueError: If there is no question.
        """
        inputs = check_tokens(self, inputs)
        check_sequence(self, (inputs[-1:] != PADDING).any(), "has no question")
        *sentences, question = map(self.words.text, inputs)
        return sentences, question

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text: sentences, with `*` before those from which the answer
        follows, question and answer.

        Args:
            batch: What to draw.
            outputs: Logits `(B, V)` of a model, drawn under the answer.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_arrays(self, batch, outputs)
        lines = []
        for index, target in enumerate(batch.targets):
            sentences, question = self.told(batch.inputs[index])
            lines.append(f"sequence {index}")
            for sentence, is_fact in zip(sentences, target[1:], strict=True):
                if sentence:
                    lines.append(f"  {'*' if is_fact else ' '} {sentence}")
            lines.append(f"    {question}")
            lines.append(f"  target  {self.words.text(target[:1])}")
            if outputs is not None:
                token = int(self.predict(outputs[index]))
                lines.append(f"  output  {self.words.text([token])}")
            lines.append("")
        return "\n".join(lines[:-1])

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> Any:
        from .figures import draw_hops

        hops = [head for head in heads if head.kind == "hop"]
        if not hops:
            return None
        sentences, question = self.told(batch.inputs[0])
        answers = (
            self.words.text(batch.targets[0, :1]),
            self.words.text(self.predict(outputs[:1])),
        )
        facts = batch.targets[0, 1:] > 0
        return draw_hops(sentences, question, answers, facts, hops[0].weighting[0])

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        if self.read_by == "word":
            return []
        sentences, question = self.told(batch.inputs[0])
        names = ["question", *(f"blank step {n}" for n in range(1, PLANNING + 1))]
        steps = {name: step for step, name in enumerate(names, len(sentences))}
        rows = fetched([*sentences, question], steps, heads)
        if not rows:
            return []
        text = (
            "For the question and each step after it, the memory row that a read head "
            "attends to most, and what was read when a write head wrote there last."
        )
        return [Section("fetched", "What was read for the answer", text, None, rows)]
