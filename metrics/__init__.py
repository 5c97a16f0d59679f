"""Text metrics: BLEU, METEOR and their neighbours, reproducible and offline.

References come first, one list of them for each hypothesis. A string is text, which the
metric tokenises; a list of strings is tokens already.

    >>> import metrics
    >>> score = metrics.corpus_bleu([["a cat sat on a mat"]], ["a cat sat on the mat"])
    >>> print(score)
    bleu 0.5373
"""

from metrics.alignment import Alignment, Match
from metrics.base import Interval, MeanScore, Metric, Score
from metrics.bleu import BLEU, BLEUScore, corpus_bleu, sentence_bleu
from metrics.meteor import METEOR, corpus_meteor, sentence_meteor
from metrics.meteor_score import METEORScore
from metrics.significance import (
    PairedTest,
    approximate_randomization,
    paired_bootstrap,
)
