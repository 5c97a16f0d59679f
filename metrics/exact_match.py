"""Exact match: the share of hypotheses that equal one of their references."""

import re
import string
from collections.abc import Callable

from .base import MeanScore, Metric
from .checks import check_choice, shorten

Normalizer = Callable[[str], str]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class ExactMatch(Metric):
    """Share of hypotheses that equal one of their references, once normalised.

    A list of tokens is compared as its tokens joined by blanks.

    Args:
        normalize: What is done to each text first: `"none"`, `"squad"` (see
            `normalize_squad`), or a function from a string to a string, as `str.lower`.
    Raises:
        ValueError: If there is no such normalisation.
        TypeError: When scoring, if `normalize` does not return a string.
    Reference:
        Rajpurkar, Zhang, Lopyrev, Liang (2016), SQuAD: 100,000+ Questions for Machine
        Comprehension of Text, arXiv:1606.05250, section 6.1.
    Example:
        >>> references = [["the Eiffel Tower", "Eiffel Tower"], ["1889"]]
        >>> hypotheses = ["The Eiffel Tower.", "1887"]
        >>> ExactMatch().corpus_score(references, hypotheses).value
        0.0
        >>> ExactMatch("squad").corpus_score(references, hypotheses).value
        0.5
    """

    name = "exact-match"
    num_statistics = 1

    def __init__(self, normalize: str | Normalizer = "none"):
        if callable(normalize):
            self._normalize = normalize
            self._name = getattr(normalize, "__qualname__", type(normalize).__name__)
        else:
            check_choice("normalize", normalize, NORMALIZATIONS)
            self._normalize = NORMALIZATIONS[normalize]
            self._name = normalize

    def _segment_statistics(self, references, hypothesis):
        own = self._text(hypothesis)
        return [any(self._text(reference) == own for reference in references)]

    def _text(self, text):
        text = self._normalize(text if isinstance(text, str) else " ".join(text))
        if not isinstance(text, str):
            raise TypeError(
                f"`normalize` must return a string. Received: {shorten(text)}"
            )
        return text

    def _score(self, totals, segments):
        return MeanScore(value=totals[0] / segments, segments=segments)

    def _settings(self):
        return {"norm": self._name}


def normalize_none(text: str) -> str:
    """The text as it is.

    Example:
        >>> normalize_none("The Eiffel Tower.")
        'The Eiffel Tower.'
    """
    return text


def normalize_squad(text: str) -> str:
    """The text as SQuAD compares answers.

    Lower-cased; then without ASCII punctuation, even inside words; then without the
    words a, an, the; then with one blank for each run of white space.

    Reference:
        The evaluation script of SQuAD 1.1.
    Example:
        >>> normalize_squad("The  U.S. Dollar, a currency!")
        'us dollar currency'
    """
    letters = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", letters).split())


NORMALIZATIONS: dict[str, Normalizer] = {
    "none": normalize_none,
    "squad": normalize_squad,
}
