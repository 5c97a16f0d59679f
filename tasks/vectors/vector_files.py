"""Files of word vectors: GloVe's form, word2vec's text with its first line, which
fastText writes too, and word2vec's binary form, which is only read."""

import codecs
import contextlib
import gzip
import io
import os
import pathlib
import warnings
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from ..checks import check_integer, shorten
from ..plain_text import decoded_utf8, name_of, opened
from ..wording import counted
from .text import Path

ENDS = " \t\r\n"
# Bytes of a row that tell its form. Heuristic: more than words have.
PROBE = 2**16
MOST_NUMBERS = 10**6  # of a vector in the binary form; heuristic: published have 1000


class Header(NamedTuple):
    """What the first line of word2vec's forms says.

    Attributes:
        words: Number of vectors.
        size: Numbers of each.
        end: Where the line ends in the file.
    """

    words: int
    size: int
    end: int


def read_vectors(path: Path, limit: int | None = None) -> tuple[list[str], np.ndarray]:
    """Reads words and vectors, and checks every row.

    A word may have blanks inside, as some of published files have. Of a word that is
    there twice, as in some of them too, the first vector is kept, with a warning.

    Args:
        path: The file, also gzipped: text, or word2vec's binary form.
        limit: Largest number of vectors; all if None.
    Returns:
        `(words, values)`, values float32 `(V, D)`.
    Raises:
        ValueError: If the file cannot be read or a row is bad; names file and line.
    """
    if limit is not None:
        check_integer("limit", limit)
    name = name_of(path)
    rows: dict[str, np.ndarray] = {}
    repeated: list[str] = []
    count = 0
    with opened(path, name) as file:
        header = _header(file.readline())
        if header and _is_binary(file.readline(PROBE)):
            found = _binary_rows(file, header, name)
        else:
            found = _text_rows(file, header, name)
        for word, values in found:
            count += 1
            if word in rows:
                repeated.append(word)
            else:
                rows[word] = values
            if len(rows) == limit:
                break
    if not rows:
        raise ValueError(f"{name} must have at least one vector. Received: none")
    if header and len(rows) != limit and count != header.words:
        raise ValueError(
            f"{name} must have {counted(header.words, 'vector')}, as its first line "
            "says. "
            f"Received: {count}"
        )
    if repeated:
        shown = shorten(", ".join(repeated))
        warnings.warn(
            f"{name} has words with several vectors, of which the first is kept. Left "
            f"out: {len(repeated)}, those of {shown}",
            stacklevel=3,
        )
    return list(rows), np.array(list(rows.values()), np.float32)


def _text_rows(
    file: IO[bytes] | gzip.GzipFile, header: Header | None, name: str
) -> Iterator[tuple[str, np.ndarray]]:
    """The words and vectors of a text file, one by one: it may be large."""
    file.seek(0)
    size, before = header and header.size, 0
    for number, data in enumerate(file):
        text = decoded_utf8(data, name, lines_before=number, bytes_before=before)
        before += len(data)
        if number or not header:
            word, values = _row(text, size, f"{name}, line {number + 1}")
            size = len(values)
            yield word, values


def _is_binary(start: bytes) -> bool:
    """Whether a row, or its beginning, is not of text: there nearly all fields are
    numbers."""
    fields = start.split()
    return 2 * sum(map(_is_number, fields)) < len(fields)


def _binary_rows(
    file: IO[bytes] | gzip.GzipFile, header: Header, name: str
) -> Iterator[tuple[str, np.ndarray]]:
    """The words and vectors of word2vec's binary form: a word, a blank, its numbers as
    float32, and mostly a line end."""
    file.seek(header.end)
    if header.size > MOST_NUMBERS:
        raise ValueError(
            f"{name}: a vector must have at most {MOST_NUMBERS:,} numbers. Received: "
            f"{header.size}"
        )
    for number in range(1, header.words + 1):
        letters = bytearray()
        while (letter := file.read(1)) not in (b" ", b""):
            letters += letter
        data = file.read(4 * header.size)
        if len(data) < 4 * header.size:
            raise ValueError(
                f"{name} must have {counted(header.words, 'vector')} in word2vec's "
                f"binary form, as its first line says. Received: {number - 1}, and a "
                "part of another"
            )
        # The program cuts long words, also within a letter.
        word = letters.decode(errors="replace").lstrip("\n")
        values = np.frombuffer(data, "<f4")
        if not np.isfinite(values).all():
            raise ValueError(f"{name}, vector {number}: values must be finite.")
        yield word, values


def _header(line: bytes) -> Header | None:
    """What word2vec's first line says, or None if a line is not such a one."""
    fields = line.removeprefix(codecs.BOM_UTF8).rstrip(ENDS.encode()).split(b" ")
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return Header(int(fields[0]), int(fields[1]), len(line))
    return None


def _row(text: str, size: int | None, name: str) -> tuple[str, np.ndarray]:
    """The word and the vector of a line."""
    fields = text.rstrip(ENDS).split(" ")
    count = len(fields) - 1 if size is None else size
    if not 0 < count < len(fields) or not fields[0]:
        received = "an empty line" if not text.strip() else f"{len(fields) - 1}"
        numbers = counted(size, "number") if size else "at least one number"
        raise ValueError(
            f"{name}: a word and {numbers} must stand there. Received: {received}"
        )
    word = " ".join(fields[:-count])
    # A row that is too long looks like a word that ends in a number.
    if count < len(fields) - 1 and _is_number(fields[-count - 1]):
        raise ValueError(
            f"{name}: a word and {counted(count, 'number')} must stand there. "
            f"Received: {len(fields) - 1}"
        )
    try:
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            values = np.array([*map(float, fields[-count:])]).astype(np.float32)
    except ValueError:
        bad = next(field for field in fields[-count:] if not _is_number(field))
        raise ValueError(
            f"{name}: values must be numbers. Received: {shorten(bad)}"
        ) from None
    if not np.isfinite(values).all():
        bad = fields[-count:][int(np.flatnonzero(~np.isfinite(values))[0])]
        raise ValueError(f"{name}: values must be finite. Received: {shorten(bad)}")
    return word, values


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def write_vectors(
    path: Path, words: list[str], values: np.ndarray, *, header: bool = False
) -> None:
    """Writes words and vectors as text, with nine digits, which float32 needs.

    Args:
        path: The file; gzipped if its name ends in .gz.
        words: The words.
        values: Their vectors, `(V, D)`.
        header: Whether to begin with word2vec's line.
    Raises:
        ValueError: If a word cannot be read back.
        OSError: If it cannot be written.
    """
    from memnets.saving.atomic import atomic_write

    for word in words:
        if not word or word.strip(ENDS) != word or "\n" in word:
            raise ValueError(
                "`words` must have no blank at their ends and no line end. "
                f"Received: {word!r}"
            )
        *before, last = word.split(" ")
        is_first = word == words[0] and not header
        if before and (is_first or _is_number(last)):
            raise ValueError(
                "`words` must have no blank before a number, nor in the first word of "
                "a file without word2vec's line: it would be read as a part of the "
                f"vector. Received: {word!r}"
            )
    if words and words[0].startswith("\ufeff"):
        raise ValueError(
            "`words` must not begin with a mark of the byte order. "
            f"Received: {words[0]!r}"
        )
    form = "%s" + " %.9g" * values.shape[1] + "\n"
    with atomic_write(path) as unfinished, _opened(unfinished) as file:
        if header:
            file.write(f"{len(words)} {values.shape[1]}\n")
        for word, row in zip(words, values.tolist(), strict=True):
            file.write(form % (word, *row))


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[io.TextIOBase]:
    if pathlib.Path(path).suffix != ".gz":
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    # Without name and time, so that the same vectors are the same bytes.
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as file,
    ):
        yield file
