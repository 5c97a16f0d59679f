"""Counting documents, and the weights that follow."""

import math
import re

import pytest

from metrics.document_frequency import InverseDocumentFrequency, count_documents


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
    message = "The references of segment 1 must be a list. Received: 'a dog'"
    with pytest.raises(TypeError, match=re.escape(message)):
        count_documents([["a dog"], "a dog"])


def test_an_unknown_ngram_weighs_as_one_of_a_single_document():
    idf = InverseDocumentFrequency({("a",): 1, ("b",): 2}, 4)
    assert idf["a",] == idf["c",] == math.log(4)
    assert idf["b",] == pytest.approx(math.log(2))
    assert idf.norm({("a",): 3, ("b",): 2}) == pytest.approx(
        math.sqrt(9 * math.log(4) ** 2 + 4 * math.log(2) ** 2)
    )
