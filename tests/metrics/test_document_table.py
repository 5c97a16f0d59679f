"""Document frequencies in files, against those in memory."""

import itertools
import random

import pytest

from metrics import CIDEr, CIDErD, count_documents
from metrics.cider import document_table
from metrics.cider.document_table import DocumentTable, streamed_counts, write_table


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
