"""Text metrics: BLEU, METEOR and their neighbours, reproducible and offline.

References come first, one list of them for each hypothesis. A string is text, which the
metric tokenises; a list of strings is tokens already.

    >>> import metrics
    >>> score = metrics.corpus_bleu([["a cat sat on a mat"]], ["a cat sat on the mat"])
    >>> print(score)
    bleu 0.5373
"""

from .base import MeanScore, Metric, Score
from .bleu import BLEU, BLEUScore, corpus_bleu, sentence_bleu
from .bootstrap import Interval
from .chrf import CHRF, CHRFScore
from .cider import CIDEr, CIDErD
from .document_frequency import count_documents
from .error_rate import CER, WER
from .exact_match import ExactMatch
from .likelihood import BitsPerCharacter, Perplexity, bits_per_character, perplexity
from .meteor.alignment import Alignment, Match
from .meteor.meteor import METEOR, corpus_meteor, sentence_meteor
from .meteor.score import METEORScore
from .rouge import ROUGEL, ROUGEN
from .significance import PairedTest, approximate_randomization, paired_bootstrap
from .ter.ter import TER

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
