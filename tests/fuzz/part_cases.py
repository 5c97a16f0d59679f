"""Cases of corpora that are counted in parts: `metrics.sums` and what adds them."""

import math

from fuzz.judge import Case
from fuzz.options import OPTIONS
from fuzz.other_cases import NO_METRICS
from fuzz.text_cases import BAD_ARGUMENTS
from fuzz.texts import (
    aliens,
    corpora,
    flags,
    huge,
    no_choices,
    no_integers,
    no_lists,
    spoilt_corpora,
)
from hypothesis import strategies as st

import metrics

NO_ARGUMENTS = {
    "metric": st.one_of(st.sampled_from(NO_METRICS), aliens),
    "resamples": st.one_of(no_integers(0), huge),
    "seed": BAD_ARGUMENTS["seed"],
    "key": aliens.filter(lambda value: not isinstance(value, str)),
    "method": no_choices,
    "block": no_integers(0),
}
TESTS = {
    "bootstrap": metrics.paired_bootstrap_of_sums,
    "randomization": metrics.approximate_randomization_of_sums,
}


@st.composite
def part_cases(draw):
    """Cases of `sums`, `merge_sums`, `score_sums` and the tests of two systems."""
    metric = OPTIONS[draw(st.sampled_from(tuple(OPTIONS)))].make()
    corpus = draw(corpora())
    method = draw(st.sampled_from(tuple(TESTS)))
    arguments = {"resamples": 20, "seed": 3, "key": "part", "method": method}
    spoilt = draw(st.sampled_from((None, None, "corpus", "parts", *NO_ARGUMENTS)))
    names = (spoilt,)
    if spoilt == "corpus":
        corpus, where = draw(spoilt_corpora())
        names = (where,)
    elif spoilt == "parts":
        bad = draw(st.one_of(aliens, no_lists))
    elif spoilt is None:
        names = ("smoothing",)  # of BLEU, that is of one sentence only
    elif spoilt != "metric":
        arguments[spoilt] = draw(NO_ARGUMENTS[spoilt])
    given = draw(NO_ARGUMENTS["metric"]) if spoilt == "metric" else None
    nested = draw(flags)

    def do():
        if spoilt == "parts":
            return [metrics.merge_sums([bad] if nested else bad)]
        if spoilt == "metric":
            return [metrics.sums(given, *corpus, **arguments)]
        fitted = metric if spoilt else metric.fitted(*corpus)
        if spoilt == "corpus":
            fitted = metric.fitted(*corpus)
        own = metrics.merge_sums([metrics.sums(fitted, *corpus, **arguments)])
        confidence = 0.9 if method == "bootstrap" else None
        score = metrics.score_sums(fitted, own, confidence=confidence)
        assert math.isclose(score.value, metric.corpus_score(*corpus).value)
        assert TESTS[method](fitted, own, own).p_value == 1
        return [score]

    return Case(
        f"bad {spoilt}" if spoilt else "good",
        do,
        names,
        bool(spoilt),
        (metric, corpus, arguments),
        high=math.inf,
    )
