"""Tables for LaTeX with the package booktabs."""

from collections.abc import Iterable, Sequence

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "[": "{[}",  # after a line's end it would begin an option of that
    }
)


def latex_text(text: str) -> str:
    """A text as LaTeX prints it."""
    return text.translate(_LATEX)


def tabular(
    columns: str,
    headings: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    notes: Iterable[str] = (),
    comments: Iterable[str] = (),
) -> str:
    """A table of cells that are LaTeX already.

    Args:
        columns: How the columns are aligned, such as `lrr`.
        headings: The headings.
        rows: The cells of each row.
        notes: Sentences below the table.
        comments: Lines that LaTeX does not print.
    """
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(headings),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip{{\footnotesize {note}\par}}" for note in notes),
        *(f"% {comment}" for comment in comments),
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def latex_table(
    cells: Sequence[Sequence[str]],
    columns: str,
    *,
    notes: Iterable[str] = (),
    comments: Iterable[str] = (),
) -> str:
    """A table of plain texts, the headings first; see `tabular`."""
    headings, *rows = [[latex_text(cell) for cell in row] for row in cells]
    notes = map(latex_text, notes)
    return tabular(columns, headings, rows, notes=notes, comments=comments)
