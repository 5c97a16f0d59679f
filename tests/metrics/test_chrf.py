"""chrF and chrF++ against their definition."""

import collections
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.chrf.chrf import CHRF, MIN_BLOCK

CONFIGS = [
    {},
    {"word_order": 2},
    {"char_order": 3, "word_order": 1, "beta": 1},
    {"char_order": 0, "word_order": 2},
    {"char_order": 9, "beta": 0.5},
    {"lowercase": True},
    {"whitespace": True},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2, "whitespace": True},
]
CONFIG = pytest.mark.parametrize("config", CONFIGS, ids=str)

texts = st.text(alphabet="abAé. (中😀", max_size=12)
references_of_texts = st.lists(texts, min_size=1, max_size=3)
corpora = st.lists(st.tuples(references_of_texts, texts), min_size=1, max_size=9)

# sacreBLEU's README: two sets of references, and chrF2 = 59.73.
README_REFERENCES = [
    ["The dog bit the man.", "The dog had bit the man."],
    ["It was not unexpected.", "No one was surprised."],
    ["The man bit him first.", "The man had bitten the dog."],
]
README_HYPOTHESES = [
    "The dog bit the man.",
    "It wasn't surprising.",
    "The man had just bitten him.",
]


def words_of(text):
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~":
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~":
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def ngrams_of(text, settings):
    """The n-grams of each order, as lists."""
    text = text.lower() if settings.get("lowercase") else text
    characters = [c for c in text if settings.get("whitespace") or not c.isspace()]
    words = words_of(text)
    return [
        [tuple(symbols[i : i + n]) for i in range(len(symbols) - n + 1)]
        for symbols, longest in (
            (characters, settings.get("char_order", 6)),
            (words, settings.get("word_order", 0)),
        )
        for n in range(1, longest + 1)
    ]


def counts_of(reference, hypothesis, settings):
    """For each order: n-grams of the hypothesis, of the reference, of both."""
    rows = []
    pairs = zip(
        ngrams_of(hypothesis, settings), ngrams_of(reference, settings), strict=True
    )
    for own, other in pairs:
        matches = collections.Counter(own) & collections.Counter(other)
        rows.append((len(own) if other else 0, len(other), sum(matches.values())))
    return rows


def f_of(precision, recall, beta):
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def score_of(rows, settings):
    """Popović's equation; with smoothing, the mean over the orders as in chrF++.py."""
    beta = settings.get("beta", 2)
    if settings.get("eps_smoothing"):
        total = 0
        for hypothesis, reference, matches in rows:
            precision = matches / hypothesis if hypothesis else 1e-16
            recall = matches / reference if reference else 1e-16
            total += f_of(precision, recall, beta) if precision + recall else 1e-16
        return total / len(rows)
    rows = [row for row in rows if row[0] and row[1]]
    if not rows:
        return 0
    precision = sum(matches / own for own, _, matches in rows) / len(rows)
    recall = sum(matches / other for _, other, matches in rows) / len(rows)
    return f_of(precision, recall, beta) if precision + recall else 0


def best_of(references, hypothesis, settings):
    rows = [counts_of(reference, hypothesis, settings) for reference in references]
    return max(rows, key=lambda row: score_of(row, settings))


@CONFIG
@given(corpus=corpora)
@settings(max_examples=25, deadline=None)
def test_sentences_and_corpora_are_those_of_the_definition(config, corpus):
    references, hypotheses = map(list, zip(*corpus, strict=True))
    metric = CHRF(**config)
    for own, hypothesis, score in zip(
        references,
        hypotheses,
        metric.sentence_scores(references, hypotheses),
        strict=True,
    ):
        expected = score_of(best_of(own, hypothesis, config), config)
        assert score.value == pytest.approx(expected, abs=1e-12)
    if max(map(len, references)) == 1:  # of several, equals may be chosen otherwise
        rows = [
            counts_of(own[0], hypothesis, config)
            for own, hypothesis in zip(references, hypotheses, strict=True)
        ]
        expected = score_of(np.sum(rows, axis=0).tolist(), config)
        actual = metric.corpus_score(references, hypotheses).value
        assert actual == pytest.approx(expected, abs=1e-12)


def test_precision_recall_and_score_by_hand():
    # Characters "thecat" and "acat": c, a, t of 6 and 4; "ca", "at" of 5 and 3.
    score = CHRF(char_order=2).sentence_score(["a cat"], "the cat")
    assert score.precision == pytest.approx((3 / 6 + 2 / 5) / 2)
    assert score.recall == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert score.value == pytest.approx(f_of(0.45, 17 / 24, 2))


def test_words_of_chrf_plus_plus_by_hand():
    # Words "a cat sat ." and "the cat sat ."; bigrams "cat sat" and "sat ." of 3.
    score = CHRF(0, 2).sentence_score(["the cat sat."], "a cat sat.")
    assert score.value == pytest.approx((3 / 4 + 2 / 3) / 2)


def test_only_one_punctuation_mark_leaves_its_word():
    # "(hi)" is "(hi" and ")", as in sacreBLEU's issue 124; "(hi )" is "(", "hi", ")".
    score = CHRF(0, 1).sentence_score(["(hi )"], "(hi)")
    assert (score.precision, score.recall) == (1 / 2, 1 / 3)


def test_the_example_of_sacrebleu():
    score = CHRF().corpus_score(README_REFERENCES, README_HYPOTHESES)
    assert f"{100 * score.value:.2f}" == "59.73"


@CONFIG
def test_identity_scores_one(config):
    text = "The cat sat on the mat, and slept."
    for reference in (text, text + "\n"):
        if reference == text or not config.get("whitespace"):
            score = CHRF(**config).sentence_score([reference], text)
            assert score.value == pytest.approx(1, abs=1e-12)


@CONFIG
@pytest.mark.parametrize(
    ("reference", "hypothesis"), [("abc", ""), ("", "abc"), ("", ""), ("abc", "xyz")]
)
def test_nothing_in_common_scores_zero(config, reference, hypothesis):
    score = CHRF(**config).sentence_score([reference], hypothesis)
    assert score.value == pytest.approx(0, abs=1e-15)
    assert score.precision == score.recall == 0


def test_orders_that_are_too_long_do_not_count_but_with_smoothing():
    assert CHRF().sentence_score(["ab"], "ab").value == 1
    # Orders 1 and 2 are 1, the other four empty.
    score = CHRF(eps_smoothing=True).sentence_score(["ab"], "ab")
    assert score.value == pytest.approx(2 / 6)


def test_beta_weighs_recall():
    precision = CHRF(beta=0).sentence_score(["a cat"], "the cat")
    assert precision.value == pytest.approx(precision.precision)
    recall = CHRF(beta=1e6).sentence_score(["a cat"], "the cat")
    assert recall.value == pytest.approx(recall.recall)


def test_case_and_blanks_count_only_if_asked_for():
    assert CHRF().sentence_score(["a b"], "ab").value == 1
    assert CHRF(whitespace=True).sentence_score(["a b"], "ab").value < 1
    assert CHRF().sentence_score(["AB"], "ab").value == 0
    assert CHRF(lowercase=True).sentence_score(["AB"], "ab").value == 1


@given(references=references_of_texts, hypothesis=texts)
@settings(max_examples=50, deadline=None)
def test_the_best_reference_counts(references, hypothesis):
    metric = CHRF()
    each = [metric.sentence_score([own], hypothesis).value for own in references]
    for order in (references, references[::-1]):
        assert metric.sentence_score(order, hypothesis).value == max(each)


def test_a_corpus_is_not_the_mean_of_its_sentences():
    references, hypotheses = [["ab"], ["abcdef"]], ["xy", "abcdef"]
    # Orders 1 and 2 match 6 of 8 and 5 of 6, 3 to 6 all; the sentences' mean is 1 / 2.
    score = CHRF().corpus_score(references, hypotheses)
    assert score.value == pytest.approx((6 / 8 + 5 / 6 + 4) / 6)


def test_tokens_are_joined_by_one_blank():
    metric = CHRF(word_order=2, whitespace=True)
    tokens = metric.sentence_score([["a", "cat", "."]], ["the", "cat", "."])
    assert tokens == metric.sentence_score(["a cat ."], "the cat .")


def test_halves_of_surrogate_pairs_are_characters():
    metric = CHRF(char_order=1)
    assert (
        metric.corpus_score([["\ud800b"]] * MIN_BLOCK, ["\ud800c"] * MIN_BLOCK).value
        == 0.5
    )


def test_a_metric_survives_pickling():
    metric = pickle.loads(pickle.dumps(CHRF(word_order=2)))
    assert metric.sentence_score(["a cat."], "a cat.").value == 1


def test_references_seen_before_score_as_new_ones(monkeypatch):
    monkeypatch.setattr("metrics.chrf.chrf.MAX_KNOWN", 3)
    texts = ["the cat sat", "a cat", "", "the dog ran", "a dog", "cats"]
    kept = CHRF(word_order=2)
    for reference in texts * 2:
        for hypothesis in texts:
            expected = CHRF(word_order=2).sentence_score([reference], hypothesis)
            assert kept.sentence_score([reference], hypothesis) == expected
        assert len(kept._known) <= 3


def test_the_signature_says_what_was_computed():
    score = CHRF(word_order=2).corpus_score([["a"], ["a", "b"]], ["a", "b"])
    assert score.signature.startswith(
        "chrf|refs:var|case:mixed|eff:yes|nc:6|nw:2|beta:2|space:no|v:"
    )
    signature = CHRF(lowercase=True, whitespace=True, eps_smoothing=True).signature()
    assert "case:lc|eff:no|nc:6|nw:0|beta:2|space:yes" in signature


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"char_order": -1},
            ValueError,
            "`char_order` must be a non-negative integer. Received: char_order=-1",
        ),
        (
            {"word_order": 1.5},
            ValueError,
            "`word_order` must be a non-negative integer. Received: word_order=1.5",
        ),
        (
            {"char_order": 0},
            ValueError,
            "`char_order` or `word_order` must be at least 1. Received: char_order=0, "
            "word_order=0",
        ),
        (
            {"beta": -1},
            ValueError,
            "`beta` must be a finite number at least 0 and at most 1e+100. Received: "
            "beta=-1",
        ),
        (
            {"beta": 1e200},
            ValueError,
            "`beta` must be a finite number at least 0 and at most 1e+100. Received: "
            "beta=1e+200",
        ),
        (
            {"char_order": 10**9},
            ValueError,
            "`char_order` must be an integer of at most 100. Received: "
            "char_order=1000000000",
        ),
        (
            {"lowercase": "yes"},
            TypeError,
            "`lowercase` must be True or False. Received: lowercase='yes'",
        ),
    ],
)
def test_arguments_are_checked(arguments, error, message):
    with pytest.raises(error) as caught:
        CHRF(**arguments)
    assert str(caught.value) == message


def test_small_integers_of_numpy_do_not_overflow():
    own = CHRF(char_order=np.uint8(6), beta=np.uint8(20))
    assert own.sentence_score(["a cat"], "the cat") == CHRF(6, beta=20).sentence_score(
        ["a cat"], "the cat"
    )


def test_a_beta_without_bounds_is_recall():
    score = CHRF(beta=1e100).sentence_score(["a cat"], "the cat")
    assert score.value == pytest.approx(score.recall)


@pytest.mark.parametrize(
    "config", [c for c in CONFIGS if c.get("beta") != 0.5], ids=str
)
def test_it_agrees_with_sacrebleu(config):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    references = [
        *README_REFERENCES,
        ["(Hi) “there”, it's 3.5!", "hello"],
        ["", "A b c"],
        ["猫 が いた 。"],
        ["the the the", "the"],
    ]
    hypotheses = [*README_HYPOTHESES, "(hi) there, it's 3,5", "", "猫がいた。", "the"]
    peer = sacrebleu.CHRF(**config)
    longest = max(map(len, references))
    padded = [
        [own[i] if i < len(own) else None for own in references] for i in range(longest)
    ]
    expected = peer.corpus_score(hypotheses, padded).score / 100
    score = CHRF(**config).corpus_score(references, hypotheses)
    assert score.value == pytest.approx(expected, abs=1e-12)
    for own, hypothesis in zip(references, hypotheses, strict=True):
        expected = peer.sentence_score(hypothesis, own).score / 100
        score = CHRF(**config).sentence_score(own, hypothesis)
        assert score.value == pytest.approx(expected, abs=1e-12)
