"""Where synonyms may come from."""

import pickle
import subprocess
import sys

import pytest

from metrics.meteor.meteor import METEOR
from metrics.meteor.synonyms import as_lemmas, as_synonyms
from metrics.meteor.wordnet import default_table


class Synset:
    def __init__(self, pos, offset, names):
        self._pos, self._offset, self._names = pos, offset, names

    def pos(self):
        return self._pos

    def offset(self):
        return self._offset

    def lemma_names(self):
        return self._names


class Reader:
    """Two synsets with the methods of NLTK's reader."""

    synsets_of_word = {
        "car": [Synset("n", 1, ["car", "auto", "motor_car"]), Synset("n", 2, ["Car"])],
        "auto": [Synset("n", 1, ["car", "auto", "motor_car"])],
        "drive": [Synset("v", 1, ["drive"])],
    }

    def synsets(self, word):
        return self.synsets_of_word.get(word, [])


def share(synonyms, first, second):
    return bool(synonyms.synsets(first) & synonyms.synsets(second))


@pytest.mark.parametrize("source", [None, "wordnet"])
def test_the_table_of_wordnet_is_the_default(source):
    synonyms = as_synonyms(source)
    assert synonyms is default_table(False)
    assert synonyms.name == "wn:3.0"


def test_parts_of_speech_may_be_merged():
    merged = as_synonyms(None, merge_parts_of_speech=True)
    assert share(merged, "entity", "breathe")
    assert not share(as_synonyms(None), "entity", "breathe")


def test_a_reader_of_nltk_tells_synsets_by_part_of_speech_and_offset():
    synonyms = as_synonyms(Reader())
    assert synonyms.name == "nltk"
    assert synonyms.synsets("car") == {("n", 1), ("n", 2)}
    assert share(synonyms, "car", "auto")
    assert not share(synonyms, "auto", "drive")
    assert synonyms.synsets("the") == frozenset()


def test_lemmas_of_a_reader_are_its_single_words_in_their_own_case():
    assert as_lemmas(Reader())("car") == {"car", "auto", "Car"}


def test_a_mapping_gives_identifiers_of_any_kind():
    synonyms = as_synonyms({"car": ["vehicle", 7], "auto": (7,), "bus": {"vehicle"}})
    assert synonyms.name.startswith("custom-")
    assert share(synonyms, "car", "auto")
    assert share(synonyms, "car", "bus")
    assert not share(synonyms, "auto", "bus")


def test_a_word_that_a_mapping_lacks_has_no_synonyms():
    assert as_synonyms({"car": [1]}).synsets("cars") == frozenset()


def test_a_function_is_asked_once_for_each_word():
    asked = []
    synonyms = as_synonyms(lambda word: asked.append(word) or word[:1])
    with pytest.raises(TypeError):
        synonyms.synsets("car")
    synonyms = as_synonyms(lambda word: asked.append(word) or [word[:1]])
    asked.clear()
    assert share(synonyms, "car", "cat")
    assert share(synonyms, "car", "cat")
    assert asked == ["car", "cat"]


def test_what_is_a_source_already_is_left_alone():
    for source in (None, Reader(), {"car": [1]}):
        synonyms = as_synonyms(source)
        assert as_synonyms(synonyms) is synonyms


def test_a_mapping_can_be_pickled_with_its_metric():
    copy = pickle.loads(pickle.dumps(as_synonyms({"car": [1]})))
    assert copy.synsets("car") == {1}


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError) as error:
        as_synonyms("wordnet31")
    assert str(error.value) == (
        "`synonyms` must be 'wordnet', a WordNet reader of NLTK, or a mapping or "
        "function from a word to a list of identifiers. Received: synonyms='wordnet31'"
    )


def test_an_object_of_another_kind_is_refused():
    with pytest.raises(TypeError) as error:
        as_synonyms(3)
    assert str(error.value).endswith("Received: synonyms=3")


@pytest.mark.parametrize(("wrong", "shown"), [("auto", "'auto'"), (None, "None")])
def test_identifiers_that_are_no_list_are_named_with_their_word(wrong, shown):
    with pytest.raises(TypeError) as error:
        as_synonyms({"car": wrong}).synsets("car")
    assert str(error.value) == (
        "`synonyms` must give a list of identifiers for a word. Received for 'car': "
        + shown
    )


def test_a_source_without_words_of_synsets_is_refused_where_they_are_needed():
    with pytest.raises(ValueError) as error:
        as_lemmas({"car": [1]})
    assert str(error.value) == (
        "`synonyms` must be 'wordnet' or a WordNet reader of NLTK: the METEOR of NLTK "
        "needs the words of each synset. Received: synonyms={'car': [1]}"
    )


def test_importing_loads_no_table_and_neither_nltk_nor_snowball():
    program = (
        "import sys, metrics.meteor.synonyms, metrics.tokenizers.stemmers\n"
        "from metrics.meteor import wordnet\n"
        "print(wordnet._lines.cache_info().currsize,"
        " 'nltk' in sys.modules, 'snowballstemmer' in sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == ["0", "False", "False"]


def test_identifiers_that_cannot_be_compared_are_named():
    message = "^`synonyms` must give a list of identifiers"
    with pytest.raises(TypeError, match=message):
        as_synonyms({"car": [["a list"]]})
    later = as_synonyms({"bus": [1], "car": [["a list"]]})
    with pytest.raises(TypeError, match=message):
        later.synsets("car")


@pytest.mark.parametrize(
    "words",
    [
        {"hund": ["köter"], "mann": ["herr"]},
        {"hat": ["cap"], "cap": ["hat"]},
        {"hat": ["cap"]},
    ],
)
def test_words_in_place_of_identifiers_are_named(words):
    with pytest.raises(ValueError, match="`synonyms` must give synonyms the same"):
        as_synonyms(words)


@pytest.mark.parametrize(
    "words", [{}, {"hat": []}, {"hat": [1]}, {"hat": ["cap"], "cap": ["cap"]}]
)
def test_identifiers_may_be_words_and_need_not_be_shared(words):
    assert as_synonyms(words).synsets("hat") == frozenset(words.get("hat", ()))


@pytest.mark.parametrize("lowercase", [True, False])
def test_capitals_count_where_those_of_the_texts_do(lowercase):
    table = {"Hund": [1], "Köter": [1], "hund": [2]}
    given = {"stages": ["exact", "synonym"], "weights": [1, 0.8]}
    meteor = METEOR(language="de", synonyms=table, lowercase=lowercase, **given)
    plain = METEOR(
        language="de", synonyms={"hund": [1, 2], "köter": [1]}, lowercase=True, **given
    )
    texts = [["der Hund"], "der Köter"]
    assert (
        meteor.sentence_score(*texts).value == plain.sentence_score(*texts).value > 0.8
    )
    # In small letters the entries with capitals count only where case does not.
    small = meteor.sentence_score(["der hund"], "der köter").matches
    assert small == (2 if lowercase else 1)
    light = METEOR(language="de", function_words=["Der"], lowercase=lowercase)
    lower = METEOR(language="de", function_words=["der"], lowercase=lowercase)
    same = light.sentence_score(*texts).value == lower.sentence_score(*texts).value
    assert same == lowercase
