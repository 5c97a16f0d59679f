"""The documentation is right: its code runs, its commands and links exist."""

import pathlib
import re

import pytest

from tasks.cli.main import main

ROOT = pathlib.Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")])


def test_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) >= 2
    for block in blocks:
        # The same code with a budget that tests can afford.
        exec(block.replace("16_000", "32"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert "://" in link or (page.parent / link).exists(), link


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_is_documented_and_has_help(command):
    assert main.commands[command].help
    assert f"memnets {command}" in (ROOT / "docs" / "tasks.md").read_text()
    for parameter in main.commands[command].params:
        assert parameter.param_type_name == "argument" or parameter.help, parameter.name
