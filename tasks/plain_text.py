"""Reading UTF-8 text, also gzipped, with messages that name the file and the place.

A path may be that of a file, of a stream such as a pipe, or `-`, standard input.
"""

import codecs
import contextlib
import gzip
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

STANDARD_INPUT = "-"
GZIP_MAGIC = b"\x1f\x8b"
# How files begin that are not text, but are taken for it.
OTHERS = {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "a zip archive",
    b"\xba\x16\x4f\x2f": "a model of fastText, which writes text to a .vec file",
}


class Spooled:
    """A copy of a stream, which is named as the stream is; see `readable_again`."""

    def __init__(self, path: "Path", file: IO[bytes]) -> None:
        self._path = path
        self.file = file

    def __str__(self) -> str:
        return str(self._path)


Path = str | os.PathLike[str] | Spooled


def name_of(path: Path) -> str:
    """What messages call a file that is an argument of a command."""
    if is_standard_input(path):
        return f"`{STANDARD_INPUT}` (standard input)"
    return f"`{path}`"


def is_standard_input(path: Path) -> bool:
    """Whether a path stands for standard input."""
    return str(path) == STANDARD_INPUT


def standard_input() -> IO[bytes]:
    """The bytes of standard input.

    Raises:
        ValueError: If it is closed.
    """
    if sys.stdin is None:
        raise ValueError("Standard input is closed.")
    return sys.stdin.buffer


def check_standard_input_once(paths: Iterable[Path | None]) -> None:
    """Raises ValueError if standard input is to be read more than once."""
    if sum(path is not None and is_standard_input(path) for path in paths) > 1:
        raise ValueError("Standard input (`-`) can be read only once.")


def check_stays(path: str | os.PathLike[str], name: str) -> None:
    """Checks the file of a task, which is read again whenever the run is.

    Raises:
        ValueError: If it is a stream, such as a pipe.
    """
    if _is_stream(path):
        raise ValueError(
            f"{name} must be a file, which is read again when the run is evaluated. "
            "Received: a stream"
        )


def _is_stream(path: Path) -> bool:
    """Whether a path is no file and no folder: it can be read only once."""
    if isinstance(path, Spooled):
        return False
    if is_standard_input(path):
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # said when it is read
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read_text(path: Path, name: str) -> str:
    """The text of a file, which must have some; it may be gzipped.

    Args:
        path: The file.
        name: What messages call it.
    Raises:
        ValueError: If it cannot be read, is gzipped and damaged, is not UTF-8, is
            empty, or has a NUL byte.
    """
    return text_of(read_bytes(path, name), path, name)


def has_suffix(path: str, *suffixes: str) -> bool:
    """Whether the name of a file, gzipped or not, ends so."""
    return path.lower().removesuffix(".gz").endswith(suffixes)


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a file, as they are on the disk.

    Raises:
        ValueError: If it cannot be read.
    """
    with _readable(name), _open(path) as file:
        return file.read()


def text_of(data: bytes, path: Path, name: str) -> str:
    """The text of the bytes of a file, see `read_text`."""
    return decoded(unzipped(data, name, f"{path}".endswith(".gz")), name)


@contextlib.contextmanager
def opened(path: Path, name: str) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """The bytes of a file that may be gzipped, to be read piece by piece, and from the
    beginning again.

    Args:
        path: The file.
        name: What messages call it.
    Raises:
        ValueError: If it cannot be read, or is gzipped and damaged; in the block too.
    """
    with readable_again([path]) as [path], _readable(name), _open(path) as raw:
        is_gzip = raw.read(2) == GZIP_MAGIC or f"{path}".endswith(".gz")
        raw.seek(0)
        with _undamaged(name):
            yield gzip.GzipFile(fileobj=raw) if is_gzip else raw


@contextlib.contextmanager
def readable_again(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """Paths that can be read several times: streams are copied to temporary files,
    which vanish at the end of the block, or of the process, however it ends.

    Raises:
        ValueError: If a stream cannot be read or copied; of files nothing is read yet.
    """
    with contextlib.ExitStack() as stack:
        yield [_again(path, stack) for path in paths]


def _again(path: Path, stack: contextlib.ExitStack) -> Path:
    if not _is_stream(path):
        return path
    name = name_of(path)
    with _readable(name), _open(path) as stream:
        copy = stack.enter_context(tempfile.TemporaryFile())
        try:
            shutil.copyfileobj(stream, copy)
        except OSError as error:
            place = tempfile.gettempdir()
            raise ValueError(
                f"{name} cannot be copied to a temporary file in {place}: "
                f"{error.strerror}."
            ) from error
    return Spooled(path, copy)


def _open(path: Path) -> Any:
    """A file, open to be read from the beginning."""
    if isinstance(path, Spooled):
        path.file.seek(0)
        return contextlib.nullcontext(path.file)
    if is_standard_input(path):
        return contextlib.nullcontext(standard_input())
    return open(path, "rb")


@contextlib.contextmanager
def _readable(name: str) -> Iterator[None]:
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
def _undamaged(name: str) -> Iterator[None]:
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
        kinds = (OTHERS[start] for start in OTHERS if data.startswith(start))
        hint = "".join(f" It looks like {kind}." for kind in kinds)
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
