"""Valid and invalid arguments for the constructors of the metrics.

`OPTIONS` has strategies for each metric: one for valid arguments, and for each argument
one for values that must be refused by its name, whatever the other arguments are.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from fuzz.texts import (
    WORDS,
    Series,
    aliens,
    anything,
    flags,
    huge,
    integers,
    no_choices,
    no_flags,
    no_integers,
    outside,
    reals,
    unit,
    words,
)
from hypothesis import strategies as st

import metrics
from metrics.bleu.smoothing import SMOOTHINGS
from metrics.tokenizers import TOKENIZERS
from metrics.tokenizers.stemmers import STEMMERS

Strategy = st.SearchStrategy


class Splitter:
    """A tokenizer that is not a function and has no name."""

    def __call__(self, text):
        return tuple(text.split())


tokenizers = st.one_of(
    st.sampled_from(tuple(TOKENIZERS)), st.sampled_from((str.split, list, Splitter()))
)


class Options(NamedTuple):
    """How the constructor of a metric is called.

    Attributes:
        make: The metric, or a function with the same arguments.
        good: Draws arguments.
        bad: For each argument, draws values that must be refused.
    """

    make: Callable[..., metrics.Metric]
    good: Strategy[dict[str, Any]]
    bad: dict[str, Strategy] = {}


def some(**options: Strategy) -> Strategy[dict[str, Any]]:
    """Draws some of these arguments."""
    return st.fixed_dictionaries({}, optional=options)


# Values that are not tokenizers.
NO_TOKENIZERS = (
    *(5, math.nan, True, b"13a", "14a", "", "\ud800", ["none"], {"none": 1}),
    *(np.array(["none"]), np.array(["none", "13a"]), Series()),
)
no_tokenizers = st.sampled_from(NO_TOKENIZERS)


@st.composite
def bleu_options(draw):
    """Arguments of BLEU that are valid together."""
    found = draw(
        some(
            max_order=integers(1, 7),
            tokenizer=tokenizers,
            smoothing=st.sampled_from(tuple(SMOOTHINGS)),
            effective_order=flags,
            lowercase=flags,
        )
    )
    if found.get("smoothing") in ("floor", "add-k"):
        found |= draw(some(smoothing_value=reals(0, 1, exclude_min=True)))
    if draw(st.booleans()):
        size = int(found.get("max_order", 4))
        weights = st.lists(st.floats(0, 1), min_size=size, max_size=size).filter(any)
        kind = draw(st.sampled_from((list, tuple, np.array)))
        found["weights"] = kind(draw(weights))
    return found


def _unused_of_meteor(found, stages, language):
    """Arguments that no stage of METEOR uses, or can use, which is an error."""
    if stages is not None:
        users = {"stemmer": "stem", "synonyms": "synonym"}
        return {name for name, stage in users.items() if stage not in stages}
    unused = set()
    if language == "en":
        return unused
    stemmer, synonyms = found.get("stemmer"), found.get("synonyms")
    if stemmer == "porter" or (stemmer == "snowball" and language == "other"):
        unused.add("stemmer")
    # German, French and Russian have no weight of synonyms; WordNet is English.
    if language in ("de", "fr", "ru") or synonyms == "wordnet":
        unused.add("synonyms")
    return unused


@st.composite
def meteor_options(draw):
    """Arguments of METEOR that are valid together."""
    preset = draw(st.sampled_from(("corrected", "1.5", "2005", "nltk")))
    found = {"preset": preset} | draw(
        some(
            alpha=reals(0, 1, **unit),
            beta=reals(0, 1e300, exclude_min=True),
            gamma=reals(0, 1),
            delta=reals(0, 1, **unit),
            tokenizer=st.one_of(st.none(), tokenizers),
            lowercase=flags,
            characters=flags,
            stemmer=st.sampled_from((*STEMMERS, str.upper)),
            function_words=st.lists(words, max_size=3),
        )
    )
    stages = draw(
        st.sampled_from((None, ("exact",), ["exact", "stem"], ("exact", "synonym")))
    )
    found["stages"] = stages
    if preset == "corrected":
        found |= draw(some(task=st.sampled_from(("rank", "adq", "hter", "li", "tune"))))
    if preset == "1.5":
        language = st.sampled_from(("en", "en", "de", "fr", "ru", "tr", "other"))
        found |= draw(some(beam=integers(1, 60), language=language))
    if preset != "nltk":
        synonyms = st.sampled_from((None, "wordnet", {"cat": [1], "kitty": [1]}, list))
        found |= draw(some(synonyms=synonyms))
    language = found.get("language", "en")
    if language != "en":
        found["stages"] = stages = None
    unused = _unused_of_meteor(found, stages, language)
    found = {name: value for name, value in found.items() if name not in unused}
    if stages is not None and draw(st.booleans()):
        size = len(stages)
        found["weights"] = draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    return found


@st.composite
def consensus_options(draw):
    """Arguments of CIDEr, half of them with given document counts."""
    found = draw(some(tokenizer=tokenizers))
    if draw(st.booleans()):
        documents = draw(st.sampled_from((2, 10, np.int64(3), 2**53)))
        ngrams = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
        counts = st.one_of(st.integers(0, 2), st.floats(0, 2))
        found["documents"] = documents
        found["document_frequency"] = draw(st.dictionaries(ngrams, counts, max_size=4))
    return found


no_frequencies = st.one_of(
    aliens.filter(lambda value: value is not None and not isinstance(value, dict)),
    st.sampled_from(({"a": 1}, {("a",): -1}, {("a",): math.nan}, {("a",): "1"}, 5, "")),
    st.sampled_from(({("a",): None}, {("a",): True}, {("a",): 10**401}, {1: 1}, [()])),
    st.sampled_from(({("a", 1): 1}, {("a",): np.array([1, 2])}, {("a",): 1j})),
)
NO_WORDS = (
    5,
    math.nan,
    "the",
    b"the",
    [1],
    [None],
    ["a", b"b"],
    [["a"]],
    [np.array(1)],
)
NO_STAGES = (
    *(5, "exact", [], ["stem"], ["exact", "exact"], ["exact", 1], [["exact"]], True),
    *([np.array(["exact", "stem"])], {"exact": 1, "stems": 2}, ["exact", None]),
)
NO_WEIGHTS = (
    *(5, 0.25, "1111", b"1111", [], [0] * 8, {1: 1}, math.nan, True, Series([1, 1])),
    *([1, 1, 1, -1], [1, 1, 1, math.nan], [1, 1, 1, "1"], [1, 1, 1, None], [[1] * 4]),
    *([1, 1, 1, 1e308], [1, 1, 1, 10**400], np.zeros(8), np.array(1), np.ones((4, 4))),
)
_BLEU_BAD = {
    "max_order": st.one_of(no_integers(1), huge),
    "weights": st.sampled_from(NO_WEIGHTS),
    "tokenizer": no_tokenizers,
    "smoothing": no_choices,
    "smoothing_value": outside(0, math.inf, open_ends=True).filter(
        lambda value: value is not None
    ),
    "effective_order": no_flags,
    "lowercase": no_flags,
}
_METEOR_BAD = {
    "preset": no_choices,
    "language": no_choices,
    "task": no_choices.filter(lambda value: value is not None),
    "stages": st.one_of(
        aliens.filter(lambda value: value is not None), st.sampled_from(NO_STAGES)
    ),
    "alpha": outside(0, 1, open_ends=True).filter(lambda value: value is not None),
    "beta": outside(0, math.inf, open_ends=True).filter(lambda v: v is not None),
    "gamma": outside(0, 1).filter(lambda value: value is not None),
    "delta": outside(0, 1, open_ends=True).filter(lambda value: value is not None),
    "weights": st.sampled_from(NO_WEIGHTS),
    "tokenizer": no_tokenizers,
    "lowercase": no_flags,
    "punctuation": no_flags,
    "characters": no_flags,
    "beam": st.one_of(no_integers(1), huge),
    "synonyms": st.sampled_from((5, math.nan, "nltk", b"wordnet", ["a"], np.array(1))),
    "stemmer": st.sampled_from((5, math.nan, "", b"porter", ["porter"], np.ones(2))),
    "function_words": st.sampled_from(NO_WORDS),
    "paraphrases": st.sampled_from((5, math.nan, True, b"table", [], "gone", "\0", "")),
}
_CONSENSUS_BAD = {
    "tokenizer": no_tokenizers,
    "document_frequency": no_frequencies,
    "documents": st.one_of(
        no_integers(2).filter(lambda value: value is not None), st.just(2**54)
    ),
}
_ROUGE_BAD = {"tokenizer": no_tokenizers, "stem": no_flags}
_TER_FLAGS = ("normalized", "no_punct", "asian_support", "case_sensitive")
_rouge = {"tokenizer": st.one_of(st.none(), tokenizers), "stem": flags}

OPTIONS: dict[str, Options] = {
    "BLEU": Options(metrics.BLEU, bleu_options(), _BLEU_BAD),
    "METEOR": Options(metrics.METEOR, meteor_options(), _METEOR_BAD),
    "ROUGEL": Options(
        metrics.ROUGEL,
        some(variant=st.sampled_from(("google", "coco")), **_rouge),
        {"variant": no_choices, **_ROUGE_BAD},
    ),
    "ROUGELsum": Options(
        metrics.ROUGELsum,
        some(separator=st.sampled_from(("\n", "<n>", " ", "|")), **_rouge),
        {"separator": st.sampled_from(("", 5, None, b"<n>", [])), **_ROUGE_BAD},
    ),
    "ROUGEN": Options(
        metrics.ROUGEN,
        some(order=integers(1, 6), **_rouge),
        {"order": st.one_of(no_integers(1), huge), **_ROUGE_BAD},
    ),
    "CIDEr": Options(metrics.CIDEr, consensus_options(), _CONSENSUS_BAD),
    "CIDErD": Options(
        metrics.CIDErD,
        st.builds(
            dict.__or__,
            consensus_options(),
            some(sigma=st.one_of(reals(0, 1e300, exclude_min=True), integers(1, 9))),
        ),
        _CONSENSUS_BAD | {"sigma": outside(0, math.inf, open_ends=True)},
    ),
    "CHRF": Options(
        metrics.CHRF,
        some(
            char_order=integers(1, 9),
            word_order=integers(0, 3),
            beta=st.one_of(reals(0, 1e6), integers(0, 9)),
            lowercase=flags,
            whitespace=flags,
            eps_smoothing=flags,
        ),
        {
            "char_order": st.one_of(no_integers(0), huge),
            "word_order": st.one_of(no_integers(0), huge),
            "beta": outside(0, math.inf),
            "lowercase": no_flags,
            "whitespace": no_flags,
            "eps_smoothing": no_flags,
        },
    ),
    "TER": Options(
        metrics.TER,
        some(**dict.fromkeys(_TER_FLAGS, flags)),
        dict.fromkeys(_TER_FLAGS, no_flags),
    ),
    "WER": Options(
        metrics.WER,
        some(tokenizer=tokenizers, lowercase=flags),
        {"tokenizer": no_tokenizers, "lowercase": no_flags},
    ),
    "CER": Options(
        metrics.CER,
        some(lowercase=flags, whitespace=flags),
        {"lowercase": no_flags, "whitespace": no_flags},
    ),
    "ExactMatch": Options(
        metrics.ExactMatch,
        some(normalize=st.sampled_from(("none", "squad", str.lower, str.strip))),
        {"normalize": no_choices},
    ),
}


def wild_options(name):
    """Any values for any arguments of a metric."""
    own = OPTIONS[name].bad
    return st.dictionaries(st.sampled_from(tuple(own)), anything, max_size=3)
