"""The compiled searches against those in Python, which must agree in everything."""

import array
import itertools
import pickle
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.meteor import native
from metrics.meteor.aligners import CandidateAligner
from metrics.meteor.beam_alignment import beam_alignment
from metrics.meteor.compiled_search import CompiledSearch, WordRecords
from metrics.meteor.matching import Matcher
from metrics.meteor.meteor import METEOR
from metrics.meteor.minimal_alignment import MAX_WIDTH, minimal_alignment
from metrics.meteor.score import Formula

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


ALL_STAGES = ("exact", "stem", "synonym", "paraphrase")


def matcher_of(stages):
    return Matcher(stages, stem=stem, synsets=synsets, paraphrases=paraphrases)


def search_of(stages, beam=40):
    return CompiledSearch(matcher_of(stages), lambda word: (1, False), beam)


def search_candidates(candidates, num_words, beam, width=MAX_WIDTH):
    """A compiled search with given candidates, by texts without equal words."""
    numbers = itertools.count()

    def text(size):
        return array.array(
            "i", [n for _ in range(size) for n in (1, 0, 1, next(numbers))]
        ).tobytes()

    phrases = [native.MATCH.pack(*match) for own in candidates for match in own]
    texts = (
        *(text(len(candidates)), len(candidates)),
        *(text(num_words), num_words),
        1,
        *(b"".join(phrases), len(phrases)),
    )
    return native.align(texts, beam, width)


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
    assert search_candidates(candidates, num_words, beam) == (expected, False)


@compiled
@given(candidate_lists(), st.sampled_from([1, 5, MAX_WIDTH]))
@settings(max_examples=300, deadline=None)
def test_any_candidates_give_the_fewest_chunks_of_python(drawn, width):
    candidates, num_words = drawn
    expected = minimal_alignment(candidates, width)
    assert search_candidates(candidates, num_words, None, width) == expected


@compiled
@pytest.mark.parametrize(
    "stages",
    [
        ("exact",),
        ("exact", "stem"),
        ("exact", "synonym"),
        ALL_STAGES,
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
    matches, minimal = search_of(stages, beam).matches(reference, hypothesis)
    candidates = matcher_of(stages).candidates(reference, hypothesis)
    assert matches == beam_alignment(candidates, beam)
    assert not minimal


def pairs(seed, count, sizes, words):
    """Pairs of texts: one cut in pieces that change places, or of other words."""
    rng = random.Random(seed)
    for _ in range(count):
        known = rng.sample(words, rng.randint(2, len(words)))
        reference = rng.choices(known, k=rng.choice(sizes))
        hypothesis = rng.choices(known, k=rng.choice(sizes))
        if rng.random() < 0.7:
            cut = rng.randrange(len(reference))
            hypothesis = reference[cut:] + reference[:cut]
            hypothesis[rng.randrange(len(hypothesis))] = rng.choice(words)
        yield reference, hypothesis


@compiled
@pytest.mark.parametrize("stages", [("exact",), ALL_STAGES], ids=" ".join)
@pytest.mark.parametrize(
    ("count", "sizes", "words"),
    [
        (400, range(1, 13), WORDS),
        (12, range(15, 25), WORDS),
        (3, [66, 70], [f"{letter}{n}" for letter in "abcd" for n in range(12)]),
    ],
    ids=["short", "repetitive", "longer than 64 words"],
)
def test_texts_give_the_fewest_chunks_of_python(stages, count, sizes, words):
    search, matcher = search_of(stages, None), matcher_of(stages)
    width = MAX_WIDTH if max(sizes) < 15 else 100  # Python takes seconds for more
    for reference, hypothesis in pairs(count, count, sizes, words):
        candidates = matcher.candidates(reference, hypothesis)
        expected = minimal_alignment(candidates, width)
        assert search.matches(reference, hypothesis, width) == expected


@compiled
@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        # Too many choices at a word: only those of the longest runs are tried.
        ("a" * 40, "a" * 39 + "b"),
        ("ba" + "c" * 30, ("ab" + "c" * 30) * 3),
        # Two searches, the second one for more than the first one found.
        ("abbabaabbaababba", "babaabbbaabababa"),
        # More than 200 words: no second search.
        ("ab" * 101, "ba" * 60 + "ab" * 9),
    ],
)
def test_limits_of_the_search_are_those_of_python(reference, hypothesis):
    texts = list(reference), list(hypothesis)
    expected = minimal_alignment(matcher_of(["exact"]).candidates(*texts))
    assert search_of(["exact"], None).matches(*texts) == expected


@compiled
@pytest.mark.parametrize("count", [25, 30])
def test_words_that_compete_for_others_take_no_longer_than_seconds(count):
    # Two places for each word at random: the states of what is used double each time.
    rng = random.Random(1)
    candidates = [
        [(j, 1, i, 1, 1) for i in sorted(rng.sample(range(count), 2))]
        for j in range(count)
    ]
    began = time.process_time()
    found = search_candidates(candidates, count, None)
    assert time.process_time() - began < 30  # some 0.1 s
    assert found == minimal_alignment(candidates)


@compiled
def test_repeated_words_by_the_thousand_take_no_longer_than_seconds():
    start = time.process_time()
    rng = random.Random(3)
    texts = [rng.choices("ab", k=2000), rng.choices("abc", k=2000)]
    matches, minimal = search_of(["exact"], None).matches(*texts)
    assert len(matches) > 1000 and not minimal
    assert time.process_time() - start < 30  # some 2 s


@compiled
def test_texts_too_long_for_the_compiled_search_are_left_to_python():
    longest, too_long = (["a"] + ["b"] * (native.MAX_WORDS - k) for k in (1, 0))
    search = search_of(["exact"], None)
    assert search.matches(["a", "c"], longest) == ([(0, 1, 0, 1, 0)], True)
    assert search.matches(longest, ["c", "a"]) == ([(0, 1, 1, 1, 0)], True)
    assert search.matches(["a", "c"], too_long) is None
    assert search.counts(too_long, ["a", "c"]) is None
    aligner = CandidateAligner(matcher_of(["exact"]), FORMULA)
    assert aligner(["a", "c"], too_long).matches == [(0, 1, 0, 1, 0)]
    assert aligner.statistics(["a", "c"], too_long)[-3:] == [1, 1, 1]


FORMULA = Formula(
    0.85, 0.2, 0.6, 0.75, (1, 0.6, 0.8, 0.6), size=len, function_words=frozenset("a")
)


@compiled
@pytest.mark.parametrize("beam", [None, 40])
@given(
    st.lists(st.sampled_from(WORDS), max_size=9),
    st.lists(st.sampled_from(WORDS), max_size=9),
)
@settings(max_examples=200, deadline=None)
def test_statistics_are_those_of_the_matches(beam, reference, hypothesis):
    aligner = CandidateAligner(matcher_of(ALL_STAGES), FORMULA, beam)
    matches = aligner(reference, hypothesis).matches
    expected = FORMULA.statistics(matches, reference, hypothesis)
    assert aligner.statistics(reference, hypothesis) == expected


@compiled
def test_texts_of_many_words_give_the_matches_of_python():
    # Further apart than a row of 64 bits, with ties at every word.
    reference, hypothesis = WORDS * 30, WORDS[::-1] * 30
    stages = ("exact", "stem")
    matches, _ = search_of(stages).matches(reference, hypothesis)
    candidates = matcher_of(stages).candidates(reference, hypothesis)
    assert matches == beam_alignment(candidates, 40)


FAR = 2_000_000
LONG = [[(0, 1, i, 1, 0) for i in (FAR, FAR + 9)], [(1, 1, i, 1, 0) for i in (5, FAR)]]
LONG[1].append((1, 1, FAR + 10, 1, 0))


@pytest.mark.parametrize(
    "search",
    [
        pytest.param(lambda: beam_alignment(LONG, 40), id="python"),
        pytest.param(
            lambda: search_candidates(LONG, FAR + 11, 40)[0],
            id="compiled",
            marks=compiled,
        ),
    ],
)
def test_fewer_chunks_come_before_any_distance(search):
    # The matches in one chunk were charged two million for those passed over.
    assert [match[2] for match in search()] == [FAR + 9, FAR + 10]


@compiled
@pytest.mark.parametrize("beam", [None, 40])
@pytest.mark.parametrize(("reference", "hypothesis"), [([], ["a"]), (["a"], [])])
def test_an_empty_side_gives_no_matches(reference, hypothesis, beam):
    matches, minimal = search_of(("exact", "stem"), beam).matches(reference, hypothesis)
    assert (matches, minimal) == ([], beam is None)


@pytest.mark.parametrize("beam", [None, 40])
def test_python_takes_over_where_the_library_is_missing(monkeypatch, beam):
    aligner = CandidateAligner(matcher_of(ALL_STAGES), FORMULA, beam)
    texts = (["a", "b", "ba", "c"], ["ab", "c", "a", "b"])
    expected, statistics = aligner(*texts), aligner.statistics(*texts)
    monkeypatch.setattr(native, "load", lambda: None)
    assert aligner(*texts) == expected
    assert expected.matches
    assert aligner.statistics(*texts) == statistics


def test_the_environment_switches_it_off(monkeypatch):
    monkeypatch.setenv("MEMNETS_NATIVE", "0")
    assert native.load.__wrapped__() is None


def test_a_library_that_cannot_be_loaded_is_none(monkeypatch, tmp_path):
    broken = tmp_path / "_alignment.so"
    broken.write_text("not a library")
    monkeypatch.delenv("MEMNETS_NATIVE", raising=False)
    monkeypatch.setattr(native, "LIBRARY", broken)
    assert native.load.__wrapped__() is None


def test_a_library_of_an_earlier_version_is_none(monkeypatch):
    # It reads other records of words, and has one search only.
    earlier = type("Library", (), {"memnets_align": None})
    monkeypatch.delenv("MEMNETS_NATIVE", raising=False)
    monkeypatch.setattr("ctypes.CDLL", lambda _: earlier)
    assert native.load.__wrapped__() is None


def test_a_library_that_was_not_built_is_none(monkeypatch, tmp_path):
    monkeypatch.delenv("MEMNETS_NATIVE", raising=False)
    monkeypatch.setattr(native, "LIBRARY", tmp_path / "_alignment.so")
    assert native.load.__wrapped__() is None


@compiled
def test_too_little_memory_is_an_error(monkeypatch):
    class Failing:
        def memnets_align(self, *_):
            return -1

        memnets_align_minimal = memnets_align

    monkeypatch.setattr(native, "load", Failing)
    texts = b"", 0, b"", 0, 1, b"", 0
    for beam in (None, 1):
        with pytest.raises(MemoryError, match="does not fit in memory"):
            native.align(texts, beam)
        with pytest.raises(MemoryError, match="does not fit in memory"):
            native.count(texts, beam)


def test_records_hold_the_identifiers_of_each_stage_in_order():
    def weigh(word):
        return len(word), True

    records = WordRecords(lambda word: [[word], [], reversed(word)], weigh)
    assert array.array("i", records["ab"]).tolist()[:5] == [2, 1, 1, 0, 0]
    count, *letters = array.array("i", records["ab"]).tolist()[5:]
    assert count == len(letters) == 2
    assert letters == sorted(letters)


@compiled
def test_records_forgotten_at_the_limit_do_not_mix_with_new_ones(monkeypatch):
    monkeypatch.setattr("metrics.meteor.compiled_search.LIMIT", 2)
    search = search_of(("exact", "stem"))
    search.matches(["a", "b"], ["b", "c", "d"])
    # New words, numbered as the forgotten ones were.
    assert search.matches(["d", "ab"], ["ab", "b"]) == ([(1, 1, 0, 1, 0)], False)


@pytest.mark.parametrize("preset", ["corrected", "1.5"])
def test_a_metric_that_has_counted_can_be_pickled(preset):
    metric = METEOR(preset)
    segment = ["a cat sat on the mat"], "the cats sat on a rug"
    counted = metric.statistics(*segment).tolist()
    assert pickle.loads(pickle.dumps(metric)).statistics(*segment).tolist() == counted
