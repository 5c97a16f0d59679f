"""Bad arguments of the text metrics, and what their errors say."""

import math
import re

import numpy as np
import pytest
from conformance.metric_descriptors import TEXT_METRICS

from metrics import BLEU
from metrics.checks import (
    check_choice,
    check_corpus,
    check_flag,
    check_integer,
    check_real,
    check_segment,
    shorten,
)

LENGTHS = "`references` must hold one list of references for each hypothesis. Received:"
ENTRIES = "must be a list, with an entry for each segment. Received"
TEXT = "must be a string or a list of tokens. Received:"
TOKENS = (
    "must be a string, or a list of tokens that are strings. Received a token of type"
)
SHALLOW = "`references` is nested one level too few; were the arguments swapped?"

# References, hypotheses, error and message.
BAD_CORPORA = {
    "fewer references than hypotheses": (
        [["a"]],
        ["a", "b"],
        ValueError,
        f"{LENGTHS} 1 and 2 hypotheses.",
    ),
    "more references than hypotheses": (
        [["a"], ["b", "c"]],
        ["a"],
        ValueError,
        f"{LENGTHS} 2 and 1 hypotheses.",
    ),
    "transposed": (
        [["a", "b", "c"], ["d", "e", "f"]],
        ["a", "b", "c"],
        ValueError,
        f"{LENGTHS} 2 and 3 hypotheses. It looks transposed, with a list for each "
        "reference set: pass list(zip(*references)).",
    ),
    "no segments": (
        [],
        [],
        ValueError,
        "`hypotheses` must hold at least one segment. Received none.",
    ),
    "no references": (
        [["a"], []],
        ["a", "b"],
        ValueError,
        "The references of segment 1 must be at least one. Received none.",
    ),
    "references one level too shallow": (
        ["the cat", "a dog"],
        ["the cat", "a dog"],
        TypeError,
        "The references of segment 0 must be a list of references. Received a string: "
        f"'the cat'. {SHALLOW}",
    ),
    "tokens one level too shallow": (
        [[["a"]], ["a", "dog"]],
        [["a"], ["a", "dog"]],
        TypeError,
        "Reference 0 of segment 1 must be a list of tokens, as its hypothesis is. "
        "Received text: 'a'. `references` may be nested one level too few.",
    ),
    "arguments exchanged": (
        ["a"],
        [["a"]],
        TypeError,
        "The references of segment 0 must be a list of references. Received a string: "
        f"'a'. {SHALLOW}",
    ),
    "references a string": (
        "a",
        ["a"],
        TypeError,
        f"`references` {ENTRIES} a string: 'a'",
    ),
    "hypotheses a string": (
        [["a"]],
        "a",
        TypeError,
        f"`hypotheses` {ENTRIES} a string: 'a'",
    ),
    "references None": (None, ["a"], TypeError, f"`references` {ENTRIES}: NoneType"),
    "hypotheses None": ([["a"]], None, TypeError, f"`hypotheses` {ENTRIES}: NoneType"),
    "references a generator": (
        (own for own in [["a"]]),
        ["a"],
        TypeError,
        f"`references` {ENTRIES}: generator",
    ),
    "hypotheses a generator": (
        [["a"]],
        (text for text in ["a"]),
        TypeError,
        f"`hypotheses` {ENTRIES}: generator",
    ),
    "hypotheses an array": (
        [["a"]],
        np.array(["a"]),
        TypeError,
        f"`hypotheses` {ENTRIES}: ndarray. Call its `tolist()`.",
    ),
    "references of a segment None": (
        [["a"], None],
        ["a", "b"],
        TypeError,
        "The references of segment 1 must be a list. Received: None",
    ),
    "references of a segment a set": (
        [{"a"}],
        ["a"],
        TypeError,
        "The references of segment 0 must be a list. Received: {'a'}",
    ),
    "a reference None": (
        [["a", None]],
        ["a"],
        TypeError,
        f"Reference 1 of segment 0 {TEXT} None",
    ),
    "a reference bytes": (
        [["a"], ["a", b"b"]],
        ["a", "b"],
        TypeError,
        f"Reference 1 of segment 1 {TEXT} b'b'",
    ),
    "a hypothesis bytes": (
        [["a"], ["b"]],
        ["a", b"b"],
        TypeError,
        f"The hypothesis of segment 1 {TEXT} b'b'",
    ),
    "a hypothesis None": (
        [["a"], ["b"]],
        ["a", None],
        TypeError,
        f"The hypothesis of segment 1 {TEXT} None",
    ),
    "a hypothesis missing in a table": (
        [["a"]],
        [math.nan],
        TypeError,
        f"The hypothesis of segment 0 {TEXT} nan",
    ),
    "a token of the hypothesis a number": (
        [[["a"]], [["b"]]],
        [["a"], ["b", 1]],
        TypeError,
        f"The hypothesis of segment 1 {TOKENS} int: 1",
    ),
    "a token of a reference bytes": (
        [[["a"], ["a", b"b"]]],
        [["a"]],
        TypeError,
        f"Reference 1 of segment 0 {TOKENS} bytes: b'b'",
    ),
    "tokens where the hypothesis is text": (
        [["a"], ["b", ["b"]]],
        ["a", "b"],
        TypeError,
        "Reference 1 of segment 1 must be text, as its hypothesis is. Received a list "
        "of tokens: ['b'].",
    ),
}

TEXT_CLASSES = list(dict.fromkeys(row.metric_class for row in TEXT_METRICS))


def exactly(message):
    return f"^{re.escape(message)}$"


@pytest.mark.parametrize(
    ("references", "hypotheses", "error", "message"),
    BAD_CORPORA.values(),
    ids=BAD_CORPORA,
)
def test_a_bad_corpus_is_an_error_that_says_where(
    references, hypotheses, error, message
):
    with pytest.raises(error, match=exactly(message)):
        check_corpus(references, hypotheses)


@pytest.mark.parametrize("metric_class", TEXT_CLASSES)
def test_every_metric_refuses_what_is_no_corpus(metric_class):
    for references, hypotheses, error, message in BAD_CORPORA.values():
        with pytest.raises(error, match=exactly(message)):
            metric_class().corpus_score(references, hypotheses)


@pytest.mark.parametrize(
    "method", ["fitted", "corpus_statistics", "sentence_scores", "corpus_score"]
)
def test_every_method_refuses_a_bad_corpus(method):
    references, hypotheses, error, message = BAD_CORPORA["a hypothesis None"]
    with pytest.raises(error, match=exactly(message)):
        getattr(BLEU(), method)(references, hypotheses)


@pytest.mark.parametrize("method", ["statistics", "sentence_score"])
@pytest.mark.parametrize(
    ("references", "hypothesis", "error", "message"),
    [
        ([], "a", ValueError, "must be at least one. Received none."),
        ("a", "a", TypeError, "must be a list of references. Received a string: 'a'"),
        ("a", ["a"], TypeError, "were the arguments swapped?"),
        (["a"], None, TypeError, "hypothesis of segment 0 must be a string or a list"),
        ([["a"]], "a", TypeError, "must be text, as its hypothesis is."),
    ],
)
def test_every_method_refuses_a_bad_segment(
    method, references, hypothesis, error, message
):
    with pytest.raises(error, match=re.escape(message)):
        getattr(BLEU(), method)(references, hypothesis)


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ([["a"]], ["a"]),
        ([["a", "b"], ["c"]], ["a", ""]),
        ([[["a"], []]], [["a", "b"]]),
        ((("a", "b"),), ("a",)),
        ([[("a", "b"), ["a"]]], [["a"]]),
        ([[["a"]], ["a"]], [["a"], "a"]),  # each segment in a form of its own
        ([[np.str_("a")]], [np.str_("a")]),
    ],
)
def test_text_or_tokens_in_lists_or_tuples_are_good(references, hypotheses):
    check_corpus(references, hypotheses)


def test_a_segment_alone_has_no_number():
    message = "The hypothesis must be a string or a list of tokens. Received: 7"
    with pytest.raises(TypeError, match=exactly(message)):
        check_segment(["a"], 7)


def test_what_was_received_has_at_most_60_characters():
    assert shorten("a" * 58) == repr("a" * 58)
    assert shorten("a" * 59) == "'" + "a" * 56 + "..."
    assert len(shorten(list(range(1000)))) == 60


@pytest.mark.parametrize("value", [0, 1, 0.5, -2.5, np.float32(0.5), np.int64(3)])
def test_numbers_are_real(value):
    check_real("beta", value)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, True, "1", None, 1j, [1], np.array([1.0])]
)
def test_what_is_no_finite_number_is_not_real(value):
    message = f"`beta` must be a finite number. Received: beta={value!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        check_real("beta", value)


@pytest.mark.parametrize(
    ("bounds", "good", "bad", "text"),
    [
        ({"minimum": 0}, [0, 1], [-1e-9], " at least 0"),
        ({"maximum": 1}, [1, 0], [1.1], " at most 1"),
        ({"above": 0}, [1e-9], [0], " above 0"),
        ({"above": 0, "below": 1}, [0.95], [0, 1, 95], " above 0 and below 1"),
        ({"minimum": 0, "maximum": 1}, [0, 1], [2], " at least 0 and at most 1"),
    ],
)
def test_real_numbers_have_bounds(bounds, good, bad, text):
    for value in good:
        check_real("beta", value, **bounds)
    for value in bad:
        message = f"`beta` must be a finite number{text}. Received: beta={value!r}"
        with pytest.raises(ValueError, match=exactly(message)):
            check_real("beta", value, **bounds)


@pytest.mark.parametrize("value", [1, 7, np.int64(1)])
def test_integers_from_the_minimum_on_are_good(value):
    check_integer("order", value)


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "1", None, math.nan])
def test_other_numbers_are_no_integers(value):
    message = f"`order` must be an integer of at least 1. Received: order={value!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        check_integer("order", value)


def test_integers_may_start_elsewhere():
    check_integer("seed", 0, minimum=0)
    message = "`seed` must be an integer of at least 0. Received: seed=-1"
    with pytest.raises(ValueError, match=exactly(message)):
        check_integer("seed", -1, minimum=0)


def test_choices_are_listed():
    check_choice("variant", "coco", ("google", "coco"))
    message = "`variant` must be one of 'google', 'coco'. Received: variant='Coco'"
    with pytest.raises(ValueError, match=exactly(message)):
        check_choice("variant", "Coco", ("google", "coco"))


@pytest.mark.parametrize("value", [0, 1, None, "yes", np.True_])
def test_flags_are_true_or_false(value):
    check_flag("lowercase", True)
    message = f"`lowercase` must be True or False. Received: lowercase={value!r}"
    with pytest.raises(TypeError, match=exactly(message)):
        check_flag("lowercase", value)
