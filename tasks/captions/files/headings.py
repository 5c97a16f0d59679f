"""The headings of tables of pictures and captions, and how such tables are written."""

import csv
import io
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ...checks import shorten

SEPARATORS = (",", ";", "\t", "|")
# What columns are called, in lower case and with _ for blanks.
PICTURE = (
    *("image", "image_name", "image_file", "image_path", "file_name", "filename"),
    *("file", "filepath", "path", "picture", "photo"),
)
# These name a picture if no other column does; else they are numbers.
PICTURE_ID = ("image_id", "img_id")
# With a number, it is one of several columns of captions.
CAPTION = re.compile(r"(caption|comment|text|sentence|description|raw)s?_?\d*")
SPLIT = ("split", "subset", "partition", "set")
# Numbers of rows and of captions, which nothing needs.
NUMBERS = (
    *("index", "id", "comment_number", "caption_number", "caption_id", "sentid"),
    *("sentids", "imgid", "cocoid", *PICTURE_ID),
)
# A column without a heading, and what pandas calls one: numbers of rows stand there.
NAMELESS = re.compile(r"(unnamed:_\d+(\.\d+)?)?")
# The line in which Excel is told what separates the columns.
SEP = re.compile(r'"?sep=(.)"?[ \t]*(?=\r?\n)', re.IGNORECASE)
KNOWN = "image or file_name, caption or text, and perhaps split"

Record = tuple[int, list[str]]  # a row, after the number of its first line


class Table(NamedTuple):
    """A table as its headings say that it is written.

    Attributes:
        text: The table.
        mark: What separates its columns.
        spaced: Whether a blank follows that.
        line: The number of the line of the headings.
        headings: What its columns are called.
    """

    text: str
    mark: str
    spaced: bool = False
    line: int = 0
    headings: tuple[str, ...] = ()

    @property
    def pictures(self) -> list[int]:
        """The columns that name pictures."""
        return self._columns(PICTURE) or self._columns(PICTURE_ID)

    @property
    def captions(self) -> list[int]:
        """The columns of captions."""
        return [n for n, name in enumerate(self.names) if CAPTION.fullmatch(name)]

    @property
    def splits(self) -> list[int]:
        """The columns of splits."""
        return self._columns(SPLIT)

    @property
    def nameless(self) -> list[int]:
        """The columns without a heading."""
        return [n for n, name in enumerate(self.names) if NAMELESS.fullmatch(name)]

    @property
    def names(self) -> list[str]:
        """The headings by which columns are known."""
        return [re.sub(r"[\s-]+", "_", one.strip().lower()) for one in self.headings]

    def _columns(self, known: Collection[str]) -> list[int]:
        return [n for n, name in enumerate(self.names) if name in known]

    def records(self) -> Iterator[Record]:
        """The rows in which something stands, that of the headings too.

        Raises:
            ValueError: If quotes do not match.
        """
        # In Kaggle's table with bars and blanks, quotes are part of the captions.
        is_plain = self.spaced and self.mark == "|"
        reader = csv.reader(
            io.StringIO(SEP.sub("", self.text, count=1), newline=""),
            delimiter=self.mark,
            quoting=csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL,
            skipinitialspace=self.spaced,
            strict=True,
        )
        end = 0
        try:
            for row in reader:
                if any(cell.strip() for cell in row):
                    yield end + 1, row
                end = reader.line_num
        except csv.Error as error:
            raise ValueError(
                "must have quotes around a whole cell, doubled inside. "
                f"Received near line {reader.line_num}: {error}"
            ) from None

    def check(self) -> None:
        """Checks the headings.

        Raises:
            ValueError: If it is not known what to do with a column.
        """
        used = {*self.pictures, *self.captions, *self.splits, *self.nameless}
        received = f"in line {self.line}: {shorten(self.mark.join(self.headings))}"
        for column, name in enumerate(self.names):
            if column not in used and name not in NUMBERS:
                raise ValueError(
                    f"must have no columns but {KNOWN}. Received the column "
                    f"{self.headings[column].strip()!r} {received}"
                )
        captions = [self.names[column] for column in self.captions]
        is_clear = len(captions) == 1 or all(name[-1].isdigit() for name in captions)
        if len(self.pictures) > 1 or len(self.splits) > 1 or not is_clear:
            raise ValueError(
                "must have one column of pictures, one of captions (or caption_1, "
                f"caption_2 and so on), and one of splits at most. Received {received}"
            )


def table_in(text: str) -> Table | None:
    """The table that a text is, if the first line in which something stands has
    headings of pictures and of captions, such as `image,caption` or
    `image_name| comment_number| comment`."""
    found = SEP.match(text)
    for mark in (found[1],) if found else SEPARATORS:
        table = _with_headings(Table(text, mark))
        if len(table.headings) > 1 and all(h[:1] == " " for h in table.headings[1:]):
            table = _with_headings(table._replace(spaced=True))
        if table.pictures and table.captions:
            return table
    return None


def _with_headings(table: Table) -> Table:
    try:
        line, headings = next(table.records(), (0, []))
    except ValueError:  # quotes of another form
        return table
    return table._replace(line=line, headings=tuple(headings))
