"""Pages of the documentation, written from the kept runs with the templates beside this
module.

    python benchmarks/evidence/pages.py

writes all of them again, with their pictures.
"""

import pathlib
import re

import jinja2

from tasks.comparison.rate import interval
from tasks.comparison.table import median_and_worst, number

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
IMAGES = ROOT / "docs" / "images"
README = ROOT / "README.md"
# The place of the table of NTMs and LSTMs.
TABLE = re.compile(r"(<!-- networks -->\n).*?(<!-- end -->)", re.DOTALL)


def text_of(name, **values):
    """The text of a page."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )
    return environment.get_template(f"{name}.jinja").render(values).rstrip() + "\n"


def markdown(table):
    """Rows of cells as a table, the first column to the left; headings first."""
    headings, *rows = table
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def middle(values, form, *, higher_is_better=False):
    """The median and in brackets the worst; of one or two numbers, which have no
    median, the numbers."""
    if len(values) < 3:
        return ", ".join(number(value, form) for value in values)
    median, worst = median_and_worst(values, higher_is_better=higher_is_better)
    return f"{number(median, form)} ({number(worst, form)})"


def percent(successes, count):
    """The 95% interval of a rate."""
    low, high = (f"{100 * bound:.0f}" for bound in interval(successes, count))
    return f"{low} to {high}%"


def rate(successes, count):
    """A number of runs with the 95% interval of the rate."""
    return f"{successes} ({percent(successes, count)})"


def every_page(kept):
    """The text of each page that is made of kept runs, by its path. Pages of grids are
    there once they have runs.

    Args:
        kept: The kept runs of the results page, by task.
    """
    import chomsky
    import lineage
    from long_lags import kept_page
    from results import results_pages
    from which_memory import kept_cells, page

    grids = {"docs/lineage.md": lineage, "docs/chomsky.md": chomsky}
    rows = {name: module.GRID.rows() for name, module in grids.items()}
    return {
        **{n: grids[n].page(own) for n, own in rows.items() if any(own.values())},
        **results_pages(kept),
        "docs/which_memory.md": page(kept_cells()),
        "docs/long_lags.md": kept_page(),
        "README.md": readme(kept),
    }


def every_picture(kept):
    """The figures of these pages, each with its file's name."""
    import chomsky
    from results import draw_pictures
    from which_memory import draw, kept_cells

    yield from draw_pictures(kept)
    yield from chomsky.draw(chomsky.GRID.rows())
    yield "which-memory.png", draw(kept_cells())


def readme(kept):
    """The text of README.md, with the table of NTMs and LSTMs that its runs give."""
    from side_by_side import kept_rows, readme_table

    table = markdown(readme_table(kept_rows(kept)))
    text = README.read_text(encoding="utf-8")
    return TABLE.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", text)


def main():
    """Writes every page and picture."""
    from results import kept_groups

    kept = kept_groups()
    for name, text in every_page(kept).items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(name)
    for name, figure in every_picture(kept):
        figure.savefig(IMAGES / name, dpi=100)
        print(f"docs/images/{name}")


if __name__ == "__main__":
    main()
