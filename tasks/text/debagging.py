"""Debagging: the order of the words of a bag that a model of text finds most likely."""

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, shorten
from .base import LanguageModel, States
from .network import as_language_model

if TYPE_CHECKING:
    from ..contract.task import Task

# The paper's: 11 words, of which the first two and the last two stay.
WORDS = 11
FIXED = 2
# Heuristic: 9 words in the middle have 362,880 orders, which fit into memory.
MOST = 9
# Heuristic: log-probabilities of equally probable texts, sums of hundreds of nats in
# float32, differ by less.
ROUNDING = 1e-4


@dataclasses.dataclass(frozen=True)
class Debagged:
    """What a model makes of a bag.

    Attributes:
        words: The words in the order that it finds most likely.
        log_probability: The log-probability of their text, in nats.
        rank: The place of the given order among all different texts, from 1.
        orders: Number of orders.
    """

    words: tuple[str, ...]
    log_probability: float
    rank: int
    orders: int

    @property
    def is_right(self) -> bool:
        """Whether the given order is the most likely one."""
        return self.rank == 1


def debag(
    model: Any,
    words: Sequence[str],
    *,
    task: "Task | None" = None,
    fixed: int = FIXED,
) -> Debagged:
    """Ranks all orders of the words of a bag by the log-probability of their texts.

    The texts of all orders form a tree, whose branches share what they begin with: it
    is read word by word, with the states of all branches in one batch.

    Args:
        model: As for `generate`.
        words: The words in their right order.
        task: The task of a Keras model.
        fixed: How many words at the beginning, and at the end, stay where they are.
    Raises:
        TypeError: If the model is none of text, or the words are not strings.
        ValueError: If there are too few or too many words, or one is empty.
    Reference:
        Sutskever, Martens, Hinton (2011), Generating Text with Recurrent Neural
        Networks, section 5.4.
    Example:
        >>> model = tasks.NGramModel("one two three four. " * 5)
        >>> debag(model, ["one", "two", "three", "four."], fixed=1).words
        ('one', 'two', 'three', 'four.')
    """
    language_model = as_language_model(model, task)
    fixed = check_integer("fixed", fixed, 0)
    bag = _checked_words(words, fixed)
    middle = bag[fixed : len(bag) - fixed]
    branches = _all_orders(language_model, bag, fixed)
    texts = [tuple(middle[place] for place in order) for order in branches.orders]
    values = branches.values
    given, best = texts.index(middle), int(values.argmax())
    above = {texts[i] for i in np.flatnonzero(values > values[given] + ROUNDING)}
    best = best if above else given
    return Debagged(
        (*bag[:fixed], *texts[best], *bag[len(bag) - fixed :]),
        float(values[best]),
        rank=1 + len(above),
        orders=len(texts),
    )


def draw_bags(
    text: str, count: int, seed: int = 0, *, num_words: int = WORDS
) -> list[tuple[str, ...]]:
    """Draws runs of words from a text, within its paragraphs.

    Args:
        text: The text; empty lines part its paragraphs.
        count: How many.
        seed: The same seed gives the same bags.
        num_words: Words in each.
    Raises:
        ValueError: If no paragraph has so many words.
    """
    check_integer("count", count)
    check_integer("num_words", num_words)
    paragraphs = [part.split() for part in re.split(r"\n\s*\n", text)]
    rooms = [max(0, len(words) - num_words + 1) for words in paragraphs]
    if not sum(rooms):
        raise ValueError(
            f"`text` must have a paragraph of at least {num_words} words. "
            "Received none."
        )
    ends = np.cumsum(rooms)
    rng = np.random.default_rng(check_integer("seed", seed, 0))
    bags = []
    for place in rng.integers(ends[-1], size=count):
        paragraph = int(np.searchsorted(ends, place, side="right"))
        first = int(place - (ends[paragraph] - rooms[paragraph]))
        bags.append(tuple(paragraphs[paragraph][first : first + num_words]))
    return bags


def _checked_words(words: Sequence[str], fixed: int) -> tuple[str, ...]:
    is_list = isinstance(words, Sequence) and not isinstance(words, str)
    if not is_list or not all(isinstance(word, str) for word in words):
        raise TypeError(
            f"`words` must be a list of strings. Received: {shorten(words)}"
        )
    if not all(words):
        raise ValueError("`words` must not be empty strings. Received one.")
    movable = len(words) - 2 * fixed
    if not 1 <= movable <= MOST:
        raise ValueError(
            f"`words` must be from {2 * fixed + 1} to {2 * fixed + MOST}, of which the "
            f"first {fixed} and the last {fixed} stay. Received: {len(words)}"
        )
    return tuple(words)


@dataclasses.dataclass
class _Branches:
    """Beginnings of texts that a model has read.

    Attributes:
        orders: For each, the places of its words in the bag, `(B, words)`.
        values: Its log-probability, `(B,)`.
        states: The states of the model.
    """

    orders: np.ndarray
    values: np.ndarray
    states: States

    def read(self, model: LanguageModel, text: str) -> "_Branches":
        """All with the same text after them."""
        if not text or not len(self.values):
            return self
        tokens = model.vocabulary.encode(text)
        rows = np.tile(tokens, (len(self.values), 1))
        found, states = model.read(rows, self.states)
        found = model.vocabulary.with_unknown(found, rows)
        return _Branches(self.orders, self.values + found.sum(axis=1), states)

    def without(self, place: int) -> "_Branches":
        """Those that do not have the word of a place yet, with it as their next."""
        rows = np.flatnonzero(~(self.orders == place).any(axis=1))
        orders = np.pad(self.orders[rows], [(0, 0), (0, 1)], constant_values=place)
        states = [state[rows] for state in self.states]
        return _Branches(orders, self.values[rows], states)


def _all_orders(
    model: LanguageModel, words: tuple[str, ...], fixed: int
) -> "_Branches":
    """The branches that end with all words, one for each order of those in the
    middle."""
    middle = words[fixed : len(words) - fixed]
    start = _Branches(np.zeros((1, 0), int), np.zeros(1), model.initial_states(1))
    branches = start.read(model, "".join(f"{word} " for word in words[:fixed]))
    for _ in middle:
        longer = [
            branches.without(place).read(model, f"{word} ")
            for place, word in enumerate(middle)
        ]
        parts = zip(*(each.states for each in longer), strict=True)
        branches = _Branches(
            np.concatenate([each.orders for each in longer]),
            np.concatenate([each.values for each in longer]),
            [np.concatenate(states) for states in parts],
        )
    return branches.read(model, " ".join(words[len(words) - fixed :]))
