"""Counts of pairs of words against a plain loop."""

import collections
import gzip
import random

import numpy as np
import pytest

from tasks.vectors import native, text
from tasks.vectors.cooccurrence import Cooccurrence, count_cooccurrences
from tasks.vectors.memory import PairArrays, bytes_of, empty
from tasks.vectors.pair_counts import count_pairs


def plain_counts(content, window, min_count, symmetric):
    """The words and X by a loop over the text, as the paper defines it."""
    lines = [line.split() for line in content.split("\n")]
    frequencies = collections.Counter(word for line in lines for word in line)
    words = sorted(
        (word for word, count in frequencies.items() if count >= min_count),
        key=lambda word: (-frequencies[word], word),
    )
    matrix = np.zeros((len(words), len(words)))
    for line in lines:
        kept = [words.index(word) for word in line if word in words]
        for later, row in enumerate(kept):
            for earlier in range(max(0, later - window), later):
                matrix[row, kept[earlier]] += 1 / (later - earlier)
                if symmetric:
                    matrix[kept[earlier], row] += 1 / (later - earlier)
    return words, matrix


def drawn_text(seed, lines=120, longest=30, kinds=40):
    rng = random.Random(seed)
    weights = [1 / (n + 1) for n in range(kinds)]
    names = [f"w{n}é" for n in range(kinds)]
    return "\n".join(
        " ".join(rng.choices(names, weights, k=rng.randrange(longest)))
        for _ in range(lines)
    )


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(("window", "min_count"), [(1, 1), (4, 20), (50, 2)])
def test_counts_equal_a_plain_loop(way, write, window, min_count, symmetric):
    content = drawn_text(window)
    words, expected = plain_counts(content, window, min_count, symmetric)
    counted = count_cooccurrences(
        write(content), window, min_count=min_count, symmetric=symmetric
    )
    assert counted.words == words
    # 1e-6: the counts are float32.
    np.testing.assert_allclose(counted.dense(), expected, rtol=1e-6)
    assert counted.frequencies.tolist() == sorted(counted.frequencies)[::-1]


def test_a_word_outside_the_vocabulary_is_no_distance(way, write):
    counted = count_cooccurrences(write("a rare b a b"), 1, min_count=2)
    assert counted.words == ["a", "b"]
    assert counted.dense().tolist() == [[0, 3], [3, 0]]


def test_pairs_do_not_cross_lines_but_all_other_blanks(way, write):
    counted = count_cooccurrences(write("a\tb\u2028c\r\nd e\n\n"), min_count=1)
    pairs = np.argwhere(counted.dense()).tolist()
    assert [counted.words[i] + counted.words[j] for i, j in pairs] == [
        *("ab", "ac", "ba", "bc", "ca", "cb", "de", "ed")
    ]


def test_asymmetric_rows_are_the_words_and_columns_those_before_them(way, write):
    counted = count_cooccurrences(write("a b"), min_count=1, symmetric=False)
    assert counted.dense().tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize("most", [1, 7, 64])
@pytest.mark.parametrize("symmetric", [True, False])
def test_a_text_in_parts_gives_the_same_counts(
    way, write, monkeypatch, most, symmetric
):
    content = drawn_text(3, lines=12, kinds=9)
    whole = count_cooccurrences(write(content), 5, min_count=2, symmetric=symmetric)
    monkeypatch.setattr("tasks.vectors.cooccurrence.MAX_PART", most)
    parts = count_cooccurrences(write(content), 5, min_count=2, symmetric=symmetric)
    assert parts.columns.tolist() == whole.columns.tolist()
    # 1e-6: sums of parts are rounded to float32.
    np.testing.assert_allclose(parts.counts, whole.counts, rtol=1e-6)


def test_pairs_beyond_the_memory_move_to_a_file(way, write):
    content = drawn_text(5, lines=3000, kinds=3000)
    whole = count_cooccurrences(write(content), min_count=1)
    parts = count_cooccurrences(write(content), min_count=1, memory="1MB")
    assert not isinstance(whole.counts, np.memmap)
    assert isinstance(parts.counts, np.memmap)
    assert np.array_equal(parts.columns, whole.columns)
    np.testing.assert_allclose(parts.counts, whole.counts, rtol=1e-6)


def test_a_text_that_is_read_twice_gives_the_same(way, write, monkeypatch):
    content, read = drawn_text(5, lines=30), []
    once = count_cooccurrences(write(content), advance=read.append)
    assert sum(read) == len(content.encode())
    monkeypatch.setattr("tasks.vectors.cooccurrence.bytes_of", lambda memory: 1600)
    read.clear()
    twice = count_cooccurrences(write(content), advance=read.append)
    assert sum(read) == 2 * len(content.encode())
    np.testing.assert_allclose(twice.dense(), once.dense(), rtol=1e-6)


def test_blocks_of_a_file_do_not_split_words(write, monkeypatch):
    content = drawn_text(1, lines=40)
    paths = [write(content), write(gzip.compress(content.encode()), "b.gz")]
    whole = [list(text.words_of([path])) for path in paths]
    monkeypatch.setattr(text, "BLOCK", 7)
    for path, blocks in zip(paths, whole, strict=True):
        words = [word for block in text.words_of([path]) for word in block]
        assert words == [word for block in blocks for word in block]


def test_several_files_are_one_text_and_a_file_ends_a_line(way, write):
    paths = [write("a b", "1"), write("a b\n", "2")]
    counted = count_cooccurrences(paths, min_count=1)
    assert counted.dense().tolist() == [[0, 2], [2, 0]]


def test_rows_that_do_not_fit_at_once_are_counted_one_after_another(
    way, write, monkeypatch
):
    content = drawn_text(8)
    monkeypatch.setattr(native.RowCounter, "CAPACITY", 1)
    words, expected = plain_counts(content, 10, 1, True)
    counted = count_cooccurrences(write(content), min_count=1)
    np.testing.assert_allclose(counted.dense(), expected, rtol=1e-6)


def test_a_part_without_words_has_no_pairs(way):
    starts, columns, counts = count_pairs(np.array([-1], np.int32), 0, 3, 5, True, 99)
    assert starts.tolist() == [0, 0, 0, 0] and not len(columns) and not len(counts)


def test_a_matrix_gives_its_nonzero_counts():
    matrix = np.array([[0, 2.5], [1, 0]])
    pairs = Cooccurrence.of(["a", "b"], matrix)
    assert pairs.dense().tolist() == matrix.tolist()
    with pytest.raises(ValueError, match=r"must have the shape \(1, 1\).*\(2, 2\)"):
        Cooccurrence.of(["a"], matrix)
    with pytest.raises(ValueError, match="must be finite counts of at least 0"):
        Cooccurrence.of(["a", "b"], -matrix)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "`files` must have at least one word. Received: none"),
        (" \n\n", {}, "`files` must have at least one word. Received: none"),
        ("a\nb\n", {"min_count": 1}, "Received: 2 words, no two of them in a line"),
        ("a", {"min_count": 1}, "at least two words.*Received: 1 words, no two"),
        ("a a b", {}, "`min_count` must be at most 2.*Received: min_count=5"),
        (b"a\nb \xff", {}, "text` must be UTF-8. Received in line 2: byte 0xff at.* 4"),
        (b"a\n\0b", {}, "text` must be text. Received a NUL byte in line 2"),
        (b"\x1f\x8bno", {}, "text` is truncated or not gzip"),
        ("a b", {"window": 0}, "`window` must be a positive integer"),
        ("a b", {"window": 2**21}, "`window` must be an integer of at most 1048576"),
        ("a b", {"min_count": 0}, "`min_count` must be a positive integer"),
        ("a b", {"memory": "much"}, '`memory` must be a number of bytes or .* "2GB"'),
        ("a b", {"memory": "1KB"}, "`memory` must be an integer of at least 1000000"),
    ],
)
def test_bad_input_is_named(way, write, content, options, message):
    with pytest.raises(ValueError, match=message):
        count_cooccurrences(write(content), **options)


def test_an_error_names_the_place_in_the_whole_file(write, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 4)
    with pytest.raises(ValueError, match="in line 3: byte 0xff at position 9"):
        count_cooccurrences(write(b"ab cd\nx\n \xff\n"), min_count=1)


def test_files_must_exist_and_differ(write, tmp_path):
    with pytest.raises(ValueError, match="`files` must be at least one file"):
        count_cooccurrences([])
    with pytest.raises(ValueError, match="`files` must be files that exist.*gone"):
        count_cooccurrences(tmp_path / "gone")
    path = write("a b")
    with pytest.raises(ValueError, match="must be different files.*twice"):
        count_cooccurrences([path, path])


@pytest.mark.parametrize(
    ("given", "expected"),
    [("2GB", 2 * 10**9), ("1.5 mb", 1_500_000), ("3000000", 3_000_000), (10**7, 10**7)],
)
def test_memory_is_read(given, expected):
    assert bytes_of(given) == expected


def test_pair_arrays_are_the_same_in_a_file_and_in_memory():
    kept, filed = PairArrays(10**6), PairArrays(40)
    for size in (3, 0, 2, 40):
        for arrays in (kept, filed):
            arrays.append(np.arange(size, dtype=np.int32), np.ones(size, np.float32))
    for one, other in zip(kept.finished(), filed.finished(), strict=True):
        assert isinstance(other, np.memmap)
        assert one.tolist() == other.tolist()


def test_no_pairs_need_no_file():
    arrays = PairArrays(0)
    arrays.append(np.empty(0, np.int32), np.empty(0, np.float32))
    assert [len(array) for array in arrays.finished()] == [0, 0]


def test_an_array_beyond_its_limit_lies_in_a_file():
    array = empty(np.float32, 10, 39)
    array[:] = 2
    assert isinstance(array, np.memmap) and array.sum() == 20
    assert not isinstance(empty(np.float32, 10, 40), np.memmap)
