"""What METEOR may be asked for, and what its signature says of it."""

import hashlib
import pathlib
import re

import numpy as np
import pytest

from metrics.meteor.meteor import METEOR

TABLE = pathlib.Path(__file__).parents[1] / "golden" / "paraphrases.txt"
TABLE_DIGEST = hashlib.sha256(TABLE.read_bytes()).hexdigest()[:8]
LANGUAGES = (
    "'en', 'cz', 'de', 'es', 'fr', 'ru', 'ar', 'da', 'fi', 'hu', 'it', 'nl', 'no', "
    "'pt', 'ro', 'se', 'tr', 'other', 'cs', 'sv', 'nb', 'ar-bw-red'"
)
STAGES = (
    "`stages` must be some of exact, stem, synonym, paraphrase, in this order, exact "
    "among them. Received: stages="
)
UNUSED = "must be left out without the stage"
TO_USE = (
    "To use it, pass `stages`, and `weights` if the constants have none. Received: "
    "stages="
)
NO_WEIGHT = (
    "for which METEOR has no weight here. Pass `stages` and a weight for each, such as"
)
UNIT = "must be a finite number above 0 and below 1. Received:"

ERRORS = [
    (
        {"preset": "1.4"},
        "`preset` must be one of 'corrected', '1.5', '2005', 'nltk'. Received: "
        "preset='1.4'",
    ),
    (
        {"language": "xx"},
        f"`language` must be one of {LANGUAGES}. Received: language='xx'",
    ),
    ({"beam": 0}, "`beam` must be a positive integer. Received: beam=0"),
    (
        {"task": "foo"},
        "`task` must be one of 'rank', 'adq', 'hter', 'util', 'li', 'tune', "
        "'universal'. Received: task='foo'",
    ),
    (
        {"task": "adq", "language": "de"},
        "`task` must be left out for other languages than English. Received: "
        "task='adq', language='de'",
    ),
    (
        {"preset": "2005", "task": "adq"},
        "`task` must be None with preset '2005', which has one set of constants. "
        "Received: task='adq'",
    ),
    (
        {"preset": "nltk", "language": "de"},
        "`language` must be 'en' with METEOR's preset 'nltk', which is of English "
        "only. For other languages take the preset '1.5' or 'corrected', or leave "
        "`language` out and pass `stemmer` and `synonyms`. Received: language='de'",
    ),
    ({"stages": ["stem", "exact"]}, STAGES + "('stem', 'exact')"),
    ({"stages": ["stem"]}, STAGES + "('stem',)"),
    ({"stages": []}, STAGES + "()"),
    ({"stages": ["exact", "exact"]}, STAGES + "('exact', 'exact')"),
    ({"stages": ["exact", "stems"]}, STAGES + "('exact', 'stems')"),
    (
        {"stages": ["exact", "paraphrase"]},
        "The stage 'paraphrase' of `stages` needs a table: pass its path as "
        "`paraphrases`. Received: stages=('exact', 'paraphrase'), language='en', "
        "preset='corrected'",
    ),
    (
        {"preset": "1.5", "language": "cz", "stages": ["exact", "stem"]},
        "The stage 'stem' of `stages` needs a stemmer; this language has none. "
        "Received: stages=('exact', 'stem'), language='cz', preset='1.5'",
    ),
    (
        {"preset": "1.5", "language": "de", "stages": ["exact", "synonym"]},
        "The stage 'synonym' of `stages` needs `synonyms` of the language; those of "
        "WordNet are English. Received: stages=('exact', 'synonym'), language='de', "
        "preset='1.5'",
    ),
    (
        {"preset": "2005", "paraphrases": TABLE},
        f"`paraphrases` is for the stage 'paraphrase', {NO_WEIGHT} stages=['exact', "
        "'stem', 'synonym', 'paraphrase'], weights=[1.0, 0.8, 0.8, 0.8]. Received: "
        "language='en', task=None, preset='2005'",
    ),
    (
        {"paraphrases": "/none.gz", "stages": ["exact", "stem"]},
        f"`paraphrases` {UNUSED} 'paraphrase'. {TO_USE}('exact', 'stem')",
    ),
    (
        {"language": "cz", "stemmer": str.lower},
        f"`stemmer` is for the stage 'stem', {NO_WEIGHT} stages=['exact', 'stem'], "
        "weights=[1.0, 0.8]. Received: language='cz', task=None, preset='corrected'",
    ),
    (
        {"language": "de", "synonyms": {"auto": [1]}},
        f"`synonyms` is for the stage 'synonym', {NO_WEIGHT} stages=['exact', 'stem', "
        "'synonym'], weights=[1.0, 0.8, 0.8]. Received: language='de', task=None, "
        "preset='corrected'",
    ),
    (
        {"language": "it", "synonyms": "wordnet"},
        f"`synonyms` {UNUSED} 'synonym'. {TO_USE}('exact', 'stem')",
    ),
    (
        {"beam": 3},
        "`beam` must be left out unless `preset` is '1.5'. Received: beam=3, "
        "preset='corrected'",
    ),
    (
        {"task": "universal", "stages": ["exact", "stem"]},
        "`weights` must be given, for there is none for 'stem'.",
    ),
    (
        {"weights": [1, 0.5]},
        "`weights` must be a list of 3 numbers, one for each stage. Received: "
        "weights=[1, 0.5]",
    ),
    (
        {"weights": [1, 0.5, -1]},
        "`weights[2]` must be a finite number at least 0 and at most 1. Received: "
        "weights[2]=-1",
    ),
    ({"alpha": 0}, f"`alpha` {UNIT} alpha=0"),
    ({"alpha": 1}, f"`alpha` {UNIT} alpha=1"),
    ({"delta": 1}, f"`delta` {UNIT} delta=1"),
    ({"beta": 0}, "`beta` must be a finite number above 0. Received: beta=0"),
    (
        {"gamma": 1.1},
        "`gamma` must be a finite number at least 0 and at most 1. Received: gamma=1.1",
    ),
    (
        {"tokenizer": "none", "punctuation": False},
        "`punctuation` must be True unless `tokenizer` is 'meteor'. Received: "
        "tokenizer='none'",
    ),
    (
        {"preset": "1.5", "language": "it", "tokenizer": "meteor"},
        "`tokenizer` 'meteor' knows english, czech, french, german, russian, spanish. "
        "For another language take '13a' or 'intl'. Received: language='it'",
    ),
    (
        {"language": "ar"},
        "`stemmer` must be given for Arabic. The program's table is in "
        "meteor-1.5.jar, stem/arabic-buckwalter-reduced.gz: "
        "stemmer=metrics.StemTable(path). Without stems: stages=['exact'].",
    ),
    (
        {"stemmer": "lancaster"},
        "`stemmer` must be one of 'snowball', 'porter', or a function from a word to "
        "its stem. Received: stemmer='lancaster'",
    ),
    (
        {"synonyms": "thesaurus"},
        "`synonyms` must be 'wordnet', a WordNet reader of NLTK, or a mapping or "
        "function from a word to a list of identifiers. Received: "
        "synonyms='thesaurus'",
    ),
    (
        {"preset": "nltk", "synonyms": {"owl": [1]}},
        "`synonyms` must be 'wordnet' or a WordNet reader of NLTK: the METEOR of NLTK "
        "needs the words of each synset. Received: synonyms={'owl': [1]}",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=lambda value: str(value))
def test_an_argument_out_of_range_is_named(arguments, message):
    with pytest.raises(ValueError) as error:
        METEOR(**arguments)
    assert str(error.value) == message


WORDS = "must be a list of strings. Received:"
TYPES = [
    ({"stages": 5}, TypeError, f"`stages` {WORDS} stages=5"),
    ({"stages": "exact"}, TypeError, f"`stages` {WORDS} stages='exact'"),
    ({"stages": ["exact", 1]}, TypeError, f"`stages` {WORDS} stages=['exact', 1]"),
    ({"function_words": "the"}, TypeError, f"`function_words` {WORDS}"),
    ({"function_words": [5]}, TypeError, f"`function_words` {WORDS}"),
    ({"weights": 5}, TypeError, "`weights` must be a list of 3 numbers, one for each"),
    ({"weights": [1, 1, 2]}, ValueError, "`weights[2]` must be a finite number"),
    ({"beam": 10**9}, ValueError, "`beam` must be an integer of at most 10000."),
    ({"beta": 10**400}, ValueError, "`beta` must be a finite number above 0."),
    ({"preset": np.array(["1.5", "nltk"])}, ValueError, "`preset` must be one of"),
    ({"stemmer": np.ones(2)}, TypeError, "`stemmer` must be one of 'snowball', 'port"),
    ({"tokenizer": np.array(["13a", "zh"])}, TypeError, "`tokenizer` must be one of"),
    ({"paraphrases": 5}, TypeError, "`paraphrases` must be a path. Received:"),
    ({"paraphrases": b"table"}, TypeError, "`paraphrases` must be a path. Received:"),
    ({"paraphrases": "a\0"}, ValueError, "`paraphrases` must be a path without a NUL"),
    # Refused where no stage takes them, too.
    ({"stages": ["exact"], "stemmer": 5}, TypeError, "`stemmer` must be one of"),
    ({"stages": ["exact"], "synonyms": 5}, TypeError, "`synonyms` must be 'wordnet'"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), TYPES, ids=str)
def test_an_argument_of_a_wrong_type_is_named(arguments, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        METEOR(**arguments)


def test_a_tokenizer_without_a_name_is_called_by_its_class():
    class Splitter:
        def __call__(self, text):
            return text.split()

    assert "|tok:Splitter|" in METEOR(tokenizer=Splitter()).signature()


@pytest.mark.parametrize("name", ["lowercase", "punctuation", "characters"])
def test_a_flag_is_true_or_false(name):
    with pytest.raises(TypeError) as error:
        METEOR(**{name: 1})
    assert str(error.value) == f"`{name}` must be True or False. Received: {name}=1"


def test_sides_of_an_alignment_must_be_of_one_kind():
    with pytest.raises(TypeError, match="^`reference.0.` must be text, as its hypoth"):
        METEOR().align([["owl"]], "owl")
    with pytest.raises(TypeError, match="^`reference.0.` must be a list of tokens, as"):
        METEOR().align("owl", ["owl"])
    with pytest.raises(TypeError, match="^`hypothesis` must be a string or a list of"):
        METEOR().align("owl", 5)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {},
            "meteor|refs:2|preset:corrected|lang:en|tok:meteor|case:lower|punct:yes|"
            "mod:exact,stem,synonym|w:1,0.6,0.8|a:0.85|b:0.2|g:0.6|d:0.75|"
            "stem:snowball|syn:wn:3.0|v:",
        ),
        (
            {"preset": "1.5", "paraphrases": TABLE},
            "meteor|refs:2|preset:1.5|lang:en|tok:meteor|case:lower|punct:yes|"
            "mod:exact,stem,synonym,paraphrase|w:1,0.6,0.8,0.6|a:0.85|b:0.2|g:0.6|"
            f"d:0.75|stem:snowball|syn:wn:3.0|para:{TABLE_DIGEST}|beam:40|v:",
        ),
        (
            {"preset": "2005"},
            "meteor|refs:2|preset:2005|lang:en|tok:none|case:lower|punct:yes|"
            "mod:exact,stem,synonym|w:1,1,1|a:0.9|b:3.0|g:0.5|d:0.5|stem:porter|"
            "syn:wn:3.0|v:",
        ),
    ],
)
def test_a_signature_says_all(arguments, expected):
    assert METEOR(**arguments).signature(2).startswith(expected)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"preset": "nltk"}, "preset:nltk"),
        ({"preset": "1.5", "language": "fr"}, "lang:fr"),
        ({"preset": "1.5", "beam": 7}, "beam:7"),
        ({"tokenizer": "13a"}, "tok:13a"),
        ({"lowercase": False}, "case:mixed"),
        ({"punctuation": False}, "punct:no"),
        ({"characters": True}, "chars:yes"),
        ({"stages": ["exact", "stem"]}, "mod:exact,stem"),
        ({"stages": ["exact"]}, "stem:none"),
        ({"stages": ["exact"]}, "syn:none"),
        ({"weights": [1, 0.25, 0.125]}, "w:1,0.25,0.125"),
        ({"task": "adq"}, "w:1,1,0.6"),
        ({"alpha": 0.125}, "a:0.125"),
        ({"beta": 0.375}, "b:0.375"),
        ({"gamma": 0.25}, "g:0.25"),
        ({"delta": 0.625}, "d:0.625"),
        ({"stemmer": "porter"}, "stem:porter"),
        # Digests of "owl\t['1']" and "the".
        ({"synonyms": {"owl": [1]}}, "syn:custom-0ef21fca"),
        ({"synonyms": sorted}, "syn:sorted"),
        ({"function_words": ["the"]}, "func:custom-b9776d7d"),
    ],
)
def test_every_setting_is_in_the_signature(arguments, part):
    assert part in METEOR(**arguments).signature().split("|")
    default = METEOR("1.5" if part.startswith(("lang", "beam")) else "corrected")
    assert part not in default.signature().split("|")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"function_words": ["the"]}, {"function_words": ["cat"]}),
        ({"synonyms": {"owl": [1]}}, {"synonyms": {"owl": [2]}}),
        ({}, {"weights": [1, 0.6000001, 0.8]}),
    ],
)
def test_settings_that_differ_have_signatures_that_differ(first, second):
    assert METEOR(**first).signature() != METEOR(**second).signature()


def test_the_order_of_words_is_not_in_the_signature():
    first, second = {"owl": [1, 2], "cat": [3]}, {"cat": [3], "owl": [2, 1]}
    assert METEOR(synonyms=first).signature() == METEOR(synonyms=second).signature()


def test_synonyms_of_another_language_are_a_stage():
    synonyms = {"auto": [1], "macchina": [1]}
    meteor = METEOR(language="it", synonyms=synonyms)
    assert meteor.stages == ("exact", "stem", "synonym")
    assert meteor.sentence_score(["macchina"], "auto").matches == 1
    weighted = METEOR(
        language="de",
        synonyms={"auto": [1], "wagen": [1]},
        stages=["exact", "stem", "synonym"],
        weights=[1, 0.8, 0.5],
    )
    assert weighted.sentence_score(["wagen"], "auto").matches == 1


def test_a_function_called_none_is_used():
    def none(text):
        return text.split("-")

    none.__qualname__ = "none"
    meteor = METEOR("1.5", tokenizer=none)
    assert meteor.align("a-b", "a-b").reference == ("a", "b")


def test_constants_given_are_used_in_place_of_those_of_a_task():
    formula = METEOR(task="adq", gamma=0.3, weights=(1, 0.5, 0.25)).formula
    assert formula.weights == (1, 0.5, 0.25)
    assert (formula.alpha, formula.beta, formula.gamma) == (0.75, 1.4, 0.3)
