"""METEOR in the languages of the program, against the program itself.

The numbers were printed by the program; tests/golden/README.md says how.
"""

import hashlib
import json
import pathlib

import numpy as np
import pytest

import metrics
from metrics.meteor.constants import LANGUAGES, function_words
from metrics.tokenizers.meteor import nonbreaking_prefixes, normalize

FILE = pathlib.Path(__file__).parents[1] / "golden" / "meteor_languages.jsonl"
ENTRIES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
TEXTS = [entry for entry in ENTRIES if "normalizes" in entry]
RUNS = {e["options"].split()[1]: e for e in ENTRIES if "options" in e}
NAMES = {"en": "english"} | {name: LANGUAGES[name].name for name in RUNS}


@pytest.mark.parametrize(
    "entry", TEXTS, ids=lambda e: f"{e['normalizes']}-{e['punctuation']}"
)
def test_tokens_are_those_of_the_program(entry):
    assert len(entry["texts"]) == len(entry["tokens"]) >= 200
    language = NAMES[entry["normalizes"]]
    tokens = [
        normalize(text, language=language, punctuation=entry["punctuation"])
        for text in entry["texts"]
    ]
    assert tokens == entry["tokens"]


@pytest.mark.parametrize("language", ["de", "fr", "es", "cz", "ru"])
def test_language_alone_gives_the_scores_of_the_program(language):
    """Those of `-l LANGUAGE -norm`, as the program's help recommends."""
    run = RUNS[language]
    references = [segment["references"] for segment in run["segments"]]
    hypotheses = [segment["hypothesis"] for segment in run["segments"]]
    assert len(hypotheses) == 200
    metric = metrics.METEOR("1.5", language=language)
    scores = metric.sentence_scores(references, hypotheses)
    np.testing.assert_allclose(
        [score.value for score in scores], run["scores"], rtol=0, atol=1e-9
    )
    corpus = metric.corpus_score(references, hypotheses).value
    assert corpus == pytest.approx(run["corpus"], rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "language"),
    [("cs", "cz"), ("sv", "se"), ("nb", "no"), ("ar-bw-red", "ar")],
)
def test_other_names_of_a_language(name, language):
    settings = {"stages": ["exact"]} if language == "ar" else {}
    one = metrics.METEOR(language=name, **settings)
    assert one.signature() == metrics.METEOR(language=language, **settings).signature()


@pytest.mark.parametrize(
    ("language", "content", "function"),
    [("de", "hund", "der"), ("fr", "chien", "les"), ("es", "perro", "los")],
)
def test_corrected_knows_the_function_words_of_the_language(
    language, content, function
):
    """A matched content word counts more than a matched function word."""
    metric = metrics.METEOR(language=language)
    text = f"{function} {content}"
    matched = {
        word: metric.sentence_score([text], f"{word} xyz").value
        for word in (content, function)
    }
    assert matched[content] > matched[function] > 0


def test_each_language_has_its_own_words():
    lists = [function_words(name) for name in NAMES.values()]
    assert all(60 <= len(words) <= 93 for words in lists)
    assert "und" in function_words("german") and "и" in function_words("russian")
    assert function_words("danish") == frozenset()
    assert nonbreaking_prefixes("czech") == {}
    assert nonbreaking_prefixes("german")["bzw"] == "always"


def test_text_of_a_language_without_rules_must_be_tokenised():
    """As the program, which refuses `-norm` for it."""
    danish = metrics.METEOR(language="da")
    assert danish.sentence_score(["hunden løber ."], "hunden løber.").value < 1
    assert "tok:none" in danish.signature()
    tokenised = metrics.METEOR(language="da", tokenizer="13a")
    assert tokenised.sentence_score(["hunden løber ."], "hunden løber.").value == 1.0
    with pytest.raises(ValueError, match="'meteor' knows english, czech, .* '13a'"):
        metrics.METEOR(language="da", tokenizer="meteor")


def test_arabic_needs_its_table_of_stems(tmp_path):
    with pytest.raises(ValueError, match="StemTable.*stages="):
        metrics.METEOR(language="ar")
    assert metrics.METEOR(language="ar", stages=["exact"]).stages == ("exact",)
    table = tmp_path / "stems"
    table.write_text("AlktAb 12 ktAb 3 ktb\nktAbh 4 ktAb\n")
    stems = metrics.StemTable(table)
    assert [stems(word) for word in ("AlktAb", "ktAbh", "qlm")] == [
        "ktAb",
        "ktAb",
        "qlm",
    ]
    metric = metrics.METEOR(language="ar", stemmer=stems, lowercase=False)
    assert metric.stages == ("exact", "stem")
    assert metric.sentence_score(["AlktAb"], "ktAbh").value > 0
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    assert f"|stem:StemTable-{digest[:8]}|" in metric.signature()


@pytest.mark.parametrize("line", ["", "word 1"])
def test_table_of_stems_has_three_columns(tmp_path, line):
    table = tmp_path / "stems"
    table.write_text(f"a 1 b\n{line}\n")
    with pytest.raises(ValueError, match="^Line 2 of .*must be a word, a number and"):
        metrics.StemTable(table)
