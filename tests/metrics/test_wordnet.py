"""The table of WordNet: what is in it, and the rules of METEOR and NLTK for forms."""

import gzip
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.data import make_synonyms
from metrics.meteor.wordnet import TABLE, WordNetTable, default_table

# morphy(7WN), in its order; the adverbs have no rules.
NOUN = ["s ", "ses s", "xes x", "zes z", "ches ch", "shes sh", "men man", "ies y"]
VERB = ["s ", "ies y", "es e", "es ", "ed e", "ed ", "ing e", "ing "]
ADJECTIVE = ["er ", "est ", "er e", "est e"]
RULES = [rule.split(" ") for rule in NOUN + VERB + ADJECTIVE]


@pytest.fixture(scope="module")
def text():
    return gzip.decompress(TABLE.read_bytes()).decode("ascii")


def read(text):
    """Word -> synsets, capitals kept; irregular form -> base forms."""
    words, bases = {}, {}
    for line in text.splitlines()[1:]:
        word, *entries = line.split(" ")
        senses = [entry for entry in entries if "=" not in entry]
        if senses:
            words[word] = senses
        for entry in entries:
            if "=" in entry:
                bases.setdefault(word, set()).update(entry[2:].split(","))
    return words, bases


@pytest.fixture(scope="module")
def contents(text):
    return read(text)


def synsets_oracle(word, words, bases):
    """What METEOR 1.5 does, without parts of speech: exceptions, or the first rule."""
    forms = [word]
    if word in bases:
        forms += bases[word]
    elif len(word) > 2 and not word.endswith("ss"):
        for ending, replacement in RULES:
            base = word.removesuffix(ending) + replacement
            if word.endswith(ending) and base in words:
                forms.append(base)
                break
    return {sense.lower() for form in forms for sense in words.get(form, [])}


# Table.


def test_the_table_has_the_counts_that_wordnet_publishes(contents):
    words, bases = contents  # wnstats(7WN) of WordNet 3.0
    senses = [sense.lower() for own in words.values() for sense in own]
    synsets = set(senses)
    assert len(senses) == 206_941
    by_part = [sum(key[0] == part for key in synsets) for part in "nvar"]
    assert by_part == [82_115, 13_767, 18_156, 3_621]
    strings = [sum({key[0].lower() for key in own} >= {p} for own in words.values())
               for p in "nvar"]  # fmt: skip
    assert strings == [117_798, 11_529, 21_479, 4_481]


def test_the_lines_are_in_the_order_of_code_points(text):
    lines = text.splitlines()
    assert lines == sorted(lines)
    words = [line.split(" ")[0] for line in lines]
    assert len(words) == len(set(words))


def test_the_licence_of_wordnet_is_beside_the_table_and_named_in_it(text):
    notice = (TABLE.parent / "WORDNET-LICENSE.txt").read_text()
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice
    assert "Permission to use, copy, modify and distribute" in notice
    assert "Princeton University; see WORDNET-LICENSE.txt" in text.splitlines()[0]


def test_the_script_makes_the_same_table_again(text, wordnet_folder):
    # The text, not the file: zlib may pack it in another way in another version.
    assert make_synonyms.table(wordnet_folder) == text


def test_packing_does_not_depend_on_the_time_or_a_name():
    packed = make_synonyms.compress("word n00000001\n")
    assert packed[3:8] == bytes(5)  # no flags (so no name), no time: RFC 1952, 2.3
    assert gzip.decompress(packed) == b"word n00000001\n"


def test_the_script_reads_capitals_marks_and_forms(tmp_path):
    for part in ("noun", "verb", "adj", "adv"):
        for name in (f"index.{part}", f"data.{part}", f"{part}.exc"):
            (tmp_path / name).write_text("")
    (tmp_path / "index.noun").write_text(
        "  1 licence\nturkey n 2 1 @ 2 1 00000200 00000100  \n"
    )
    (tmp_path / "data.noun").write_text(
        "00000100 05 n 01 turkey 0 000 | bird\n"
        "00000200 15 n 02 Turkey 0 Republic_of_Turkey 0 000 | land\n"
    )
    (tmp_path / "index.adj").write_text("galore a 1 0 1 0 00000300  \n")
    (tmp_path / "data.adj").write_text("00000300 00 s 01 galore(ip) 0 000 | many\n")
    (tmp_path / "noun.exc").write_text("axes ax axis\n")
    (tmp_path / "verb.exc").write_text("axes axe\n")
    assert make_synonyms.table(tmp_path).splitlines()[1:] == [
        "axes n=ax,axis v=axe",
        "galore a00000300",
        "turkey N00000200 n00000100",
    ]


# Synsets of METEOR.


def share(first, second, **settings):
    table = default_table(**settings)
    return bool(table.synsets(first) & table.synsets(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("car", "automobile"),
        ("cars", "automobile"),
        ("geese", "goose"),
        ("axes", "axis"),
        ("axes", "ax"),
        ("bigger", "large"),
        ("purchased", "buy"),
        ("men", "man"),
        ("hot_dog", "frank"),
    ],
)
def test_words_of_one_synset_share_an_identifier_in_any_form(first, second):
    assert share(first, second)
    assert share(second, first)


@pytest.mark.parametrize("first, second", [("car", "dog"), ("quickly", "slowly")])
def test_words_of_different_meanings_share_none(first, second):
    assert not share(first, second)


def test_identifiers_are_those_of_princeton():
    # the line `car n 5 4 ...` of index.noun in WordNet 3.0
    offsets = ["02958343", "02959942", "02960501", "02960352", "02934451"]
    assert default_table().synsets("car") == {f"n{offset}" for offset in offsets}


def test_words_that_are_not_in_wordnet_have_no_identifiers():
    for word in ("", "the", "xyzzy", "é", "#", "=", "n=goose", "~~~~"):
        assert default_table().synsets(word) == frozenset(), word


def test_a_word_with_a_capital_is_not_looked_up_in_lower_case():
    assert default_table().synsets("Car") == frozenset()


def test_words_in_ss_keep_their_ending():
    # else `princess` would be a form of `princes`, and so on
    assert not share("pass", "pas")


def test_without_parts_of_speech_unrelated_synsets_are_one():
    assert share("entity", "breathe", merge_parts_of_speech=True)
    assert not share("entity", "breathe")


def test_282_pairs_of_synsets_have_the_same_offset(contents):
    words, _ = contents
    synsets = {sense.lower() for own in words.values() for sense in own}
    parts = {}
    for key in synsets:
        parts.setdefault(key[1:], []).append(key[0])
    # cmu-mtlab/meteor, english.synsets: 117,374 identifiers for 117,659 synsets
    assert len(parts) == 117_374
    assert sum(len(own) > 1 for own in parts.values()) == 282


ENDINGS = "s es ed ing er est men ies ses xes ches shes ss ful fuls".split()


@pytest.fixture(scope="module")
def forms(contents):
    words, bases = contents
    return [*words, *bases]


@settings(max_examples=300, deadline=None)
@given(
    place=st.integers(0, 150_000),
    cut=st.integers(0, 3),
    ending=st.sampled_from(["", *ENDINGS]),
)
def test_synsets_are_those_of_a_plain_reading_of_the_rules(
    place, cut, ending, contents, forms
):
    words, bases = contents
    form = forms[place]
    word = form[: len(form) - cut] + ending
    expected = synsets_oracle(word, words, bases)
    assert default_table().synsets(word) == expected
    merged = default_table(merge_parts_of_speech=True).synsets(word)
    assert merged == {key[1:] for key in expected}


# Lemmas of NLTK.


def test_lemmas_are_the_single_words_of_all_synsets():
    lemmas = default_table().lemmas("car")
    # of the five synsets, that of automobiles, of trains, of airships and cable_car
    expected = {"car", "auto", "automobile", "machine", "motorcar", "railcar"}
    assert lemmas == expected | {"gondola"}


def test_lemmas_with_a_capital_are_left_out():
    assert default_table().lemmas("paris") == frozenset()  # Paris, City_of_Light, ...
    assert "japan" in default_table().lemmas("japan")  # lacquer
    assert "Nippon" not in default_table().lemmas("japan")


def test_lemmas_follow_the_part_of_speech_of_a_form():
    # `better` is an irregular form of the adjective `good`, not of the noun.
    assert "good" in default_table().lemmas("better")
    assert "commodity" not in default_table().lemmas("better")
    assert "commodity" in default_table().lemmas("good")


def test_of_repeated_irregular_forms_the_last_counts_for_nltk():
    # adj.exc has `offer off` and then `offer offer`.
    assert "off" not in default_table().lemmas("offer")


def test_lemmas_ignore_the_case_of_the_word():
    assert default_table().lemmas("Car") == default_table().lemmas("car")


# Object.


def test_a_pickled_table_is_the_shared_one():
    for merged in (False, True):
        table = default_table(merge_parts_of_speech=merged)
        copy = pickle.loads(pickle.dumps(table))
        assert copy.merge_parts_of_speech is merged
        assert copy.synsets("geese") == table.synsets("geese")
        assert len(pickle.dumps(table)) < 200


def test_a_merge_that_is_no_flag_is_refused():
    with pytest.raises(TypeError) as error:
        WordNetTable(merge_parts_of_speech="yes")
    assert str(error.value) == (
        "`merge_parts_of_speech` must be True or False. Received: "
        "merge_parts_of_speech='yes'"
    )
