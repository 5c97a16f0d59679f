"""Shards: files of tab-separated texts, read in a stream.

A line holds the texts of a segment: those of the systems, then the references.
"""

import itertools
import os
from collections.abc import Iterator, Sequence

from ..metrics_package import metrics_module
from ..plain_text import check_no_nul, decoded_utf8, opened

SUFFIXES = (".tsv", ".tsv.gz")

# Lines that tell what a file is. Heuristic.
LOOKED_AT = 10

# Segments that are read together, a block of `metrics.sums`.
BLOCK: int = metrics_module("base").BLOCK


def are_shards(paths: Sequence[str]) -> bool:
    """Whether files are shards: by their names, and a tab in the first line.

    Without a tab, they are files with a text a line, whatever they are called.
    """
    if not all(path.endswith(SUFFIXES) for path in paths):
        return False
    try:
        return len(first_line(paths[0])) > 1
    except ValueError:
        return True  # what is wrong with it is said when it is read


def first_line(path: str) -> list[str]:
    """The fields of the first line of a shard.

    Raises:
        ValueError: As `rows_of`.
    """
    return next(_rows_of_blocks(path, 1))[0]


def check_first_columns(paths: Sequence[str]) -> None:
    """Checks that files look like shards, and not like a column of ids beside texts.

    Raises:
        ValueError: If two have the same texts in their first columns.
    """
    columns = {
        path: [row[0] for row in next(_rows_of_blocks(path, LOOKED_AT))]
        for path in paths[:2]
    }
    (first, own), *others = columns.items()
    for path, texts in others:
        if own == texts:
            raise ValueError(
                f"`{first}` and `{path}` begin with the same column, which looks like "
                "ids. Files .tsv alone are shards, whose lines hold a hypothesis and "
                "its references. For a file of hypotheses and one of references, cut "
                "their texts out (`cut -f2`); if they are shards, add `--systems 1`."
            )


def blocks_of(path: str, columns: int) -> Iterator[list[list[str]]]:
    """The fields of the lines of a shard, a list for each block of segments.

    White space at the end of a field is left out, as in other files of texts.

    Args:
        path: The file, which may be gzipped.
        columns: Number of fields in each line.
    Raises:
        ValueError: If it cannot be read, is damaged, empty or not UTF-8, or a line has
            another number of fields.
    """
    for number, rows in enumerate(_rows_of_blocks(path, BLOCK)):
        for index, row in enumerate(rows):
            if len(row) != columns:
                raise ValueError(
                    f"`{path}` must have {columns} columns between tabs, as the first "
                    f"line of all shards has. Received: {len(row)} in line "
                    f"{number * BLOCK + index + 1}"
                )
        yield rows


def ordered(paths: Sequence[str]) -> list[str]:
    """Shards in the order of their names, which must differ.

    The name without its folder seeds the corpora that are drawn, so that a result does
    not depend on where the files are.

    Raises:
        ValueError: If two have the same name.
    """
    by_name = sorted(paths, key=lambda path: (os.path.basename(path), path))
    for first, second in itertools.pairwise(by_name):
        if os.path.basename(first) == os.path.basename(second):
            raise ValueError(
                "Shards must have different names, by which corpora are drawn. "
                f"Received: `{first}` and `{second}`"
            )
    return by_name


def _rows_of_blocks(path: str, size: int) -> Iterator[list[list[str]]]:
    lines_before = bytes_before = 0
    for data in _data_of_blocks(path, size):
        text = decoded_utf8(
            data, f"`{path}`", lines_before=lines_before, bytes_before=bytes_before
        )
        check_no_nul(text, f"`{path}`", lines_before=lines_before)
        lines = text.removesuffix("\n").split("\n")
        yield [[field.rstrip() for field in line.split("\t")] for line in lines]
        lines_before += len(lines)
        bytes_before += len(data)
    if not bytes_before:
        raise ValueError(f"`{path}` is empty.")


def _data_of_blocks(path: str, size: int) -> Iterator[bytes]:
    """The bytes of so many lines at a time."""
    with opened(path, f"`{path}`") as file:
        while block := list(itertools.islice(file, size)):
            yield b"".join(block)
