"""The documentation is right: its code runs, its commands, links and pictures exist."""

import importlib
import os
import pathlib
import re
import shlex
import subprocess
import sys

import click
import pytest

from tasks.cli.main import main
from tasks.own_code import import_code

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    path
    for path in [
        *ROOT.glob("*.md"),
        *DOCS.rglob("*.md"),
        *ROOT.glob("*/README.md"),
        ROOT / "benchmarks" / "trials.md",
    ]
    if path.name != "CHANGELOG.md"
)
# A block that cannot be run has a reason above it: <!-- not run: it needs a server -->
BLOCK = re.compile(r"(<!-- not run: .+? -->\n)?```(\w+)\n(.*?)```", re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# By page a text of its Python, and what stands there for sizes that tests can afford.
STEPS = {"normal((1, 30, 9))": "normal((1, 4, 9))"}
SMALLER = {
    "README.md": {
        **STEPS,
        "16_000": "64",
        "max_length=20": "max_length=4",
        "lengths=[20, 40, 120]": "lengths=[4, 8]",
    },
    "docs/layers.md": STEPS,
    "docs/language_models.md": {"sequences=800": "sequences=32"},
    "docs/metrics.md": {"epochs=12": "epochs=4"},
    "docs/trees.md": {"batch(1000,": "batch(50,", "batch(500,": "batch(20,"},
    "docs/tutorials/own_data.md": {
        "size=(512, 10, 1)": "size=(64, 10, 1)",
        "sequences=800": "sequences=32",
    },
    "docs/tutorials/own_task.md": {"sequences=800": "sequences=32"},
}
# A page that is made when the site is built.
MADE = DOCS / "runs.md"
# Where each package has its public names documented.
REFERENCES = ("memnets", "metrics", "tasks")


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page, language):
    """The code of the page's blocks in a language, those that are to be run."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [code for reason, kind, code in found if kind == language and not reason]


def small_blocks(page):
    """The Python of a page, of sizes that tests can afford."""
    found = blocks(page, "python")
    for text, smaller in SMALLER.get(name_of(page), {}).items():
        assert any(text in code for code in found), text
        found = [code.replace(text, smaller) for code in found]
    return found


def commands(page):
    """The `memnets` commands of a page's shell blocks, as lists of words."""
    for code in blocks(page, "sh"):
        for line in code.splitlines():
            for part in line.split(" | "):
                words = shlex.split(part, comments=True)
                if words and words[0] == "memnets":
                    yield words[1:]


WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
WITH_COMMANDS = [page for page in PAGES if list(commands(page))]


# README.md has a test of its own below.
@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_PYTHON[1:], ids=name_of)
def test_python_of_a_page_runs(page, tmp_path, monkeypatch, registries, without_xla):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {"__name__": "page"}
    for number, code in enumerate(small_blocks(page), start=1):
        exec(compile(code, f"{name_of(page)}, block {number}", "exec"), names)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.once
@pytest.mark.slow
def test_readme_runs_beside_modules_called_metrics_and_tasks(tmp_path):
    assert WITH_PYTHON[0].name == "README.md"
    for name in ("metrics", "tasks"):
        (tmp_path / f"{name}.py").write_text("MINE = True\n", encoding="utf-8")
    # An earlier run, as after the first time: the code runs again.
    earlier = tmp_path / "runs" / "mine"
    (earlier / "checkpoints").mkdir(parents=True)
    name = "checkpoints/000001.checkpoint"
    (earlier / name).write_bytes(b"memnets-checkpoint 2 ")
    (earlier / ".memnets").write_text(f"memnets run\n+ {name}\n", encoding="utf-8")
    code = "\n".join(small_blocks(WITH_PYTHON[0]))
    code += "\nimport metrics, tasks\nassert metrics.MINE and tasks.MINE\n"
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "readme.py"],
        cwd=tmp_path,
        # Comes after the folder of the script, as an installation does.
        env={**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.once
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_commands_of_a_page_are_understood(page, monkeypatch, registries):
    monkeypatch.chdir(ROOT)
    for words in commands(page):
        check_command(words)


def trained(page):
    """The folders that a page trains runs into, each with what trains it."""
    for words in commands(page):
        if "train" in words and "--out" in words and "--resume" not in words:
            yield words[words.index("--out") + 1], shlex.join(words)
    for code in blocks(page, "python"):
        yield from ((folder, code) for folder in re.findall(r'\bout="(.+?)"', code))


@pytest.mark.once
def test_every_run_has_a_folder_of_its_own():
    """Or a reader who follows the pages would be told that the folder is in use."""
    found = {}
    for page in WITH_COMMANDS:
        own = list(trained(page))
        folders = [folder for folder, _ in own]
        assert len(folders) == len(set(folders)), (name_of(page), folders)
        for folder, how in own:
            assert found.setdefault(folder, how) == how, name_of(page)


@pytest.mark.once
def test_runs_that_pages_speak_of_are_trained():
    made = {folder for page in PAGES for folder, _ in trained(page)}
    for page in WITH_COMMANDS:
        for words in commands(page):
            if {"evaluate", "report", "caption", "translate", "generate"} & {*words}:
                runs = {word for word in words if word.startswith("runs/")}
                assert runs <= made, f"{name_of(page)}: {shlex.join(words)}"


def check_command(words):
    """Parses a command line as `memnets` does, without running it."""
    with main.make_context("memnets", list(words)) as group:
        for name in group.params["imports"]:
            import_code(name)
        rest = [*group._protected_args, *group.args]
        name, command, arguments = main.resolve_command(group, rest)
        try:
            command.make_context(name, arguments, parent=group).close()
        except click.UsageError as error:
            # The files that a page speaks of are not here.
            assert "does not exist" in str(error), f"{shlex.join(words)}: {error}"


@pytest.mark.once
@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_is_documented_and_has_help(command):
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    section = page.split(f"## memnets {command}\n")[1].split("\n## ")[0]
    assert main.commands[command].help
    for parameter in main.commands[command].params:
        if parameter.param_type_name == "option":
            assert parameter.help, parameter.name
            assert parameter.opts[0] in section, parameter.opts[0]


@pytest.mark.once
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_images_exist(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists() or target == MADE, link
        if anchor:
            assert anchor in anchors(target), link


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.once
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_a_page_names_exist(page):
    named = re.findall(
        r"\b((?:tests|benchmarks|examples|docs|memnets|metrics|tasks)/[\w/.-]+"
        r"\.(?:py|md|keras|json|cpp|jinja))\b",
        page.read_text(encoding="utf-8"),
    )
    for name in named:
        assert (ROOT / name).exists(), name


@pytest.mark.once
def test_every_page_is_in_the_navigation():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    shown = re.findall(r"[\w/]+\.md", settings.partition("\nnav:")[2])
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert pages <= set(shown)
    assert len(shown) == len(set(shown))


@pytest.mark.once
@pytest.mark.parametrize("package", REFERENCES)
def test_every_public_name_is_in_the_reference(package):
    page = (DOCS / "api" / f"{package}.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^::: {package}\.([\w.]+)$", page, re.M)
    names = set(importlib.import_module(package).__all__) - {"__version__"}
    missing = {
        name for name in names if not any(covers(entry, name) for entry in listed)
    }
    assert not missing, f"docs/api/{package}.md lacks {', '.join(sorted(missing))}"


def covers(entry, name):
    """Whether an entry of the reference documents a public name, or a part of it."""
    return entry == name or entry.startswith(f"{name}.")
