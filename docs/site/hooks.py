"""What MkDocs does beside its own work for this site.

Pages that stand elsewhere in the repository are part of the site, and links that are
right in the repository are right in the site. The page of all runs, the sections of
the page of commands and the notebooks of the tutorials exist only there. Pictures are
links to themselves. A page that would load anything from another server ends the build.
"""

import os
import pathlib
import re
import sys

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "evidence"), str(ROOT / "docs" / "site")]
import commands  # noqa: E402
import notebooks  # noqa: E402
import pictures  # noqa: E402
import results  # noqa: E402

DOCS = ROOT / "docs"
TUTORIALS = DOCS / "tutorials"
OUTSIDE = (
    "benchmarks/README.md",
    "benchmarks/trials.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py")),
)
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
NO_TYPE = re.compile(r'(field-body">\s*)–')
LOADED = re.compile(
    r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?(?:https?:)?//[^>]*>"
    r"|<link(?![^>]*rel=[\"']?canonical)[^>]*\shref=[\"']?(?:https?:)?//[^>]*>"
)


def on_files(files, config):
    """Adds the files of the repository that are part of the site, the runs, and the
    notebooks."""
    for name in OUTSIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    runs = results.runs_page(results.kept_groups())
    files.append(File.generated(config, "runs.md", content=runs))
    for page in sorted(TUTORIALS.glob("*.md")):
        name = page.relative_to(DOCS).with_suffix(".ipynb").as_posix()
        content = notebooks.notebook(page)
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turns links between files of the repository into links within the site, and adds
    to a tutorial the link to its notebook."""
    if page.file.src_uri == "commands.md":
        markdown = commands.page(markdown)
    source = pathlib.Path(page.file.abs_src_path or DOCS / page.file.src_uri)

    def rewritten(match):
        target = pathlib.Path(os.path.normpath(source.parent / match[2]))
        if not target.is_relative_to(ROOT):
            return match[0]
        name = target.relative_to(DOCS if target.is_relative_to(DOCS) else ROOT)
        here = pathlib.PurePosixPath(page.file.src_uri).parent
        link = os.path.relpath(name.as_posix(), here.as_posix())
        return f"{match[1]}{link}{match[3] or ''}{match[4]}"

    markdown = LINK.sub(rewritten, markdown)
    if source.parent != TUTORIALS:
        return markdown
    title, _, text = markdown.partition("\n")
    name = f"{source.stem}.ipynb"
    link = f"[Open as a notebook]({name}){{: download={name} }}"
    return f"{title}\n\n{link}, for Jupyter or to upload to Colab.\n{text}"


def on_page_content(html, page, config, files):
    """Makes pictures links to themselves, and leaves out the dash before what a
    function returns where no type stands before the dash."""
    return pictures.linked(NO_TYPE.sub(r"\1", html))


def on_post_page(output, page, config):
    """Ends the build if a page loads anything from another server."""
    if found := LOADED.search(output):
        raise PluginError(f"{page.file.src_uri} loads from the network: {found[0]}")
    return output
