"""The words of text files, block by block, so that a file may be larger than memory."""

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..checks import shorten
from ..plain_text import Path as Readable
from ..plain_text import (
    check_no_nul,
    decoded_utf8,
    is_standard_input,
    name_of,
    opened,
)

# Bytes that are read at once. Heuristic: far more than a line, far less than memory.
BLOCK = 2**22
# Stands for the end of a line among the words. No word has it: text with a NUL byte is
# refused.
LINE_END = "\0"

Path = str | os.PathLike[str]


def check_files(files: Path | Iterable[Path]) -> list[pathlib.Path]:
    """Returns paths of files that exist, or of streams.

    Args:
        files: One path or several.
    Raises:
        ValueError: If there is none, one does not exist or is a folder, or one is given
            twice.
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    if not given:
        raise ValueError("`files` must be at least one file. Received: none")
    paths = [pathlib.Path(file) for file in given]
    for path in paths:
        if not (path.exists() or is_standard_input(path)) or path.is_dir():
            raise ValueError(
                f"`files` must be files that exist. Received: {shorten(str(path))}"
            )
        if paths.count(path) > 1:
            raise ValueError(f"`files` must be different files. Received {path} twice.")
    return paths


def words_of(
    paths: Iterable[Readable],
    seen: Callable[[bytes], Any] = lambda data: None,
) -> Iterator[list[str]]:
    """The words of files in their order, with `LINE_END` after each line.

    Blanks of any kind part words. Only a newline ends a line.

    Args:
        paths: UTF-8 files, also gzipped.
        seen: Is called with the bytes of each block, for a checksum or a progress bar.
    Yields:
        Words, some millions at most.
    Raises:
        ValueError: If a file cannot be read, is not UTF-8, is damaged gzip, or has a
            NUL byte.
    """
    for path in paths:
        lines = position = 0
        name = name_of(path)
        for data in _blocks(path, name):
            seen(data)
            text = decoded_utf8(data, name, lines_before=lines, bytes_before=position)
            check_no_nul(text, name, lines_before=lines)
            lines += data.count(b"\n")
            position += len(data)
            yield text.replace("\n", f" {LINE_END} ").split()
        yield [LINE_END]


def _blocks(path: Readable, name: str) -> Iterator[bytes]:
    """The bytes of a file in blocks that end after a blank."""
    rest = b""
    with opened(path, name) as file:
        while data := file.read(BLOCK):
            data = rest + data
            end = max(data.rfind(b" "), data.rfind(b"\n")) + 1
            rest = data[end:]
            if end:
                yield data[:end]
    if rest:
        yield rest
