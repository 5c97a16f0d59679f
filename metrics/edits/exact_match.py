"""Exact match: the share of hypotheses that equal one of their references."""

import re
import string
from collections.abc import Callable, Sequence

import numpy as np

from ..base import Metric, Text
from ..checks import shorten
from ..scores import MeanScore
from ..text_checks import check_choice_or_function
from ..tokenizers import tokenizer_name

Normalizer = Callable[[str], str]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class ExactMatch(Metric[MeanScore]):
    """Share of hypotheses that equal one of their references after normalisation.

    A list of tokens is joined with blanks and treated as text.

    Args:
        normalize: Normalisation of each text: `"none"`, `"squad"` (see
            `normalize_squad`), or a function from a string to a string such as
            `str.lower`.
    Raises:
        ValueError: If there is no normalisation of this name.
        TypeError: If `normalize` is neither a name nor a function. When scoring: if the
            function does not return a string.
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

    def __init__(self, normalize: str | Normalizer = "none") -> None:
        check_choice_or_function(
            "normalize",
            normalize,
            NORMALIZATIONS,
            "a function from a string to a string",
        )
        self._normalize = (
            normalize if callable(normalize) else NORMALIZATIONS[normalize]
        )
        self._name = tokenizer_name(normalize)

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> list[bool]:
        text = self._normalized(hypothesis)
        return [any(self._normalized(reference) == text for reference in references)]

    def _normalized(self, text: Text) -> str:
        text = self._normalize(text if isinstance(text, str) else " ".join(text))
        if not isinstance(text, str):
            raise TypeError(
                f"`normalize` must return a string. Received: {shorten(text)}"
            )
        return text

    def _score(self, totals: np.ndarray, segments: int) -> MeanScore:
        return MeanScore(value=totals[0] / segments, segments=segments)

    def _settings(self) -> dict[str, object]:
        return {"norm": self._name}


def normalize_none(text: str) -> str:
    """Returns the text unchanged.

    Example:
        >>> normalize_none("The Eiffel Tower.")
        'The Eiffel Tower.'
    """
    return text


def normalize_squad(text: str) -> str:
    """Returns the text as SQuAD compares answers.

    The steps are: change to lower case; remove ASCII punctuation, also inside words;
    remove the words a, an, the; replace each run of white space by one blank.

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
