"""What all kinds of ROUGE share: tokens and stems, F, and means over the segments."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..base import Metric, Text
from ..checks import check_boolean
from ..scores import MeanScore
from ..tokenizers import Tokenizer, get_tokenizer, tokenizer_name, tokens_of
from ..tokenizers.rouge import google_words
from ..tokenizers.script_checks import misreading
from ..tokenizers.stemmers import get_stemmer

_GOOGLE = tokenizer_name(google_words)


@dataclasses.dataclass(frozen=True, kw_only=True)
class RougeScore(MeanScore):
    """Means over the segments. `value` is the mean F, not the F of the other two.

    Attributes:
        precision: Mean share of the hypothesis that is in its reference too.
        recall: Mean share of the reference that is in its hypothesis too.
    """

    precision: float
    recall: float


class Rouge(Metric[RougeScore]):
    """The base class of all kinds: their tokens, stems and means."""

    num_statistics = 3

    def __init__(self, tokenizer: str | Tokenizer, stem: bool) -> None:
        stem = check_boolean("stem", stem)
        self._tokenizer = tokenizer_name(tokenizer)
        self._tokenize = get_tokenizer(tokenizer)
        self._stem = get_stemmer("porter") if stem else None

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        latin_only = self._tokenizer == _GOOGLE
        return misreading(references, self._tokens, latin_only=latin_only)

    def _tokens(self, text: Text) -> Sequence[str]:
        tokens = tokens_of(text, self._tokenize)
        if self._stem is None:
            return tokens
        return [self._stem(word) if len(word) > 3 else word for word in tokens]

    def _score(self, totals: np.ndarray, segments: int) -> RougeScore:
        value, precision, recall = (totals / segments).tolist()
        return RougeScore(
            value=value, precision=precision, recall=recall, segments=segments
        )

    def _settings(self) -> dict[str, object]:
        return {"tok": self._tokenizer, "stem": self._stem is not None}


def f_precision_recall(
    shared: int, hypothesis_size: int, reference_size: int
) -> tuple[float, float, float]:
    """F, precision and recall. They are 0 for an empty text."""
    precision = shared / max(hypothesis_size, 1)
    recall = shared / max(reference_size, 1)
    return f_score(precision, recall), precision, recall


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean of precision and recall.

    Args:
        precision: Precision.
        recall: Recall.
        beta: Importance of recall relative to precision.

    Example:
        >>> f_score(1.0, 0.5)
        0.6666666666666666
    """
    if not precision or not recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)
