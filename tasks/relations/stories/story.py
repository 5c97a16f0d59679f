"""A story, and its words as tokens."""

import dataclasses
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

# The token of no word.
PADDING = 0
# The last word of a question as a network reads it: here the answer is due.
ASK = "?"


class Story(NamedTuple):
    """Sentences, a question about them, and its answer.

    Texts are words with a space between them, without punctuation.

    Attributes:
        kind: What sort of question it is.
        sentences: The sentences in the order in which they are told.
        question: The question.
        answer: Its answer, one word; several are joined by commas.
        facts: Which sentences the answer follows from, counted from 0.
    """

    kind: str
    sentences: tuple[str, ...]
    question: str
    answer: str
    facts: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Words:
    """Words and their tokens, which are numbered from 1; 0 is no word.

    Args:
        words: Every word once.
    """

    words: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of tokens, that of no word among them."""
        return len(self.words) + 1

    def row(self, text: str, width: int) -> list[int]:
        """The tokens of a text, filled up to so many.

        Raises:
            ValueError: If it has more words, or one that is not known.
        """
        # Stories are made of few different texts.
        kept = self.__dict__.setdefault("_rows", {})
        key = text, width
        if key not in kept:
            kept[key] = self._row(text, width)
        return kept[key]

    def _row(self, text: str, width: int) -> list[int]:
        numbers = self.__dict__.setdefault(
            "_numbers", {word: i for i, word in enumerate(self.words, 1)}
        )
        words = text.split(" ")
        unknown = [word for word in words if word not in numbers]
        if unknown:
            raise ValueError(
                f"`text` must have only words of the vocabulary. "
                f"Received: {unknown[0]!r} in {text!r}"
            )
        if len(words) > width:
            raise ValueError(
                f"`text` must have at most {width} words. Received: {text!r}"
            )
        return [numbers[word] for word in words] + [PADDING] * (width - len(words))

    def text(self, tokens: Iterable[int]) -> str:
        """The text of tokens; those of no word are left out."""
        return " ".join(self.words[token - 1] for token in tokens if token != PADDING)


def words_of(stories: Iterable[Story]) -> Words:
    """All words of stories and their answers, in the order of the alphabet."""
    words = {ASK}
    for story in stories:
        words.add(story.answer)
        for text in (*story.sentences, story.question):
            words.update(text.split(" "))
    return Words(tuple(sorted(words)))


def tokens_of(
    stories: Iterable[Story], words: Words, entries: int, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Stories as arrays.

    Args:
        stories: The stories.
        words: Their vocabulary.
        entries: Number of sentences; of a longer story, the last ones are taken.
        width: Words of the longest text; a question has one more, `?`.
    Returns:
        Inputs `(B, entries + 1, width)`, sentences and then the question, with zeros
        before the sentences of a shorter story; and targets `(B, 1 + entries)`: the
        token of the answer, then 1 for each sentence from which it follows.
    """
    inputs, targets = [], []
    blank = [PADDING] * width
    for story in stories:
        missing = entries - len(story.sentences)
        sentences = story.sentences[-entries:]
        rows = [words.row(text, width) for text in sentences]
        question = words.row(f"{story.question} {ASK}", width)
        inputs.append([blank] * missing + rows + [question])
        target = [words.row(story.answer, 1)[0]] + [0] * entries
        for fact in story.facts:
            if fact + missing >= 0:
                target[1 + fact + missing] = 1
        targets.append(target)
    shape = (len(targets), entries + 1, width)
    return (
        np.array(inputs, np.int32).reshape(shape),
        np.array(targets, np.int32).reshape(len(targets), entries + 1),
    )
