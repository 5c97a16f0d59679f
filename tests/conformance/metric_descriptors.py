"""Rows for every public text metric of the package. What every metric promises runs
over the rows, see `test_metrics.py`; a new metric needs rows and changes here and
nothing there."""

import functools
import importlib
import inspect
import math
import operator
import pkgutil
from typing import Any, NamedTuple

import metrics
from metrics import BLEU, METEOR, Metric
from metrics.chrf import CHRF
from metrics.cider import CIDEr, CIDErD
from metrics.error_rate import CER, WER
from metrics.exact_match import ExactMatch
from metrics.likelihood import BitsPerCharacter, Perplexity
from metrics.rouge import ROUGEL, ROUGEN
from metrics.ter import TER


class Corpus(NamedTuple):
    """Lists of references, and what is scored, an entry for each segment."""

    references: list
    hypotheses: list


# Lower-case words without punctuation, which all tokenizers split alike.
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

# Of letters before n, which stand for letters after m: not a character in common.
FOUR_WORDS = ["made lamb fell back", "lead milk came idle", "glad deal bled half"]
_OTHER_LETTERS = str.maketrans("abcdefghijklm", "nopqrstuvwxyz")
DISJOINT = Corpus(
    [[text] for text in FOUR_WORDS],
    [text.translate(_OTHER_LETTERS) for text in FOUR_WORDS],
)

# The same for metrics of a model's log-probabilities.
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
        mixed: A corpus with something right and something wrong.
        identical: A corpus whose texts equal their references.
        disjoint: A corpus whose texts have nothing of their references.
    """

    name: str
    metric_class: type
    arguments: dict[str, Any] = {}
    best: float = 1.0
    worst: float = 0.0
    is_mean: bool = False
    mixed: Corpus = MIXED
    identical: Corpus = IDENTICAL
    disjoint: Corpus = DISJOINT

    def make(self):
        """A metric of the row."""
        return self.metric_class(**self.arguments)


# Six words in one chunk. Only METEOR 1.5 leaves out the penalty of an identical text.
_ONE_CHUNK_OF_SIX = 1 - 0.5 * (1 / 6) ** 3

# Where blanks are characters, they stand at the same places among 16 letters: CER edits
# the letters, and chrF++ finds n-grams of the first of 6 + 2 orders.
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
    MetricDescriptor("METEOR", METEOR),
    MetricDescriptor("METEOR 1.5", METEOR, {"preset": "1.5"}),
    MetricDescriptor(
        "METEOR, adequacy, characters", METEOR, {"task": "adq", "characters": True}
    ),
    MetricDescriptor("METEOR 2005", METEOR, {"preset": "2005"}, _ONE_CHUNK_OF_SIX),
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
    MetricDescriptor("ROUGE-1", ROUGEN, is_mean=True),
    MetricDescriptor(
        "ROUGE-2, split", ROUGEN, {"order": 2, "tokenizer": "none"}, is_mean=True
    ),
    MetricDescriptor("chrF", CHRF),
    MetricDescriptor(
        "chrF++, blanks", CHRF, {"word_order": 2, "whitespace": True}, worst=_BLANKS / 8
    ),
    MetricDescriptor("chrF, epsilon, F1", CHRF, {"eps_smoothing": True, "beta": 1}),
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
    for module in pkgutil.iter_modules(metrics.__path__, "metrics."):
        for name, member in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(member) and issubclass(member, Metric):
                if not name.startswith("_") and not inspect.isabstract(member):
                    found.add(member)
    return sorted(found, key=operator.attrgetter("__name__"))


class Change(NamedTuple):
    """A change of constructor arguments that changes what a metric computes."""

    metric_class: type
    changed: dict[str, Any]
    before: dict[str, Any] = {}


_FREQUENCY = {("a",): 1}

# At least one for each argument of each public class. METEOR's `paraphrases`, a file,
# has a test of its own.
CHANGES = [
    Change(BLEU, {"max_order": 3}),
    Change(BLEU, {"weights": (0.4, 0.3, 0.2, 0.1)}),
    Change(BLEU, {"weights": (1, 1, 1, 1)}),
    Change(BLEU, {"tokenizer": "none"}),
    Change(BLEU, {"tokenizer": str.split}),
    Change(BLEU, {"smoothing": "none"}),
    Change(BLEU, {"smoothing_value": 0.2}, {"smoothing": "floor"}),
    Change(BLEU, {"smoothing_value": 2}, {"smoothing": "add-k"}),
    Change(BLEU, {"effective_order": True}),
    Change(BLEU, {"lowercase": True}),
    Change(METEOR, {"preset": "1.5"}),
    Change(METEOR, {"language": "de"}, {"preset": "1.5"}),
    Change(METEOR, {"task": "adq"}),
    Change(METEOR, {"stages": ["exact", "stem"]}),
    Change(METEOR, {"alpha": 0.5}),
    Change(METEOR, {"beta": 0.5}),
    Change(METEOR, {"gamma": 0.5}),
    Change(METEOR, {"delta": 0.5}),
    Change(METEOR, {"weights": (1, 0.5, 0.5)}),
    Change(METEOR, {"tokenizer": "13a"}),
    Change(METEOR, {"lowercase": False}),
    Change(METEOR, {"punctuation": False}),
    Change(METEOR, {"characters": True}),
    Change(METEOR, {"beam": 10}, {"preset": "1.5"}),
    Change(METEOR, {"synonyms": {"car": [1], "automobile": [1]}}),
    Change(METEOR, {"stemmer": str.lower}),
    Change(METEOR, {"function_words": ["the"]}),
    Change(CIDEr, {"tokenizer": "13a"}),
    Change(CIDEr, {"document_frequency": _FREQUENCY, "documents": 2}),
    Change(CIDErD, {"tokenizer": "13a"}),
    Change(CIDErD, {"sigma": 5}),
    Change(CIDErD, {"document_frequency": _FREQUENCY, "documents": 2}),
    Change(ROUGEL, {"variant": "coco"}),
    Change(ROUGEL, {"tokenizer": "13a"}),
    Change(ROUGEL, {"stem": True}),
    Change(ROUGEN, {"order": 2}),
    Change(ROUGEN, {"tokenizer": "13a"}),
    Change(ROUGEN, {"stem": True}),
    Change(CHRF, {"char_order": 4}),
    Change(CHRF, {"word_order": 2}),
    Change(CHRF, {"beta": 1}),
    Change(CHRF, {"lowercase": True}),
    Change(CHRF, {"whitespace": True}),
    Change(CHRF, {"eps_smoothing": True}),
    Change(TER, {"normalized": True}),
    Change(TER, {"no_punct": True}),
    Change(TER, {"asian_support": True}, {"normalized": True}),
    Change(TER, {"case_sensitive": True}),
    Change(WER, {"tokenizer": "13a"}),
    Change(WER, {"lowercase": True}),
    Change(CER, {"lowercase": True}),
    Change(CER, {"whitespace": False}),
    Change(ExactMatch, {"normalize": "squad"}),
    Change(ExactMatch, {"normalize": str.lower}),
]
