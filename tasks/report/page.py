"""An HTML page that needs no other file: text, pictures and a table."""

import base64
import io
import pathlib
from typing import NamedTuple

import jinja2
from matplotlib.figure import Figure

TEMPLATE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{ title }}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
         padding: 0 1rem; color: #222; }
  img { max-width: 100%; }
  table { border-collapse: collapse; display: block; overflow-x: auto; }
  td, th { padding: .2rem .9rem; text-align: right; border-bottom: 1px solid #ddd; }
  code { font-size: 85%; color: #555; overflow-wrap: anywhere; }
</style>
<h1>{{ title }}</h1>
<p><code>{{ signature }}</code></p>
<p>{{ summary }}</p>
<table>
<tr>{% for heading in table[0] %}<th>{{ heading }}</th>{% endfor %}</tr>
{% for row in table[1:] %}
<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</table>
{% for section, image in sections %}
<h2>{{ section.heading }}</h2>
<p>{{ section.text }}</p>
<p><img alt="{{ section.heading }}" src="data:image/png;base64,{{ image }}"></p>
{% endfor %}
{% if links %}
<p>Runs: {% for name, target in links %}<a href="{{ target }}">{{ name }}</a>
{% endfor %}</p>
{% endif %}
<p><code>{{ versions }}</code></p>
</html>
"""


class Section(NamedTuple):
    """A picture with its text.

    Attributes:
        name: Of the picture's file.
        heading: Above it.
        text: What it shows.
        figure: The picture.
    """

    name: str
    heading: str
    text: str
    figure: Figure


def write_page(
    path, *, title, signature, summary, sections, table, versions, links=()
) -> pathlib.Path:
    """Writes a page, and its pictures into `figures/` beside it.

    Args:
        path: Of the page.
        title: Of the page.
        signature: What the numbers are of.
        summary: The first sentence.
        sections: Any number of `Section`.
        table: Rows of cells, the headings first.
        versions: Versions by name.
        links: `(name, address)` of pages that belong to it.
    Returns:
        The path of the page.
    """
    folder = path.parent / "figures"
    folder.mkdir(exist_ok=True)
    shown = []
    for section in sections:
        png = io.BytesIO()
        section.figure.savefig(png, dpi=110)
        (folder / f"{section.name}.png").write_bytes(png.getvalue())
        shown.append((section, base64.b64encode(png.getvalue()).decode()))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    page = environment.from_string(TEMPLATE).render(
        title=title,
        signature=signature,
        summary=summary,
        sections=shown,
        table=table,
        versions=", ".join(f"{key} {value}" for key, value in versions.items()),
        links=links,
    )
    path.write_text(page, encoding="utf-8")
    return path
