"""Analogies: "a is to b as c is to ?", answered with the vectors b - a + c."""

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..checks import check_choice, check_integer, shorten
from ..metrics_package import metrics_module
from ..plain_text import name_of
from .questions import (
    RESAMPLES,
    SEED,
    are_enough,
    check_confidence,
    interval_of,
    read_lines,
)
from .text import Path

METHODS = ("3cosadd", "3cosmul")
EPSILON = 0.001  # of 3CosMul: Levy and Goldberg (2014), section 3.2
QUESTIONS = 256  # heuristic: answered at once, so that the cosines fit into memory
# In the questions of Mikolov et al. (2013), sections of grammar begin with it.
GRAMMAR = "gram"


@dataclasses.dataclass(frozen=True)
class Section:
    """Some questions.

    Attributes:
        name: Its name.
        correct: Questions that were answered correctly.
        asked: Questions of which all four words are in the vocabulary.
        total: All its questions.
    """

    name: str
    correct: int
    asked: int
    total: int

    @property
    def accuracy(self) -> float:
        """Share of the asked questions that were answered correctly; NaN if none was
        asked."""
        return self.correct / self.asked if self.asked else math.nan


@dataclasses.dataclass(frozen=True)
class AnalogyScore:
    """How many analogies word vectors answer correctly.

    Attributes:
        sections: The sections of the file.
        method: "3cosadd" or "3cosmul".
        vocabulary: Number of words that questions and answers may have.
        interval: Confidence interval of the accuracy, over the questions; None if it
            was not asked for or there are fewer than ten.
    """

    sections: list[Section]
    method: str
    vocabulary: int
    interval: Any = None

    @property
    def all(self) -> Section:
        """All questions together."""
        return self._sum("all", self.sections)

    @property
    def groups(self) -> list[Section]:
        """Questions of meaning and of grammar, if the file has both."""
        grammar = [part for part in self.sections if part.name.startswith(GRAMMAR)]
        meaning = [part for part in self.sections if part not in grammar]
        if not (grammar and meaning):
            return []
        return [self._sum("semantic", meaning), self._sum("syntactic", grammar)]

    @property
    def accuracy(self) -> float:
        """Share of the asked questions that were answered correctly; NaN if none was
        asked."""
        return self.all.accuracy

    @property
    def coverage(self) -> float:
        """Share of the questions that were asked."""
        return self.all.asked / self.all.total

    @staticmethod
    def _sum(name: str, sections: Iterable[Section]) -> Section:
        fields = ("correct", "asked", "total")
        return Section(name, *(sum(getattr(s, f) for s in sections) for f in fields))


def score(
    units: np.ndarray,
    find: Callable[[str], int | None],
    path: Path,
    *,
    vocabulary: int | None,
    method: str,
    confidence: float | None,
) -> AnalogyScore:
    """Answers the questions of a file, see `WordVectors.analogies`.

    Args:
        units: The vectors, each of length 1, `(V, D)`.
        find: Gives the row of a word, or None.
        path, vocabulary, method, confidence: As of `WordVectors.analogies`.
    Raises:
        ValueError: As `WordVectors.analogies`.
    """
    check_choice("method", method, METHODS)
    confidence = check_confidence(confidence)
    if vocabulary is not None:
        check_integer("vocabulary", vocabulary)
    units = units[:vocabulary]
    sections, correct = [], [np.zeros(0, bool)]
    for name, questions in _read(path):
        found = [[find(word) for word in words] for words in questions]
        known = [
            row for row in found if all(n is not None and n < len(units) for n in row)
        ]
        numbers = np.array(known, np.int64).reshape(-1, 4)
        right = _answers(units, numbers[:, :3], method) == numbers[:, 3]
        correct.append(right)
        sections.append(Section(name, int(right.sum()), len(known), len(questions)))
    answers = np.concatenate(correct)
    interval = None
    if confidence is not None and are_enough(len(answers)):
        totals = metrics_module("bootstrap").resampled_totals(
            answers[:, None].astype(float), RESAMPLES, SEED
        )
        interval = interval_of(totals[:, 0] / len(answers), confidence)
    return AnalogyScore(sections, method, len(units), interval)


def _read(path: Path) -> list[tuple[str, list[list[str]]]]:
    """The sections of a file: `(name, questions)`, a question as four words."""
    sections: list[tuple[str, list[list[str]]]] = []
    for number, line in enumerate(read_lines(path), start=1):
        words = line.split()
        if line.startswith(":"):
            sections.append((line[1:].strip(), []))
        elif words:
            if len(words) != 4:
                raise ValueError(
                    f"{name_of(path)}, line {number}: a question must have four words. "
                    f"Received: {shorten(line)}"
                )
            if not sections:
                sections.append(("questions", []))
            sections[-1][1].append(words)
    if not any(questions for _, questions in sections):
        raise ValueError(
            f"{name_of(path)} must have at least one question. Received: none"
        )
    return sections


def _answers(units: np.ndarray, questions: np.ndarray, method: str) -> np.ndarray:
    """The answers to questions `(Q, 3)`: rows of `units`, `(Q,)`."""
    answers = np.zeros(len(questions), np.int64)
    for first in range(0, len(questions), QUESTIONS):
        block = questions[first : first + QUESTIONS]
        if method == "3cosadd":
            a, b, c = (units[block[:, n]] for n in range(3))
            scores = (b - a + c) @ units.T
        else:
            a, b, c = ((units[block[:, n]] @ units.T + 1) / 2 for n in range(3))
            scores = b * c / (a + EPSILON)
        np.put_along_axis(scores, block, -np.inf, axis=1)
        answers[first : first + QUESTIONS] = scores.argmax(axis=1)
    return answers
