"""Benchmarks are not run by the tests, but what they import is there."""

import ast
import importlib
import pathlib
import types

import pytest

from tasks.contract.success import Success

BENCHMARKS = pathlib.Path(__file__).parent.parent / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.glob("*/*.py"))
OURS = ("memnets", "metrics", "tasks")


def imported(script):
    """`(module, name)` of everything of ours that a script imports, in functions
    too."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [(node.module, alias.name) for alias in node.names]
        else:
            continue
        yield from ((m, n) for m, n in found if m.partition(".")[0] in OURS)


@pytest.mark.once
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_what_a_benchmark_imports_is_there(script):
    for module, name in imported(script):
        found = importlib.import_module(module)
        if name is not None and not hasattr(found, name):
            importlib.import_module(f"{module}.{name}")


@pytest.mark.once
def test_benchmarks_import_the_packages():
    """Or the test above would look at nothing."""
    assert (
        {"memnets", "metrics", "tasks"}
        >= {
            module.partition(".")[0] for path in SCRIPTS for module, _ in imported(path)
        }
        > {"memnets"}
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("solved_at", "last", "kept"),
    [(None, 1.0, False), (800, 0.0, True), (800, 1, False)],
)
def test_only_a_run_that_was_solved_can_be_not_lost(monkeypatch, solved_at, last, kept):
    monkeypatch.syspath_prepend(BENCHMARKS / "evidence")
    bars = importlib.import_module("bars")
    success = Success("bit_errors", below=0.01)
    run = types.SimpleNamespace(
        task=types.SimpleNamespace(success=success),
        history=types.SimpleNamespace(final={"bit_errors": last}),
    )
    finished = types.SimpleNamespace(solved_at=solved_at, run=run, history=run.history)
    assert bars.KEPT.reached(finished) == kept
