"""Most matches, then fewest chunks: the search against trying every alignment."""

import array
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.meteor import native
from metrics.meteor.beam_alignment import beam_alignment
from metrics.meteor.matching import Matcher
from metrics.meteor.minimal_alignment import minimal_alignment


def weight(matches):
    """1 for a word of an exact match, on either side, and 1/2 for other words."""
    return sum((own[1] + own[3]) * (1 if own[4] == 0 else 0.5) for own in matches)


def chunks(matches):
    """Matches that do not begin where another one ends."""
    ends = {(own[0] + own[1], own[2] + own[3]) for own in matches}
    return sum((own[0], own[2]) not in ends for own in matches)


def words_of(match):
    reference_words = {("reference", j) for j in range(match[0], match[0] + match[1])}
    return reference_words | {
        ("hypothesis", i) for i in range(match[2], match[2] + match[3])
    }


def alignments(candidates, taken=()):
    """Every set of candidates of which no two share a word."""
    if not candidates:
        yield taken
        return
    first, rest = candidates[0], candidates[1:]
    yield from alignments(rest, taken)
    free = [other for other in rest if not words_of(first) & words_of(other)]
    yield from alignments(free, (*taken, first))


def best(candidates):
    """Most weight and fewest chunks of all alignments."""
    every = [match for own in candidates for match in own]
    found = max((weight(own), -chunks(own)) for own in alignments(every))
    return found[0], -found[1]


def check_valid(matches, candidates):
    assert all(tuple(match) in candidates[match[0]] for match in matches)
    covered = [word for match in matches for word in words_of(match)]
    assert len(covered) == len(set(covered))
    assert matches == sorted(matches)


def compiled_alignment(candidates):
    """The compiled search, by texts without equal words."""
    lengths = [
        len(candidates),
        max((own[2] + own[3] for row in candidates for own in row), default=0),
    ]
    reference, hypothesis = (
        array.array("i", [n for k in range(size) for n in (1, 0, 1, first + k)])
        for first, size in zip((0, lengths[0]), lengths, strict=True)
    )
    phrases = [native.MATCH.pack(*match) for row in candidates for match in row]
    texts = (
        *(reference.tobytes(), lengths[0]),
        *(hypothesis.tobytes(), lengths[1]),
        1,
        *(b"".join(phrases), len(phrases)),
    )
    return native.align(texts, None)


SEARCHES = [minimal_alignment]
if native.load() is not None:
    SEARCHES.append(compiled_alignment)


def check_best(candidates):
    expected = best(candidates)
    for search in SEARCHES:
        matches, minimal = search(candidates)
        assert minimal
        check_valid(matches, candidates)
        assert (weight(matches), chunks(matches)) == expected


MATCHER = Matcher(
    ("exact", "stem", "synonym", "paraphrase"),
    stem=lambda word: word[0],
    synsets=lambda word: {"b": {1}, "c": {1, 2}, "d1": {2}}.get(word, set()),
    paraphrases=lambda words, start: [
        (length, paraphrase)
        for phrase, paraphrase in PHRASES
        for length in [len(phrase)]
        if words[start : start + length] == phrase
    ],
)
PHRASES = [
    (["a"], ["b", "c"]),
    (["a", "a"], ["b"]),
    (["b", "a"], ["a", "c"]),
    (["c", "d1", "a"], ["d"]),
]


def exact_candidates(reference, hypothesis):
    return Matcher(("exact",)).candidates(list(reference), list(hypothesis))


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.sampled_from([2, 3]))
@settings(max_examples=150, deadline=None)
def test_equal_words_are_matched_in_the_fewest_chunks(reference, hypothesis, repeat):
    # At most so many of a word, or there are too many alignments to try.
    reference, hypothesis = (
        "".join(c for k, c in enumerate(text) if text[:k].count(c) < repeat)
        for text in (reference, hypothesis)
    )
    check_best(exact_candidates(reference, hypothesis))


words = st.lists(st.sampled_from(["a", "a1", "b", "b1", "c", "d", "d1"]), max_size=5)


@given(words, words)
@settings(max_examples=150, deadline=None)
def test_all_stages_together_are_matched_best(reference, hypothesis):
    check_best(MATCHER.candidates(reference, hypothesis))


@st.composite
def any_candidates(draw):
    """Candidates without a text behind them, some of phrases, up to ten."""
    places = st.tuples(st.integers(0, 5), st.integers(0, 5))
    lengths = st.tuples(*[st.sampled_from([1, 1, 1, 2, 3])] * 2)
    drawn = draw(st.sets(st.tuples(places, lengths, st.integers(0, 3)), max_size=10))
    found = [[] for _ in range(6)]
    for (j, i), (reference_length, length), stage in sorted(drawn):
        if stage == 0:
            reference_length = length = 1
        if j + reference_length <= 6:
            match = (j, reference_length, i, length, stage)
            if match not in found[j]:
                found[j].append(match)
    return found


@given(any_candidates())
@settings(max_examples=300, deadline=None)
def test_any_candidates_are_matched_best(candidates):
    check_best(candidates)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "fewest"),
    [
        ("abcdef", "abcdef", 1),
        ("abcdef", "defabc", 2),
        ("abcd", "dcba", 4),
        ("ababa", "babab", 1),  # baba; a third a or b has no partner
        ("abcabca", "cabacba", 5),  # of the pairs in order only ca and ab are in both
        ("axbxcx", "xaxbxc", 2),
    ],
)
def test_chunks_of_equal_words_counted_by_hand(reference, hypothesis, fewest):
    matches, minimal = minimal_alignment(exact_candidates(reference, hypothesis))
    assert minimal
    assert chunks(matches) == fewest


def test_a_word_found_by_two_stages_is_matched():
    # The search of the program leaves it out.
    candidates = [[(0, 1, 0, 1, 1), (0, 1, 0, 1, 2)]]
    assert beam_alignment(candidates) == []
    matches, _ = minimal_alignment(candidates)
    assert [match[:4] for match in matches] == [(0, 1, 0, 1)]


def test_an_exact_match_goes_before_others():
    # b is matched with itself, though with c it would be in one chunk with a.
    candidates = [[(0, 1, 0, 1, 0)], [(1, 1, 1, 1, 2), (1, 1, 3, 1, 0)]]
    matches, _ = minimal_alignment(candidates)
    assert matches == [(0, 1, 0, 1, 0), (1, 1, 3, 1, 0)]


def test_two_inexact_matches_go_before_one_exact_match_and_a_longer_chunk():
    # One exact match weighs 2 in one chunk, two others 2 in two chunks; with a phrase
    # of weight 3/2 in place of one of them, these weigh more.
    middle, left, right = (1, 1, 1, 1, 0), (0, 1, 1, 1, 1), (1, 1, 0, 1, 1)
    matches, _ = minimal_alignment([[left], [middle, right]])
    assert matches == [middle]
    matches, _ = minimal_alignment([[left], [middle, right, (1, 2, 0, 1, 3)], []])
    assert matches == [left, (1, 2, 0, 1, 3)]


def test_the_words_of_a_phrase_count_on_both_sides():
    # Half of 2 + 3 words is more than the two words of one exact match.
    phrase, exact = (0, 2, 0, 3, 3), (1, 1, 1, 1, 0)
    matches, _ = minimal_alignment([[phrase], [exact]])
    assert matches == [phrase]


def test_a_phrase_continues_a_chunk():
    candidates = [[(0, 2, 2, 1, 3)], [], [(2, 1, 0, 1, 0), (2, 1, 3, 1, 0)]]
    matches, _ = minimal_alignment(candidates)
    assert matches == [(0, 2, 2, 1, 3), (2, 1, 3, 1, 0)]


def test_nothing_to_match_gives_nothing():
    assert minimal_alignment([]) == ([], True)
    assert minimal_alignment([[], []]) == ([], True)


TEXT = (
    "the miller of the village took the flour to the baker of the town and the baker "
    "of the town took the bread to the mill so that the miller of the village and the "
    "men of the mill had bread for the day and the baker had flour for the night"
).split()


def test_sixty_words_of_english_are_solved():
    # The halves change places, and every tenth word is another one.
    moved = TEXT[27:] + TEXT[:27]
    moved[::10] = ["a"] * len(moved[::10])
    matches, minimal = minimal_alignment(Matcher(("exact",)).candidates(TEXT, moved))
    assert minimal
    common = sum(min(TEXT.count(word), moved.count(word)) for word in set(TEXT))
    assert len(matches) == common
    # Six words were lost, and the two halves: no more than eight chunks are needed.
    assert chunks(matches) <= 8


def test_a_search_cut_short_gives_an_alignment_that_is_not_called_minimal():
    candidates = exact_candidates("abbabaabbaababba" * 2, "babaabbbaabababa" * 2)
    matches, minimal = minimal_alignment(candidates, width=1)
    check_valid(matches, candidates)
    assert len(matches) == 32  # sixteen of each: all words
    assert not minimal


@pytest.mark.parametrize("length", [100, 300, 600])
def test_a_text_of_two_words_in_another_order_is_found_in_few_pieces(length):
    draw = random.Random(length)
    text = "".join("ab"[draw.random() < 0.5] for _ in range(length))
    first, second, third, fourth = (
        text[k * length // 4 : (k + 1) * length // 4] for k in range(4)
    )
    moved = third + first + fourth + second
    candidates = exact_candidates(text, moved)
    matches, _ = minimal_alignment(candidates)
    check_valid(matches, candidates)
    assert len(matches) == length
    # Four are enough, not always found; with no regard to runs it was 89 of 300.
    assert chunks(matches) <= length // 10


@pytest.mark.parametrize(
    ("reference", "hypothesis", "matched", "fewest"),
    [
        # A quarter of a million candidates and more, which may all continue a chunk.
        ("a" * 500, "a" * 499 + "b", 499, 1),
        ("ba" + "c" * 200, ("ab" + "c" * 200) * 10, 202, 3),
        (("ab" + "c" * 200) * 10, "ba" + "c" * 200, 202, 3),
    ],
)
def test_a_word_that_is_repeated_hundreds_of_times_takes_seconds(
    reference, hypothesis, matched, fewest
):
    start = time.process_time()
    matches, _ = minimal_alignment(exact_candidates(reference, hypothesis))
    assert len(matches) == matched and chunks(matches) == fewest
    # Some 3 s; it was 20 where nothing bounded the choices at a word.
    assert time.process_time() - start < 30
