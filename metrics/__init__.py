"""Text metrics: BLEU, METEOR and their neighbours, reproducible and offline.

References come first, one list of them for each hypothesis. A string is text, which the
metric tokenises; a list of strings is tokens already.

    >>> import metrics
    >>> score = metrics.corpus_bleu([["a cat sat on a mat"]], ["a cat sat on the mat"])
    >>> print(score)
    bleu 0.5373
"""

from metrics.alignment import Alignment, Match
from metrics.base import MeanScore, Metric, Score
from metrics.bleu import BLEU, BLEUScore, corpus_bleu, sentence_bleu
from metrics.bootstrap import Interval
from metrics.chrf import CHRF, CHRFScore
from metrics.cider import CIDEr, CIDErD
from metrics.document_frequency import count_documents
from metrics.error_rate import CER, WER
from metrics.exact_match import ExactMatch
from metrics.likelihood import (
    BitsPerCharacter,
    Perplexity,
    bits_per_character,
    perplexity,
)
from metrics.meteor import METEOR, corpus_meteor, sentence_meteor
from metrics.meteor_score import METEORScore
from metrics.rouge import ROUGEL, ROUGEN
from metrics.significance import (
    PairedTest,
    approximate_randomization,
    paired_bootstrap,
)
from metrics.ter import TER

__all__ = [
    "BLEU",
    "CER",
    "CHRF",
    "METEOR",
    "ROUGEL",
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
    "Interval",
    "METEORScore",
    "Match",
    "MeanScore",
    "Metric",
    "PairedTest",
    "Perplexity",
    "Score",
    "approximate_randomization",
    "bits_per_character",
    "corpus_bleu",
    "corpus_meteor",
    "count_documents",
    "paired_bootstrap",
    "perplexity",
    "sentence_bleu",
    "sentence_meteor",
]
