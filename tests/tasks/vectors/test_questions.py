"""Analogies and similarity on vectors whose answers are known by hand."""

import math

import numpy as np
import pytest

from tasks.vectors.analogies import Section
from tasks.vectors.similarity import spearman
from tasks.vectors.word_vectors import WordVectors

# man, woman: +-x; the crown is y; a rare word at the end.
ROYAL = WordVectors(
    ["man", "woman", "king", "queen", "table", "prince"],
    [[1, 0, 0.1], [-1, 0, 0.1], [1, 1, 0], [-1, 1, 0], [0, 0, 1], [1, 0.9, 0]],
)
QUESTIONS = """: family
man woman king queen
Man Woman King Queen
king queen man woman
: gram-things
man table king woman
man woman king emperor
"""


def test_analogies_are_counted_by_section(write):
    score = ROYAL.analogies(write(QUESTIONS))
    assert score.sections == [
        Section("family", 3, 3, 3),
        Section("gram-things", 0, 1, 2),
    ]
    assert score.all == Section("all", 3, 4, 5)
    assert (score.accuracy, score.coverage) == (0.75, 0.8)
    assert [part.name for part in score.groups] == ["semantic", "syntactic"]
    assert score.interval is None  # of four answers it would be far too narrow
    more = ROYAL.analogies(write(QUESTIONS * 3))
    assert more.accuracy == 0.75
    assert 0 <= more.interval.low < 0.75 < more.interval.high <= 1


def test_answers_are_none_of_the_three_words(write):
    # b - a + c is c itself, whose nearest other word is the prince.
    score = ROYAL.analogies(write("man man king prince"), confidence=None)
    assert score.accuracy == 1 and score.interval is None and score.groups == []


def test_the_vocabulary_limits_questions_and_answers(write):
    path = write("man woman king queen\nman man king prince\n")
    assert ROYAL.analogies(path, vocabulary=5).all == Section("all", 1, 1, 2)
    assert ROYAL.analogies(path, vocabulary=None).vocabulary == 6


def test_without_a_question_that_was_asked_there_is_no_accuracy(write):
    score = ROYAL.analogies(write("a b c d"))
    assert math.isnan(score.accuracy) and math.isnan(score.sections[0].accuracy)
    assert (score.coverage, score.interval) == (0, None)


def test_methods_can_differ_and_follow_their_formulas(write):
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(30)]
    vectors = WordVectors(words, rng.normal(size=(30, 4)))
    cosines = vectors.units() @ vectors.units().T
    for method, answer in {
        "3cosadd": lambda a, b, c: b - a + c,
        "3cosmul": lambda a, b, c: (b + 1) / 2 * (c + 1) / 2 / ((a + 1) / 2 + 0.001),
    }.items():
        lines = []
        for a, b, c in rng.integers(30, size=(20, 3)):
            values = answer(cosines[a], cosines[b], cosines[c])
            values[[a, b, c]] = -np.inf
            lines.append(f"w{a} w{b} w{c} w{values.argmax()}")
        assert vectors.analogies(write("\n".join(lines)), method=method).accuracy == 1


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            ": a\n\na b c\n",
            {},
            "text`, line 3: a question must have four words.*'a b c'",
        ),
        (": only\n", {}, "text` must have at least one question. Received: none"),
        ("", {}, "text` is empty"),
        (b"a b c \xff\n", {}, "text` must be UTF-8. Received in line 1"),
        ("a b c d", {"method": "4cosadd"}, "`method` must be one of '3cosadd', '3cosm"),
        ("a b c d", {"vocabulary": 0}, "`vocabulary` must be a positive integer"),
        ("a b c d", {"confidence": 1}, "`confidence` must be .* below 1"),
    ],
)
def test_bad_questions_are_named(write, content, options, message):
    with pytest.raises(ValueError, match=message):
        ROYAL.analogies(write(content), **options)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        # 1 - 6 sum d^2 / (n (n^2 - 1)), with d = 0, 1, 1, 0.
        ([1, 2, 3, 4], [1, 3, 2, 9], 1 - 6 * 2 / 60),
        ([1, 2, 3], [9, 5, 1], -1),
        # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
        ([0, 1, 1, 2], [1, 2, 3, 4], np.sqrt(0.9)),
    ],
)
def test_spearman_is_that_of_the_textbook(x, y, expected):
    assert spearman(np.array(x), np.array(y)) == pytest.approx(expected)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1], [2, 3])])
def test_spearman_without_two_ranks_is_nan(x, y):
    assert np.isnan(spearman(np.array(x), np.array(y)))


PAIRS = [("man", "king", 9), ("man", "woman", 1), ("king", "queen", 5), ("a", "b", 2)]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("# WordSimilarity\n", "{}\t{}\t{}"),
        ("Word 1,Word 2,Human (mean)\n", "{},{},{}"),
        ("word1\tword2\tPOS\tSimLex999\tconc(w1)\n", "{}\t{}\tN\t{}\t3"),
        ("", "{} {} {}"),
    ],
)
def test_all_forms_of_pairs_are_read(write, header, row):
    content = header + "\n".join(row.format(*pair) for pair in PAIRS) + "\n"
    score = ROYAL.similarity(write(content))
    assert (score.covered, score.total) == (3, 4)
    assert score.interval is None and score == ROYAL.similarity(write(content))
    more = ROYAL.similarity(write(content + content[len(header) :] * 3))
    assert (more.covered, more.total) == (12, 16)
    assert more.interval.low <= more.correlation <= more.interval.high


def test_similarity_is_of_normalised_numbers(write):
    # The large mean of the first number would make all cosines 1.
    vectors = WordVectors(["a", "b", "c"], [[1000, 1], [1000, 0.9], [1000, -5]])
    path = write("a b 9\na c 1\nb c 2\n")
    assert vectors.similarity(path, confidence=None).correlation == pytest.approx(
        0.866, abs=1e-3
    )


def test_no_pair_covered_has_no_correlation(write):
    score = ROYAL.similarity(write("a b 1\n"))
    assert np.isnan(score.correlation) and score.interval is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b 1\nc d\n", "text`, line 2: two words and a number must stand .*'c d'"),
        ("a b 1\nc d x\n", "text`, line 2: two words and a number must stand there"),
        ("a b inf\nc d inf\n", "text`, line 2: two words and a number"),
        ("# nothing\n", "text` must have at least one pair. Received: none"),
    ],
)
def test_bad_pairs_are_named(write, content, message):
    with pytest.raises(ValueError, match=message):
        ROYAL.similarity(write(content))
