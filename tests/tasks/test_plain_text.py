"""Text as it comes: files, pipes, standard input; also gzipped, and other kinds."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import sys
import threading

import pytest

from tasks.captions.files.caption_corpus import CaptionCorpus
from tasks.plain_text import (
    check_standard_input_once,
    opened,
    read_text,
    readable_again,
)
from tasks.scoring.text_files import read_segments
from tasks.text.corpus import Corpus
from tasks.vectors.cooccurrence import count_cooccurrences
from tasks.vectors.word_vectors import WordVectors

TEXT = "one two three\none three\n" * 40
VECTORS = "up 0 1\ndown 0 -1\n"

pytestmark = pytest.mark.once


@contextlib.contextmanager
def pipe_of(data):
    """The path of a pipe, as a shell gives it for <(...)."""
    reader, writer = os.pipe()

    def write():
        with contextlib.suppress(BrokenPipeError), open(writer, "wb") as file:
            file.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield f"/dev/fd/{reader}"
    finally:
        os.close(reader)
        thread.join()


@contextlib.contextmanager
def stream(kind, data, monkeypatch):
    """The path of a pipe or of standard input."""
    if kind == "pipe":
        with pipe_of(data) as path:
            yield path
        return
    # A file-like object of bytes that cannot go back, as that of a terminal.
    buffer = io.BytesIO(data)
    buffer.seekable = lambda: False
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer))
    yield "-"


@pytest.fixture(params=["pipe", "standard input"])
def kind(request):
    return request.param


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_streams_are_read_as_files_are(kind, pack, tmp_path, monkeypatch):
    (tmp_path / "file").write_text(TEXT)
    with stream(kind, pack(TEXT.encode()), monkeypatch) as path:
        assert read_segments(path) == read_segments(str(tmp_path / "file"))
    with stream(kind, pack(VECTORS.encode()), monkeypatch) as path:
        assert WordVectors.load(path).words == ["up", "down"]


@pytest.mark.parametrize("memory", ["1MB", "2GB"])
def test_a_stream_that_is_read_twice_gives_the_counts_of_a_file(
    kind, memory, tmp_path, monkeypatch
):
    """With a small memory the text is read twice."""
    text = (TEXT * 500).encode()  # 1.4 MB as numbers
    (tmp_path / "file").write_bytes(text)
    options = {"min_count": 1, "memory": memory}
    expected = count_cooccurrences(tmp_path / "file", **options)
    with stream(kind, gzip.compress(text), monkeypatch) as path:
        found = count_cooccurrences(path, **options)
    assert found.words == expected.words
    assert found.counts.tobytes() == expected.counts.tobytes()


def test_a_copy_of_a_stream_is_named_as_the_stream():
    with pipe_of(b"a\n\xff") as path, readable_again([path]) as [copy]:
        for _ in range(2):
            with opened(copy, f"`{copy}`") as file:
                assert file.read() == b"a\n\xff"
            with pytest.raises(ValueError, match=rf"^{path} must be UTF-8.* line 2"):
                read_text(copy, f"{copy}")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_byte_order_mark_and_line_ends_are_no_text(ends, tmp_path):
    (tmp_path / "file.gz").write_bytes(
        gzip.compress(b"\xef\xbb\xbf" + TEXT.replace("\n", ends).encode())
    )
    assert read_segments(str(tmp_path / "file.gz")) == TEXT.splitlines()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (bz2.compress(TEXT.encode()), "bzip2"),
        (lzma.compress(TEXT.encode()), "xz"),
        (TEXT.encode("utf-16"), "UTF-16"),
        (bytes.fromhex("28b52ffd2401") + b"\xff", "zstd"),
        (bytes.fromhex("ba164f2f0c000000"), "a model of fastText"),
    ],
    ids=["bzip2", "xz", "utf-16", "zstd", "fasttext"],
)
def test_files_of_other_kinds_are_named(data, kind, tmp_path):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(ValueError, match=f"must be UTF-8.* It looks like {kind}"):
        read_segments(str(tmp_path / "file"))


def test_closed_standard_input_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ValueError, match="Standard input is closed"):
        WordVectors.load("-")


def test_standard_input_is_read_once():
    check_standard_input_once(["-", "a", None])
    with pytest.raises(ValueError, match="can be read only once"):
        check_standard_input_once(["-", "a", "-"])


@pytest.mark.parametrize("read", [Corpus.read, CaptionCorpus.read])
def test_the_data_of_a_run_must_be_there_again(read):
    with pipe_of(TEXT.encode()) as path:
        with pytest.raises(ValueError, match="must be a file, .*Received: a stream"):
            read(path)
