"""The documentation is right: its code runs, its commands, links and pictures exist."""

import base64
import functools
import importlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import click
import pytest

from tasks.cli.main import COMMANDS, main
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
        "8_000": "64",
        "max_length=20": "max_length=4",
        "lengths=[20, 40]": "lengths=[4, 8]",
    },
    "docs/memories.md": STEPS,
    "docs/language_models.md": {"sequences=800": "sequences=32"},
    "docs/scores_in_training.md": {"epochs=12": "epochs=4"},
    "docs/trees.md": {"batch(1000,": "batch(50,", "batch(500,": "batch(20,"},
    "docs/tutorials/own_data.md": {
        "size=(512, 10, 1)": "size=(64, 10, 1)",
        "sequences=800": "sequences=32",
    },
    "docs/tutorials/own_task.md": {"sequences=800": "sequences=32"},
}
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
# Pages for another backend, whose Python is run by a process of its own.
ON_PYTORCH = ("docs/tutorials/pytorch.md",)
# A page that is made when the site is built.
MADE = DOCS / "runs.md"
PACKAGES = ("memnets", "metrics", "tasks")
MOST_LINES = 300


@pytest.fixture(scope="module")
def commands_page():
    """What makes the sections of the page of commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "site")
        yield importlib.import_module("commands")


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
# Of tf2onnx, which exports on one page.
@pytest.mark.filterwarnings("ignore:In the future `np.object`:FutureWarning")
@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_PYTHON[1:], ids=name_of)
def test_python_of_a_page_runs(page, tmp_path, monkeypatch, registries, without_xla):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    if name_of(page) in ON_PYTORCH:
        pytest.importorskip("torch")
        (tmp_path / "page.py").write_text("\n".join(small_blocks(page)))
        return run_script("page.py", tmp_path)
    names = {"__name__": "page"}
    for number, code in enumerate(small_blocks(page), start=1):
        exec(compile(code, f"{name_of(page)}, block {number}", "exec"), names)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def run_script(name, folder):
    """Runs a script as a user does."""
    result = subprocess.run(
        [sys.executable, name],
        cwd=folder,
        # Comes after the folder of the script, as an installation does.
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.once
@pytest.mark.slow
def test_readme_runs_beside_modules_called_metrics_and_tasks(tmp_path):
    assert WITH_PYTHON[0].name == "README.md"
    for name in ("metrics", "tasks"):
        (tmp_path / f"{name}.py").write_text("MINE = True\n", encoding="utf-8")
    code = "\n".join(small_blocks(WITH_PYTHON[0]))
    code += "\nimport metrics, tasks\nassert metrics.MINE and tasks.MINE\n"
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    run_script("readme.py", tmp_path)


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
def test_examples_of_a_command_are_understood(command, registries):
    examples = main.commands[command].examples
    assert len(examples) >= 2
    for example in examples:
        program, *words = shlex.split(example.partition(" < ")[0])
        assert (program, words[0]) == ("memnets", command)
        check_command(words)


@pytest.mark.once
def test_page_of_commands_names_them_in_the_order_of_use():
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(.+?)`\]\(#memnets-(.+?)\) \| (.+?) \|", page, re.M)
    assert rows == [(name, name, purpose) for name, purpose in COMMANDS.items()]


@pytest.mark.once
@pytest.mark.parametrize("command", COMMANDS)
def test_sections_of_commands_have_every_option_and_example(command, commands_page):
    section = commands_page.section(command)
    assert section.startswith(f"## memnets {command}\n\n{COMMANDS[command]}")
    for parameter in main.commands[command].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            row = rf"^\| .*`{parameter.opts[0]}( .+?)?`.* \| \w.+ \|$"
            assert re.search(row, section, re.M), parameter.name
    assert "\n".join(main.commands[command].examples) in section


@pytest.mark.once
def test_options_of_training_are_on_the_page_of_commands_once(commands_page):
    page = commands_page.page((DOCS / "commands.md").read_text(encoding="utf-8"))
    assert page.count("| `--warmup N` |") == 1
    assert page.count("those of training, as of [train]") == 2  # compare, search


@pytest.mark.once
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_images_exist(page, commands_page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists() or target == MADE, link
        if anchor:
            assert anchor in anchors(target, commands_page), link


@functools.cache  # many links lead to one page
def anchors(page, commands_page):
    text = page.read_text(encoding="utf-8")
    if commands_page.PLACE in text:
        text = commands_page.page(text)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
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
@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=name_of)
def test_no_page_is_too_long_to_read(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.once
@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_on_one_page_of_the_reference(package):
    pages = {path: entries(path, package) for path in (DOCS / "api").glob("*.md")}
    listed = [entry for own in pages.values() for entry in own]
    assert len(listed) == len(set(listed))
    for name in set(importlib.import_module(package).__all__) - {"__version__"}:
        on = [path.name for path, own in pages.items() if covered(name, own)]
        # A module may be documented in parts, which belong together.
        assert len(on) == 1 or (on and name not in listed), f"{package}.{name}: {on}"


def entries(path, package):
    """The names of a package that a page of the reference documents."""
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^::: {package}\.([\w.]+)$", text, re.M)


def covered(name, listed):
    """Whether entries of the reference document a public name, or a part of it."""
    return any(entry == name or entry.startswith(f"{name}.") for entry in listed)


@pytest.fixture(scope="module")
def notebook():
    """What reads the notebook that the site makes of a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "site")
        notebooks = importlib.import_module("notebooks")
    return lambda page: json.loads(notebooks.notebook(page))


def sources(notebook, kind):
    return [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == kind]


@pytest.mark.once
@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_a_notebook_has_the_blocks_of_its_page(page, notebook):
    made = notebook(page)
    install, *code = sources(made, "code")
    assert install.splitlines()[-1] == "%pip install memnets"
    assert code == [block.rstrip() for block in blocks(page, "python")]
    # What every cell of the format 4.5 must have.
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    required = {"cell_type", "id", "metadata", "source"}
    for cell in made["cells"]:
        of_code = {"execution_count", "outputs"} & {*cell}
        assert {*cell} == required | of_code
        assert len(of_code) == (2 if cell["cell_type"] == "code" else 0)
    ids = [cell["id"] for cell in made["cells"]]
    assert len({*ids}) == len(ids)


@pytest.mark.once
@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_a_notebook_needs_no_file_beside_it(page, notebook):
    text = "\n".join(sources(notebook(page), "markdown"))
    page_text = re.sub(r"```python\n.*?```", "", page.read_text("utf-8"), flags=re.S)
    pictures = re.findall(r"!\[.*?\]\((.+?)\)", page_text)
    inside = re.findall(r"!\[.*?\]\(data:image/png;base64,(.+?)\)", text)
    assert [base64.b64decode(data) for data in inside] == [
        (page.parent / picture).read_bytes() for picture in pictures
    ]
    for link in LINK.findall(text):
        assert link.startswith(("https://", "data:")), link
    # Of the prose, nothing is lost: every heading and every table row.
    for line in page_text.splitlines():
        if line.startswith(("#", "|")) and "](" not in line:
            assert line in text


@pytest.mark.once
@pytest.mark.slow
def test_a_notebook_runs(notebook, tmp_path, monkeypatch, registries):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for source in sources(notebook(DOCS / "tutorials" / "scoring.md"), "code")[1:]:
        exec(compile(source, "scoring.ipynb", "exec"), names)
    assert names["score"].value > 0


# Python-Markdown, which makes the site, takes two spaces for the end of a list, and a
# line below a table for a row. GitHub shows both as they are meant.
BROKEN_LIST = re.compile(r"^\n {2,3}(?=\S)(?! *[-*] ).*", re.M)
BROKEN_TABLE = re.compile(r"^ *\|.*\n(?! *\||\n).+", re.M)


@pytest.mark.once
@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name_of)
def test_lists_and_tables_of_a_page_are_whole_on_the_site(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)
    assert not BROKEN_LIST.search(text)
    assert not BROKEN_TABLE.search(text)
    # "from 15 to 18." on two lines is the first point of a list.
    assert not re.search(r"^ +(?!1\.)\d+\. ", text, re.M)


@pytest.mark.once
def test_pictures_of_the_site_open_in_full_size():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "site")
        linked = importlib.import_module("pictures").linked
    picture = '<img alt="a" src="images/a.png" />'
    link = f'<a href="images/a.png">{picture}</a>'
    assert linked(f"<p>{picture}</p>") == f'<p><span class="picture">{link}</span></p>'
