"""Chunks of an alignment, and how it is shown."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.meteor.alignment import Alignment, Match, count_chunks

STAGES = ("exact", "stem", "synonym", "paraphrase")


def word(j, i, stage=0):
    return Match(j, 1, i, 1, stage)


@st.composite
def alignments(draw):
    """Matches of phrases of one to three words, in any order on the hypothesis side."""
    count = draw(st.integers(0, 6))
    lengths = st.lists(st.integers(1, 3), min_size=count, max_size=count)
    gaps = st.lists(st.integers(0, 1), min_size=count, max_size=count)

    def spans():
        start, found = 0, []
        for length, gap in zip(draw(lengths), draw(gaps), strict=True):
            found.append((start + gap, length))
            start += gap + length
        return found

    hypothesis_spans = draw(st.permutations(spans()))
    pairs = zip(spans(), hypothesis_spans, strict=True)
    return [Match(*span, *hypothesis_span, 0) for span, hypothesis_span in pairs]


@given(alignments())
def test_chunks_are_the_matches_that_do_not_go_on_where_another_one_ends(matches):
    ends = {
        (
            m.reference_start + m.reference_length,
            m.hypothesis_start + m.hypothesis_length,
        )
        for m in matches
    }
    continued = sum((m.reference_start, m.hypothesis_start) in ends for m in matches)
    assert count_chunks(matches) == len(matches) - continued


@pytest.mark.parametrize(
    ("pairs", "chunks"),
    [
        ([], 0),
        ([(0, 0)], 1),
        ([(0, 0), (1, 1), (2, 2)], 1),
        ([(0, 0), (1, 2)], 2),  # a gap in the hypothesis
        ([(0, 0), (2, 1)], 2),  # a gap in the reference
        ([(0, 1), (1, 0)], 2),  # the other way round
        ([(0, 2), (1, 3), (2, 0), (3, 1)], 2),
    ],
)
def test_a_gap_or_a_jump_on_either_side_begins_a_chunk(pairs, chunks):
    matches = tuple(word(j, i) for j, i in pairs)
    assert count_chunks(matches) == chunks
    sides = tuple("abcd"), tuple("abcd")
    assert Alignment(*sides, matches, STAGES).chunks == chunks


def test_a_match_of_phrases_goes_on_after_its_last_words():
    assert count_chunks([Match(0, 2, 1, 3, 3), word(2, 4)]) == 1
    assert count_chunks([Match(0, 2, 1, 3, 3), word(2, 3)]) == 2


def test_fields_of_a_match_are_reference_first():
    match = Match(3, 2, 5, 1, 0)
    assert (match.reference_start, match.reference_length) == (3, 2)
    assert (match.hypothesis_start, match.hypothesis_length) == (5, 1)


def test_an_alignment_cannot_be_changed_and_is_not_minimal_unless_proven():
    alignment = Alignment(("a",), ("a",), (word(0, 0),), STAGES)
    assert alignment.minimal is False
    with pytest.raises(dataclasses.FrozenInstanceError):
        alignment.minimal = True


def test_chunks_stages_and_what_is_left_over_are_shown():
    alignment = Alignment(
        reference=tuple("the lamp of the old ships".split()),
        hypothesis=tuple("lamps of ships in the night".split()),
        matches=(word(1, 0, 1), word(2, 1), word(3, 4), word(5, 2)),
        stages=STAGES,
    )
    assert alignment.render().splitlines() == [
        "           hypothesis  reference  found by",
        "chunk 1    lamps of    lamp of    stem, exact",
        "chunk 2    the         the        exact",
        "chunk 3    ships       ships      exact",
        "unmatched  in night    the old",
    ]


def test_stages_of_a_chunk_are_counted():
    alignment = Alignment(
        reference=tuple("a big hound ran home".split()),
        hypothesis=tuple("a large dog ran home".split()),
        matches=(word(0, 0), word(1, 1, 2), word(2, 2, 2), word(3, 3), word(4, 4)),
        stages=STAGES,
    )
    assert alignment.render().splitlines() == [
        "           hypothesis            reference             found by",
        "chunk 1    a large dog ran home  a big hound ran home  3 exact, 2 synonym",
        "unmatched",
    ]


def test_phrases_are_shown_whole():
    alignment = Alignment(
        reference=("many", "apples"),
        hypothesis=("a", "lot", "of", "pears"),
        matches=(Match(0, 1, 0, 3, 3),),
        stages=STAGES,
    )
    assert alignment.render().splitlines() == [
        "           hypothesis  reference  found by",
        "chunk 1    a lot of    many       paraphrase",
        "unmatched  pears       apples",
    ]


def test_the_number_of_a_stage_refers_to_the_stages_used():
    alignment = Alignment(("car",), ("auto",), (word(0, 0, 1),), ("exact", "synonym"))
    assert alignment.render().splitlines()[1].split() == [
        *("chunk", "1", "auto", "car", "synonym")
    ]


def test_notebooks_show_what_is_rendered():
    alignment = Alignment(("a", "<b>"), ("a",), (Match(0, 1, 0, 1, 0),), ("exact",))
    shown = alignment._repr_html_()
    assert shown.startswith("<pre>") and "&lt;b&gt;" in shown and "<b>" not in shown
    assert shown.count("\n") == alignment.render().count("\n")


def test_nothing_in_common_is_all_unmatched():
    assert Alignment(("b", "c"), ("a",), (), STAGES).render().splitlines() == [
        "           hypothesis  reference  found by",
        "unmatched  a           b c",
    ]
    assert Alignment((), (), (), STAGES).render().splitlines()[1:] == ["unmatched"]
