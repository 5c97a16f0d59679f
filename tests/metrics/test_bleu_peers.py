"""BLEU beside sacreBLEU, and smoothed beside NLTK."""

import json
import pathlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import bleu_score as nltk_bleu

from metrics import BLEU, corpus_bleu, sentence_bleu

PEERS = json.loads(
    pathlib.Path(__file__).parents[1].joinpath("golden/peers.json").read_text("utf-8")
)
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
            expected = nltk_bleu.sentence_bleu(
                references, hypothesis, smoothing_function=smooth
            )
        except AssertionError:
            return  # method 6 without three words that match
        score = sentence_bleu(references, hypothesis, smoothing=method)
        assert score.value == pytest.approx(expected, abs=1e-9)

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


@pytest.mark.filterwarnings("ignore:BLEU takes phrases")  # one of the texts
@pytest.mark.filterwarnings("ignore:BLEU of a text of fewer than")  # some of them
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
        peer = sacrebleu.BLEU(
            tokenize=tokenizer,
            smooth_method=smoothing,
            smooth_value=value,
            max_ngram_order=order,
            lowercase=lowercase,
            effective_order=effective,
        )
        metric = BLEU(
            order,
            tokenizer=tokenizer,
            smoothing=smoothing,
            smoothing_value=value,
            lowercase=lowercase,
            effective_order=effective,
        )
        padded = [(references + [None] * 3)[:3] for references in REFERENCES]
        corpus = peer.corpus_score(HYPOTHESES, list(zip(*padded, strict=True)))
        assert_same(metric.corpus_score(REFERENCES, HYPOTHESES), corpus)
        for references, hypothesis in CAPTIONS:
            sentence = peer.corpus_score([hypothesis], [[r] for r in references])
            assert_same(metric.sentence_score(references, hypothesis), sentence)


def assert_same(score, expected):
    # sacreBLEU gives an identical text 100.00000000000004.
    assert score.value == pytest.approx(expected.score / 100, abs=1e-9)
    assert score.brevity_penalty == pytest.approx(expected.bp, abs=1e-9)
    assert score.precisions == pytest.approx(
        [precision / 100 for precision in expected.precisions], abs=1e-9
    )
    lengths = (score.hypothesis_length, score.reference_length)
    assert lengths == (expected.sys_len, expected.ref_len)


def test_laplace_is_hugging_face_s_smoothing():
    for case in PEERS["smooth"]:
        metric = BLEU(case["max_order"], smoothing="laplace")
        found = metric.corpus_score(case["references"], case["hypotheses"]).value
        assert found == pytest.approx(case["score"], rel=0, abs=1e-12)
    # A test of bleuscore, bleu.rs: 4/5, 3/4, 2/3 and 1/2.
    score = sentence_bleu(["Hello, World!"], "Yellow, World!", smoothing="laplace")
    assert score.value == pytest.approx(0.668740304976422, abs=1e-12)
    # Without any match too, but not without any word.
    assert BLEU(1, smoothing="laplace").sentence_score(["a"], "b").value == 1 / 2
    assert BLEU(1, smoothing="laplace").sentence_score([""], "").value == 0


def test_coco_has_the_constants_of_pycocoevalcap():
    for case in PEERS["captions"]:
        references, hypotheses = case["references"], case["hypotheses"]
        for order in (1, 2, 3, 4):
            metric = BLEU(order, tokenizer="none", smoothing="coco")
            own = metric.sentence_scores(references, hypotheses)
            found = [metric.corpus_score(references, hypotheses), *own]
            expected = [
                case["Bleu_1 to Bleu_4"][order - 1],
                *case["of segments"][order - 1],
            ]
            values = [score.value for score in found]
            assert values == pytest.approx(expected, rel=0, abs=1e-12)
    # (1e-15 / 1e-9)^(1/4) of three words that match.
    texts = ["a cat sits", "a dog runs"]
    score = BLEU(tokenizer="ptb", smoothing="coco").corpus_score(
        [[text] for text in texts], texts
    )
    assert score.value == pytest.approx(0.031623, abs=1e-6)
