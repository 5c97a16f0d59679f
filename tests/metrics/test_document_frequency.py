"""Counting documents, the weights that follow, and frequencies in files."""

import itertools
import math
import random
import re

import pytest

from metrics import CIDEr, CIDErD, count_documents
from metrics.cider import document_table
from metrics.cider.document_frequency import InverseDocumentFrequency
from metrics.cider.document_table import DocumentTable, streamed_counts, write_table


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


@pytest.fixture(scope="module")
def corpus():
    rng = random.Random(1)

    def text():
        return " ".join(rng.choices("abcdefgh", k=rng.randint(0, 9)))

    references = [[text() for _ in range(rng.randint(1, 3))] for _ in range(60)]
    return references, [text() for _ in references]


@pytest.mark.parametrize("entries", [40, 10**6])
def test_frequencies_are_those_of_a_counter(corpus, entries, tmp_path, monkeypatch):
    monkeypatch.setattr(document_table, "_RANGE", entries)
    references, hypotheses = corpus
    metric = CIDEr("none")
    table = write_table(
        tmp_path,
        [
            streamed_counts(
                metric.document_counts([own]) for own in references[start : start + 7]
            )
            for start in range(0, len(references), 7)
        ],
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts", "hashes"]
    assert table.documents == len(references)
    texts = [*hypotheses, *itertools.chain(*references)]
    expected = count_documents(references, tokenizer="none")
    several = {ngram: count for ngram, count in expected.items() if count > 1}
    assert table.size == len(several)
    assert table.frequencies([text.split() for text in texts], 4) == several
    assert table.frequencies([["a"], [], ["z"]], 4) == {("a",): several["a",]}


@pytest.mark.parametrize("metric", [CIDEr("none"), CIDErD()])
def test_parts_have_the_score_of_the_corpus(metric, corpus, tmp_path):
    references, hypotheses = corpus
    halves = [slice(0, 25), slice(25, None)]
    table = write_table(
        tmp_path, (metric.document_counts(references[own]) for own in halves)
    )
    totals = []
    for own in halves:
        texts = references[own], hypotheses[own]
        fitted = metric.fitted_by(table, *texts)
        totals.append(fitted.corpus_statistics(*texts).sum(axis=0))
    whole = metric.corpus_score(references, hypotheses)
    merged = metric.merge(totals)
    assert merged.value == pytest.approx(whole.value, rel=1e-12)
    assert merged.signature == whole.signature


def test_a_table_without_ngrams_has_no_frequencies(tmp_path):
    counts = CIDEr("none").document_counts([["a b"], [""]])
    table = write_table(tmp_path, [counts])
    assert table == DocumentTable(str(tmp_path), 0, 2)
    assert table.frequencies([["a"]], 4) == {}
