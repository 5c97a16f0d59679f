"""Pages of the documentation, written from the templates beside this module."""

import pathlib

import jinja2

from tasks.comparison.rate import interval

HERE = pathlib.Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
IMAGES = DOCS / "images"


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


def percent(successes, count):
    """The 95% interval of a rate."""
    low, high = (f"{100 * bound:.0f}" for bound in interval(successes, count))
    return f"{low} to {high}%"


def rate(successes, count):
    """A number of runs with the 95% interval of the rate."""
    return f"{successes} ({percent(successes, count)})"
