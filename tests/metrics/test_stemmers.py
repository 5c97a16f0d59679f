"""Stemmers: the right tables, once a word, and clear errors."""

import importlib
import importlib.metadata
import pickle
import random

import pytest

from metrics.tokenizers.stemmers import SNOWBALL_LANGUAGES, get_stemmer

# Words as in the samples at snowballstem.org; meteor-1.5.jar has the same stems.
SNOWBALL = {
    "english": "consigned consign consistency consist consolatory consolatori "
    "knackeries knackeri knightly knight knives knive knots knot",
    "french": "continuellement continuel continuation continu majestueuse majestu "
    "maintenant mainten",
    "german": "aufeinander aufeinand kategorischen kategor kätzchen katzch",
    "spanish": "chicas chic chicharrones chicharron torneado torn toros tor",
    "russian": "важности важност важный важн падения паден паду пад",
}


@pytest.mark.parametrize("language", SNOWBALL)
def test_snowball_gives_the_stems_of_its_authors(language):
    words = SNOWBALL[language].split()
    stem = get_stemmer("snowball", language)
    assert [stem(word) for word in words[::2]] == words[1::2]


def test_snowball_is_that_of_meteor_and_not_that_of_nltk():
    # NLTK's SnowballStemmer gives "realize"; version 3 another stem for 861 words.
    assert get_stemmer("snowball")("realization") == "realiz"


def test_snowball_knows_each_of_its_languages():
    for language in SNOWBALL_LANGUAGES:
        assert get_stemmer("snowball", language)("") == ""


@pytest.mark.parametrize("language", SNOWBALL_LANGUAGES)
def test_endings_looked_up_give_the_stems_of_the_program_itself(language):
    module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
    program = getattr(module, f"{language.title()}Stemmer")
    endings = sorted(
        {
            entry.s
            for name, entries in vars(program).items()
            if name.startswith("a_")
            for entry in entries
        }
    )
    letters = sorted(set("".join(endings)) | set("aeiouy"))
    rng = random.Random(1)
    stem = get_stemmer("snowball", language)
    for _ in range(500):
        word = "".join(rng.choices(letters, k=rng.randint(0, 6)))
        word += "".join(rng.choices(endings, k=rng.randint(0, 3)))
        assert stem(word) == program().stemWord(word)


# Porter (1980), examples of steps 1a to 5b.
PORTER = (
    "caresses caress ponies poni cats cat agreed agre plastered plaster motoring motor "
    "hopping hop filing file happy happi relational relat conditional condit "
    "triplicate triplic electrical electr goodness good revival reviv "
    "controlling control"
)


def test_porter_gives_the_stems_of_the_paper():
    words = PORTER.split()
    stem = get_stemmer("porter")
    assert [stem(word) for word in words[::2]] == words[1::2]


def test_porter_is_the_variant_of_nltk():
    stem = get_stemmer("porter")
    # Porter's own has "di"; NLTK keeps short words together, and lowers the case.
    assert stem("dies") == "die"
    assert stem("Dogs") == "dog"


def test_a_function_is_asked_once_for_each_word():
    asked = []
    stem = get_stemmer(lambda word: asked.append(word) or word[:3])
    assert [stem("winter"), stem("window"), stem("winter")] == ["win", "win", "win"]
    assert asked == ["winter", "window"]


@pytest.mark.parametrize("name", ["snowball", "porter"])
def test_a_pickled_stemmer_gives_the_same_stems(name):
    stem = get_stemmer(name)
    assert pickle.loads(pickle.dumps(stem))("horses") == stem("horses") == "hors"


def test_an_unknown_stemmer_is_refused():
    with pytest.raises(ValueError) as error:
        get_stemmer("lancaster")
    assert str(error.value) == (
        "`stemmer` must be one of 'snowball', 'porter', or a function from a word to "
        "its stem. Received: stemmer='lancaster'"
    )


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError) as error:
        get_stemmer("snowball", "en")
    assert str(error.value).startswith("`language` must be one of 'arabic', ")
    assert str(error.value).endswith("'yiddish'. Received: language='en'")


def test_porter_is_english_only():
    with pytest.raises(ValueError) as error:
        get_stemmer("porter", "french")
    assert str(error.value) == (
        "`language` must be 'english' with the stemmer 'porter'. Received: "
        "language='french'"
    )


def test_another_version_of_snowball_is_refused(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda package: "3.1.1")
    with pytest.raises(ImportError) as error:
        get_stemmer("snowball")
    assert str(error.value) == (
        "The stemmer 'snowball' needs the package snowballstemmer 2.2, because version "
        "3 changed the stems: pip install 'snowballstemmer>=2.2,<3'. Installed: 3.1.1"
    )


def test_a_missing_snowball_is_named(monkeypatch):
    def missing(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(ImportError, match="Installed: none"):
        get_stemmer("snowball")


def test_a_function_that_gives_no_stem_is_named():
    stem = get_stemmer(len)
    with pytest.raises(TypeError, match="^`stemmer` must return a string for a word."):
        stem("word")
