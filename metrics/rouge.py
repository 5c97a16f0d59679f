"""ROUGE-L and ROUGE-N: word sequences and n-grams shared with the best reference."""

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from .base import MeanScore, Metric
from .checks import check_boolean, check_choice, check_integer
from .meteor.stemmers import get_stemmer
from .ngrams import MAX_ORDER, ngrams
from .tokenizers.tokenizers import Tokenizer, get_tokenizer, tokenizer_name

# Weight of recall against precision in F. 1.2 is pycocoevalcap's; Lin leaves it open.
BETA = {"google": 1.0, "coco": 1.2}

_WORD = re.compile("[a-z0-9]+")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RougeScore(MeanScore):
    """Means over the segments; `value` is the mean F, not the F of the other two.

    Attributes:
        precision: Mean share of the hypothesis that its reference has too.
        recall: Mean share of the reference that its hypothesis has too.
    """

    precision: float
    recall: float


class _Rouge(Metric):
    """Words, stems and means, as both metrics have them."""

    num_statistics = 3

    def __init__(self, tokenizer, stem, words):
        check_boolean("stem", stem)
        tokenizer = words if tokenizer is None else tokenizer
        self._tokenizer = tokenizer_name(tokenizer)
        self._tokenize = get_tokenizer(tokenizer)
        self._stem = get_stemmer("porter") if stem else None

    def _tokens(self, text):
        tokens = self._tokenize(text) if isinstance(text, str) else text
        if self._stem is None:
            return tokens
        return [self._stem(word) if len(word) > 3 else word for word in tokens]

    def _score(self, totals, segments):
        value, precision, recall = (totals / segments).tolist()
        return RougeScore(
            value=value, precision=precision, recall=recall, segments=segments
        )

    def _settings(self):
        return {"tok": self._tokenizer, "stem": self._stem is not None}


class ROUGEL(_Rouge):
    """ROUGE-L: F of the longest common subsequence of hypothesis and reference.

    P and R divide its length by that of the hypothesis and of the reference, and
    F = (1 + beta^2) P R / (R + beta^2 P). The score of a corpus is the mean over its
    segments. There are two implementations that people quote:

    - `"google"`, rouge-score: beta is 1, and the reference with the best F counts.
      Words are the runs of a-z and 0-9 in the lower-cased text; an empty text scores 0.
    - `"coco"`, pycocoevalcap: beta is 1.2, and F is of the largest P and the largest R,
      each of any reference. A text is split at every blank, so that the empty text is
      one empty word: two empty texts score 1. COCO evaluations tokenise before, with
      `tokenizer="ptb"`.

    Args:
        variant: `"google"` or `"coco"`.
        tokenizer: Instead of the variant's own, the name of a tokenizer or a function
            from a string to a list of tokens.
        stem: Whether to compare the stems of words longer than three characters, by
            Porter's algorithm; lists of tokens are stemmed too.
    Raises:
        TypeError: If `stem` is not a boolean.
        ValueError: If there is no such variant or tokenizer.
    Reference:
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, equations
        2-4; rouge-score 0.1.2; pycocoevalcap 1.2.
    Example:
        >>> score = ROUGEL().sentence_score(["The cat sat."], "the cat sat down")
        >>> score.precision, score.recall
        (0.75, 1.0)
    """

    name = "rouge-l"

    def __init__(
        self,
        variant: str = "google",
        *,
        tokenizer: str | Tokenizer | None = None,
        stem: bool = False,
    ):
        check_choice("variant", variant, BETA)
        words = google_words if variant == "google" else blank_separated
        super().__init__(tokenizer, stem, words)
        self._variant = variant

    def _tokens(self, text):
        tokens = super()._tokens(text)
        return tokens or [""] if self._variant == "coco" else tokens

    def _segment_statistics(self, references, hypothesis):
        own = self._tokens(hypothesis)
        places = _places(own)
        parts = []
        for reference in references:
            other = self._tokens(reference)
            length = _common_length(places, len(own), other)
            parts.append(_parts(length, len(own), len(other)))
        if self._variant == "google":
            return max(parts, key=itemgetter(0))
        _, precision, recall = map(max, zip(*parts, strict=True))
        return f_score(precision, recall, BETA["coco"]), precision, recall

    def _settings(self):
        return {"var": self._variant, **super()._settings()}


class ROUGEN(_Rouge):
    """ROUGE-N: F of the n-grams that hypothesis and reference share.

    An n-gram counts as often as it is in both. P and R divide by the n-grams of the
    hypothesis and of the reference, F = 2 P R / (P + R), and the reference with the
    best F counts, as in rouge-score. The score of a corpus is the mean over its
    segments.

    Deviation: Lin's ROUGE-N is a recall; later versions of his script, and
    rouge-score after it, report all three.

    Args:
        order: Number of words in an n-gram, n, at most 100.
        tokenizer: Instead of the words of rouge-score (see `ROUGEL`), the name of
            a tokenizer or a function from a string to a list of tokens.
        stem: As for `ROUGEL`.
    Raises:
        TypeError: If `stem` is not a boolean.
        ValueError: If there is no such tokenizer, or `order` is not a positive integer.
    Reference:
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, equation 1;
        rouge-score 0.1.2.
    Example:
        >>> score = ROUGEN(2).sentence_score(["The cat sat."], "the cat sat down")
        >>> score.value
        0.8
    """

    name = "rouge-n"

    def __init__(
        self,
        order: int = 1,
        *,
        tokenizer: str | Tokenizer | None = None,
        stem: bool = False,
    ):
        self._order = check_integer("order", order, maximum=MAX_ORDER)
        super().__init__(tokenizer, stem, google_words)

    def _segment_statistics(self, references, hypothesis):
        own = Counter(ngrams(self._tokens(hypothesis), self._order))
        parts = []
        for reference in references:
            other = Counter(ngrams(self._tokens(reference), self._order))
            parts.append(_parts((own & other).total(), own.total(), other.total()))
        return max(parts, key=itemgetter(0))

    def _settings(self):
        return {"n": self._order, **super()._settings()}


def google_words(text: str) -> list[str]:
    """The words of rouge-score: runs of a-z and 0-9 in the lower-cased text.

    Example:
        >>> google_words("The cat's 2nd café.")
        ['the', 'cat', 's', '2nd', 'caf']
    """
    return _WORD.findall(text.lower())


def blank_separated(text: str) -> list[str]:
    """The words of pycocoevalcap's ROUGE-L: what is between any two blanks.

    Example:
        >>> blank_separated("the  cat"), blank_separated("")
        (['the', '', 'cat'], [''])
    """
    return text.split(" ")


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence of two lists of words.

    A step for each word of the second list, on all words of the first at a time: they
    are the bits of one integer.

    Reference:
        Hyyrö (2004), Bit-parallel LCS-length computation revisited, figure 3.
    Example:
        >>> longest_common_subsequence("the cat sat".split(), "the fat cat".split())
        2
    """
    return _common_length(_places(first), len(first), second)


def _places(tokens):
    """For each token the places where it is, as bits of an integer."""
    places = {}
    bit = 1
    for token in tokens:
        places[token] = places.get(token, 0) | bit
        bit <<= 1
    return places


def _common_length(places, size, tokens):
    """Length of the longest common subsequence, of `_places` of `size` tokens.

    Bit i of `row` is 0 if the subsequence gets longer with token i, so that the zeros
    are its length. Carries go beyond bit `size`, where nothing comes back from.
    """
    whole = (1 << size) - 1
    row = whole
    for token in tokens:
        if token in places:
            matches = row & places[token]
            row = (row + matches) | (row - matches)
    return size - (row & whole).bit_count()


def _parts(shared, own, other):
    """F, precision and recall; 0 for what has no words."""
    precision, recall = shared / max(own, 1), shared / max(other, 1)
    return f_score(precision, recall), precision, recall


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """Weighted harmonic mean; `beta` is how much more recall counts than precision.

    Example:
        >>> f_score(1.0, 0.5)
        0.6666666666666666
    """
    if not precision or not recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)
