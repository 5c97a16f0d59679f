"""BLEU beside sacreBLEU, and smoothed beside NLTK."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import bleu_score as nltk_bleu

from metrics import BLEU, corpus_bleu, sentence_bleu

TEXT = st.lists(st.sampled_from(["a", "b", "C", "c"]), max_size=9)
SEGMENT = st.tuples(st.lists(TEXT, min_size=1, max_size=4), TEXT)
CORPUS = st.lists(SEGMENT, min_size=1, max_size=9)

CAPTIONS = [
    (
        ["Two dogs run on the beach.", "A pair of dogs is running, by the sea."],
        "Two dogs are running on the beach.",
    ),
    (["A man reads a newspaper."], "The man is reading the news-paper!"),
    (
        ["3,000 people (or more) came.", "Some 3,000 came", "They came in 2016."],
        "About 3,000 people came in 2016.",
    ),
    (["我有一只猫。", "A cat’s life – 5€"], "我有两只猫 &quot;5€&quot;"),
    (["yes"], "no"),
    (["yes", ""], "yes"),
    ([""], "words without a reference"),
    (["A reference without words"], ""),
]
REFERENCES = [references for references, _ in CAPTIONS]
HYPOTHESES = [hypothesis for _, hypothesis in CAPTIONS]


@pytest.mark.parametrize("method", [f"method{n}" for n in range(1, 8)])
def test_methods_of_chen_and_cherry_are_those_of_nltk(method):
    smooth = getattr(nltk_bleu.SmoothingFunction(), method)

    @settings(max_examples=150, deadline=None)
    @given(SEGMENT)
    def check(segment):
        references, hypothesis = segment
        try:
            theirs = nltk_bleu.sentence_bleu(
                references, hypothesis, smoothing_function=smooth
            )
        except AssertionError:
            return  # method 6 without three words that match
        ours = sentence_bleu(references, hypothesis, smoothing=method)
        assert ours.value == pytest.approx(theirs, abs=1e-9)

    check()


def test_methods_5_and_7_give_a_perfect_sentence_more_than_one():
    # m_0 = 2, m_n = (m_(n-1) + 2) / 3 with all p = 1: 4/3, 10/9, 28/27, 82/81.
    perfect = (4 / 3 * 10 / 9 * 28 / 27 * 82 / 81) ** (1 / 4)
    for method in ("method5", "method7"):
        score = sentence_bleu(["a b c d e"], "a b c d e", smoothing=method)
        assert score.value == pytest.approx(perfect)


def test_method_1_on_a_corpus_takes_the_totals_of_the_corpus():
    # 3 words of 3, 0 pairs of 1: NLTK would count a pair in "c" too.
    score = corpus_bleu(
        [["b a"], ["c"]], ["a b", "c"], max_order=2, smoothing="method1"
    )
    assert score.precisions == (1.0, 0.1)


@pytest.mark.parametrize("tokenizer", ["none", "13a", "intl", "char", "zh"])
@pytest.mark.parametrize(
    "smoothing, value",
    [("none", None), ("floor", None), ("floor", 0.02), ("add-k", 2), ("exp", None)],
)
def test_score_is_that_of_sacrebleu(tokenizer, smoothing, value):
    sacrebleu = pytest.importorskip("sacrebleu")
    rng = random.Random(f"{tokenizer}{smoothing}{value}")
    for _ in range(4):
        order, lowercase, effective = (
            rng.randint(1, 5),
            rng.random() < 0.5,
            rng.random() < 0.5,
        )
        theirs = sacrebleu.BLEU(
            tokenize=tokenizer,
            smooth_method=smoothing,
            smooth_value=value,
            max_ngram_order=order,
            lowercase=lowercase,
            effective_order=effective,
        )
        ours = BLEU(
            order,
            tokenizer=tokenizer,
            smoothing=smoothing,
            smoothing_value=value,
            lowercase=lowercase,
            effective_order=effective,
        )
        padded = [(references + [None] * 3)[:3] for references in REFERENCES]
        corpus = theirs.corpus_score(HYPOTHESES, list(zip(*padded, strict=True)))
        assert_same(ours.corpus_score(REFERENCES, HYPOTHESES), corpus)
        for references, hypothesis in CAPTIONS:
            sentence = theirs.corpus_score([hypothesis], [[r] for r in references])
            assert_same(ours.sentence_score(references, hypothesis), sentence)


def assert_same(ours, theirs):
    # sacreBLEU gives an identical text 100.00000000000004.
    assert ours.value == pytest.approx(theirs.score / 100, abs=1e-9)
    assert ours.brevity_penalty == pytest.approx(theirs.bp, abs=1e-9)
    assert ours.precisions == pytest.approx(
        [precision / 100 for precision in theirs.precisions], abs=1e-9
    )
    lengths = (ours.hypothesis_length, ours.reference_length)
    assert lengths == (theirs.sys_len, theirs.ref_len)
