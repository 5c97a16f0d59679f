"""Text files of word vectors: GloVe's form, and word2vec's with its first line."""

import contextlib
import gzip
import io
import os
import pathlib
from collections.abc import Iterator

import numpy as np

from ..checks import check_integer, shorten
from ..plain_text import decoded_utf8, opened
from .text import Path

ENDS = " \t\r\n"


def read_vectors(path: Path, limit: int | None = None) -> tuple[list[str], np.ndarray]:
    """Reads words and vectors, and checks every row.

    A word may have blanks inside, as some of published files have.

    Args:
        path: The file, also gzipped.
        limit: Largest number of vectors; all if None.
    Returns:
        `(words, values)`, values float32 `(V, D)`.
    Raises:
        ValueError: If the file cannot be read or a row is bad; names file and line.
    """
    if limit is not None:
        check_integer("limit", limit)
    rows: dict[str, np.ndarray] = {}
    lines: dict[str, int] = {}
    expected = size = None
    for line, text in enumerate(_lines(path), start=1):
        if line == 1 and (header := _header(text)):
            expected, size = header
            continue
        if limit is not None and len(rows) == limit:
            break
        word, values = _row(text, size, f"{path}, line {line}")
        size = len(values)
        if word in rows:
            raise ValueError(
                f"{path}, line {line}: the word {shorten(word)} has a vector in line "
                f"{lines[word]} already."
            )
        rows[word], lines[word] = values, line
    if not rows:
        raise ValueError(f"{path} must have at least one vector. Received: none")
    if expected is not None and len(rows) != min(expected, limit or expected):
        raise ValueError(
            f"{path} must have {expected} vectors, as its first line says. "
            f"Received: {len(rows)}"
        )
    return list(rows), np.array(list(rows.values()), np.float32)


def _lines(path):
    """The lines of a file that may be gzipped, one by one: it may be large."""
    with opened(path, f"{path}") as file:
        before = 0
        for number, data in enumerate(file):
            yield decoded_utf8(
                data, f"{path}", lines_before=number, bytes_before=before
            )
            before += len(data)


def _header(text):
    """The numbers of words and of values in word2vec's first line, or None."""
    fields = text.rstrip(ENDS).split(" ")
    if len(fields) == 2 and all(
        field.isascii() and field.isdigit() for field in fields
    ):
        return int(fields[0]), int(fields[1])
    return None


def _row(text, size, name):
    """The word and the vector of a line."""
    fields = text.rstrip(ENDS).split(" ")
    count = len(fields) - 1 if size is None else size
    if not 0 < count < len(fields) or not fields[0]:
        received = "an empty line" if not text.strip() else f"{len(fields) - 1}"
        raise ValueError(
            f"{name}: a word and {size or 'at least one'} numbers must stand there. "
            f"Received: {received}"
        )
    word = " ".join(fields[:-count])
    # A row that is too long looks like a word that ends in a number.
    if count < len(fields) - 1 and _is_number(fields[-count - 1]):
        raise ValueError(
            f"{name}: a word and {size} numbers must stand there. "
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


def _is_number(text):
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
