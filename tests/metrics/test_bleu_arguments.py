"""Arguments of BLEU: what they change, the signature, and what is refused."""

import math
import re

import pytest

from metrics import BLEU, sentence_bleu


@pytest.mark.parametrize(
    "options, settings",
    [
        ({}, "case:mixed|eff:no|tok:13a|smooth:exp"),
        (
            {"lowercase": True, "effective_order": True, "tokenizer": "intl"},
            "case:lc|eff:yes|tok:intl|smooth:exp",
        ),
        ({"smoothing": "floor"}, "case:mixed|eff:no|tok:13a|smooth:floor[0.1]"),
        (
            {"smoothing": "add-k", "smoothing_value": 1 / 3},
            f"case:mixed|eff:no|tok:13a|smooth:add-k[{1 / 3}]",
        ),
        ({"max_order": 2}, "case:mixed|eff:no|tok:13a|smooth:exp|order:2"),
        ({"weights": [0.25] * 4}, "case:mixed|eff:no|tok:13a|smooth:exp"),
        (
            {"max_order": 2, "weights": (0.3, 0.7)},
            "case:mixed|eff:no|tok:13a|smooth:exp|order:2|weights:0.3,0.7",
        ),
        (
            {"max_order": 2, "weights": (1, 1)},
            "case:mixed|eff:no|tok:13a|smooth:exp|order:2|weights:1.0,1.0",
        ),
    ],
)
def test_signature_has_all_that_changes_the_number(options, settings):
    signature = BLEU(**options).corpus_score([["a", "b"]], ["a"]).signature
    assert re.fullmatch(re.escape(f"bleu|refs:2|{settings}|") + r"v:[^|]+", signature)


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"max_order": 0},
            "`max_order` must be a positive integer. Received: max_order=0",
        ),
        (
            {"smoothing": "exp2"},
            "`smoothing` must be one of 'none', 'floor', 'add-k', 'exp', 'laplace', "
            "'coco', 'method1', 'method2', 'method3', 'method4', 'method5', 'method6', "
            "'method7'. Received: smoothing='exp2'",
        ),
        (
            {"tokenizer": "moses"},
            "`tokenizer` must be one of 'none', '13a', 'intl', 'char', 'zh', 'ptb', "
            "'google_words', 'blank_separated', "
            "'ja-mecab', 'ko-mecab', 'spm', 'flores101', 'flores200', 'spBLEU-1K', or "
            "the path of a SentencePiece model (.model), or a function from a text to "
            "a list of tokens. Received: tokenizer='moses'",
        ),
        (
            {"smoothing_value": 1},
            "`smoothing_value` must be None unless `smoothing` is 'floor' or 'add-k'. "
            "Received: smoothing_value=1",
        ),
        (
            {"weights": (0.5, 0.5)},
            "`weights` must be a list of 4 numbers, one for each order. Received: "
            "weights=(0.5, 0.5)",
        ),
        (
            {"weights": [0.25]},
            "`weights` must be a list of 4 numbers, one for each order. Received: "
            "weights=[0.25]",
        ),
        (
            {"weights": (1, math.nan, 0, 0)},
            "`weights[1]` must be a finite number at least 0 and at most 1. Received: "
            "weights[1]=nan",
        ),
        (
            {"weights": (1, 0, 0, -1)},
            "`weights[3]` must be a finite number at least 0 and at most 1. Received: "
            "weights[3]=-1",
        ),
        (
            {"weights": (1, 0, 0, 1e308)},
            "`weights[3]` must be a finite number at least 0 and at most 1. Received: "
            "weights[3]=1e+308",
        ),
        (
            {"max_order": 10**9},
            "`max_order` must be an integer of at most 100. Received: "
            "max_order=1000000000",
        ),
        (
            {"smoothing": "floor", "smoothing_value": 1.5},
            "`smoothing_value` must be a finite number at most 1 and above 0. "
            "Received: smoothing_value=1.5",
        ),
        (
            {"weights": (0, 0, 0, 0)},
            "`weights` must have a sum above 0. Received: weights=(0, 0, 0, 0)",
        ),
    ],
)
def test_argument_out_of_range_is_refused(options, message):
    with pytest.raises(ValueError) as error:
        BLEU(**options)
    assert str(error.value) == message


@pytest.mark.parametrize("name", ["effective_order", "lowercase"])
def test_flag_that_is_no_flag_is_refused(name):
    with pytest.raises(TypeError) as error:
        BLEU(**{name: 1})
    assert str(error.value) == f"`{name}` must be True or False. Received: {name}=1"


@pytest.mark.parametrize("method", ["method4", "method5", "method6", "method7"])
def test_methods_of_a_sentence_are_refused_for_a_corpus(method):
    bleu = BLEU(smoothing=method)
    with pytest.raises(ValueError) as error:
        bleu.corpus_score([["a"], ["b"]], ["a", "b"])
    assert str(error.value) == (
        f"`smoothing` must not be '{method}' for a corpus: it is defined for one "
        "sentence. Received: 2 segments"
    )
    assert len(bleu.sentence_scores([["a"], ["b"]], ["a", "b"])) == 2


def test_weights_have_the_meaning_of_nltk():
    # Not divided by their sum: (2/3)^0.5 (1/2)^0.25.
    score = sentence_bleu(["a b c"], "a b d", max_order=2, weights=(0.5, 0.25))
    assert score.value == pytest.approx((2 / 3) ** 0.5 * (1 / 2) ** 0.25)


def test_order_without_weight_does_not_count():
    options = {"max_order": 2, "weights": (1, 0), "smoothing": "none"}
    assert sentence_bleu(["a b"], "b a", **options).value == 1.0


def test_weights_of_orders_left_out_go_to_the_others():
    # One word: all the weight of the two orders goes to the first.
    options = {"max_order": 2, "weights": (0.2, 0.6), "effective_order": True}
    assert BLEU(**options).sentence_score(["b c"], "b").value == pytest.approx(
        math.exp(1 - 2)
    )
    options["weights"] = (0, 1)
    assert BLEU(**options).sentence_score(["b"], "b").value == 0.0
