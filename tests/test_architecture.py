"""The directions of dependency that the design fixes, read from the imports."""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
FORBIDDEN = {
    "memnets": {"metrics", "tasks", "tensorflow", "jax", "nltk"},
    "metrics": {"memnets", "tasks", "tensorflow", "jax", "keras"},
    "tasks": {"tensorflow", "jax", "tests", "benchmarks", "examples"},
}
FILES = [
    path for package in FORBIDDEN for path in sorted((ROOT / package).rglob("*.py"))
]


def imported(path):
    """Names of the top-level packages that a file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_in_the_allowed_direction(path):
    package = path.relative_to(ROOT).parts[0]
    # What a file says in its name.
    allowed = {"keras", "tensorflow", "jax"} & set(path.stem.split("_"))
    assert not set(imported(path)) & (FORBIDDEN[package] - allowed)


def test_the_layers_and_the_metrics_are_read():
    assert len(FILES) > 20
