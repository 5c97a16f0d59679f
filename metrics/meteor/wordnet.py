"""The words of WordNet 3.0 and their synsets, from the table in `data/`."""

import bisect
import functools
import gzip
import itertools
import pathlib

from ..checks import check_boolean
from ..word_cache import WordCache

TABLE = pathlib.Path(__file__).parent.parent / "data" / "wordnet-3.0.txt.gz"


def _rules(text):
    return tuple(tuple(rule.split(">")) for rule in text.split())


# Part of speech -> endings of regular forms > of base forms; morphy(7WN).
RULES = {
    "n": _rules("s> ses>s xes>x zes>z ches>ch shes>sh men>man ies>y"),
    "v": _rules("s> ies>y es>e es> ed>e ed> ing>e ing>"),
    "a": _rules("er> est> er>e est>e"),
    "r": (),
}
ALL_RULES = tuple(itertools.chain.from_iterable(RULES.values()))
ALL_ENDINGS = tuple({ending for ending, _ in ALL_RULES})
# The reader of NLTK has one more.
NLTK_RULES = {**RULES, "n": RULES["n"] + _rules("ves>f")}


class WordNetTable:
    """WordNet 3.0 from the table that comes with this package.

    METEOR knows no parts of speech: a word is in its own synsets and in those of its
    base forms, which are the irregular ones if WordNet lists any, or else the first
    regular one that is a word. The table itself is loaded on the first use, and shared.

    Args:
        merge_parts_of_speech: Whether an identifier is the offset in WordNet's file
            without the part of speech, as in METEOR 1.5. That makes synonyms of 282
            pairs of unrelated synsets (entity, breathe), so only for equal numbers.
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

    def __init__(self, *, merge_parts_of_speech: bool = False):
        check_boolean("merge_parts_of_speech", merge_parts_of_speech)
        self.merge_parts_of_speech = merge_parts_of_speech
        self._synsets = WordCache(self._find_synsets)
        self._lemmas = WordCache(_find_lemmas)

    def synsets(self, word: str) -> frozenset[str]:
        """Identifiers of the synsets that METEOR gives a word, as `n02958343`."""
        return self._synsets[word]

    def lemmas(self, word: str) -> frozenset[str]:
        """The single words in the synsets that NLTK's reader gives a word.

        Those with a capital are left out: NLTK's METEOR compares them as they are with
        words in lower case, so that none is ever found.
        """
        return self._lemmas[word]

    def _find_synsets(self, word):
        senses, forms = _entry(word)
        bases = itertools.chain(*map(_bases, forms)) if forms else [_base_form(word)]
        for base in bases:
            senses = senses + _entry(base)[0]
        if self.merge_parts_of_speech:
            return frozenset(sense[1:] for sense in senses)
        return frozenset(map(str.lower, senses))

    def __reduce__(self):
        return default_table, (self.merge_parts_of_speech,)


@functools.cache
def default_table(merge_parts_of_speech: bool = False) -> WordNetTable:
    """The one table of WordNet that all metrics share.

    Args:
        merge_parts_of_speech: As of `WordNetTable`.
    """
    return WordNetTable(merge_parts_of_speech=merge_parts_of_speech)


@functools.cache
def _lines():
    """The table, a line for each word; data/README.md describes it."""
    return gzip.decompress(TABLE.read_bytes()).decode("ascii").splitlines()[1:]


def _entry(word):
    """Synsets and irregular bases of a word, as the table has them."""
    lines = _lines()
    # The lines are sorted, and a blank comes before all that words are made of.
    index = bisect.bisect_left(lines, f"{word} ")
    found, *entries = lines[index].split(" ") if index < len(lines) else [""]
    if found != word:
        return [], []
    senses = [entry for entry in entries if "=" not in entry]
    return senses, entries[len(senses) :]


def _bases(form):
    """Base forms in an entry such as `n=ax,axis`."""
    return form[2:].split(",")


def _base_form(word):
    """The first regular base form that is a word, or the word itself."""
    if len(word) > 2 and not word.endswith("ss"):
        for base in _regular_bases(word, ALL_RULES):
            if _entry(base)[0]:
                return base
    return word


def _regular_bases(word, rules):
    if not word.endswith(ALL_ENDINGS):  # half of the words
        return []
    return [
        word[: -len(ending)] + replacement
        for ending, replacement in rules
        if word.endswith(ending)
    ]


def _find_lemmas(word):
    word = word.lower()
    forms = _entry(word)[1]
    synsets = set()
    for part, rules in NLTK_RULES.items():
        irregular = [form for form in forms if form[0] == part]
        # The reader keeps the last of several entries for the same form.
        bases = _bases(irregular[-1]) if irregular else _regular_bases(word, rules)
        for form in {word, *bases}:
            senses = map(str.lower, _entry(form)[0])
            synsets.update(sense for sense in senses if sense[0] == part)
    members = _members()
    return frozenset(" ".join(members.get(key, "") for key in synsets).split())


@functools.cache
def _members():
    """Synset -> its words that are one word and have no capital, with blanks between.

    Strings, because so many lists would take twice the time and memory.
    """
    members: dict[str, str] = {}
    for line in _lines():
        word, *entries = line.split(" ")
        if "_" not in word:
            for entry in entries:
                if entry[0].islower() and "=" not in entry:
                    members[entry] = f"{members.get(entry, '')} {word}"
    return members
