"""The contract of the tasks in which a story is read and a question answered."""

import abc
import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...checks import check_choice
from ...contract.batch_checks import check_sequence, check_tokens
from ...contract.evaluation import Evaluation
from ...contract.neighbours import Beside
from ...contract.recipe import Recipe
from ...contract.success import Success
from ...contract.task import Batch, Column, Task
from ...losses.tensors import one_hot
from .presentation import PLANNING, StoryPresentation
from .story import PADDING, Story, Words, tokens_of

if TYPE_CHECKING:
    import keras

# Weston et al. (2015), Towards AI-Complete Question Answering, section 4: a task is
# failed below 95%.
FAILED = 0.05
READ_BY = ("word", "sentence")


class StoryEvaluation(Evaluation):
    """An evaluation by the share of wrong answers."""

    # Heuristic: a point of one percent is ten stories.
    eval_sequences = 1_000

    def is_right(self, values: dict[str, float]) -> bool | None:
        return values["wrong"] < FAILED


class StoryRecipe(Recipe):
    """The recipe of a task about stories."""

    compared_models = ("memory-network", "lstm")


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
    presentation = Beside(StoryPresentation)
    evaluation = Beside(StoryEvaluation)
    recipe = Beside(StoryRecipe)

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

    def inputs(self) -> "dict[str, keras.KerasTensor]":
        import keras

        return keras.Input((None, self.width), dtype="int32", name="inputs")

    def batch_of(self, stories: Iterable[Story]) -> Batch:
        """Stories as a batch.

        Raises:
            ValueError: If a text is too long, or has a word that is not known.
        """
        inputs, targets = tokens_of(stories, self.words, self.entries, self.width)
        return Batch(inputs, targets, np.ones(len(inputs), np.float32))

    def features(self, inputs: "dict[str, keras.KerasTensor]") -> "keras.KerasTensor":
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

    def loss(self) -> "keras.Loss":
        from .measures import AnswerCrossEntropy

        return AnswerCrossEntropy()

    def measures(self) -> "list[keras.Metric]":
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

    @property
    def size(self) -> tuple[int, ...]:
        return (self.entries,)

    # --- texts ---

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
