"""Texts drawn for the metrics: all kinds that a user may have, and other values.

`corpora` are valid and must be scored; `spoilt_corpora` have one invalid part and must
be refused; `anything` can be either."""

import collections
import decimal
import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

# Few words, so that texts have words in common: equal ones, stems, synonyms.
WORDS = ("the", "cat", "cats", "kitty", "a", "b", "sat", "on", "mat", "running", "run")
# Difficult characters for tokenizers, stemmers and encodings.
SPACES = ("", " ", "\t", "\n", "\x00", "\x1b[2J", "\x85", "\u00a0", "\u2028", "\ufeff")
LETTERS = "ß ﬁ ǅ ﷺ İstanbul 東京。 ｆｕｌｌ 🇨🇭 e\u0301\u0327 \u0301".split()
SCRIPTS = "שלום مرحبا नमस्ते ไทย 한국어".split()
CODE_POINTS = (
    "\u200d",
    "\u202e",
    "\ufffd",
    "\uffff",
    "\ud800",
    "a\udfffb",
    "\U0010ffff",
)
MARKS = (
    "&quot; &amp;lt; <skipped> - -- ... '' \" | \\ ( 1/2 3,000.5 $5 @x s' can't".split()
)
WRITTEN = "U.S. Dr. a.b.c. DOTMULTIMULTI http://a.b/c www.a.b aed ing sses -\n".split(
    " "
)
LONG_WORDS = tuple(
    own * 300 for own in ("x", "1", ".", "é", "a-", "a.", "'", "-\n", "<")
)
ODD_WORDS = (
    *SPACES,
    *LETTERS,
    *SCRIPTS,
    *CODE_POINTS,
    *MARKS,
    *WRITTEN,
    *LONG_WORDS,
)

# `exclude_categories=()` keeps surrogates.
characters = st.characters(exclude_categories=())
words = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    st.sampled_from(ODD_WORDS),
    st.text(characters, max_size=6),
)
token_lists = st.one_of(
    st.lists(words, max_size=12),
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.builds(lambda own, times: own * times, st.lists(words, max_size=3), st.just(9)),
)
strings = st.one_of(
    token_lists.map(" ".join),
    token_lists.map(" ".join),
    st.builds(str.join, st.sampled_from(("", "  ", "\n", "\u3000")), token_lists),
    st.text(characters, max_size=30),
)


class Corpus(NamedTuple):
    """Lists of references and hypotheses, an entry for each segment."""

    references: list
    hypotheses: list


@st.composite
def segments(draw):
    """References and a hypothesis, all text or all tokens, often with common words."""
    texts = draw(st.sampled_from((strings, token_lists, token_lists.map(tuple))))
    references = draw(st.lists(texts, min_size=1, max_size=3))
    hypothesis = draw(st.one_of(texts, st.sampled_from(references)))
    return references, hypothesis


@st.composite
def corpora(draw, max_size=4):
    """Corpora that every metric of text must score."""
    drawn = draw(st.lists(segments(), min_size=1, max_size=max_size))
    references, hypotheses = map(list, zip(*drawn, strict=True))
    if draw(st.booleans()):
        return Corpus(references, hypotheses)
    return Corpus(tuple(map(tuple, references)), tuple(hypotheses))


@st.composite
def perfect_corpora(draw):
    """Corpora whose texts equal a reference, of at least six words that all count."""
    beginning = st.lists(st.sampled_from(WORDS), min_size=6, max_size=9)
    texts = st.builds(lambda first, rest: [*first, *rest], beginning, token_lists)
    if draw(st.booleans()):
        texts = texts.map(" ".join)
    hypotheses = draw(st.lists(texts, min_size=1, max_size=3))
    others = st.lists(texts, max_size=2)
    references = [draw(st.permutations([own, *draw(others)])) for own in hypotheses]
    return Corpus(references, hypotheses)


class Series:
    """Like a pandas column: it has a length, entries and `tolist`, but is not a list.

    It is compared entry by entry, so that its truth is an error.
    """

    def __init__(self, entries=("a", "b")):
        self._entries = list(entries)

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries)

    def __getitem__(self, index):
        return self._entries[index]

    def __eq__(self, other):
        return np.array([entry == other for entry in self._entries])

    __hash__ = None

    def __repr__(self):
        return "0    a\n1    b\nName: text, dtype: object"

    def tolist(self):
        return self._entries


class Unprintable:
    """An object that cannot be shown in a message."""

    def __repr__(self):
        raise RuntimeError("no representation")


def deep(depth=10_000):
    """A list nested deeper than Python's recursion limit."""
    nested = []
    for _ in range(depth):
        nested = [nested]
    return nested


# None of these is a number, a string, a list or a tuple. Made for each case, because
# generators can be read only once.
ALIENS = (
    *(lambda: None, lambda: b"the cat", lambda: bytearray(b"a"), lambda: {"a": 1}),
    *(lambda: {"a", "b"}, lambda: frozenset("a"), lambda: (own for own in ["a"])),
    *(lambda: iter(["a"]), lambda: map(str, "ab"), lambda: range(2), lambda: object()),
    *(lambda: np.array(["a", "b"]), lambda: np.array("a"), lambda: np.zeros((2, 2))),
    *(lambda: collections.deque(["a"]), lambda: collections.UserList(["a"])),
    *(Series, Unprintable, lambda: str, lambda: NotImplemented),
    lambda: np.array([["a"], None], dtype=object),
)
NUMBERS = (
    *(0, 1, -1, 2, 7, True, False, math.nan, math.inf, -math.inf, 0.5, -0.0, 1e-300),
    *(5e-324, 1e308, -1e308, 10**400, -(10**400), 2**63, 1j),
    *(np.int8(3), np.uint8(200), np.int64(-1), np.float16(0.5), np.float32(0.1)),
    *(np.float64(math.nan), np.bool_(True), decimal.Decimal("0.5"), np.array(1)),
)
aliens = st.sampled_from(ALIENS).map(lambda make: make())
numbers = st.sampled_from(NUMBERS)

# More digits than Python converts to a string.
giants = st.builds(lambda: 10**5000)

no_lists = st.one_of(aliens, numbers, strings, giants)
no_tokens = st.one_of(aliens, numbers, st.sampled_from(([], ["a"], ("a",))))
no_texts = st.one_of(
    aliens,
    numbers,
    giants,
    st.builds(lambda own, token: [*own, token], token_lists, no_tokens),
    st.builds(deep),
)

anything = st.recursive(
    st.one_of(aliens, numbers, giants, words),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(words, inner, max_size=2),
    ),
    max_leaves=12,
)


@st.composite
def spoilt_segments(draw):
    """References and a hypothesis of which one is invalid, and the name of that one."""
    references, hypothesis = draw(segments())
    place = draw(st.integers(0, len(references) - 1))
    match draw(st.integers(0, 4)):
        case 0:
            return (references, draw(no_texts)), "hypothesis"
        case 1:
            return (draw(no_lists), hypothesis), "references"
        case 2:
            return ([], hypothesis), "references"
        case 3:
            references[place] = draw(no_texts)
        case 4:  # text although the hypothesis is tokens, or the reverse
            references.append(["a"] if isinstance(hypothesis, str) else "a")
    return (references, hypothesis), "references"


@st.composite
def spoilt_corpora(draw):
    """A corpus with one invalid part, and the name of the argument that holds it."""
    good = draw(corpora())
    references, hypotheses = list(good.references), list(good.hypotheses)
    match draw(st.integers(0, 5)):
        case 0:
            return Corpus(draw(no_lists), hypotheses), "references"
        case 1:
            return Corpus(references, draw(no_lists)), "hypotheses"
        case 2:
            return Corpus(references * 2, hypotheses), "references"
        case 3:
            return Corpus([], []), "hypotheses"
    index = draw(st.integers(0, len(hypotheses) - 1))
    segment, name = draw(spoilt_segments())
    references[index], hypotheses[index] = segment
    return Corpus(references, hypotheses), name.replace("hypothesis", "hypotheses")


flags = st.one_of(st.booleans(), st.booleans().map(np.bool_))
no_flags = st.one_of(aliens, st.sampled_from((0, 1, "yes", "", 0.0, [], np.int8(1))))
no_choices = st.one_of(
    aliens.filter(lambda value: not callable(value)),
    st.sampled_from(("", "none ", "BLEU", "\ud800", b"exp", 1, math.nan, True)),
    st.sampled_from(([], ["none"], ("none",), {"none"}, np.array(["none", "exp"]))),
)
no_numbers = st.one_of(
    aliens,
    st.sampled_from((math.nan, math.inf, -math.inf, True, False, "1", "", 1j, [1])),
    st.sampled_from((np.float32("nan"), np.array([0.5]), np.array(1), np.bool_(True))),
)
# Far larger than anything that fits into memory.
huge = st.one_of(st.sampled_from((10**9, 10**400, 2**63, np.uint64(2**64 - 1))), giants)
no_reals = st.one_of(no_numbers, st.sampled_from((10**400, -(10**400))))


def integers(minimum, maximum):
    """Integers of Python or NumPy."""
    own = st.integers(minimum, maximum)
    kinds = st.sampled_from((int, int, np.int64, np.uint8, np.int16))
    return st.builds(lambda value, kind: kind(value), own, kinds)


def no_integers(minimum):
    """Values that are not integers of at least the minimum."""
    return st.one_of(
        no_numbers,
        st.sampled_from((0.5, 1.0, 2.0, np.float64(3), -(10**400))),
        st.integers(max_value=minimum - 1),
    )


def reals(minimum, maximum, **bounds):
    """Numbers of Python or NumPy, the smallest and the largest among them."""
    own = st.floats(minimum, maximum, **bounds)
    return st.one_of(own, own, own.map(np.float64))


def outside(minimum, maximum, *, open_ends=False):
    """Values that are not numbers between two others."""
    found = [st.floats(max_value=minimum, exclude_max=not open_ends)]
    if maximum < math.inf:
        found.append(st.floats(min_value=maximum, exclude_min=not open_ends))
    return st.one_of(no_reals, *found)


unit = {"exclude_min": True, "exclude_max": True}
