"""What is refused by name, and before any work is done."""

import collections
import math

import numpy as np
import pytest

from metrics import BLEU, METEOR, approximate_randomization, paired_bootstrap
from metrics.checks import check_choice
from metrics.cider.document_frequency import count_documents
from metrics.edits.exact_match import ExactMatch
from metrics.likelihood.likelihood import Perplexity
from metrics.text_checks import check_corpus

BOTH = pytest.mark.parametrize("compare", [paired_bootstrap, approximate_randomization])


class Uncountable(ExactMatch):
    def _segment_statistics(self, references, hypothesis):
        raise AssertionError("counted")


@pytest.mark.parametrize(
    "arguments", [{"confidence": 95}, {"confidence": 0.9, "resamples": 0}]
)
def test_arguments_are_refused_before_a_segment_is_counted(arguments):  # test_intervals
    with pytest.raises(ValueError, match="must be"):
        Uncountable().corpus_score([["a"]], ["a"], **arguments)


@BOTH
def test_trials_are_refused_before_a_segment_is_counted(compare):  # test_significance
    with pytest.raises(ValueError, match="`trials` must be"):
        compare(Uncountable(), [["a"]], ["a"], ["a"], trials=0)


@BOTH
def test_infinite_scores_are_not_compared(compare):
    hypotheses = [[-1.0]] * 9 + [[-math.inf]]
    with pytest.raises(
        ValueError, match="^`metric` must have finite scores to be compared"
    ):
        compare(Perplexity(), [[]] * 10, hypotheses, hypotheses, trials=50)


@BOTH
def test_errors_of_the_baseline_name_it(compare):  # test_significance
    with pytest.raises((TypeError, ValueError), match="baseline"):
        compare(ExactMatch(), [["a"], ["b"]], ["a", "b"], ["a"])


def test_lists_of_one_reference_do_not_look_transposed():  # test_checks
    with pytest.raises(ValueError, match=r"2 and 1 hypotheses\.$"):
        check_corpus([["a"], ["b"]], ["a"])


def test_what_cannot_be_sliced_is_refused_by_name():  # test_checks
    with pytest.raises(TypeError, match="^`references` must be a list"):
        BLEU().corpus_score(collections.deque([["a"]]), collections.deque(["a"]))


def test_a_list_is_no_choice():  # test_checks
    with pytest.raises((TypeError, ValueError), match="^`smoothing` must be one of"):
        check_choice("smoothing", ["exp"], {"exp": 1})


class SeveralLines(list):
    def __repr__(self):
        return "0  a\n1  b"


@pytest.mark.parametrize("preset", ["2005", "corrected"])
@pytest.mark.parametrize("name", ["task", "stages", "language"])
def test_what_was_received_is_shown_in_one_line(preset, name):  # test_meteor
    with pytest.raises((TypeError, ValueError), match=f"`{name}`") as caught:
        METEOR(preset=preset, **{name: SeveralLines()})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "give"),
    [
        ("totals", BLEU().merge),
        ("references", count_documents),
        (
            "synonyms",
            lambda array: METEOR(synonyms=lambda _: array).corpus_score([["a"]], ["b"]),
        ),
    ],
)
def test_an_array_without_axes_is_no_list(name, give):  # test_checks
    with pytest.raises(TypeError, match=f"^`{name}`"):
        give(np.array("a"))
