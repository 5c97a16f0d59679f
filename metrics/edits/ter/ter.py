"""TER, the translation edit rate, with the text normalisation of Tercom."""

import dataclasses
import re
from collections.abc import Sequence

import numpy as np

from ...base import Metric, Text
from ...checks import check_boolean
from ...scores import Score
from ...tokenizers.rules import apply_rules
from ...tokenizers.script_checks import misreading
from .shifts import translation_edits


@dataclasses.dataclass(frozen=True, kw_only=True)
class TERScore(Score):
    """A translation edit rate.

    Attributes:
        edits: Number of shifts, substitutions, insertions and deletions.
        reference_length: Number of reference words: the sum over the segments of the
            mean over the references.
    """

    edits: int
    reference_length: float


class TER(Metric[TERScore]):
    """Translation edit rate: edits to the nearest reference / length of a reference.

    An edit is the substitution, insertion or deletion of a word, or the shift of
    consecutive words. The length is the mean over the references. Without reference
    words the rate is 0 if the hypothesis is empty too, else 1. The rate may exceed 1 if
    the hypothesis is longer than the references. A list of tokens is joined with blanks
    and treated as text.

    The rate equals sacreBLEU's, divided by 100. It has the same limits of the search
    and the same normalisation, which is done once for a hypothesis and twice for
    a reference: with `normalized`, "Bob's." has 2 words as a hypothesis and 3 as
    a reference.

    Args:
        normalized: Whether to separate punctuation marks from words, and to replace
            entities such as `&quot;`.
        no_punct: Whether to remove punctuation.
        asian_support: Whether `normalized` separates Chinese and Japanese characters,
            and `no_punct` removes their punctuation.
        case_sensitive: Whether to distinguish case.
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
    ) -> None:
        self._normalized = check_boolean("normalized", normalized)
        self._no_punct = check_boolean("no_punct", no_punct)
        self._asian_support = check_boolean("asian_support", asian_support)
        self._case_sensitive = check_boolean("case_sensitive", case_sensitive)

    def _settings(self) -> dict[str, object]:
        return {
            "case": "mixed" if self._case_sensitive else "lc",
            "tok": "tercom",
            "norm": self._normalized,
            "punct": not self._no_punct,
            "asian": self._asian_support,
        }

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        return misreading(references, self._words, remedy=_ASIAN_REMEDY)

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> tuple[float, float]:
        words = self._words(hypothesis)
        references = [self._reference_words(reference) for reference in references]
        edits = min(translation_edits(words, reference) for reference in references)
        return edits, sum(map(len, references)) / len(references)

    def _reference_words(self, text: Text) -> list[str]:
        words = self._words(text)
        # sacreBLEU normalises references twice. The same number needs the same steps.
        return self._words(words) if self._normalized else words

    def _words(self, text: Text) -> list[str]:
        text = text if isinstance(text, str) else " ".join(text)
        text = text.rstrip()
        if not self._case_sensitive:
            text = text.lower()
        if self._normalized:
            text = _normalize(text)
            if self._asian_support:
                text = _ASIAN.sub(r" \g<0> ", text)
        if self._no_punct:
            text = _PUNCTUATION.sub("", text)
            if self._asian_support:
                text = _ASIAN_PUNCTUATION.sub("", text)
        return text.split()

    def _score(self, totals: np.ndarray, segments: int) -> TERScore:
        edits, length = totals.tolist()
        value = edits / length if length else float(edits > 0)
        return TERScore(value=value, edits=round(edits), reference_length=length)


def _normalize(text: str) -> str:
    for old, new in _REPLACEMENTS:
        text = text.replace(old, new)
    return apply_rules(_SEPARATIONS, f" {text} ")


# In this order, so that "&amp;lt;" becomes "<".
_REPLACEMENTS = (
    ("\n-", ""),  # a word that is divided at the end of a line
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)

_SEPARATIONS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # ASCII punctuation, except ' , - and the full stop.
        (r"""[!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]""", r" \g<0> "),
        ("'s ", " 's "),
        # A full stop or comma that is not between digits.
        (r"([^0-9])([.,])", r"\1 \2 "),
        (r"([.,])([^0-9])", r" \1 \2"),
        (r"([0-9])-", r"\1 - "),
    )
)

_PUNCTUATION = re.compile(r'[.,?:;!"()]')

_ASIAN_REMEDY = (
    "Pass `normalized=True` and `asian_support=True` for Chinese or Japanese (kana are "
    "not split), or split the texts into words first."
)

_ASIAN_MARKS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"  # Chinese and Japanese
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"  # full width
)
_ASIAN_PUNCTUATION = re.compile(f"[{_ASIAN_MARKS}]")

# Ideographs, their radicals and strokes, and enclosed, compatibility and vertical
# forms. Tercom has rules for kana too, but they never match because the text starts
# with a blank.
_ASIAN = re.compile(
    "[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    f"{_ASIAN_MARKS}]"
)
