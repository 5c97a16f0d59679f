"""The rules of METEOR's `-norm`, one by one; the program gives the same for each."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.tokenizers.meteor import nonbreaking_prefixes, normalize

RULES = {
    "other signs stand alone": {
        "a+b=(c)": "a + b = ( c )",
        "ok!?": "ok ! ?",
        "50%": "50 %",
        "ann@x/y_z": "ann @ x / y _ z",
        "ok😀": "ok 😀",
        "東京": "東 京",  # no letters here
        "Ωμ": "Ω μ",
    },
    "letters are Latin, Cyrillic and phonetic signs": {
        "naïve café": "naïve café",
        "привет!": "привет !",
        "ᴀᴁ": "ᴀᴁ",
    },
    "a comma stands alone but between digits": {
        "3,000,000": "3,000,000",
        "1,2,3": "1,2,3",
        "a,b": "a , b",
        "3,a": "3 , a",
        "a,3": "a , 3",
        "3, 4": "3 , 4",
        "a,,b": "a , ,b",  # the pattern takes the next character with it
    },
    "quotes are made one of two": {
        "``hm''": '" hm "',
        "“hm”": '" hm "',
        "‘hm’": "' hm '",
        '"hm"': '" hm "',
        "it`s": "it 's",
    },
    "dashes between letters or digits become blanks": {
        "well-known": "well known",
        "1-2": "1 2",
        "a.-b": "a. b",
        "a–b": "a - b",
        "a--b": "a b",
        "-5 a-": "-5 a-",
        "a - b": "a - b",
        "a---b": "a--b",  # two become one before it is looked at
    },
    "apostrophes go with what follows": {
        "don't": "don 't",
        "don’t": "don 't",
        "o'clock": "o 'clock",
        "d'où": "d 'où",
        "1990's": "1990 's",
        "dogs' bowls": "dogs ' bowls",
        "'tis": "' tis",
        "a'1": "a ' 1",
        "1'2": "1 ' 2",
        "1'a": "1'a",
    },
    "a full stop after a word stands alone": {
        "The end.": "The end .",
        "end.)": "end . )",
        "In 1984. Then": "In 1984 . Then",
        "1.5.": "1.5 .",
        "Inc. The": "Inc . The",
    },
    "abbreviations of letters lose their dots": {
        "U.S.": "US",
        "e.g. plums": "eg plums",
        "A.1.": "A1",
        "т.е.": "те",
        "a.b": "a.b",  # no dot at the end
    },
    "a known abbreviation keeps its full stop": {
        "Dr. No": "Dr. No",
        "J. Bach": "J. Bach",
        "vs. Them": "vs. Them",
        "dr. No": "dr . No",
    },
    "some keep it only before a digit": {
        "No. 5": "No. 5",
        "pp. 12": "pp. 12",
        "No. Five": "No . Five",
        "No.": "No .",
    },
    "any word keeps it before a small letter": {
        "etc. and": "etc. and",
        "etc. And": "etc . And",
        "etc. été": "etc . été",  # a to z only
        "3. a": "3. a",
    },
    "runs of dots are words": {
        "wait...": "wait ...",
        "wait....what": "wait .... what",
        "a..b": "a .. b",
        ". ..": ". ..",
        "x…": "x …",
    },
    "blanks are squeezed": {
        "  a \t b ": "a b",
        "a\u00a0b\u2003c\u3000d": "a b c d",
        "": "",
        "   ": "",
    },
}
CASES = [(rule, *case) for rule, cases in RULES.items() for case in cases.items()]


@pytest.mark.parametrize(("rule", "text", "expected"), CASES)
def test_each_rule(rule, text, expected):
    assert normalize(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stop, please!", "Stop please"),
        ("it's 3,000.", "it s 3 000"),
        ("The U.S. team", "The US team"),
        ("Dr. No", "Dr No"),
        ("(a) … «b» 😀", "a b"),
        ("well-known", "well known"),
        ("...!", ""),
        ("Ω 東", ""),
    ],
)
def test_punctuation_and_foreign_letters_may_be_left_out(text, expected):
    assert normalize(text, punctuation=False) == expected


@given(
    st.text(
        st.sampled_from(
            [
                c
                for c in map(chr, range(32, 127))
                if c not in "'`.-,"  # these are looked at with their neighbours
            ]
        )
    )
)
def test_normalising_again_changes_nothing(text):
    once = normalize(text)
    assert normalize(once) == once


@given(st.lists(st.text(string.ascii_letters + string.digits, min_size=1)))
def test_words_of_letters_and_digits_are_left_as_they_are(words):
    assert normalize(" ".join(words)) == " ".join(words)


@given(st.text())
def test_any_text_gives_tokens_with_single_blanks(text):
    for punctuation in (True, False):
        normal = normalize(text, punctuation=punctuation)
        assert "  " not in normal
        assert normal == normal.strip(" ")


@given(st.text())
def test_without_punctuation_only_letters_and_digits_are_left(text):
    words = normalize(text, punctuation=False).split(" ")
    assert all(word.isalnum() for word in words if word)


PIECES = ["a", "No", "Dr", "etc", "U", "1", " ", ",", ", ", ".", "'s", "-", "DOTMULTI"]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_plain_text_is_what_the_steps_make_of_it(text):
    expected = normalize(f"{text} ")  # a blank at the end is not plain
    assert normalize(text) == expected


def test_abbreviations_are_those_of_moses_for_english():
    prefixes = nonbreaking_prefixes()
    assert {prefixes[letter] for letter in string.ascii_uppercase} == {"always"}
    before_digits = {word for word, when in prefixes.items() if when != "always"}
    assert before_digits == {"No", "Art", "pp"}
    assert {"Dr", "Mrs", "vs", "Nos", "Nr"} <= set(prefixes)
    assert "etc" not in prefixes
