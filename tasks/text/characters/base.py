"""The contract of the tasks that read characters and then write characters."""

import abc
import dataclasses
import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...checks import shorten
from ...contract.batch_checks import (
    check_draw,
    check_sequence,
    check_tokens,
)
from ...contract.evaluation import Evaluation
from ...contract.neighbours import Beside
from ...contract.recipe import Recipe
from ...contract.stream import choices_from
from ...contract.success import Success
from ...contract.task import Batch, Column, Task
from ...losses.tensors import one_hot
from ...losses.token_loss import next_token_loss
from .alphabet import BLANK, Alphabet
from .presentation import CharacterPresentation
from .writing import write_answers

if TYPE_CHECKING:
    import keras

# What the paper reports of additions.
MOSTLY = 0.99


class CharacterRecipe(Recipe):
    """The recipe of a task of characters."""

    compared_models = ("lstm", "gru")


class CharacterEvaluation(Evaluation):
    """An evaluation of answers that a model has written by itself."""

    # Heuristic: a point of one percent is ten sequences.
    eval_sequences = 1_000

    def measured(
        self, model: "keras.Model", batch: Batch
    ) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The errors of the task, and before them `answers` and `characters`: the same
        without teacher forcing, where the model reads what it has written."""
        task = self.task
        stop, limit = task.alphabet.tokens(task.stop)[0], task.longest_answer + 1
        written = write_answers(model, batch, stop, limit)
        answers, characters = _shares(batch, written)
        forced, weights = super().measured(model, batch)
        return {"answers": answers, "characters": characters, **forced}, weights

    def is_right(self, values: dict[str, float]) -> bool | None:
        return values["answers"] > MOSTLY


@dataclasses.dataclass(frozen=True)
class CharacterTask(Task):
    """A source in, character by character; then its answer out.

    A model reads the source and the character `ask`. From there on it puts out the
    answer, which ends with `stop`, and at each step reads the character before: the
    right one with teacher forcing, its own one when it writes by itself. Sequences
    begin together; steps after the end are blank.
    """

    # The characters of sources and answers, without `ask` and `stop`.
    symbols: ClassVar[str]
    ask: ClassVar[str] = "@"
    stop: ClassVar[str] = "."
    presentation = Beside(CharacterPresentation)
    evaluation = Beside(CharacterEvaluation)
    recipe = Beside(CharacterRecipe)

    # --- texts ---

    @property
    @abc.abstractmethod
    def longest_source(self) -> int:
        """Characters of the longest source, without `ask`."""

    @property
    @abc.abstractmethod
    def longest_answer(self) -> int:
        """Characters of the longest answer, without `stop`."""

    @abc.abstractmethod
    def draw_text(self, rng: random.Random) -> tuple[str, str]:
        """A source and its answer."""

    @abc.abstractmethod
    def answer(self, source: str) -> str:
        """The answer to a source, found by reading it.

        Raises:
            ValueError: If it is no source of this task.
        """

    @property
    def alphabet(self) -> Alphabet:
        """All characters of sequences."""
        return Alphabet(self.symbols + self.ask + self.stop)

    # --- the data ---

    @property
    def input_size(self) -> int:
        return self.alphabet.size

    @property
    def output_size(self) -> int:
        return self.input_size

    def inputs(self) -> "keras.KerasTensor":
        import keras

        return keras.Input((None,), dtype="int32", name="inputs")

    @property
    def steps(self) -> int:
        """Steps of a batch: the longest source, `ask`, and the longest answer, whose
        `stop` nobody reads."""
        return self.longest_source + 1 + self.longest_answer

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        choices = choices_from(generator)
        return self.batch_of(self.draw_text(choices) for _ in range(batch_size))

    def batch_of(self, texts: Iterable[tuple[str, str]]) -> Batch:
        """Sources and their answers as a batch.

        Raises:
            ValueError: If one is too long, or has another character than the task.
        """
        texts = list(texts)
        inputs = np.full((len(texts), self.steps), BLANK, np.int32)
        targets, mask = inputs.copy(), np.zeros(inputs.shape, np.float32)
        for row, (source, answer) in enumerate(texts):
            tokens = self.alphabet.tokens(f"{source}{self.ask}{answer}{self.stop}")
            end = len(tokens) - 1
            longest = self.longest_source, self.longest_answer
            if len(source) > longest[0] or len(answer) > longest[1]:
                raise ValueError(
                    f"`texts` must have at most {longest[0]} characters in a source "
                    f"and {longest[1]} in an answer. "
                    f"Received: {shorten((source, answer))}"
                )
            inputs[row, :end] = tokens[:-1]
            targets[row, len(source) : end] = tokens[len(source) + 1 :]
            mask[row, len(source) : end] = 1
        return Batch(inputs, targets, mask)

    def source_of(self, inputs: np.ndarray) -> str:
        """The source in the inputs `(T,)` of a sequence.

        Raises:
            ValueError: If no `ask` ends it.
        """
        source, ask, _ = self.alphabet.text(inputs).partition(self.ask)
        check_sequence(self, ask, f"has no {self.ask!r} after its source")
        return source

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The targets of inputs, found by reading the sources.

        Args:
            inputs: Tokens `(B, T)`; those after `ask` are not read.
        Returns:
            The targets, `(B, T)`, blank where none is due.
        Raises:
            TypeError: If the inputs are not integers.
            ValueError: If they are not sequences of this task.
        """
        inputs = check_tokens(self, inputs)
        solved = np.full(inputs.shape, BLANK, np.int32)
        for row, sequence in zip(solved, inputs, strict=True):
            source = self.source_of(sequence)
            answer = self.alphabet.tokens(self.answer(source) + self.stop)
            place = int(np.argmax(sequence == self.alphabet.tokens(self.ask)[0]))
            room = len(row) - place
            row[place : place + len(answer)] = answer[:room]
        return solved

    def features(self, inputs: "keras.KerasTensor") -> "keras.KerasTensor":
        """Each character as a row with a single 1."""
        return one_hot(inputs, self.input_size)

    # --- what it is measured by ---

    def loss(self) -> "keras.Loss":
        return next_token_loss()

    def measures(self) -> "list[keras.Metric]":
        from .measures import ForcedAnswers, ForcedCharacters

        return [ForcedAnswers(), ForcedCharacters()]

    @property
    def columns(self) -> dict[str, Column]:
        def share(label: str) -> Column:
            return Column(label, ".1%", higher_is_better=True)

        return {
            "answers": share("answers"),
            "characters": share("characters"),
            "forced_answers": share("answers (forced)"),
            "forced_characters": share("characters (forced)"),
        }

    @property
    def success(self) -> Success | None:
        return Success("forced_answers", above=MOSTLY)

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """The most probable token at each step."""
        return np.asarray(outputs).argmax(axis=-1)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence, with teacher forcing: `forced_answers`, whether the whole
        answer is right; `forced_characters`, the share of its characters that are. None
        is where an output is not a number."""
        is_number = ~np.isnan(outputs).any(axis=-1)
        tokens = np.where(is_number, self.predict(outputs), -1)
        answers, characters = _shares(batch, tokens)
        return {"forced_answers": answers, "forced_characters": characters}


def _shares(batch: Batch, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether all tokens that count are right, and their share, for each sequence."""
    right = (tokens == batch.targets) & (batch.mask > 0)
    characters = right.sum(axis=1) / batch.mask.sum(axis=1)
    return (characters == 1).astype(float), characters
