"""Captions of scenes: which objects are named, and in which words."""

from collections.abc import Sequence

import numpy as np

from .world import Scene, Thing, relation

SIZE_WORDS = {"small": ("small", "little", "tiny"), "large": ("large", "big")}
SHAPE_WORDS = {
    "circle": ("circle", "disc", "round shape"),
    "square": ("square", "box"),
    "triangle": ("triangle",),
    "cross": ("cross", "plus sign"),
    "star": ("star",),
}
RELATION_WORDS = {
    "left": ("left of", "to the left of", "on the left of"),
    "right": ("right of", "to the right of", "on the right of"),
    "above": ("above", "over"),
    "below": ("below", "under", "beneath"),
}
BEGINNINGS = ("", "there is ", "a picture of ", "we see ")
# Heuristic: how often the first of several words is chosen; the others share the rest.
USUAL = 0.6
# Heuristic: shares of captions that name one, two or three objects, of scenes with as
# many.
NAMED = (0.1, 0.55, 0.35)
# Heuristic: how often a size is said.
SIZE_SAID = 0.7
# Heuristic: a large object is named first, unless a draw from a normal distribution of
# this deviation is larger than 1.
DISORDER = 0.7


def draw_caption(scene: Scene, rng: np.random.Generator) -> str:
    """A caption of a scene: true, but it need not name all objects.

    A caption of one object is "a big red star"; of more, "a big red star above a blue
    box and a tiny green cross", where the relation is to the second object.
    """
    shares = np.array(NAMED[: len(scene)])
    count = 1 + rng.choice(len(shares), p=shares / shares.sum())
    prominence = [
        (thing.size == "large") + DISORDER * rng.standard_normal() for thing in scene
    ]
    order = np.argsort(prominence)[::-1][:count]
    named = [scene[i] for i in order]
    phrases = [_phrase(thing, rng) for thing in named]
    text = BEGINNINGS[_usual(rng, len(BEGINNINGS))] + phrases[0]
    if count > 1:
        words = RELATION_WORDS[relation(named[0], named[1])]
        text += f" {words[_usual(rng, len(words))]} {phrases[1]}"
    if count > 2:
        text += f" and {phrases[2]}"
    return text


def _phrase(thing: Thing, rng: np.random.Generator) -> str:
    words = [thing.color, _word(SHAPE_WORDS[thing.shape], rng)]
    if rng.random() < SIZE_SAID:
        words.insert(0, _word(SIZE_WORDS[thing.size], rng))
    article = "an" if words[0][0] in "aeiou" else "a"
    return " ".join([article, *words])


def _word(words: Sequence[str], rng: np.random.Generator) -> str:
    return words[_usual(rng, len(words))]


def _usual(rng: np.random.Generator, count: int) -> int:
    """A number below `count`, more often 0."""
    if count == 1 or rng.random() < USUAL:
        return 0
    return int(rng.integers(1, count))


def vocabulary() -> list[str]:
    """All words of captions, by alphabet."""
    from .world import COLORS

    texts = [*BEGINNINGS, *COLORS, "a", "an", "and"]
    for table in (SIZE_WORDS, SHAPE_WORDS, RELATION_WORDS):
        texts += [text for group in table.values() for text in group]
    return sorted({word for text in texts for word in text.split()})
