"""Cases of the text metrics, through every function and method that returns a score."""

import math
from unittest import mock

import numpy as np
from fuzz.judge import ROUNDING, Case, check_score
from fuzz.options import OPTIONS, wild_options
from fuzz.texts import (
    Corpus,
    anything,
    corpora,
    huge,
    no_integers,
    no_numbers,
    perfect_corpora,
    spoilt_corpora,
    spoilt_segments,
)
from hypothesis import strategies as st

import metrics
from metrics.bleu.smoothing import SENTENCE_ONLY
from metrics.meteor import native

LARGEST = {"CIDEr": 10, "CIDErD": 10, "TER": math.inf, "WER": math.inf, "CER": math.inf}
# Values of the other arguments of `corpus_score`.
GOOD_ARGUMENTS = {
    "confidence": st.one_of(
        st.none(),
        st.floats(0, 1, exclude_min=True, exclude_max=True),
        st.sampled_from((np.float64(0.9), np.float32(0.5))),
    ),
    "resamples": st.sampled_from((1, 2, 20, np.int64(7))),
    "seed": st.sampled_from((0, 1, 2**63, np.uint8(255))),
    "jobs": st.sampled_from((1, np.int64(1))),
}
BAD_ARGUMENTS = {
    "confidence": st.one_of(
        no_numbers, st.sampled_from((0, 1, 95, -0.5, 10**400, 1.5))
    ).filter(lambda value: value is not None),
    "resamples": st.one_of(no_integers(1), huge),
    "seed": st.one_of(no_integers(0), st.sampled_from((2**64, 10**400))),
    "jobs": no_integers(1),
}
FUNCTIONS = {
    "BLEU": (metrics.corpus_bleu, metrics.sentence_bleu),
    "METEOR": (metrics.corpus_meteor, metrics.sentence_meteor),
}


def text_cases(name: str) -> st.SearchStrategy[Case]:
    """Cases of the metric of this name in `metrics`."""
    kinds = [_good(name), _good_sentence(name), _perfect(name), _bad_corpus(name)]
    kinds += [_bad_sentence(name), _bad_option(name), _bad_argument(name), _wild(name)]
    return st.one_of(kinds)


def _highest(name, options):
    if name != "BLEU":
        return LARGEST.get(name, 1.0)
    if options.get("smoothing") in ("method5", "method6", "method7"):
        # The largest is (p_0 + p_1 + p_2) / 3 = 4/3, to the power of the weights.
        return (4 / 3) ** max(1.0, sum(options.get("weights", (1,))))
    return 1.0


def _score_corpus(name, options, corpus, arguments, by_function):
    if by_function and name in FUNCTIONS:
        return [FUNCTIONS[name][0](*corpus, **arguments, **options)]
    return [OPTIONS[name].make(**options).corpus_score(*corpus, **arguments)]


def _score_sentence(name, options, segment, by_function):
    if by_function and name in FUNCTIONS:
        return [FUNCTIONS[name][1](*segment, **options)]
    return [OPTIONS[name].make(**options).sentence_score(*segment)]


def _fitting(name, options, corpus):
    """The corpus, or its first segment if the metric is for one segment only."""
    if options.get("smoothing") in SENTENCE_ONLY:
        return Corpus(*(part[:1] for part in corpus))
    return corpus


def _with_documents(name, options):
    """The options with document frequencies, which CIDEr of a sentence needs."""
    if name.startswith("CIDEr") and "documents" not in options:
        return options | {"document_frequency": {("the",): 3}, "documents": 10}
    return options


@st.composite
def _good(draw, name):
    options = draw(OPTIONS[name].good)
    corpus = _fitting(name, options, draw(corpora()))
    arguments = draw(st.fixed_dictionaries({}, optional=GOOD_ARGUMENTS))
    by_function = draw(st.booleans())
    shown = name, options, corpus, arguments

    def do():
        [score] = _score_corpus(name, options, corpus, arguments, by_function)
        _check_corpus(name, options, corpus, score)
        return [score]

    return Case("good corpus", do, shown=shown, high=_highest(name, options))


def _check_corpus(name, options, corpus, score):
    """Checks what holds for every good corpus; the assertions name it."""
    metric = OPTIONS[name].make(**options)
    again = metric.corpus_score(*corpus)
    assert again.value == score.value, "the same twice"
    assert again.signature == score.signature
    backwards = metric.corpus_score(*(part[::-1] for part in corpus))
    assert _is_near(backwards.value, score.value), "order of segments"
    fitted = metric.fitted(*corpus)
    rows = fitted.corpus_statistics(*corpus)
    assert np.isfinite(rows).all() and (rows >= 0).all(), "statistics"
    middle = len(rows) // 2
    halves = [rows[:middle].sum(axis=0)] * (middle > 0) + [rows[middle:].sum(axis=0)]
    assert _is_near(fitted.merge(halves).value, score.value), "halves make the whole"
    for own in fitted.sentence_scores(*corpus):
        check_score(own, 0, _highest(name, options))
    if options.get("preset") == "1.5":
        with mock.patch.object(native, "load", lambda: None):
            assert metric.corpus_score(*corpus) == again, "compiled or not"


def _is_near(own, other):
    return math.isclose(own, other, rel_tol=ROUNDING, abs_tol=ROUNDING)


@st.composite
def _good_sentence(draw, name):
    options = _with_documents(name, draw(OPTIONS[name].good))
    [references], [hypothesis] = draw(corpora(max_size=1))
    by_function = draw(st.booleans())
    return Case(
        "good sentence",
        lambda: _score_sentence(name, options, (references, hypothesis), by_function),
        shown=(name, options, references, hypothesis),
        high=_highest(name, options),
    )


@st.composite
def _perfect(draw, name):
    options = draw(OPTIONS[name].good)
    corpus = _fitting(name, options, draw(perfect_corpora()))
    if name.startswith("CIDEr"):  # its score is a mean over the references
        options |= {"document_frequency": {}, "documents": 10}
        corpus = Corpus([[text] for text in corpus.hypotheses], corpus.hypotheses)

    def do():
        metric = OPTIONS[name].make(**options)
        score = metric.corpus_score(*corpus)
        best = _best(name, options, metric, corpus.hypotheses)
        if best is not None:
            assert _is_near(score.value, best), f"{score} instead of {best}"
        return [score]

    shown = name, options, corpus
    return Case("perfect corpus", do, shown=shown, high=_highest(name, options))


def _best(name, options, metric, hypotheses):
    """Score of texts of six words or more that equal one of their references.

    `None` means that the score depends on the texts.
    """
    match name:
        case "BLEU":
            if options.get("smoothing") in ("method5", "method7"):
                return None
            return 1.0 if int(options.get("max_order", 4)) <= 6 else None
        case "METEOR":
            return _best_meteor(metric, hypotheses)
        case "CHRF":
            return None if options.get("eps_smoothing") else 1.0
        case "TER":
            # Normalised twice, a reference may differ from its hypothesis.
            return None if options.get("normalized") else 0.0
        case "CIDEr" | "CIDErD":
            return 10.0
    return 1.0 if metric.higher_is_better else 0.0


def _best_meteor(metric, hypotheses):
    formula = metric.formula
    if formula.weights[0] < max(formula.weights):
        return None  # another reference may have a better score
    if formula.no_penalty_for_one_chunk:
        return formula.weights[0]
    lengths = [len(metric._tokens(text)) for text in hypotheses]
    if metric.preset == "2005":
        lengths = [sum(lengths) / len(lengths)]
    penalties = [formula.gamma * length**-formula.beta for length in lengths]
    return formula.weights[0] * (1 - sum(penalties) / len(penalties))


@st.composite
def _bad_corpus(draw, name):
    options = draw(OPTIONS[name].good)
    corpus, spoilt = draw(spoilt_corpora())
    method = draw(
        st.sampled_from(
            ("corpus_score", "sentence_scores", "corpus_statistics", "fitted", "")
        )
    )

    def do():
        if not method:
            return _score_corpus(name, options, corpus, {}, True)
        return [getattr(OPTIONS[name].make(**options), method)(*corpus)]

    return Case("bad corpus", do, (spoilt,), True, (name, options, method, corpus))


@st.composite
def _bad_sentence(draw, name):
    options = _with_documents(name, draw(OPTIONS[name].good))
    segment, spoilt = draw(spoilt_segments())
    method = draw(st.sampled_from(("sentence_score", "statistics", "")))

    def do():
        if not method:
            return _score_sentence(name, options, segment, True)
        return [getattr(OPTIONS[name].make(**options), method)(*segment)]

    return Case("bad sentence", do, (spoilt,), True, (name, options, method, segment))


@st.composite
def _bad_option(draw, name):
    options = draw(OPTIONS[name].good)
    bad = OPTIONS[name].bad
    spoilt = draw(st.sampled_from(tuple(bad)))
    if spoilt == "paraphrases":  # a table that no stage uses is not read
        options = {k: v for k, v in options.items() if k not in ("stages", "weights")}
    options[spoilt] = draw(bad[spoilt])
    corpus = draw(corpora(max_size=2))
    by_function = draw(st.booleans())
    return Case(
        "bad option",
        lambda: _score_corpus(name, options, corpus, {}, by_function),
        (spoilt,),
        True,
        (name, options),
    )


@st.composite
def _bad_argument(draw, name):
    options = draw(OPTIONS[name].good)
    corpus = draw(corpora(max_size=2))
    arguments = draw(st.fixed_dictionaries({}, optional=GOOD_ARGUMENTS))
    arguments["confidence"] = 0.9
    spoilt = draw(st.sampled_from(tuple(BAD_ARGUMENTS)))
    arguments[spoilt] = draw(BAD_ARGUMENTS[spoilt])
    return Case(
        "bad argument",
        lambda: _score_corpus(name, options, corpus, arguments, False),
        (spoilt,),
        True,
        (name, options, corpus, arguments),
    )


@st.composite
def _wild(draw, name):
    options = draw(wild_options(name))
    references, hypotheses = draw(anything), draw(anything)
    if draw(st.booleans()):
        references, hypotheses = draw(corpora(max_size=2))
    names = (*OPTIONS[name].bad, "references", "hypotheses")
    return Case(
        "wild",
        lambda: _score_corpus(name, options, (references, hypotheses), {}, False),
        names,
        shown=(name, options, references, hypotheses),
        high=_highest(name, {}),
    )
