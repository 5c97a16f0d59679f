"""An HTML page that needs no other file: text, pictures and a table."""

import base64
import io
import pathlib
from collections.abc import Iterable, Sequence

import jinja2

from ..contract.parts import Section
from ..figures.figure import missing_note
from ..runs.checksum import BLANK, with_checksum
from ..runs.output_folder import OutputFolder

TEMPLATE = """\
{% macro rows(table, kind) %}{% if table %}
<table class="{{ kind }}">
<tr>{% for heading in table[0] %}<th>{{ heading }}</th>{% endfor %}</tr>
{% for row in table[1:] %}
<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</table>
{% endif %}{% endmacro -%}
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="generator" content="memnets">
<!-- sha256 {{ checksum }} -->
{% if reload %}<meta http-equiv="refresh" content="{{ reload }}">
{% endif %}
<title>{{ title }}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto;
         padding: 0 1rem; color: #222; }
  p { max-width: 60rem; }
  img { max-width: 100%; }
  table { border-collapse: collapse; display: block; overflow-x: auto; }
  td, th { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #ddd;
           white-space: nowrap; }
  th { white-space: normal; vertical-align: bottom; }
  .lines td, .lines th { text-align: left; white-space: normal; vertical-align: top; }
  code { font-size: 85%; color: #555; overflow-wrap: anywhere; }
</style>
<h1>{{ title }}</h1>
{% if signature %}<p><code>{{ signature }}</code></p>{% endif %}
<p>{{ summary }}</p>
{{ rows(table, "") }}
{% if table_file %}<p><a href="{{ table_file }}">The table as CSV</a></p>{% endif %}
{% for section, image in sections %}
{% if section.heading %}<h2>{{ section.heading }}</h2>{% endif %}
{% if section.text %}<p>{{ section.text }}</p>{% endif %}
{% if image %}<p><img alt="{{ section.heading }}"
 src="data:image/png;base64,{{ image }}"></p>{% endif %}
{{ rows(section.table, "lines") }}
{% endfor %}
{% if note %}<p>{{ note }}</p>{% endif %}
{% if links %}
<p>Runs: {% for name, target in links %}<a href="{{ target }}">{{ name }}</a>
{% endfor %}</p>
{% endif %}
{% if versions %}<p><code>{{ versions }}</code></p>{% endif %}
</html>
"""


def write_page(
    output: OutputFolder,
    name: str,
    *,
    title: str,
    summary: str,
    sections: Iterable[Section],
    signature: str = "",
    table: Sequence[Sequence[str]] = (),
    table_file: str = "",
    versions: dict[str, str] | None = None,
    links: Sequence[tuple[str, str]] = (),
    reload: int | None = None,
    figures: bool = True,
) -> pathlib.Path:
    """Writes a page, and its pictures into `figures/` beside it.

    Args:
        output: The folder that is written into.
        name: Name of the page in it.
        title: Title of the page.
        summary: The first sentences.
        sections: Pictures with their texts.
        signature: What the numbers are of.
        table: Rows of cells, the headings first.
        table_file: Address of the same table in another form; empty if there is none.
        versions: Versions by name.
        links: `(name, address)` of pages that belong to it.
        reload: Seconds after which a browser loads the page again.
        figures: Whether to write the pictures as files too.
    Returns:
        The path of the page.
    Raises:
        RunError: If a file that we did not write is in the way.
        OSError: If a file cannot be written; names it.
    """
    from memnets.saving.atomic import atomic_write

    path = output.reserve(name)
    shown = []
    for section in sections:
        if section.figure is None:
            # Headings of no rows say nothing.
            if len(section.table) != 1:
                shown.append((section, ""))
            continue
        png = io.BytesIO()
        section.figure.savefig(png, dpi=110, metadata={"Software": "memnets"})
        if figures:
            picture = output.reserve(f"figures/{section.name}.png")
            with atomic_write(picture) as unfinished:
                unfinished.write_bytes(png.getvalue())
        shown.append((section, base64.b64encode(png.getvalue()).decode()))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    page = environment.from_string(TEMPLATE).render(
        title=title,
        signature=signature,
        summary=summary,
        sections=shown,
        note=missing_note(section.figure for section, _ in shown),
        table=table,
        table_file=table_file,
        versions=", ".join(f"{key} {value}" for key, value in (versions or {}).items()),
        links=links,
        reload=reload,
        checksum=BLANK,
    )
    # A browser never finds half a page.
    with atomic_write(path) as unfinished:
        unfinished.write_text(with_checksum(page), encoding="utf-8")
    return path
