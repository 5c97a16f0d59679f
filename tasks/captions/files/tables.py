"""Tables of pictures and captions: one's own, as spreadsheets and programs for
statistics write them, or those of Kaggle, `captions.txt` and `results.csv`."""

import ast
import json
from collections.abc import Iterator

from ...checks import shorten
from .headings import KNOWN, Record, Table, table_in
from .listed import SPLITS, Listed, grouped


def is_table(text: str) -> bool:
    """Whether a text is a table of captions, see `headings.table_in`."""
    return table_in(text) is not None


def table_pictures(text: str) -> list[Listed]:
    """The pictures of such a table.

    A caption in the last column may have the separator in it. A row without its last
    cells has a blank caption, as one of Kaggle's Flickr30k. A caption that is a list,
    of JSON or of Python, is several.

    Raises:
        ValueError: If a column or a split is not known, a row has more cells than there
            are headings or names no picture, or quotes do not match.
    """
    table = table_in(text)
    if table is None:
        raise ValueError(f"must be a table with headings: {KNOWN}.")
    table.check()
    _, *records = table.records()
    return grouped(_captions(table, _without_numbers(table, records)))


def _without_numbers(table: Table, records: list[Record]) -> list[Record]:
    """Rows without their numbers, which R writes first, with no heading above them."""
    size = len(table.headings)
    if all(
        len(row) == size + 1 and row[0] == str(number)
        for number, (_, row) in enumerate(records, start=1)
    ):
        return [(line, row[1:]) for line, row in records]
    return records


def _captions(
    table: Table, records: list[Record]
) -> Iterator[tuple[str, str, list[str]]]:
    """The name, the split and the captions of each row."""
    for line, row in records:
        cells = _cells(table, line, row)
        name = cells[table.pictures[0]]
        if not name:
            raise ValueError(
                "must have the name of a picture in each row. "
                f"Received in line {line}: {shorten(cells)}"
            )
        captions = [text for n in table.captions for text in _texts(cells[n])]
        if len(table.captions) > 1:  # of several columns, some may be empty
            captions = list(filter(None, captions)) or [""]
        yield name, _split(table, line, cells), captions


def _cells(table: Table, line: int, row: list[str]) -> list[str]:
    """The cells of a row, one for each heading."""
    size = len(table.headings)
    if len(row) > size and table.captions != [size - 1]:
        raise ValueError(
            f"must have as many cells in a row as headings, {size}, and quotes around "
            f"a cell with {table.mark!r} in it. Received in line {line}: {len(row)}"
        )
    between = table.mark + " " * (table.spaced and table.mark != "|")
    cells = [*row[: size - 1], between.join(row[size - 1 :])]
    cells = [cell.strip() for cell in cells + [""] * (size - len(cells))]
    for column in table.nameless:
        # Numbers of rows need no heading; whatever else stands there does.
        if cells[column] and not cells[column].isdecimal():
            raise ValueError(
                f"must have a heading of column {column + 1}: {KNOWN}. "
                f"Received in line {line}: {shorten(cells[column])}"
            )
    return cells


def _split(table: Table, line: int, cells: list[str]) -> str:
    """The split that a row says; "" if the table has none."""
    if not table.splits:
        return ""
    written = cells[table.splits[0]]
    if written.lower() not in SPLITS:
        raise ValueError(
            f"must have one of {', '.join(SPLITS)} as split. "
            f"Received in line {line}: {shorten(written)}"
        )
    return SPLITS[written.lower()]


def _texts(cell: str) -> list[str]:
    """The captions in a cell: mostly itself."""
    if not (cell.startswith("[") and cell.endswith("]")):
        return [cell]
    for read in (json.loads, ast.literal_eval):
        try:
            texts = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(texts, list) and all(isinstance(one, str) for one in texts):
            return texts
    return [cell]
