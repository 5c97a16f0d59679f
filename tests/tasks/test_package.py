"""What `tasks` offers is visible, and listing it needs no Keras."""

import subprocess
import sys

import pytest

import tasks


@pytest.mark.parametrize(
    "name", ["train", "evaluate", "write_report", "compare", "search"]
)
def test_the_main_functions_are_listed(name):
    assert name in dir(tasks)


def test_everything_listed_exists():
    # Those of other modules are imported at their first use.
    for name in dir(tasks):
        assert getattr(tasks, name) is not None


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'trian'"):
        tasks.trian  # noqa: B018


def test_listing_tasks_needs_no_keras():
    code = "import sys, tasks; dir(tasks); sys.exit('keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
