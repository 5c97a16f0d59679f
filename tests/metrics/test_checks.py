"""Bad arguments of the text metrics, and what their errors say."""

import math
import re

import numpy as np
import pytest
from conformance.metric_descriptors import TEXT_METRICS

from metrics import BLEU
from metrics.checks import (
    MAX_LENGTH,
    check_boolean,
    check_choice,
    check_integer,
    check_number,
    shorten,
)
from metrics.text_checks import (
    check_choice_or_function,
    check_corpus,
    check_segment,
    check_weights,
    check_words,
)

LENGTHS = "`references` must hold one list of references for each hypothesis. Received:"
ENTRIES = "must be a list, with an entry for each segment. Received"
TEXT = "must be a string or a list of tokens. Received:"
TOKENS = (
    "must be a string, or a list of tokens that are strings. Received a token of type"
)
ONE_TOKEN = (
    "must be a text or a list of tokens. Received a list of one token with blanks: "
    "['the cat']. Pass one text without the list, or all of its tokens."
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
        "`references[1]` must hold at least one reference. Received none.",
    ),
    "references one level too shallow": (
        ["the cat", "a dog"],
        ["the cat", "a dog"],
        TypeError,
        "`references[0]` must be a list of references. Received a string: "
        f"'the cat'. {SHALLOW}",
    ),
    "tokens one level too shallow": (
        [[["a"]], ["a", "dog"]],
        [["a"], ["a", "dog"]],
        TypeError,
        "`references[1][0]` must be a list of tokens, as its hypothesis is. "
        "Received text: 'a'. `references` may be nested one level too few.",
    ),
    "a text in a list": (
        [["the cat"]],
        [["the cat"]],
        ValueError,
        f"`hypotheses[0]` {ONE_TOKEN}",
    ),
    "a text in a list as a reference": (
        [[["the", "cat"], ["the cat"]]],
        [["the", "cat"]],
        ValueError,
        f"`references[0][1]` {ONE_TOKEN}",
    ),
    "arguments exchanged": (
        ["a"],
        [["a"]],
        TypeError,
        "`references[0]` must be a list of references. Received a string: "
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
        "`references[1]` must be a list of references. Received: None",
    ),
    "references of a segment a set": (
        [{"a"}],
        ["a"],
        TypeError,
        "`references[0]` must be a list of references. Received: {'a'}",
    ),
    "a reference None": (
        [["a", None]],
        ["a"],
        TypeError,
        f"`references[0][1]` {TEXT} None",
    ),
    "a reference bytes": (
        [["a"], ["a", b"b"]],
        ["a", "b"],
        TypeError,
        f"`references[1][1]` {TEXT} b'b'",
    ),
    "a hypothesis bytes": (
        [["a"], ["b"]],
        ["a", b"b"],
        TypeError,
        f"`hypotheses[1]` {TEXT} b'b'",
    ),
    "a hypothesis None": (
        [["a"], ["b"]],
        ["a", None],
        TypeError,
        f"`hypotheses[1]` {TEXT} None",
    ),
    "a hypothesis missing in a table": (
        [["a"]],
        [math.nan],
        TypeError,
        f"`hypotheses[0]` {TEXT} nan",
    ),
    "a token of the hypothesis a number": (
        [[["a"]], [["b"]]],
        [["a"], ["b", 1]],
        TypeError,
        f"`hypotheses[1]` {TOKENS} int: 1",
    ),
    "a token of a reference bytes": (
        [[["a"], ["a", b"b"]]],
        [["a"]],
        TypeError,
        f"`references[0][1]` {TOKENS} bytes: b'b'",
    ),
    "tokens where the hypothesis is text": (
        [["a"], ["b", ["b"]]],
        ["a", "b"],
        TypeError,
        "`references[1][1]` must be text, as its hypothesis is. Received a list "
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
        ([], "a", ValueError, "`references` must hold at least one reference."),
        ("a", "a", TypeError, "must be a list of references. Received a string: 'a'"),
        ("a", ["a"], TypeError, "were the arguments swapped?"),
        (["a"], None, TypeError, "`hypothesis` must be a string or a list of tokens."),
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
def test_text_or_tokens_in_lists_or_tuples_are_accepted(references, hypotheses):
    check_corpus(references, hypotheses)


def test_a_segment_alone_has_no_number():
    message = "`hypothesis` must be a string or a list of tokens. Received: 7"
    with pytest.raises(TypeError, match=exactly(message)):
        check_segment(["a"], 7)


class Unprintable:
    def __repr__(self):
        raise RuntimeError


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [nested(100_000), 10**5000, [10**5000], Unprintable(), np.zeros((9, 9))],
    ids=["deep", "many digits", "many digits in a list", "unprintable", "lines"],
)
def test_every_received_value_is_shown_in_one_line(value):
    shown = shorten(value)
    assert 0 < len(shown) <= MAX_LENGTH and "\n" not in shown
    with pytest.raises(TypeError, match=r"^`hypotheses\[0\]` must be a string"):
        check_corpus([["a"]], [value])


def test_a_received_value_is_shortened_to_the_maximum_length():
    fits, too_long = MAX_LENGTH - 2, MAX_LENGTH - 1
    assert shorten("a" * fits) == repr("a" * fits)
    assert shorten("a" * too_long) == "'" + "a" * (MAX_LENGTH - 4) + "..."
    assert len(shorten(list(range(1000)))) == MAX_LENGTH


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (0, int),
        (1, int),
        (0.5, float),
        (-2.5, float),
        (np.float32(0.5), float),
        (np.int64(3), int),
    ],
)
def test_numbers_become_those_of_python(value, kind):
    checked = check_number("beta", value)
    assert checked == value and type(checked) is kind


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, True, "1", None, 1j, [1], np.array([1.0])]
)
def test_other_values_are_no_finite_numbers(value):
    message = f"`beta` must be a finite number. Received: beta={value!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        check_number("beta", value)


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
        check_number("beta", value, **bounds)
    for value in bad:
        message = f"`beta` must be a finite number{text}. Received: beta={value!r}"
        with pytest.raises(ValueError, match=exactly(message)):
            check_number("beta", value, **bounds)


def test_an_integer_beyond_all_floats_is_an_error():
    with pytest.raises(ValueError, match="^`beta` must be a finite number. Received: "):
        check_number("beta", 10**400)


@pytest.mark.parametrize("value", [1, 7, np.int64(1)])
def test_integers_from_the_minimum_on_are_accepted(value):
    checked = check_integer("order", value)
    assert checked == value and type(checked) is int


def test_integers_may_have_a_maximum():
    assert check_integer("order", np.uint8(100), maximum=100) == 100
    message = "`order` must be an integer of at most 100. Received: order=101"
    with pytest.raises(ValueError, match=exactly(message)):
        check_integer("order", 101, maximum=100)


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "1", None, math.nan])
def test_other_numbers_are_no_integers(value):
    message = f"`order` must be a positive integer. Received: order={value!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        check_integer("order", value)


def test_integers_may_start_elsewhere():
    check_integer("seed", 0, minimum=0)
    message = "`seed` must be a non-negative integer. Received: seed=-1"
    with pytest.raises(ValueError, match=exactly(message)):
        check_integer("seed", -1, minimum=0)


def test_choices_are_listed():
    check_choice("variant", "coco", ("google", "coco"))
    message = "`variant` must be one of 'google', 'coco'. Received: variant='Coco'"
    with pytest.raises(ValueError, match=exactly(message)):
        check_choice("variant", "Coco", ("google", "coco"))


@pytest.mark.parametrize("value", [np.array(["google", "coco"]), ["google"], None, 1])
def test_a_choice_must_be_a_string(value):
    with pytest.raises(ValueError, match="^`variant` must be one of 'google', 'coco'"):
        check_choice("variant", value, ("google", "coco"))


@pytest.mark.parametrize("words", [["a"], ("a", "b"), {"a"}, np.array(["a"]), []])
def test_words_are_a_list_of_strings(words):
    check_words("words", words)


@pytest.mark.parametrize(
    "words", ["the", b"the", 5, None, [1], {"a": 1}, (w for w in "a"), np.array("a")]
)
def test_words_that_are_no_list_of_strings_are_a_type_error(words):
    with pytest.raises(TypeError, match="^`words` must be a list of strings. Received"):
        check_words("words", words)


@pytest.mark.parametrize("weights", [[0, 0.5], (1, 1), np.array([0.25, 0.75])])
def test_weights_are_numbers_from_0_to_1(weights):
    checked = check_weights("weights", weights, 2, "stage")
    assert list(checked) == list(weights) and {*map(type, checked)} <= {int, float}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "`weights` must be a list of 2 numbers, one for each stage. Received:"),
        ([1, 1.5], "`weights[1]` must be a finite number at least 0 and at most 1."),
        ([math.nan, 1], "`weights[0]` must be a finite number at least 0 and at most"),
    ],
)
def test_other_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        check_weights("weights", weights, 2, "stage")


@pytest.mark.parametrize("weights", [None, "11", np.array(1), np.ones((2, 2))])
def test_weights_that_are_no_list_are_a_type_error(weights):
    message = "`weights` must be a list of 2 numbers, one for each stage. Received:"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        check_weights("weights", weights, 2, "stage")


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_booleans_become_those_of_python(value):
    checked = check_boolean("lowercase", value)
    assert checked == value and type(checked) is bool


def test_a_function_or_one_of_the_names_is_accepted():
    for value in ("none", str.split):
        check_choice_or_function("tokenizer", value, ("none", "13a"), "a function")


@pytest.mark.parametrize(
    ("value", "error"), [("14a", ValueError), (5, TypeError), (["none"], TypeError)]
)
def test_neither_a_function_nor_one_of_the_names_is_an_error(value, error):
    message = (
        "`tokenizer` must be one of 'none', '13a', or a function. Received: "
        f"tokenizer={value!r}"
    )
    with pytest.raises(error, match=exactly(message)):
        check_choice_or_function("tokenizer", value, ("none", "13a"), "a function")


@pytest.mark.parametrize("value", [0, 1, None, "yes"])
def test_other_values_are_no_booleans(value):
    message = f"`lowercase` must be True or False. Received: lowercase={value!r}"
    with pytest.raises(TypeError, match=exactly(message)):
        check_boolean("lowercase", value)
