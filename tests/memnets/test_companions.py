"""`memnets.tasks` and `memnets.metrics` always work, and are never a second copy."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent


def run_python(code, folder):
    """Runs code in a new process with `folder` first on the path, as for a script."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        # JAX, because its import takes a third of the time.
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout.split()


@pytest.fixture
def own_modules(tmp_path):
    """A folder in which a user has modules of the same names."""
    (tmp_path / "metrics.py").write_text("OWN = 'metrics of a user'\n")
    (tmp_path / "tasks.py").write_text("OWN = 'tasks of a user'\n")
    return tmp_path


@pytest.mark.once
def test_importing_memnets_imports_neither(tmp_path):
    code = """
        import sys, memnets
        assert {"metrics", "tasks"} < set(dir(memnets))
        for name in ("metrics", "tasks"):
            assert name not in sys.modules
            assert f"memnets.{name}" not in sys.modules
        try:
            memnets.wisdom
        except AttributeError as error:
            assert "'wisdom'" in str(error)
        else:
            raise SystemExit("no error")
    """
    run_python(code, tmp_path)


SAME_MODULES = """
    assert memnets.metrics is metrics and memnets.tasks is tasks
    assert memnets.metrics.bleu is metrics.bleu
    assert memnets.metrics.BLEU is metrics.BLEU
    assert memnets.tasks.algorithmic.copy_task is tasks.algorithmic.copy_task
    assert metrics.__spec__.name == metrics.__name__ == "metrics"
    assert metrics.bleu.__spec__.name == metrics.bleu.__name__ == "metrics.bleu"
    assert pickle.loads(pickle.dumps(memnets.metrics.BLEU)) is metrics.BLEU
    modules = {id(module): module for module in sys.modules.values()}.values()
    files = [getattr(module, "__file__", None) or "" for module in modules]
    ours = [file for file in files if "/metrics/" in file or "/tasks/" in file]
    ours = [file for file in ours if "site-packages" not in file]
    assert len(ours) == len(set(ours)) > 2, "a module was loaded twice"
"""
OWN_NAME_FIRST = """
    import pickle, sys
    import metrics.bleu, tasks
    import tasks.algorithmic.copy_task
    import memnets, memnets.metrics.bleu, memnets.tasks.algorithmic.copy_task
"""
MEMNETS_FIRST = """
    import pickle, sys
    import memnets.metrics.bleu
    from memnets import tasks
    from memnets.tasks.algorithmic import copy_task
    import metrics.bleu
    import tasks.algorithmic.copy_task
    assert copy_task is tasks.algorithmic.copy_task
"""


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("imports", [OWN_NAME_FIRST, MEMNETS_FIRST])
def test_both_names_lead_to_the_same_modules(imports, tmp_path):
    run_python(imports + SAME_MODULES, tmp_path)


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("own_first", [True, False])
def test_modules_of_a_user_with_the_same_names_are_left_alone(own_first, own_modules):
    own = """
        import metrics, tasks
        assert metrics.OWN == "metrics of a user"
        assert tasks.OWN == "tasks of a user"
    """
    packages = """
        import pathlib, pickle, sys
        import memnets.metrics.bleu
        from memnets import metrics as ours
        assert ours is memnets.metrics and ours.__name__ == "memnets.metrics"
        assert ours.bleu.BLEU is memnets.metrics.BLEU
        assert ours.BLEU.__module__ == "memnets.metrics.bleu.bleu"
        assert pickle.loads(pickle.dumps(ours.BLEU)) is ours.BLEU
        assert ours.corpus_bleu([["a b c d"]], ["a b c d"]).value == 1
        score = ours.METEOR(synonyms=None).sentence_score(["a b"], "a b")
        assert score.value > 0.9
    """
    code = own + packages if own_first else packages + own
    run_python(textwrap.dedent(code), own_modules)
    code = """
        import memnets.tasks.checks, memnets.tasks.algorithmic
        assert memnets.tasks.checks.__name__ == "memnets.tasks.checks"
    """
    if own_first:
        run_python(code, own_modules)


@pytest.mark.once
def test_a_module_that_is_missing_has_the_usual_error():
    with pytest.raises(ModuleNotFoundError, match="'memnets.metrics.wisdom'"):
        import memnets.metrics.wisdom  # noqa: F401
