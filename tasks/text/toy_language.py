"""A small language whose exact translation is known."""

import functools
import random
from typing import NamedTuple

_SYLLABLES = [c + v for c in "bdfgklmnprst" for v in "aeiou"]
NOUNS, ADJECTIVES, VERBS, ADVERBS = 80, 50, 40, 20
ARTICLES = ("the", "a", "these")


class Word(NamedTuple):
    """A word of the source and how it is translated.

    Attributes:
        word: In the source.
        stem: In the target, without its ending.
        gender: Of a noun, 0 or 1.
    """

    word: str
    stem: str
    gender: int


@functools.cache
def lexicon() -> dict[str, list[Word]]:
    """The words by kind; always the same."""
    rng = random.Random(0)
    drawn: set[str] = set()

    def fresh(syllables: int) -> str:
        while True:
            word = "".join(rng.choices(_SYLLABLES, k=syllables))
            if word not in drawn:
                drawn.add(word)
                return word

    sizes = {"noun": NOUNS, "adjective": ADJECTIVES, "verb": VERBS, "adverb": ADVERBS}
    return {
        kind: [Word(fresh(2), fresh(2), rng.randrange(2)) for _ in range(size)]
        for kind, size in sizes.items()
    }


@functools.cache
def _by_word() -> dict[str, tuple[str, Word]]:
    return {
        entry.word: (kind, entry)
        for kind, entries in lexicon().items()
        for entry in entries
    }


def draw_sentence(rng: random.Random) -> str:
    """A sentence of the source: subject, verb, object, each with 0 to 3 adjectives
    before the noun, and perhaps an adverb before all."""
    words = lexicon()
    parts = [rng.choice(words["adverb"]).word] if rng.random() < 0.5 else []
    for is_subject in (True, False):
        parts.append(rng.choice(ARTICLES))
        adjectives = rng.sample(words["adjective"], rng.randrange(4))
        parts += [adjective.word for adjective in adjectives]
        parts.append(rng.choice(words["noun"]).word)
        if is_subject:
            parts.append(rng.choice(words["verb"]).word)
    return " ".join(parts)


def translate(sentence: str) -> str:
    """The translation of a sentence of the source.

    The verb comes last and agrees with the number of the subject; the adverb stands
    before it. Adjectives follow their noun in reverse order, and agree with it in
    gender and number, as the article does.

    Raises:
        ValueError: If it is no sentence of the source.
    """
    words = sentence.split()
    known = _by_word()
    adverb = None
    if words and known.get(words[0], ("",))[0] == "adverb":
        adverb = known[words[0]][1].stem
        words = words[1:]
    subject, number, rest = _noun_phrase(words)
    if not rest or known.get(rest[0], ("",))[0] != "verb":
        raise ValueError(f"`sentence` has no verb after its subject: {sentence!r}")
    verb = known[rest[0]][1].stem + ("t", "nt")[number]
    thing, _, rest = _noun_phrase(rest[1:])
    if rest:
        raise ValueError(f"`sentence` goes on after its object: {sentence!r}")
    return " ".join([*subject, *thing, *([adverb] if adverb else []), verb])


def _noun_phrase(words: list[str]) -> tuple[list[str], int, list[str]]:
    """Translation of an article, adjectives and a noun; its number; what follows."""
    known = _by_word()
    if not words or words[0] not in ARTICLES:
        raise ValueError(f"`sentence` must have an article. Received: {words[:1]}")
    number = int(words[0] == "these")
    adjectives, place = [], 1
    while place < len(words) and known.get(words[place], ("",))[0] == "adjective":
        adjectives.append(known[words[place]][1].stem)
        place += 1
    if place == len(words) or known.get(words[place], ("",))[0] != "noun":
        raise ValueError(f"`sentence` must have a noun. Received: {words[place:][:1]}")
    noun = known[words[place]][1]
    ending = ("o", "i", "e", "u")[2 * noun.gender + number]
    definite = "un" if words[0] == "a" else "l"
    translated = [definite + ending, noun.stem + ("", "s")[number]]
    translated += [stem + "n" + ending for stem in reversed(adjectives)]
    return translated, number, words[place + 1 :]


def words_of(side: str) -> list[str]:
    """All words of the language of a side, `source` or `target`, sorted."""
    words = lexicon()
    if side == "source":
        return sorted([*ARTICLES, *_by_word()])
    found = {article + ending for article in ("un", "l") for ending in "oieu"}
    found |= {noun.stem + s for noun in words["noun"] for s in ("", "s")}
    found |= {a.stem + "n" + e for a in words["adjective"] for e in "oieu"}
    found |= {verb.stem + t for verb in words["verb"] for t in ("t", "nt")}
    return sorted(found | {adverb.stem for adverb in words["adverb"]})
