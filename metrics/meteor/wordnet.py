"""The words of WordNet 3.0 and their synsets, from the table in `metrics/data`."""

import bisect
import functools
import gzip
import itertools
import pathlib
from collections.abc import Iterable
from typing import Any

from ..checks import check_boolean
from ..tokenizers.word_cache import WordCache

TABLE = pathlib.Path(__file__).parent.parent / "data" / "wordnet-3.0.txt.gz"


def _rules(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(rule.split(">")) for rule in text.split())


# For each part of speech, endings of regular forms > endings of base forms;
# morphy(7WN).
RULES = {
    "n": _rules("s> ses>s xes>x zes>z ches>ch shes>sh men>man ies>y"),
    "v": _rules("s> ies>y es>e es> ed>e ed> ing>e ing>"),
    "a": _rules("er> est> er>e est>e"),
    "r": (),
}
ALL_RULES = tuple(itertools.chain.from_iterable(RULES.values()))
ALL_ENDINGS = tuple({ending for ending, _ in ALL_RULES})
# NLTK's reader has one more rule.
NLTK_RULES = {**RULES, "n": RULES["n"] + _rules("ves>f")}


class WordNetTable:
    """WordNet 3.0, from the table of this package.

    METEOR does not use parts of speech. A word has its own synsets and those of its
    base forms. The base forms are the irregular ones if WordNet lists any, or else the
    first regular one that is a word. The table is loaded on first use and shared by all
    objects.

    Args:
        merge_parts_of_speech: Whether an identifier is the offset in WordNet's file
            without the part of speech, as in METEOR 1.5. This makes 282 pairs of
            unrelated synsets (entity, breathe) synonyms. It is useful only to reproduce
            the numbers of the program.
    Raises:
        TypeError: If the argument is not True or False.
    Reference:
        Miller (1995), WordNet: A Lexical Database for English; morphy(7WN).
    Example:
        >>> table = WordNetTable()
        >>> table.synsets("cars") & table.synsets("automobile")
        frozenset({'n02958343'})
    """

    name = "wn:3.0"

    def __init__(self, *, merge_parts_of_speech: bool = False) -> None:
        self.merge_parts_of_speech = check_boolean(
            "merge_parts_of_speech", merge_parts_of_speech
        )
        self._synsets = WordCache(self._find_synsets)
        self._lemmas = WordCache(_find_lemmas)

    def synsets(self, word: str) -> frozenset[str]:
        """Identifiers of the synsets of a word in METEOR, such as `n02958343`."""
        return self._synsets[word]

    def lemmas(self, word: str) -> frozenset[str]:
        """The single words in the synsets that NLTK's reader has for a word.

        Words with a capital are left out. NLTK's METEOR compares them with words in
        lower case, so they never match.
        """
        return self._lemmas[word]

    def _find_synsets(self, word: str) -> frozenset[str]:
        senses, forms = _entry(word)
        bases = itertools.chain(*map(_bases, forms)) if forms else [_base_form(word)]
        for base in bases:
            senses = senses + _entry(base)[0]
        if self.merge_parts_of_speech:
            return frozenset(sense[1:] for sense in senses)
        return frozenset(map(str.lower, senses))

    def __reduce__(self) -> tuple[Any, ...]:
        return default_table, (self.merge_parts_of_speech,)


@functools.cache
def default_table(merge_parts_of_speech: bool = False) -> WordNetTable:
    """Returns the WordNet table that all metrics share.

    Args:
        merge_parts_of_speech: As of `WordNetTable`.
    """
    return WordNetTable(merge_parts_of_speech=merge_parts_of_speech)


@functools.cache
def _lines() -> list[str]:
    """The lines of the table, one for each word; see data/README.md."""
    return gzip.decompress(TABLE.read_bytes()).decode("ascii").splitlines()[1:]


def _entry(word: str) -> tuple[list[str], list[str]]:
    """Synsets and irregular base forms of a word, as written in the table."""
    lines = _lines()
    # The lines are sorted, and a blank is smaller than every character of a word.
    index = bisect.bisect_left(lines, f"{word} ")
    found, *entries = lines[index].split(" ") if index < len(lines) else [""]
    if found != word:
        return [], []
    senses = [entry for entry in entries if "=" not in entry]
    return senses, entries[len(senses) :]


def _bases(form: str) -> list[str]:
    """Base forms in an entry such as `n=ax,axis`."""
    return form[2:].split(",")


def _base_form(word: str) -> str:
    """The first regular base form that is a word, or the word itself."""
    if len(word) > 2 and not word.endswith("ss"):
        for base in _regular_bases(word, ALL_RULES):
            if _entry(base)[0]:
                return base
    return word


def _regular_bases(word: str, rules: Iterable[tuple[str, ...]]) -> list[str]:
    if not word.endswith(ALL_ENDINGS):  # a quick path for half of the words
        return []
    return [
        word[: -len(ending)] + replacement
        for ending, replacement in rules
        if word.endswith(ending)
    ]


def _find_lemmas(word: str) -> frozenset[str]:
    word = word.lower()
    forms = _entry(word)[1]
    synsets: set[str] = set()
    for part, rules in NLTK_RULES.items():
        irregular = [form for form in forms if form[0] == part]
        # If a form has several entries, the reader keeps the last one.
        bases = _bases(irregular[-1]) if irregular else _regular_bases(word, rules)
        for form in {word, *bases}:
            senses = map(str.lower, _entry(form)[0])
            synsets.update(sense for sense in senses if sense[0] == part)
    members = _members()
    return frozenset(" ".join(members.get(key, "") for key in synsets).split())


@functools.cache
def _members() -> dict[str, str]:
    """The single words without a capital of each synset, joined with blanks.

    Strings take half the time and memory of lists.
    """
    members: dict[str, str] = {}
    for line in _lines():
        word, *entries = line.split(" ")
        if "_" not in word:
            for entry in entries:
                if entry[0].islower() and "=" not in entry:
                    members[entry] = f"{members.get(entry, '')} {word}"
    return members
