"""The structure that the design fixes, read from the source."""

import ast
import itertools
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PACKAGES = ("memnets", "metrics", "tasks")
FORBIDDEN = {
    "memnets": {"metrics", "tasks", "tensorflow", "jax", "torch", "nltk"},
    "metrics": {"memnets", "tasks", "tensorflow", "jax", "torch", "keras"},
    "tasks": {"tensorflow", "jax", "torch", "tests", "benchmarks", "examples"},
}
FILES = [
    path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
]
# Inside tasks/, an arrow goes from a folder to folders after it in this order.
ORDER = ("cli", "searching", "comparison", "report", "training", "runs")
# What kinds of tasks and scoring may know of tasks/, beside their own folder.
BASE = {
    *("checks", "contract", "figures", "losses", "metrics_package", "models"),
    *("plain_text", "wording"),
}
LEAVES = (  # they know no other family
    *("algorithmic", "formal_languages", "relations"),
    "vectors",
)
MAX_MODULE_LINES = 300
# Without docstring and signature; constructors and commands may be longer.
MAX_FUNCTION_LINES = 40


def shown(path):
    return str(path.relative_to(ROOT))


def module_of(path):
    """The dotted name of a file's module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def imports(path):
    """The modules that a file imports anywhere, by their absolute names."""
    package = module_of(path)
    if path.name != "__init__.py":
        package = package.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, *([base] if base else [])])
            for name in node.names:
                full = f"{base}.{name.name}"
                yield full if full in MODULES else base


def room(module):
    """A module's folder inside its package, or its own name if it lies on top."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def room_arrows(package):
    """The arrows between the folders and top modules of a package."""
    arrows = set()
    for module, path in MODULES.items():
        # `__init__` of the package offers names of all rooms; it is no part of one.
        if module.split(".")[0] != package or module == package:
            continue
        for target in imports(path):
            known = target in MODULES and target.startswith(f"{package}.")
            if known and room(target) != room(module):
                arrows.add((room(module), room(target)))
    return arrows


def circle_in(arrows):
    """A circle of arrows, or None."""
    targets = {}
    for start, end in arrows:
        targets.setdefault(start, set()).add(end)

    def visit(node, trail):
        if node in trail:
            return [*trail[trail.index(node) :], node]
        found = (visit(target, [*trail, node]) for target in targets.pop(node, ()))
        return next(filter(None, found), None)

    return next(filter(None, (visit(node, []) for node in list(targets))), None)


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_packages_import_in_the_allowed_direction(path):
    package = path.relative_to(ROOT).parts[0]
    # A file or a folder that says so in its name may import the backend.
    words = {word for part in path.relative_to(ROOT).parts for word in part.split("_")}
    allowed = {"keras", "tensorflow", "jax", "torch"} & {
        word.split(".")[0] for word in words
    }
    if path == ROOT / "memnets" / "__init__.py":
        allowed |= {"metrics", "tasks"}  # which it offers, to type checkers too
    found = {name.split(".")[0] for name in imports(path)}
    assert not found & (FORBIDDEN[package] - allowed)


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_package_imports_itself_relatively(path):
    package = path.relative_to(ROOT).parts[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not any(n.name.split(".")[0] == package for n in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert node.module.split(".")[0] != package


@pytest.mark.parametrize("package", PACKAGES)
def test_no_circle_between_the_folders_of_a_package(package):
    assert circle_in(room_arrows(package)) is None


def test_a_circle_is_found():
    assert set(circle_in({("a", "b"), ("b", "c"), ("c", "b")})) == {"b", "c"}
    assert circle_in({("a", "b"), ("a", "c"), ("b", "c")}) is None


def test_no_circle_between_modules():
    arrows = {
        (module, target)
        for module, path in MODULES.items()
        if path.name != "__init__.py"
        for target in imports(path)
        if target in MODULES and MODULES[target].name != "__init__.py"
    }
    assert len(arrows) > 200
    assert circle_in(arrows) is None


def test_folders_of_tasks_know_only_what_comes_after_them():
    for start, end in room_arrows("tasks"):
        if start in ORDER and end in ORDER:
            assert ORDER.index(start) < ORDER.index(end), (start, end)
        if start not in ORDER:
            assert end not in ORDER or end == "runs" and start == "__init__"
        if start in LEAVES:
            assert end in BASE, (start, end)


def test_a_subprocess_runs_no_folder_further_up():
    """An arrow can also be a string: a module that another Python process runs."""
    programs = {}
    for path in (ROOT / "tasks").rglob("*.py"):
        text = path.read_text()
        if "subprocess" in text or "sys.executable" in text:
            programs[shown(path)] = text
    assert programs, "no module starts a process: this test is out of date"
    for name, text in programs.items():
        folder = name.split("/")[1]
        above = ORDER[: ORDER.index(folder)] if folder in ORDER else ORDER
        for other in above:
            assert not re.search(rf"\b{other}\b(?!-)", _strings(text)), (name, other)


def _strings(text):
    """The string constants of a source, but for docstrings and examples of calls."""
    tree = ast.parse(text)
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    docstrings = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, documented)
    }
    return "\n".join(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value not in docstrings
        and not node.value.startswith("memnets ")
    )


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_modules_and_functions_are_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= MAX_MODULE_LINES
    if path.parent.name == "cli":
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            first, *others = node.body
            if ast.get_docstring(node) is not None and others:
                first = others[0]
            lines = node.end_lineno - first.lineno + 1
            assert lines <= MAX_FUNCTION_LINES, f"{node.name}: {lines} lines"


def public_functions(path):
    """The functions and methods that a user may call, with their names."""

    def walk(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from walk(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                if not node.name.startswith("_") or node.name == "__init__":
                    yield f"{prefix}{node.name}", node

    yield from walk(ast.parse(path.read_text()).body, "")


def unannotated(function):
    """What of a function has no type: its parameters, or its result."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    missing = [
        argument.arg
        for argument in named
        if argument.annotation is None and argument.arg not in ("self", "cls")
    ]
    return missing + ([] if function.returns is not None else ["return"])


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_function_has_types(package):
    count, missing = 0, []
    for path in FILES:
        if path.relative_to(ROOT).parts[0] == package:
            for name, function in public_functions(path):
                count += 1
                missing += [f"{shown(path)}: {name}"] * bool(unannotated(function))
    assert count > 50
    assert not missing


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_no_file_is_left_behind_in_the_root():
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    here = {name for name in listed.stdout.splitlines() if "/" not in name}
    assert here == {
        *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE"),
        *("Makefile", "setup.cfg", "setup.py", "pyproject.toml", "mkdocs.yml"),
        "MANIFEST.in",
        *("conftest.py", ".gitignore"),
    }


def test_checks_are_the_same_file_in_every_package():
    first, *others = (ROOT / package / "checks.py" for package in PACKAGES)
    assert all(other.read_bytes() == first.read_bytes() for other in others)


def test_what_trains_and_reports_knows_no_single_task():
    from tasks.registry import TASKS

    names = {*TASKS, *(task.__name__ for task in TASKS.values())}
    pattern = "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names)
    for path in itertools.chain(*((ROOT / "tasks" / f).rglob("*.py") for f in ORDER)):
        text = path.read_text()
        classes = (
            rf"isinstance\([^)]*\b({pattern}|Task|BitTask|SymbolTask|FiniteTask|NTM)\b"
        )
        assert not re.search(classes, text), shown(path)
        # Words of a docstring are no code: "copy" is also a verb.
        named = re.findall(pattern, _strings(text))
        imported = [module for module in imports(path) if "algorithmic" in module]
        assert not named and not imported, (shown(path), named, imported)
