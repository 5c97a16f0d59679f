"""Exact match, plain and normalised."""

import re

import pytest

from metrics.edits.exact_match import ExactMatch, normalize_squad


def test_a_hypothesis_that_equals_any_reference_counts():
    references = [["Paris", "paris"], ["London"], ["Rome", "Roma"]]
    score = ExactMatch().corpus_score(references, ["paris", "london", "Roma"])
    assert score.value == pytest.approx(2 / 3)
    assert score.segments == 3


def test_order_of_references_does_not_matter():
    for references in (["a", "b"], ["b", "a"]):
        assert ExactMatch().sentence_score(references, "b").value == 1


def test_part_of_a_reference_is_no_match():
    assert ExactMatch().sentence_score(["the cat sat"], "the cat").value == 0


def test_empty_hypothesis_matches_only_an_empty_reference():
    scores = ExactMatch().sentence_scores([["a"], [""]], ["", ""])
    assert [score.value for score in scores] == [0, 1]


def test_tokens_are_compared_as_text():
    metric = ExactMatch(str.lower)
    assert metric.sentence_score([["A", "cat"]], ["a", "CAT"]).value == 1
    assert metric.sentence_score([["A", "cat"]], ["a"]).value == 0


def test_a_function_normalises_both_sides():
    references = [["STRASSE"]]
    assert ExactMatch(str.lower).corpus_score(references, ["straße"]).value == 0
    assert ExactMatch(str.casefold).corpus_score(references, ["straße"]).value == 1


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The Eiffel  Tower.", "eiffel tower"),
        ("A cat, an apple", "cat apple"),
        # Articles are whole words, and go after the punctuation does.
        ("another theory", "another theory"),
        ("the-cat", "thecat"),
        ("“the” cat", "“ ” cat"),  # only ASCII punctuation
        ("$3,000.50", "300050"),
        ("the", ""),
        ("", ""),
    ],
)
def test_squad_normalisation(text, normalised):
    assert normalize_squad(text) == normalised


def test_squad_normalisation_makes_answers_equal():
    metric = ExactMatch("squad")
    assert metric.sentence_score(["Eiffel Tower"], "the Eiffel Tower!").value == 1
    assert metric.sentence_score(["Eiffel Towers"], "the Eiffel Tower!").value == 0


def test_unknown_normalisation_is_an_error():
    message = (
        "`normalize` must be one of 'none', 'squad', or a function from a string to "
        "a string. Received: normalize='lower'"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ExactMatch("lower")


def test_a_function_that_returns_no_string_is_an_error():
    message = "`normalize` must return a string. Received: None"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        ExactMatch(lambda text: None).sentence_score(["a"], "a")


def test_signature_names_the_normalisation():
    assert ExactMatch().signature().startswith("exact-match|refs:any|norm:none|v:")
    assert "|norm:squad|" in ExactMatch("squad").signature()
    assert "|norm:str.lower|" in ExactMatch(str.lower).signature()
