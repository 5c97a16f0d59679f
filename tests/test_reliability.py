"""A small count of what benchmarks/reliability/reliability.py tries out."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent


@pytest.fixture
def reliability(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "reliability")
    return importlib.import_module("reliability")


def test_the_page_is_made_of_the_kept_figures(reliability):
    page = reliability.PAGE.read_text(encoding="utf-8")
    (versions,) = re.findall(r"The latest figures are of (.+)\.\n", page)
    assert reliability.page_of(reliability.merged([]), versions) == page


def assert_nothing_is_wrong(found):
    assert found["wrong"] == 0, found
    assert found["tried"]


@pytest.mark.slow
@pytest.mark.parametrize(("check", "count"), [("files", 10), ("outputs", 4)])
def test_nothing_goes_wrong(check, count, reliability, without_xla, tmp_path):
    run, _ = reliability.CHECKS[check]
    assert_nothing_is_wrong(run(count, tmp_path))


@pytest.mark.slow
def test_nothing_hostile_is_loaded(reliability, monkeypatch, tmp_path):
    """`test_hostile_files_take_little_memory` measures the memory of a new process:
    this one may hold more."""
    monkeypatch.setattr("file_checks._peak_memory", lambda: 0)
    run, _ = reliability.CHECKS["hostile"]
    assert_nothing_is_wrong(run(1, tmp_path))


@pytest.mark.slow
def test_killed_runs_end_as_others():
    """In a process of its own, whose children are killed."""
    result = subprocess.run(
        [
            sys.executable,
            "benchmarks/reliability/reliability.py",
            *("--check", "kills", "--count", "1", "--json"),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assert_nothing_is_wrong(json.loads(result.stdout.splitlines()[-1]))
