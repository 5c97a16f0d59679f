"""Files of text and their characters."""

import gzip
import hashlib

import numpy as np
import pytest

from tasks.text.corpus import Corpus
from tasks.text.vocabulary import Vocabulary


def write(tmp_path, data, name="book.txt"):
    path = tmp_path / name
    path.write_bytes(data)
    return str(path)


def test_the_parts_follow_one_another(tmp_path):
    text = "".join(chr(ord("a") + n % 26) for n in range(199)) + "é"
    corpus = Corpus.read(write(tmp_path, text.encode()))
    parts = [corpus.part(split) for split in ("train", "validation", "test")]
    assert [len(part) for part in parts] == [180, 10, 10]
    assert "".join(parts) == text
    assert corpus.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_a_gzipped_file_is_the_same_text(tmp_path):
    text = "line\r\n" * 20
    for name in ("book.txt.gz", "book"):
        path = write(tmp_path, gzip.compress(text.encode()), name)
        assert Corpus.read(path).text == text


def test_the_sample_is_there():
    corpus = Corpus.read("sample")
    assert 250_000 < len(corpus.text) <= 300_000
    assert corpus.text.startswith("HAMLET, PRINCE OF DENMARK")
    assert "gutenberg" not in corpus.text.lower()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x" * 39, "`data` must have at least 40 characters. Received: 39 in .*book"),
        (b"", "is empty"),
        (b"a\nb\xff", "must be UTF-8. Received in line 2: byte 0xff at position 3"),
        (b"\x1f\x8bno", "is truncated or not gzip"),
    ],
)
def test_bad_files_are_named(tmp_path, data, message):
    with pytest.raises(ValueError, match=message):
        Corpus.read(write(tmp_path, data))


def test_missing_files_are_named(tmp_path):
    with pytest.raises(
        ValueError, match="`data` .*gone.* cannot be read: No such file"
    ):
        Corpus.read(str(tmp_path / "gone"))
    with pytest.raises(ValueError, match="`data` .* cannot be read: Is a directory"):
        Corpus.read(str(tmp_path))
    with pytest.raises(ValueError, match="`data` .* cannot be read: embedded null"):
        Corpus.read("a\0b")


def test_characters_have_tokens_in_the_order_of_unicode():
    vocabulary = Vocabulary.of("zebra 🦓 \n")
    assert vocabulary.characters == "\n aberz🦓"
    assert vocabulary.size == 9
    tokens = vocabulary.encode("\nz🦓é ")
    np.testing.assert_array_equal(tokens, [1, 7, 8, 0, 2])
    assert tokens.dtype == np.int32
    assert vocabulary.decode(tokens) == "\nz🦓\ufffd "
    assert vocabulary.unknown("xéx a") == ["x", "é"]


def test_every_character_of_python_has_a_token():
    vocabulary = Vocabulary.of("ab")
    np.testing.assert_array_equal(vocabulary.encode("\udfff\0\U0010ffff"), [0, 0, 0])
    assert vocabulary.encode("").shape == (0,)
