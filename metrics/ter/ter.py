"""TER, the translation edit rate, on text normalised as Tercom does."""

import dataclasses
import re

from ..base import Metric, Score
from ..checks import check_boolean
from .shifts import translation_edits


@dataclasses.dataclass(frozen=True, kw_only=True)
class TERScore(Score):
    """A translation edit rate.

    Attributes:
        edits: Shifts, substitutions, insertions and deletions.
        reference_length: Words of the references, their mean for each segment.
    """

    edits: int
    reference_length: float


class TER(Metric):
    """Translation edit rate: edits to the nearest reference / length of a reference.

    An edit is a substitution, an insertion or a deletion of a word, or a shift of words
    in a row. The length is the mean over the references. Of no words of references the
    rate is 0 without words of the hypothesis and 1 with them; it may exceed 1 where
    the hypothesis is longer. A list of tokens is joined by one blank, and then taken
    as text.

    Equal to sacreBLEU's, divided by 100, with its limits of the search, and with its
    normalisation, which is done once for a hypothesis and twice for a reference: with
    `normalized`, "Bob's." is 2 words as a hypothesis and 3 as a reference.

    Args:
        normalized: Whether to make punctuation marks words of their own, and to resolve
            `&quot;` and its like.
        no_punct: Whether to take punctuation away.
        asian_support: Whether `normalized` makes Chinese and Japanese characters words
            of their own, and `no_punct` takes their punctuation away too.
        case_sensitive: Whether case matters.
    Raises:
        TypeError: If an argument is not `True` or `False`.
    Reference:
        Snover et al. (2006), A Study of Translation Edit Rate with Targeted Human
        Annotation.
    Example:
        >>> ter = TER()
        >>> reference = "on the mat the cat sat"
        >>> score = ter.sentence_score([reference], "the cat sat on a mat")
        >>> score.edits, score.reference_length, round(score.value, 4)
        (2, 6.0, 0.3333)
    """

    name = "ter"
    higher_is_better = False
    num_statistics = 2
    slow = True

    def __init__(
        self,
        *,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ):
        check_boolean("normalized", normalized)
        check_boolean("no_punct", no_punct)
        check_boolean("asian_support", asian_support)
        check_boolean("case_sensitive", case_sensitive)
        self._normalized = normalized
        self._no_punct = no_punct
        self._asian_support = asian_support
        self._case_sensitive = case_sensitive

    def _settings(self):
        return {
            "case": "mixed" if self._case_sensitive else "lc",
            "tok": "tercom",
            "norm": self._normalized,
            "punct": not self._no_punct,
            "asian": self._asian_support,
        }

    def _segment_statistics(self, references, hypothesis):
        words = self._words(hypothesis)
        references = [self._reference_words(reference) for reference in references]
        edits = min(translation_edits(words, reference) for reference in references)
        return edits, sum(map(len, references)) / len(references)

    def _reference_words(self, text):
        words = self._words(text)
        # sacreBLEU normalises references twice, and so must we for the same number.
        return self._words(words) if self._normalized else words

    def _words(self, text):
        text = text if isinstance(text, str) else " ".join(text)
        text = text.rstrip()
        if not self._case_sensitive:
            text = text.lower()
        if self._normalized:
            text = _normalized(text)
            if self._asian_support:
                text = _ASIAN.sub(r" \g<0> ", text)
        if self._no_punct:
            text = _PUNCTUATION.sub("", text)
            if self._asian_support:
                text = _ASIAN_PUNCTUATION.sub("", text)
        return text.split()

    def _score(self, totals, segments):
        edits, length = totals.tolist()
        value = edits / length if length else float(edits > 0)
        return TERScore(value=value, edits=round(edits), reference_length=length)


def _normalized(text):
    for old, new in _PLAIN:
        text = text.replace(old, new)
    text = f" {text} "
    for pattern, replacement in _SEPARATED:
        text = pattern.sub(replacement, text)
    return text


# Each in turn, so that "&amp;lt;" is "<".
_PLAIN = (
    ("\n-", ""),  # a word cut at the end of a line
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)

_SEPARATED = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # ASCII punctuation but ' , - .
        (r"""[!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]""", r" \g<0> "),
        ("'s ", " 's "),
        # A full stop or comma, unless between digits.
        (r"([^0-9])([.,])", r"\1 \2 "),
        (r"([.,])([^0-9])", r" \1 \2"),
        (r"([0-9])-", r"\1 - "),
    )
)

_PUNCTUATION = re.compile(r'[.,?:;!"()]')

_ASIAN_MARKS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"  # Chinese and Japanese
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"  # full width
)
_ASIAN_PUNCTUATION = re.compile(f"[{_ASIAN_MARKS}]")

# Ideographs, their radicals and strokes, and enclosed, compatible and vertical forms.
# Tercom has rules for kana too, but they match nothing: text starts with a blank here.
_ASIAN = re.compile(
    "[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    f"{_ASIAN_MARKS}]"
)
