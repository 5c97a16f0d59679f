"""Files of word vectors, neighbours, the embedding, and the picture."""

import gzip
import struct

import numpy as np
import pytest

import tasks
from tasks.vectors.figures import draw_words, principal_components
from tasks.vectors.word_vectors import WordVectors

WORDS = ["the", "café", "12", ". . .", "naïve\u00a0x"]


@pytest.fixture
def vectors():
    values = np.random.default_rng(0).normal(0, 1e3, (len(WORDS), 3))
    values[0] = [1e-38, -1 / 3, 0]
    return WordVectors(WORDS, values)


@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz"])
@pytest.mark.parametrize("header", [False, True])
def test_vectors_are_read_back_exactly(vectors, tmp_path, name, header):
    vectors.save(tmp_path / name, header=header)
    loaded = tasks.WordVectors.load(tmp_path / name)
    assert loaded.words == WORDS
    assert loaded.values.tobytes() == vectors.values.tobytes()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_both_forms_are_those_of_glove_and_word2vec(tmp_path):
    vectors = WordVectors(["a", "b"], [[1, 0.5], [-2, 1e-7]])
    vectors.save(tmp_path / "glove")
    assert (tmp_path / "glove").read_text() == "a 1 0.5\nb -2 1.00000001e-07\n"
    vectors.save(tmp_path / "word2vec", header=True)
    assert (tmp_path / "word2vec").read_text().startswith("2 2\na 1 0.5\n")


def test_the_same_vectors_are_the_same_bytes_when_gzipped(vectors, tmp_path):
    for name in ("a.gz", "b.gz"):
        vectors.save(tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_word2vec_s_blank_at_the_end_of_a_row_is_read(write):
    assert WordVectors.load(write("2 2\na 1 2 \nb 3 4 \n"))["b"].tolist() == [3, 4]


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_a_limit_reads_the_first_vectors_only(write, header):
    # The last row is bad, and is not reached.
    loaded = WordVectors.load(write(f"{header}a 1 2\nb 3 4\nc 5\n"), limit=2)
    assert loaded.words == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "text` must have at least one vector. Received: none"),
        ("5 2\n", "text` must have at least one vector"),
        ("a 1 2\nb 1\n", "text`, line 2: a word and 2 numbers must .*Received: 1"),
        ("a 1 2\nb 1 2 3\n", "text`, line 2: a word and 2 numbers must .*Received: 3"),
        ("a 1\nb 1 2\n", "text`, line 2: a word and 1 number must .*Received: 2"),
        ("a 1 2\n\nb 1 2\n", "text`, line 2: .* Received: an empty line"),
        ("a\n", "text`, line 1: a word and at least one number must stand there"),
        (" 1 2\n", "text`, line 1: a word and at least one number must stand there"),
        ("a 1 2\nb 1 x\n", "text`, line 2: values must be numbers. Received: 'x'"),
        ("a 1 nan\n", "text`, line 1: values must be finite. Received: 'nan'"),
        ("a 1 2\nb 1 -inf\n", "text`, line 2: values must be finite. Received: '-inf'"),
        ("a 1 1e99\n", "text`, line 1: values must be finite. Received: '1e99'"),
        ("3 1\na 1\nb 2\n", "text` must have 3 vectors.*Received: 2"),
        ("2 2\na 1\nb 2\n", "text`, line 2: a word and 2 numbers must stand there"),
        (b"a 1\n\xff 2\n", "text` must be UTF-8. Received in line 2: byte 0xff"),
        # Without a time, which would give the test another name in each process.
        (
            gzip.compress(b"a 1\nb 2\n", mtime=0)[:-9],
            "text` is truncated or not gzip",
        ),
    ],
)
def test_bad_files_are_named_with_the_line(write, content, message):
    with pytest.raises(ValueError, match=message):
        WordVectors.load(write(content))


def test_missing_files_are_named(tmp_path):
    with pytest.raises(ValueError, match="gone` cannot be read: No such file"):
        WordVectors.load(tmp_path / "gone")
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        WordVectors.load(tmp_path)


@pytest.mark.parametrize("word", ["", " a", "a\n", "a\nb", "a\t"])
def test_words_that_cannot_be_read_back_are_not_written(tmp_path, word):
    with pytest.raises(ValueError, match="no blank at their ends and no line end"):
        WordVectors([word], [[1.0]]).save(tmp_path / "v")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "values", "message"),
    [
        (["a"], [[1], [2]], r"here \(1, size\). Received: shape \(2, 1\)"),
        (["a", "a"], [[1], [2]], "`words` must be different words"),
        (["a"], [[np.nan]], "`values` must be finite numbers"),
    ],
)
def test_bad_vectors_are_refused(words, values, message):
    with pytest.raises(ValueError, match=message):
        WordVectors(words, values)


COMPASS = WordVectors(
    ["north", "east", "south", "west", "far-north", "nowhere"],
    [[0, 1], [1, 0], [0, -1], [-1, 0], [0.1, 9], [0, 0]],
)


def test_neighbours_are_ordered_by_cosine():
    found = COMPASS.most_similar("north", n=3)
    assert [word for word, _ in found] == ["far-north", "east", "west"]
    assert found[0][1] == pytest.approx(9 / np.hypot(0.1, 9))
    assert len(COMPASS.most_similar("north", n=99)) == 5


@pytest.mark.once
# gensim does not close a file that is not gzipped.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("name", "header"), [("v.txt", False), ("v.txt.gz", True)])
def test_gensim_reads_the_same_vectors_and_finds_the_same_neighbours(
    tmp_path, name, header
):
    models = pytest.importorskip("gensim.models", exc_type=ImportError)
    values = np.random.default_rng(1).normal(size=(200, 20))
    vectors = WordVectors([f"w{number}" for number in range(200)], values)
    vectors.save(tmp_path / name, header=header)
    read = models.KeyedVectors.load_word2vec_format(
        tmp_path / name, no_header=not header
    )
    assert read.index_to_key == vectors.words
    assert np.array_equal(read.vectors, vectors.values)
    for word in vectors.words[:20]:
        found, expected = vectors.most_similar(word), read.most_similar(word)
        assert [other for other, _ in found] == [other for other, _ in expected]
        # Both sum in float32, in another order.
        np.testing.assert_allclose(
            *([cosine for _, cosine in near] for near in (found, expected)), atol=1e-6
        )


def test_words_are_added_with_length_one_and_subtracted():
    assert COMPASS.most_similar(["far-north"], ["north"], n=1)[0][0] == "east"
    assert COMPASS.most_similar([], ["north"], n=1) == [("south", 1.0)]


def test_a_sum_of_nothing_is_like_nothing():
    assert {cosine for _, cosine in COMPASS.most_similar(["north", "south"])} == {0}


def test_bad_words_are_named():
    with pytest.raises(ValueError, match="no vector of the word 'up'"):
        COMPASS.most_similar("up")
    with pytest.raises(ValueError, match="There is one of 'north'. .* see `min_count`"):
        COMPASS.most_similar("norht")
    with pytest.raises(ValueError, match="`positive` must be at least one word"):
        COMPASS.most_similar([])
    with pytest.raises(ValueError, match="`n` must be a positive integer"):
        COMPASS.most_similar("north", n=0)


def test_words_are_looked_up():
    assert "east" in COMPASS and "East" not in COMPASS
    assert COMPASS.find("East") == COMPASS.number("east") == 1
    assert COMPASS.find("up") is None
    assert (len(COMPASS), COMPASS.size) == (6, 2)


def test_an_embedding_begins_with_the_vectors():
    layer = COMPASS.embedding(["<pad>", "south", "east", "up"])
    rows = layer(np.array([[1, 2]]))
    assert np.asarray(rows).tolist() == [[[0, -1], [1, 0]]]
    table = np.asarray(layer.embeddings)
    assert table.shape == (4, 2)
    # Words without a vector have random ones, of about the size of the others.
    assert len({*table[:, 0].tolist()}) == 4
    assert np.isfinite(table).all() and np.abs(table).max() < 20
    again = COMPASS.embedding(["<pad>", "south", "east", "up"], trainable=False)
    assert np.array_equal(np.asarray(again.embeddings), table)
    assert layer.trainable and not again.trainable


def test_an_embedding_without_vectors_is_refused():
    with pytest.raises(ValueError, match="Received: 2 words, none of which has one"):
        COMPASS.embedding(["up", "down"])
    with pytest.raises(ValueError, match="Received: 0 words"):
        COMPASS.embedding([])


def test_components_keep_the_distances_in_a_plane():
    values = np.array([[0, 0, 5], [3, 0, 5], [0, 4, 5], [1, 1, 5]], np.float32)
    points, shares = principal_components(values)
    for i, j in np.ndindex(4, 4):
        distance = np.linalg.norm(values[i] - values[j])
        assert np.linalg.norm(points[i] - points[j]) == pytest.approx(distance)
    assert shares[0] > shares[1] and shares.sum() == pytest.approx(1)


def test_components_of_one_number_are_a_line():
    points, shares = principal_components(np.array([[1.0], [3.0]]))
    assert points[:, 1].tolist() == [0, 0] and shares.tolist() == [1, 0]


def test_the_picture_names_each_word():
    figure = draw_words(COMPASS, ["north", "east", "south"])
    assert [text.get_text() for text in figure.axes[0].texts] == [
        *("north", "east", "south")
    ]
    with pytest.raises(ValueError, match="at least two words. Received: 1"):
        draw_words(COMPASS, ["north"])


@pytest.mark.parametrize(
    "words", [["new york", "a"], ["a", "windows 7"], ["\ufeffthe", "a"]]
)
def test_words_that_could_not_be_read_back_are_refused(words, tmp_path):
    with pytest.raises(ValueError, match="`words` must"):
        WordVectors(words, [[1.0], [2.0]]).save(tmp_path / "v")


@pytest.mark.parametrize("header", [False, True])
def test_a_mark_of_the_byte_order_within_a_file_is_a_letter(header, tmp_path):
    words = ["the", "\ufeffthe", "new york"]
    WordVectors(words, [[1.0], [2.0], [3.0]]).save(tmp_path / "v", header=header)
    assert WordVectors.load(tmp_path / "v").words == words


def binary_of(rows, *, line_end=b"\n", header=None):
    """word2vec's binary form, written here as its program does."""
    words, size = header or (len(rows), len(rows[0][1]))
    return f"{words} {size}\n".encode() + b"".join(
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + line_end
        for word, row in rows
    )


ROWS = [("king", [0.5, -1.25, 3e-8]), ("köln", [1e30, 0.0, -2.0]), ("_", [32.0] * 3)]


@pytest.mark.parametrize("line_end", [b"\n", b""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_binary_form_of_word2vec_is_read(line_end, pack, write):
    path = write(pack(binary_of(ROWS, line_end=line_end)), "w.bin")
    vectors = WordVectors.load(path)
    assert vectors.words == [word for word, _ in ROWS]
    np.testing.assert_array_equal(vectors.values, np.float32([row for _, row in ROWS]))
    assert WordVectors.load(path, limit=2).words == ["king", "köln"]


def test_numbers_that_look_like_blanks_and_line_ends_are_numbers(write):
    """The bytes of these floats are blanks, line ends and digits."""
    row = list(struct.unpack("<4f", b"\x20\x0a\x20\x3f1 2 \x0a 3\x3f\x20\x20\x20\x3f"))
    vectors = WordVectors.load(write(binary_of([("a", row), ("b", row)])))
    np.testing.assert_array_equal(vectors["b"], np.float32(row))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            binary_of(ROWS)[:-9],
            "binary form, as its first line says.* Received: 2, and",
        ),
        (binary_of(ROWS, header=(9, 3)), "must have 9 vectors.* Received: 3, and"),
        (binary_of(ROWS, header=(3, 2**31)), "at most 1,000,000 numbers"),
        (binary_of([("a", [float("nan")] * 3)]), "vector 1: values must be finite"),
    ],
)
def test_bad_files_of_the_binary_form_are_named(content, message, write):
    with pytest.raises(ValueError, match=f"text`.*{message}"):
        WordVectors.load(write(content))


@pytest.mark.parametrize(
    "content",
    [
        "a 1\nb 2\na 3\n",
        "3 1\na 1\nb 2\na 3\n",
        binary_of([("a", [1]), ("b", [2]), ("a", [3])]),
    ],
    ids=["glove", "word2vec", "binary"],
)
def test_of_a_word_that_is_there_twice_the_first_vector_is_kept(content, write):
    with pytest.warns(UserWarning, match="the first is kept. Left out: 1, .*'a'"):
        vectors = WordVectors.load(write(content))
    assert vectors.words == ["a", "b"]
    assert vectors.values.tolist() == [[1], [2]]


def test_a_word_in_other_letters_is_hinted_at():
    with pytest.raises(ValueError, match="'North'. There is one of 'north'."):
        COMPASS["North"]
    with pytest.raises(ValueError, match="the word 'up'. Words of few occurrences"):
        COMPASS["up"]
