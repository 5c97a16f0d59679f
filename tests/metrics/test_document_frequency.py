"""Counting documents, and the weights that follow."""

import math
import re

import pytest

from metrics.cider.document_frequency import InverseDocumentFrequency, count_documents


def test_documents_are_counted_once_for_each_segment():
    frequency = count_documents([["a b", "a b a"], ["b"]], tokenizer="none")
    assert frequency == {
        ("a",): 1,
        ("b",): 2,
        ("a", "b"): 1,
        ("b", "a"): 1,
        ("a", "b", "a"): 1,
    }


def test_references_of_a_segment_to_count_must_be_a_list():
    message = "`references[1]` must be a list of references. Received: 'a dog'"
    with pytest.raises(TypeError, match=re.escape(message)):
        count_documents([["a dog"], "a dog"])


@pytest.mark.parametrize(
    ("references", "options", "message"),
    [
        (None, {}, "`references` must be a list, with an entry for each segment."),
        ("a dog", {}, "`references` must be a list, with an entry for each segment."),
        ([["a"], [5]], {}, "`references[1][0]` must be a string or a list of tokens."),
        ([[["a", 5]]], {}, "`references[0][0]` must be a string, or a list of tokens"),
        ([["a"]], {"max_order": 0}, "`max_order` must be a positive integer."),
        ([["a"]], {"max_order": 10**9}, "`max_order` must be an integer of at most"),
        ([["a"]], {"tokenizer": 5}, "`tokenizer` must be one of 'none', '13a'"),
    ],
)
def test_what_cannot_be_counted_is_named(references, options, message):
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}"):
        count_documents(references, **options)


def test_an_unknown_ngram_weighs_as_one_of_a_single_document():
    idf = InverseDocumentFrequency({("a",): 1, ("b",): 2}, 4)
    assert idf["a",] == idf["c",] == math.log(4)
    assert idf["b",] == pytest.approx(math.log(2))
    assert idf.norm({("a",): 3, ("b",): 2}) == pytest.approx(
        math.sqrt(9 * math.log(4) ** 2 + 4 * math.log(2) ** 2)
    )
