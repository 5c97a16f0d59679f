"""Rows for every public text metric of the package.

The tests of `test_metrics.py` run for every row, so a new metric needs rows here and
nothing there. `test_metric_signatures.py` lists the arguments that change a signature.
"""

import functools
import importlib
import inspect
import math
import operator
import pkgutil
from typing import Any, NamedTuple

import metrics
from metrics import BLEU, METEOR, Metric
from metrics.chrf.chrf import CHRF
from metrics.cider.cider import CIDEr, CIDErD
from metrics.edits.error_rate import CER, WER
from metrics.edits.exact_match import ExactMatch
from metrics.edits.ter.ter import TER
from metrics.likelihood.likelihood import BitsPerCharacter, Perplexity
from metrics.rouge import ROUGEL, ROUGEN, ROUGELsum


class Corpus(NamedTuple):
    """Lists of references, and what is scored, an entry for each segment."""

    references: list
    hypotheses: list


# Lower-case words without punctuation: every tokenizer gives the same tokens.
MIXED = Corpus(
    [
        ["the cat sat on the mat", "a cat was sitting on the mat", "a cat sat there"],
        ["two dogs run through the snow", "two dogs are running in snow"],
        ["a man rides a red bike"],
        ["children play in the park"],
        ["she reads a long book by the window", "a woman is reading near a window"],
        ["the train leaves at nine"],
        ["birds sing early in the morning", "every morning the birds sing at dawn"],
        ["he bought a new car yesterday"],
        ["the old house stands on a hill"],
        ["we eat bread and cheese for lunch", "our lunch is bread and cheese"],
        ["a girl throws the ball to her brother"],
        ["no one answered the door"],
    ],
    [
        "the cat is on the mat",
        "two dogs running through snow",
        "a man is riding a bike down the street",
        "children play in the park",
        "a woman reads by the window",
        "nine at leaves train the",
        "early birds sing in the morning",
        "he purchased an automobile",
        "an old house on a green hill",
        "bread and cheese for lunch",
        "the girl throws a ball",
        "yes",
    ],
)

SIX_WORDS = [
    "the small boy kicks a ball",
    "two women walk along the beach",
    "snow covers every roof in town",
    "my brother bakes bread each day",
    "nobody knows where that road ends",
]
IDENTICAL = Corpus([[text] for text in SIX_WORDS], SIX_WORDS)

# These texts use letters before n only. The hypotheses replace them by letters after m,
# so the texts have no character in common.
FOUR_WORDS = ["made lamb fell back", "lead milk came idle", "glad deal bled half"]
_OTHER_LETTERS = str.maketrans("abcdefghijklm", "nopqrstuvwxyz")
DISJOINT = Corpus(
    [[text] for text in FOUR_WORDS],
    [text.translate(_OTHER_LETTERS) for text in FOUR_WORDS],
)

# Two references of different lengths that share nothing with the hypothesis.
ALIKE = Corpus(
    [["the cat sat on the mat"], ["rainbow", "a cold and dark morning"]],
    ["the cat sat on a mat", "yesyes"],
)

# Log-probabilities of tokens, for metrics of language models.
SURPRISING = Corpus(
    [own[:1] for own in MIXED.references],
    [[-0.1 * (1 + 5 * i % 7 + j) for j in range(1 + i % 4)] for i in range(12)],
)
CERTAIN = Corpus([[text] for text in FOUR_WORDS], [[0.0, 0.0], [0.0], [0.0]])
IMPOSSIBLE = Corpus([[text] for text in FOUR_WORDS], [[-1.0, -math.inf], [-1.0], [0.0]])


class MetricDescriptor(NamedTuple):
    """A configuration of a metric.

    Attributes:
        name: Name of the row.
        metric_class: The public class.
        arguments: Arguments of its constructor.
        best: Score of `identical`.
        worst: Score of `disjoint`.
        is_mean: Whether the score of a corpus is the mean over its segments.
        takes_first: Whether the first of references with equal scores counts, as in the
            program that the metric reproduces. It matters for a corpus.
        mixed: A corpus that is partly right.
        identical: A corpus whose texts equal their references.
        disjoint: A corpus whose texts share nothing with their references.
    """

    name: str
    metric_class: type
    arguments: dict[str, Any] = {}
    best: float = 1.0
    worst: float = 0.0
    is_mean: bool = False
    takes_first: bool = False
    mixed: Corpus = MIXED
    identical: Corpus = IDENTICAL
    disjoint: Corpus = DISJOINT

    def make(self):
        """A metric of the row."""
        return self.metric_class(**self.arguments)


# Six words in one chunk. Only METEOR 1.5 has no penalty for an identical text.
_ONE_CHUNK_OF_SIX = 1 - 0.5 * (1 / 6) ** 3

# If blanks are characters, hypothesis and reference have 3 blanks at the same positions
# among 16 letters. CER edits the letters only, and chrF++ finds the blanks as n-grams
# of order 1, one of 6 + 2 orders.
_BLANKS = 3 / 19

TEXT_METRICS = [
    MetricDescriptor("BLEU", BLEU),
    MetricDescriptor(
        "BLEU, two orders, floor",
        BLEU,
        {"max_order": 2, "smoothing": "floor", "tokenizer": "none"},
    ),
    MetricDescriptor(
        "BLEU, add-k, effective order, lower case",
        BLEU,
        {"smoothing": "add-k", "effective_order": True, "lowercase": True},
    ),
    MetricDescriptor(
        "BLEU, no smoothing, weights",
        BLEU,
        {"smoothing": "none", "weights": (0.4, 0.3, 0.2, 0.1), "tokenizer": str.split},
    ),
    MetricDescriptor(
        "BLEU, method3, ptb", BLEU, {"smoothing": "method3", "tokenizer": "ptb"}
    ),
    MetricDescriptor("METEOR", METEOR, takes_first=True),
    MetricDescriptor("METEOR 1.5", METEOR, {"preset": "1.5"}, takes_first=True),
    MetricDescriptor(
        "METEOR, adequacy, characters",
        METEOR,
        {"task": "adq", "characters": True},
        takes_first=True,
    ),
    MetricDescriptor(
        "METEOR 2005",
        METEOR,
        {"preset": "2005"},
        _ONE_CHUNK_OF_SIX,
        takes_first=True,
    ),
    MetricDescriptor(
        "METEOR, nltk", METEOR, {"preset": "nltk"}, _ONE_CHUNK_OF_SIX, is_mean=True
    ),
    MetricDescriptor("CIDEr", CIDEr, best=10, is_mean=True),
    MetricDescriptor("CIDEr, split", CIDEr, {"tokenizer": "none"}, 10, is_mean=True),
    MetricDescriptor("CIDEr-D", CIDErD, best=10, is_mean=True),
    MetricDescriptor("CIDEr-D, narrow", CIDErD, {"sigma": 2}, 10, is_mean=True),
    MetricDescriptor("ROUGE-L", ROUGEL, is_mean=True),
    MetricDescriptor(
        "ROUGE-L, coco, stems", ROUGEL, {"variant": "coco", "stem": True}, is_mean=True
    ),
    MetricDescriptor("ROUGE-Lsum", ROUGELsum, is_mean=True),
    MetricDescriptor(
        "ROUGE-Lsum, split, stems",
        ROUGELsum,
        {"separator": "<n>", "tokenizer": "none", "stem": True},
        is_mean=True,
    ),
    MetricDescriptor("ROUGE-1", ROUGEN, is_mean=True),
    MetricDescriptor(
        "ROUGE-2, split", ROUGEN, {"order": 2, "tokenizer": "none"}, is_mean=True
    ),
    MetricDescriptor("chrF", CHRF, takes_first=True),
    MetricDescriptor(
        "chrF++, blanks",
        CHRF,
        {"word_order": 2, "whitespace": True},
        worst=_BLANKS / 8,
        takes_first=True,
    ),
    MetricDescriptor(
        "chrF, epsilon, F1",
        CHRF,
        {"eps_smoothing": True, "beta": 1},
        takes_first=True,
    ),
    MetricDescriptor("TER", TER, best=0, worst=1),
    MetricDescriptor(
        "TER, normalised, no punctuation",
        TER,
        {"normalized": True, "no_punct": True, "case_sensitive": True},
        best=0,
        worst=1,
    ),
    MetricDescriptor("WER", WER, best=0, worst=1),
    MetricDescriptor(
        "WER, 13a, lower case",
        WER,
        {"tokenizer": "13a", "lowercase": True},
        best=0,
        worst=1,
    ),
    MetricDescriptor("CER", CER, best=0, worst=1 - _BLANKS),
    MetricDescriptor("CER, letters", CER, {"whitespace": False}, best=0, worst=1),
    MetricDescriptor("ExactMatch", ExactMatch, is_mean=True),
    MetricDescriptor(
        "ExactMatch, SQuAD", ExactMatch, {"normalize": "squad"}, is_mean=True
    ),
    MetricDescriptor(
        "ExactMatch, function", ExactMatch, {"normalize": str.lower}, is_mean=True
    ),
]

_LIKELIHOOD = {"mixed": SURPRISING, "identical": CERTAIN, "disjoint": IMPOSSIBLE}
LIKELIHOOD_METRICS = [
    MetricDescriptor("Perplexity", Perplexity, best=1, worst=math.inf, **_LIKELIHOOD),
    MetricDescriptor(
        "BitsPerCharacter", BitsPerCharacter, best=0, worst=math.inf, **_LIKELIHOOD
    ),
]

METRICS = TEXT_METRICS + LIKELIHOOD_METRICS


@functools.cache
def score_of_mixed(name):
    """Score of the mixed corpus of a row."""
    (descriptor,) = (row for row in METRICS if row.name == name)
    return descriptor.make().corpus_score(*descriptor.mixed)


def public_metric_classes():
    """All classes of metrics that a user can make."""
    found = set()
    for module in pkgutil.walk_packages(metrics.__path__, "metrics."):
        # Keras is slow to import, and its metrics are no `Metric`. The compiled library
        # is no Python module.
        if "keras" in module.name or "._" in module.name:
            continue
        for name, member in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(member) and issubclass(member, Metric):
                if not name.startswith("_") and not inspect.isabstract(member):
                    found.add(member)
    return sorted(found, key=operator.attrgetter("__name__"))
