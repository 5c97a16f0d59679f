"""Counting many segments at a time for chrF, against counting each alone."""

import collections

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.chrf import ngrams as chrf_ngrams
from metrics.chrf.chrf import CHRF, MIN_BLOCK

texts = st.text(alphabet="abAé. (中😀", max_size=12)
references_of_texts = st.lists(texts, min_size=1, max_size=3)
corpora = st.lists(st.tuples(references_of_texts, texts), min_size=1, max_size=9)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"word_order": 2},
        {"char_order": 0, "word_order": 3},
        {"char_order": 9},
        {"whitespace": True, "lowercase": True},
        {"eps_smoothing": True},
    ],
    ids=str,
)
@given(corpus=corpora)
@example(corpus=[([""], "")] * MIN_BLOCK)
@example(corpus=[(["a", "", "b"], "c"), (["中"], "")] * MIN_BLOCK)
@settings(max_examples=25, deadline=None)
def test_many_segments_count_as_each_alone(config, corpus):
    corpus = corpus * MIN_BLOCK
    references, hypotheses = map(list, zip(*corpus, strict=True))
    metric = CHRF(**config)
    alone = [metric.statistics(*segment) for segment in corpus]
    together = metric.corpus_statistics(references, hypotheses)
    assert together.tolist() == np.array(alone).tolist()


def test_many_characters_and_long_ngrams_are_counted_exactly():
    # 2,000 characters to the power of 30 do not fit into 64 bits.
    rng = np.random.default_rng(0)
    text = "".join(map(chr, 0x4E00 + rng.integers(2000, size=4000)))
    references = [text[i : i + 90] for i in range(0, 4000, 100)]
    hypotheses = [text[i + 5 : i + 95] for i in range(0, 4000, 100)]
    rows = CHRF(char_order=30).corpus_statistics([[r] for r in references], hypotheses)
    for row, reference, hypothesis in zip(rows, references, hypotheses, strict=True):
        for order in range(1, 31):
            own, other = (
                collections.Counter(t[i : i + order] for i in range(len(t) - order + 1))
                for t in (hypothesis, reference)
            )
            counts = row[3 * order : 3 * order + 3].tolist()
            assert counts == [own.total(), other.total(), (own & other).total()]


def test_chunks_do_not_change_the_counts(monkeypatch):
    references = [
        ["a cat sat.", "the cat"],
        ["a dog"],
        ["", "x"],
        ["cats and dogs"],
    ] * 9
    hypotheses = ["the cat sat", "a dog", "x", "dogs and cats"] * 9
    metric = CHRF(word_order=2)
    whole = metric.corpus_statistics(references, hypotheses)
    monkeypatch.setattr(chrf_ngrams, "CHUNK", 1)
    assert (metric.corpus_statistics(references, hypotheses) == whole).all()
