"""Tokenizers, against the rules of mteval on the whole line."""

import pickle
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.tokenizers import TOKENIZERS, get_tokenizer, tokenizer_name, word_cache
from metrics.tokenizers.word_cache import WordCache

# What the rules turn on, and what may come between.
PIECES = [*"aB50.,-'\" ()/é中€…—½!?_$%", "\n", "-\n", "\t", "\xa0", "\u3000", "\u2028"]
MARKUP = ["<skipped>", "<skip", "ped>", "&quot;", "&amp;", "&lt;", "&gt;", "&", "lt;"]
LINES = st.lists(st.sampled_from(PIECES + MARKUP), max_size=14).map("".join)

MTEVAL = [
    (r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 "),
    (r"([^0-9])([\.,])", r"\1 \2 "),
    (r"([\.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
]


def mteval_rules(line):
    for pattern, replacement in MTEVAL:
        line = re.sub(pattern, replacement, line)
    return line.split()


def mteval_13a(line):
    """NormalizeText of mteval-v13a.pl, on the whole line."""
    line = line.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in zip(("quot", "amp", "lt", "gt"), '"&<>', strict=True):
        line = line.replace(f"&{entity};", character)
    return mteval_rules(f" {line} ")


def mteval_intl(line):
    """The three substitutions of mteval-v14.pl, in plain loops."""

    def is_a(letter, character):
        return unicodedata.category(character).startswith(letter)

    def pairs(text, matches, replacement):
        written, i = "", 0
        while i < len(text):
            if i + 1 < len(text) and matches(text[i], text[i + 1]):
                written += replacement.format(text[i], text[i + 1])
                i += 2
            else:
                written += text[i]
                i += 1
        return written

    line = pairs(
        line.rstrip(), lambda a, b: not is_a("N", a) and is_a("P", b), "{} {} "
    )
    line = pairs(line, lambda a, b: is_a("P", a) and not is_a("N", b), " {} {}")
    return "".join(f" {c} " if is_a("S", c) else c for c in line).split()


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("It isn't.", "It isn't ."),
        ("a,b 3,000.50 5,a a.5", "a , b 3,000.50 5 , a a . 5"),
        ("ends in 5.", "ends in 5 ."),
        (".5 ,5 -5 5-6 a-b", ". 5 , 5 -5 5 - 6 a-b"),
        ("U.S. e.g., ...", "U . S . e . g . , . . ."),
        ("a,.5", "a , .5"),
        ("(a/b) [c] $5 50% x_y", "( a / b ) [ c ] $ 5 50 % x _ y"),
        ("&quot;R&amp;D&quot; &lt;b&gt; &amp;lt;", '" R & D " < b > <'),
        ("well-\nknown <skipped>a\nb", "wellknown a b"),
        ("<skip-\nped>", "< skipped >"),
        ("ends in a hyphen-\n", "ends in a hyphen-"),
        ("naïve—“quoted” €5", "naïve—“quoted” €5"),
        (" \t\u3000", ""),
    ],
)
def test_13a_separates_ascii_punctuation(text, tokens):
    assert TOKENIZERS["13a"](text) == tokens.split()


@settings(max_examples=300, deadline=None)
@given(LINES)
def test_13a_by_words_equals_the_rules_on_the_line(line):
    assert TOKENIZERS["13a"](line) == mteval_13a(line)


@settings(max_examples=300, deadline=None)
@given(LINES)
def test_intl_equals_its_rules_in_plain_loops(line):
    assert TOKENIZERS["intl"](line) == mteval_intl(line)


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("a,b 3,000.5 “c” €5", "a , b 3,000.5 “ c ” € 5"),
        ("5. 6.", "5 . 6."),
        ("don't x-y", "don ' t x - y"),
        ("¿qué? ٣,٣", "¿ qué ? ٣,٣"),
    ],
)
def test_intl_separates_punctuation_and_symbols_of_all_scripts(text, tokens):
    assert TOKENIZERS["intl"](text) == tokens.split()


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("我有2.5块,ok.", "我 有 2.5 块 , ok ."),
        ("中文（测试）。", "中 文 （ 测 试 ） 。"),
        ("cost 5.", "cost 5."),
        ("a→b", "a → b"),
        ("カタカナ", "カタカナ"),
    ],
)
def test_zh_separates_chinese_characters(text, tokens):
    assert TOKENIZERS["zh"](text) == tokens.split()


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_zh_without_chinese_is_13a_without_padding(line):
    line = line.replace("中", "").replace("…", "").replace("—", "").replace("€", "")
    assert TOKENIZERS["zh"](line) == mteval_rules(line.strip())


def test_char_leaves_out_white_space():
    assert TOKENIZERS["char"](" a bé\u3000中\n") == ["a", "b", "é", "中"]


def test_none_splits_at_white_space():
    assert TOKENIZERS["none"](" It  isn't.\n") == ["It", "isn't."]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_tokens_may_be_changed_without_harm(name):
    tokenize = get_tokenizer(name)
    first = tokenize("one two")
    expected = list(first)
    first.append("three")
    assert tokenize("one two") == expected


def test_function_is_a_tokenizer():
    assert get_tokenizer(str.split)("a b") == ["a", "b"]
    assert tokenizer_name(str.split) == "str.split"


def test_an_unknown_name_is_an_error():
    with pytest.raises(ValueError) as error:
        get_tokenizer("14a")
    assert str(error.value) == (
        "`tokenizer` must be one of 'none', '13a', 'intl', 'char', 'zh', 'ptb', "
        "'google_words', 'blank_separated', "
        "'ja-mecab', 'ko-mecab', 'spm', 'flores101', 'flores200', 'spBLEU-1K', or the "
        "path of a SentencePiece model (.model), or a function from a text to a list "
        "of tokens. Received: tokenizer='14a'"
    )


def test_neither_a_name_nor_a_function_is_a_type_error():
    with pytest.raises(TypeError) as error:
        get_tokenizer(None)
    assert str(error.value) == (
        "`tokenizer` must be one of 'none', '13a', 'intl', 'char', 'zh', 'ptb', "
        "'google_words', 'blank_separated', "
        "'ja-mecab', 'ko-mecab', 'spm', 'flores101', 'flores200', 'spBLEU-1K', or the "
        "path of a SentencePiece model (.model), or a function from a text to a list "
        "of tokens. Received: tokenizer=None"
    )


@pytest.mark.parametrize("returned", ["a b", None, [1, 2]])
def test_a_function_must_return_a_list_of_strings(returned):
    with pytest.raises(TypeError) as error:
        get_tokenizer(lambda text: returned)("a b")
    assert str(error.value) == (
        "`tokenizer` must return a list of tokens, which are strings. Received: "
        f"{returned!r}"
    )


def test_tokens_may_be_strings_of_numpy():
    tokenize = get_tokenizer(lambda text: [np.str_(word) for word in text.split()])
    assert tokenize("a b") == ["a", "b"]


@pytest.mark.parametrize("name", ["none", "13a", "intl", "char", "zh"])
def test_tokens_are_those_of_sacrebleu(name):
    bleu = pytest.importorskip("sacrebleu").BLEU(tokenize=name)

    @settings(max_examples=100, deadline=None)
    @given(LINES)
    def check(line):
        assert TOKENIZERS[name](line) == bleu.tokenizer(line.rstrip()).split()

    check()


def test_each_word_is_worked_out_once():
    asked = []
    cache = WordCache(lambda word: asked.append(word) or word.upper())
    assert [cache["a"], cache["b"], cache["a"]] == ["A", "B", "A"]
    assert asked == ["a", "b"]


def test_the_cache_never_grows_above_its_limit(monkeypatch):
    monkeypatch.setattr(word_cache, "LIMIT", 3)
    cache = WordCache(str.upper)
    for word in "abcdefg":
        assert cache[word] == word.upper()
        assert len(cache) <= 3


def test_a_pickled_cache_travels_empty_and_still_works():
    cache = WordCache(len)
    assert cache["word"] == 4
    copy = pickle.loads(pickle.dumps(cache))
    assert copy == {}
    assert copy["word"] == 4
