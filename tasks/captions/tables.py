"""Tables of pictures and captions: one's own, or those of Kaggle, `captions.txt` and
`results.csv`."""

import csv

from .listed import Listed, grouped

# What the first and the last column are called.
PICTURE = ("image", "image_name")
CAPTION = ("caption", "comment")
SEPARATORS = (",", ";", "\t", "|")


def separator_of(lines: list[str]) -> str:
    """What separates the columns of a table of captions; "" if a text is none.

    Its first line must be such as `image,caption` or `image_name| comment_number|
    comment`.
    """
    for mark in SEPARATORS:
        cells = _headings(lines, mark)
        if 2 <= len(cells) <= 3 and cells[0] in PICTURE and cells[-1] in CAPTION:
            return mark
    return ""


def _headings(lines, mark):
    return [cell.strip().lower() for cell in lines[0].split(mark)] if lines else []


def table_pictures(lines: list[str]) -> list[Listed]:
    """The pictures of such a table.

    A caption may have the separator in it. A row without its last column has a blank
    caption, as one of Kaggle's Flickr30k.

    Raises:
        ValueError: If quotes do not match.
    """
    mark = separator_of(lines)
    columns = len(_headings(lines, mark))
    rows = (f"{line}\n" for line in lines)
    # In Kaggle's table with bars, quotes are part of the captions.
    quoting = csv.QUOTE_NONE if mark == "|" else csv.QUOTE_MINIMAL
    reader = csv.reader(rows, delimiter=mark, quoting=quoting, strict=True)  # type: ignore[arg-type]
    pairs = []
    try:
        for row in list(reader)[1:]:
            if row:
                caption = mark.join(row[columns - 1 :])
                pairs.append((row[0].strip(), caption.strip()))
    except csv.Error as error:
        raise ValueError(
            "must have quotes around a whole caption, doubled inside. "
            f"Received near line {reader.line_num}: {error}"
        ) from None
    return grouped(pairs)
