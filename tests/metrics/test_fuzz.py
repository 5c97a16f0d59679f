"""Whatever a metric is given: a finite score, or an error that names the argument.

A few cases run here, always the same. MEMNETS_FUZZ_CASES=100000 in the environment runs
as many in all, others each time; how many came to a score and how many to an error is
in the report that `--junitxml` writes."""

import collections
import inspect
import os

import pytest
from fuzz import keras_cases, other_cases, part_cases
from fuzz.judge import count
from fuzz.options import OPTIONS
from fuzz.text_cases import text_cases

import metrics

SUBJECTS = {
    **{name: text_cases(name) for name in OPTIONS},
    **{
        name: other_cases.likelihood_cases(name)
        for name in ("Perplexity", "BitsPerCharacter")
    },
    "mask": other_cases.mask_cases(),
    "score_from": other_cases.sum_cases(),
    "align": other_cases.alignment_cases(),
    "get": other_cases.name_cases(),
    "count_documents": other_cases.document_cases(),
    **{
        function.__name__: other_cases.comparison_cases(function)
        for function in (metrics.paired_bootstrap, metrics.approximate_randomization)
    },
    "sums": part_cases.part_cases(),
    "TokenBLEU": keras_cases.token_bleu_cases(),
    "GenerationMetrics": keras_cases.callback_cases(),
}

# Public functions that the cases of a metric cover.
COVERED = {
    "get": "BLEU",
    "corpus_bleu": "BLEU",
    "sentence_bleu": "BLEU",
    "corpus_meteor": "METEOR",
    "sentence_meteor": "METEOR",
    "merge_sums": "sums",
    "score_sums": "sums",
    "paired_bootstrap_of_sums": "sums",
    "approximate_randomization_of_sums": "sums",
    # Its one argument is that of METEOR.
    "coco_metrics": "METEOR",
    "perplexity": "Perplexity",
    "bits_per_character": "BitsPerCharacter",
}

ASKED_FOR = os.environ.get("MEMNETS_FUZZ_CASES")
CASES = -(-int(ASKED_FOR or 600) // len(SUBJECTS))


@pytest.mark.parametrize("name", SUBJECTS)
def test_everything_is_scored_or_refused_by_name(name, record_property):
    counted = count(SUBJECTS[name], CASES, seed=None if ASKED_FOR else 0)
    outcomes = collections.Counter()
    for kind, times in counted.items():
        outcomes[kind.rpartition(": ")[2]] += times
    for outcome, times in outcomes.items():
        record_property(outcome, times)
    assert outcomes.total() >= CASES
    assert 0 < outcomes["score"] < outcomes.total()


@pytest.mark.parametrize("name", metrics.__all__)
def test_everything_public_has_cases(name):
    member = getattr(metrics, name)
    is_metric = inspect.isclass(member) and issubclass(member, metrics.Metric)
    if inspect.isfunction(member) or (is_metric and not inspect.isabstract(member)):
        assert COVERED.get(name, name) in SUBJECTS
