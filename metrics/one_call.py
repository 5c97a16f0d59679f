"""Scores in one call: functions that make a metric and use it once."""

import functools
import os
from collections.abc import Sequence
from typing import Any, TypeVar

from .base import Metric, Text
from .bleu.bleu import BLEU, BLEUScore
from .bleu.smoothing import CHEN_CHERRY
from .meteor.meteor import METEOR
from .meteor.score import METEORScore
from .scores import ScoreType
from .tokenizers.registry import TOKENIZERS

MetricType = TypeVar("MetricType", bound=Metric)


def corpus_bleu(
    references: Sequence[Sequence[Text]], hypotheses: Sequence[Text], **options: Any
) -> BLEUScore:
    """BLEU of a corpus.

    Args:
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        **options: `confidence`, `resamples`, `seed` and `jobs` of
            `Metric.corpus_score`, and the arguments of `BLEU`.
    Raises:
        TypeError, ValueError: As `BLEU` and `Metric.corpus_score`.
    Example:
        >>> round(corpus_bleu([["a b c d e"]], ["a b c d"], max_order=2).value, 4)
        0.7788
    """
    return _corpus_score(BLEU, references, hypotheses, **options)


def corpus_meteor(
    references: Sequence[Sequence[Text]], hypotheses: Sequence[Text], **options: Any
) -> METEORScore:
    """METEOR of a corpus.

    Args:
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        **options: `confidence`, `resamples`, `seed` and `jobs` of
            `Metric.corpus_score`, and the arguments of `METEOR`.
    Raises:
        TypeError, ValueError: As `METEOR` and `Metric.corpus_score`.
    Example:
        >>> corpus_meteor([["a cat sat"], ["a dog ran"]], ["a cat sat", "a dog"]).chunks
        1
    """
    return _corpus_score(METEOR, references, hypotheses, **options)


def sentence_bleu(
    references: Sequence[Text], hypothesis: Text, **options: Any
) -> BLEUScore:
    """BLEU of a sentence.

    `effective_order` is true by default, as in sacreBLEU's function of this name. With
    the smoothing methods 1 to 7 it is false by default, as in NLTK's function.

    Args:
        references: The references of the sentence.
        hypothesis: The text to score.
        **options: Arguments of `BLEU`.
    Raises:
        TypeError, ValueError: As `BLEU` and `Metric.sentence_score`.
    Example:
        >>> sentence_bleu(["the cat"], "the cat").value
        1.0
    """
    smoothing = options.get("smoothing")
    is_method = isinstance(smoothing, str) and smoothing in CHEN_CHERRY
    options = {"effective_order": not is_method, **options}
    return _made(BLEU, options).sentence_score(references, hypothesis)


def sentence_meteor(
    references: Sequence[Text], hypothesis: Text, **options: Any
) -> METEORScore:
    """METEOR of a sentence.

    Args:
        references: The references of the sentence.
        hypothesis: The text to score.
        **options: Arguments of `METEOR`.
    Raises:
        TypeError, ValueError: As `METEOR` and `Metric.sentence_score`.
    Example:
        >>> sentence_meteor(["the cat sat"], "the cats sat").matches
        3.0
    """
    return _made(METEOR, options).sentence_score(references, hypothesis)


def _corpus_score(
    metric_class: type[Metric[ScoreType]],
    references: Sequence[Sequence[Text]],
    hypotheses: Sequence[Text],
    *,
    confidence: float | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    **options: Any,
) -> ScoreType:
    """`corpus_score` by a metric that is made with the other options."""
    return metric_class(**options).corpus_score(
        references,
        hypotheses,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
    )


def _made(metric: type[MetricType], options: dict[str, Any]) -> MetricType:
    """A metric; one with the same plain options is made once. Options that name files
    are read again: the files may have changed."""
    for name, value in options.items():
        if not _is_plain(name, value):
            return metric(**options)
    return _kept(metric, **options)


# Options whose values never are files. To ask the system takes a tenth of the time of a
# sentence.
_NAMES = frozenset({"smoothing", "preset", "language", "task"})


def _is_plain(name: str, value: Any) -> bool:
    if isinstance(value, str):
        is_name = name in _NAMES or (name == "tokenizer" and value in TOKENIZERS)
        return is_name or not os.path.exists(value)
    return value is None or isinstance(value, bool | int | float)


# Typed: 1 is not True, which is another argument.
@functools.lru_cache(maxsize=32, typed=True)
def _kept(metric: type[MetricType], **options: Any) -> MetricType:
    return metric(**options)
