"""Reading UTF-8 text, also gzipped, with messages that name the file and the place."""

import codecs
import contextlib
import gzip
import os
import pathlib
import zlib
from collections.abc import Iterator
from typing import IO

GZIP_MAGIC = b"\x1f\x8b"


def read_text(path: str | os.PathLike[str], name: str) -> str:
    """The text of a file, which must have some; it may be gzipped.

    Args:
        path: The file.
        name: What messages call it.
    Raises:
        ValueError: If it cannot be read, is gzipped and damaged, is not UTF-8, is
            empty, or has a NUL byte.
    """
    return text_of(read_bytes(path, name), path, name)


def read_exported_text(path: str | os.PathLike[str], name: str) -> str:
    """The text of a file that a spreadsheet may have written: as `read_text`, but also
    UTF-16 with a byte order mark, which is Excel's "Unicode Text".

    Raises:
        ValueError: As `read_text`.
    """
    data = unzipped(read_bytes(path, name), name, f"{path}".endswith(".gz"))
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # A damaged file is refused as UTF-8 would be, with its line and place.
        with contextlib.suppress(UnicodeDecodeError):
            data = data.decode("utf-16").encode()
    return decoded(data, name)


def read_bytes(path: str | os.PathLike[str], name: str) -> bytes:
    """The bytes of a file, as they are on the disk.

    Raises:
        ValueError: If it cannot be read.
    """
    with _readable(name):
        return pathlib.Path(path).read_bytes()


def text_of(data: bytes, path: str | os.PathLike[str], name: str) -> str:
    """The text of the bytes of a file, see `read_text`."""
    return decoded(unzipped(data, name, f"{path}".endswith(".gz")), name)


@contextlib.contextmanager
def opened(
    path: str | os.PathLike[str], name: str
) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """The bytes of a file that may be gzipped, to be read piece by piece.

    Args:
        path: The file.
        name: What messages call it.
    Raises:
        ValueError: If it cannot be read, or is gzipped and damaged; in the block too.
    """
    with _readable(name), open(path, "rb") as raw:
        is_gzip = raw.read(2) == GZIP_MAGIC or f"{path}".endswith(".gz")
        raw.seek(0)
        with _undamaged(name):
            yield gzip.GzipFile(fileobj=raw) if is_gzip else raw


@contextlib.contextmanager
def _readable(name):
    try:
        yield
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        if "embedded null" not in str(error):
            raise
        # A path must not have one.
        raise ValueError(f"{name} cannot be read: {error}.") from error


@contextlib.contextmanager
def _undamaged(name):
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is truncated or not gzip: {error}.") from error


def unzipped(data: bytes, name: str, is_gzip: bool) -> bytes:
    """The content of a file, which may be gzipped.

    Args:
        data: The bytes of the file.
        name: What messages call the file.
        is_gzip: Whether the file must be gzipped, by its name.
    Raises:
        ValueError: If it is gzipped and damaged.
    """
    if not is_gzip and not data.startswith(GZIP_MAGIC):
        return data
    with _undamaged(name):
        return gzip.decompress(data)


def decoded(data: bytes, name: str) -> str:
    """The text of a file, see `decoded_utf8`, which must have some.

    Args:
        data: The bytes.
        name: What messages call the file.
    Raises:
        ValueError: If it is not UTF-8, is empty, or has a NUL byte.
    """
    text = decoded_utf8(data, name)
    if not text:
        raise ValueError(f"{name} is empty.")
    check_no_nul(text, name)
    return text


def check_no_nul(text: str, name: str, *, lines_before: int = 0) -> None:
    """Refuses what is not text: UTF-16 has a NUL in every other byte, and binary files
    have many.

    Args:
        text: The text, or a piece of it.
        name: What messages call the file.
        lines_before: Line ends of the file before the piece, for messages.
    Raises:
        ValueError: If it has a NUL byte.
    """
    if "\0" in text:
        line = lines_before + text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"{name} must be text. Received a NUL byte in line {line}.")


def decoded_utf8(
    data: bytes, name: str, *, lines_before: int = 0, bytes_before: int = 0
) -> str:
    """UTF-8 as text, without a byte order mark at the beginning of the file.

    Args:
        data: The bytes.
        name: What messages call the file.
        lines_before: Line ends of the file before these bytes, for messages.
        bytes_before: Bytes of the file before these, for messages.
    Raises:
        ValueError: If it is not UTF-8.
    """
    try:
        return data.decode("utf-8" if bytes_before else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = lines_before + error.object[: error.start].count(b"\n") + 1
        # The codec has left out a byte order mark.
        position = bytes_before + len(data) - len(error.object) + error.start
        utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        hint = " It looks like UTF-16." if utf16 else ""
        raise ValueError(
            f"{name} must be UTF-8. Received in line {line}: byte "
            f"0x{error.object[error.start]:02x} at position {position}.{hint}"
        ) from error


def lines_of(text: str) -> list[str]:
    r"""The lines of a text, without the white space at their ends, which sacreBLEU
    leaves out too; only `\n` and `\r\n` end a line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # after the last newline no line follows
    return [line.rstrip() for line in lines]
