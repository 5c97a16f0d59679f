"""Makes a notebook of a page: its Python blocks are cells, the rest is text."""

import base64
import json
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
# A block that is not to be run has a comment above it, and stays text.
PYTHON = re.compile(r"(?<! -->\n)^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
INSTALL = """\
# memnets is not on the package index yet. Until it is, run in a checkout
#     git archive -o memnets.zip HEAD
# put memnets.zip beside this notebook (upload it on Colab), and install it instead:
# %pip install ./memnets.zip
%pip install memnets"""


def notebook(page: pathlib.Path) -> str:
    """The file of a notebook (nbformat 4.5) that needs no file beside it.

    Pictures are inside it. Links to other pages name the file in the repository. Shell
    blocks stay text: they take minutes, and some need a checkout.

    Args:
        page: The Markdown file.
    """
    cells = [{"cell_type": "code", "source": INSTALL}]
    # The text stands at even places, the code between.
    for place, part in enumerate(PYTHON.split(page.read_text(encoding="utf-8"))):
        if place % 2:
            cells.append({"cell_type": "code", "source": part.rstrip()})
        elif part.strip():
            text = LINK.sub(lambda match: _without_files(match, page), part.strip())
            cells.append({"cell_type": "markdown", "source": text})
    for number, cell in enumerate(cells):
        cell.update(id=f"cell-{number}", metadata={})
        if cell["cell_type"] == "code":
            cell.update(execution_count=None, outputs=[])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "cells": cells,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _without_files(match: re.Match, page: pathlib.Path) -> str:
    """A link or a picture of a page, for a notebook that lies somewhere else."""
    picture, text, link = match.groups()
    if "://" in link:
        return match[0]
    if link.startswith("#"):
        return text
    target = pathlib.Path(os.path.normpath(page.parent / link.partition("#")[0]))
    if not picture:
        name = f"`{target.relative_to(ROOT)}`"
        return name if text == name.strip("`") else f"{text} ({name})"
    data = base64.b64encode(target.read_bytes()).decode("ascii")
    return f"![{text}](data:image/png;base64,{data})"
