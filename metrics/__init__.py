"""Text metrics: BLEU, METEOR and their neighbours, reproducible and offline.

References come first, one list of them for each hypothesis. A string is text, which the
metric tokenises. A list of strings is tokens.

    >>> import metrics
    >>> score = metrics.corpus_bleu([["a cat sat on a mat"]], ["a cat sat on the mat"])
    >>> print(score)
    bleu 0.5373
    >>> print(metrics.get("rouge-1").sentence_score(["a cat sat"], "the cat"))
    rouge-n 0.4000
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from .base import Metric
from .bleu.bleu import BLEU, BLEUScore
from .bootstrap import Interval
from .chrf.chrf import CHRF, CHRFScore
from .cider.cider import CIDEr, CIDErD
from .cider.document_frequency import count_documents
from .edits.error_rate import CER, WER
from .edits.exact_match import ExactMatch
from .edits.ter.ter import TER
from .likelihood.likelihood import (
    BitsPerCharacter,
    Perplexity,
    bits_per_character,
    perplexity,
)
from .meteor.alignment import Alignment, Match
from .meteor.meteor import METEOR
from .meteor.score import METEORScore
from .one_call import corpus_bleu, corpus_meteor, sentence_bleu, sentence_meteor
from .registry import METRICS, coco_metrics, get
from .rouge import ROUGEL, ROUGEN, ROUGELsum
from .scores import MeanScore, Score
from .significance.partial_sums import Sums, merge_sums, score_sums, sums
from .significance.tests import (
    PairedTest,
    approximate_randomization,
    approximate_randomization_of_sums,
    paired_bootstrap,
    paired_bootstrap_of_sums,
)
from .tokenizers.stemmers import StemTable

if TYPE_CHECKING:
    from .keras import GenerationMetrics, TokenBLEU

__all__ = [
    "BLEU",
    "CER",
    "CHRF",
    "METEOR",
    "METRICS",
    "ROUGEL",
    "ROUGELsum",
    "ROUGEN",
    "TER",
    "WER",
    "Alignment",
    "BLEUScore",
    "BitsPerCharacter",
    "CHRFScore",
    "CIDEr",
    "CIDErD",
    "ExactMatch",
    "GenerationMetrics",
    "Interval",
    "METEORScore",
    "Match",
    "MeanScore",
    "Metric",
    "PairedTest",
    "Perplexity",
    "Score",
    "StemTable",
    "Sums",
    "TokenBLEU",
    "approximate_randomization",
    "approximate_randomization_of_sums",
    "bits_per_character",
    "coco_metrics",
    "corpus_bleu",
    "corpus_meteor",
    "count_documents",
    "get",
    "merge_sums",
    "paired_bootstrap",
    "paired_bootstrap_of_sums",
    "perplexity",
    "score_sums",
    "sentence_bleu",
    "sentence_meteor",
    "sums",
]

# Their first use imports Keras. `import metrics` does not.
_LAZY = ("GenerationMetrics", "TokenBLEU")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            return getattr(importlib.import_module(".keras", __name__), name)
        # With the module, Python names the nearest of its attributes.
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)
