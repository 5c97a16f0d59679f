"""The compiled search against the one in Python, which must agree in everything."""

import array
import itertools
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.meteor import native
from metrics.meteor.beam_alignment import beam_alignment
from metrics.meteor.compiled_search import BeamSearch, WordRecords
from metrics.meteor.matching import Matcher
from metrics.meteor.meteor import METEOR

compiled = pytest.mark.skipif(
    native.load() is None, reason="the compiled search was not built"
)
WORDS = ["a", "ab", "abc", "b", "ba", "c", "cb", "d"]
MEANINGS = {"a": {1, 5, 9}, "ab": {1, 2}, "b": {2}, "ba": {1, 3}, "c": {3, 9}}
TABLE = {"a": [["b", "c"]], "a b": [["c"], ["c", "a"]], "c": [["a", "b"]]}


def stem(word):
    return word[:1]


def synsets(word):
    return MEANINGS.get(word, frozenset())


def paraphrases(words, start):
    for length in (1, 2):
        for other in TABLE.get(" ".join(words[start : start + length]), ()):
            if start + length <= len(words):
                yield length, other


def search_of(stages, beam=40):
    matcher = Matcher(stages, stem=stem, synsets=synsets, paraphrases=paraphrases)
    return BeamSearch(matcher, beam)


def search_candidates(candidates, num_words, beam):
    """The compiled search with given candidates, by texts without equal words."""
    numbers = itertools.count()

    def text(size):
        return [array.array("i", [1, next(numbers)]).tobytes() for _ in range(size)]

    return native.align(
        text(len(candidates)),
        text(num_words),
        b"".join(native.MATCH.pack(*match) for own in candidates for match in own),
        num_stages=1,
        beam=beam,
    )


@st.composite
def candidate_lists(draw):
    """Candidates of any stage, one word or several, few or many to a word."""
    reference_size = draw(st.integers(1, 12))
    num_words = draw(st.sampled_from([1, 3, 8, 63, 64, 65, 150]))
    starts = st.integers(0, num_words - 1)
    found = []
    for j in range(reference_size):
        own = []
        for i in draw(st.lists(starts, max_size=4)):
            reference_length = draw(st.integers(1, min(3, reference_size - j)))
            length = draw(st.integers(1, min(70, num_words - i)))
            if draw(st.booleans()):
                reference_length = length = 1
            stage = draw(st.integers(0, 3))
            own.append((j, reference_length, i, length, stage))
        found.append(own)
    return found, num_words


@compiled
@given(candidate_lists(), st.sampled_from([1, 2, 3, 40, 10**30]))
@settings(max_examples=500, deadline=None)
def test_any_candidates_give_the_matches_of_python(drawn, beam):
    candidates, num_words = drawn
    expected = beam_alignment(candidates, beam)
    assert search_candidates(candidates, num_words, beam) == expected


@compiled
@pytest.mark.parametrize(
    "stages",
    [
        ("exact",),
        ("exact", "stem"),
        ("exact", "synonym"),
        ("exact", "stem", "synonym", "paraphrase"),
    ],
    ids=" ".join,
)
@given(
    st.lists(st.sampled_from(WORDS), max_size=80),
    st.lists(st.sampled_from(WORDS), max_size=80),
    st.sampled_from([1, 3, 40]),
)
@settings(max_examples=100, deadline=None)
def test_any_texts_give_the_matches_of_python(stages, reference, hypothesis, beam):
    search = search_of(stages, beam)
    candidates = search.matcher.candidates(reference, hypothesis)
    assert search(reference, hypothesis) == beam_alignment(candidates, beam)


@compiled
def test_texts_of_many_words_give_the_matches_of_python():
    # Further apart than a row of 64 bits, with ties at every word.
    reference, hypothesis = WORDS * 30, WORDS[::-1] * 30
    search = search_of(("exact", "stem"))
    candidates = search.matcher.candidates(reference, hypothesis)
    assert search(reference, hypothesis) == beam_alignment(candidates, 40)


FAR = 2_000_000
LONG = [[(0, 1, i, 1, 0) for i in (FAR, FAR + 9)], [(1, 1, i, 1, 0) for i in (5, FAR)]]
LONG[1].append((1, 1, FAR + 10, 1, 0))


@pytest.mark.parametrize(
    "search",
    [
        pytest.param(lambda: beam_alignment(LONG, 40), id="python"),
        pytest.param(
            lambda: search_candidates(LONG, FAR + 11, 40), id="compiled", marks=compiled
        ),
    ],
)
def test_fewer_chunks_come_before_any_distance(search):
    # The matches in one chunk were charged two million for those passed over.
    assert [match[2] for match in search()] == [FAR + 9, FAR + 10]


@pytest.mark.parametrize(("reference", "hypothesis"), [([], ["a"]), (["a"], [])])
def test_an_empty_side_gives_no_matches(reference, hypothesis):
    assert search_of(("exact", "stem"))(reference, hypothesis) == []


def test_python_takes_over_where_the_library_is_missing(monkeypatch):
    search = search_of(("exact", "stem", "synonym", "paraphrase"))
    texts = (["a", "b", "ba", "c"], ["ab", "c", "a", "b"])
    expected = search(*texts)
    monkeypatch.setattr(native, "load", lambda: None)
    assert search(*texts) == expected != []


def test_the_environment_switches_it_off(monkeypatch):
    monkeypatch.setenv("MEMNETS_NATIVE", "0")
    assert native.load.__wrapped__() is None


def test_a_library_that_cannot_be_loaded_is_none(monkeypatch, tmp_path):
    broken = tmp_path / "_alignment.so"
    broken.write_text("not a library")
    monkeypatch.delenv("MEMNETS_NATIVE", raising=False)
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda _: type("Spec", (), {"origin": str(broken)})
    )
    assert native.load.__wrapped__() is None


@pytest.mark.parametrize("found", [None, type("Spec", (), {"origin": None})])
def test_a_library_that_was_not_built_is_none(monkeypatch, found):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: found)
    assert native.load.__wrapped__() is None


@compiled
def test_too_little_memory_is_an_error(monkeypatch):
    class Failing:
        def memnets_align(self, *_):
            return -1

    monkeypatch.setattr(native, "load", Failing)
    with pytest.raises(MemoryError, match="does not fit in memory"):
        native.align([], [], b"", num_stages=1, beam=1)


def test_records_hold_the_identifiers_of_each_stage_in_order():
    records = WordRecords(lambda word: [[word], [], reversed(word)])
    assert array.array("i", records["ab"]).tolist()[:3] == [1, 0, 0]
    count, *letters = array.array("i", records["ab"]).tolist()[3:]
    assert count == len(letters) == 2
    assert letters == sorted(letters)


def test_records_forgotten_at_the_limit_do_not_mix_with_new_ones(monkeypatch):
    monkeypatch.setattr("metrics.meteor.compiled_search.LIMIT", 2)
    search = search_of(("exact", "stem"))
    search(["a", "b"], ["b", "c", "d"])
    # New words, numbered as the forgotten ones were.
    assert search(["d", "ab"], ["ab", "b"]) == [(1, 1, 0, 1, 0)]


def test_a_metric_that_has_counted_can_be_pickled():
    metric = METEOR("1.5")
    segment = ["a cat sat on the mat"], "the cats sat on a rug"
    counted = metric.statistics(*segment).tolist()
    assert pickle.loads(pickle.dumps(metric)).statistics(*segment).tolist() == counted
