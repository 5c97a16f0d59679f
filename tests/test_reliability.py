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


def test_the_page_is_made_of_the_kept_figures(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "reliability")
    reliability = importlib.import_module("reliability")
    page = reliability.PAGE.read_text(encoding="utf-8")
    (versions,) = re.findall(r"The latest figures are of (.+)\.\n", page)
    assert reliability.page_of(reliability.merged([]), versions) == page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "count"),
    [
        ("kills", 1),
        ("files", 10),
        ("hostile", 1),
        ("outputs", 4),
    ],
)
def test_nothing_goes_wrong(check, count):
    result = subprocess.run(
        [
            sys.executable,
            "benchmarks/reliability/reliability.py",
            *("--check", check, "--count", str(count), "--json"),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["wrong"] == 0, found
    assert found["tried"]
