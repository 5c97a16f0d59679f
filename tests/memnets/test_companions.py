"""`memnets.tasks` and `memnets.metrics` always work, and are never a second copy."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import keras
import pytest

import memnets
import tasks

ROOT = pathlib.Path(__file__).parent.parent.parent
DECORATED = re.compile(r"@keras.saving.register_keras_serializable.*\nclass (\w+)")


def run_python(code, folder, backend="jax"):
    """Runs code in a new process with `folder` first on the path, as for a script."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        # The import of JAX takes a third of the time.
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": backend},
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
def test_the_nearest_name_is_named(tmp_path):
    command = [sys.executable, "-c", "import memnets; memnets.StakRNN"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: module 'memnets' has no attribute 'StakRNN'. "
        "Did you mean: 'StackRNN'?"
    )


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
def test_a_file_that_another_installation_has_replaced_is_named(tmp_path):
    """pip writes packages of one name into one folder, the last over the others."""
    for name in ("memnets", "metrics"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "metrics" / "__init__.py").write_text("OWN = 'of another package'\n")
    code = """
        import sys
        sys.path.insert(0, "")
        try:
            from memnets import metrics
        except ImportError as error:
            assert "has replaced a file of memnets" in str(error)
            assert sys.modules["metrics"].__file__ in str(error)
        else:
            raise SystemExit("no error")
    """
    run_python(code, tmp_path)


@pytest.mark.once
@pytest.mark.slow
def test_the_command_runs_beside_modules_of_a_user(own_modules):
    (own_modules / "text").write_text("a b c d\n")
    code = """
        import metrics, sys, tasks
        sys.argv = ["memnets", "score", "text", "text"]
        from memnets.tasks.cli import run
        run()
    """
    assert run_python(code, own_modules)[:5] == [
        *("metric", "score", "signature", "bleu", "1.0000")
    ]


@pytest.mark.once
def test_a_module_that_is_missing_has_the_usual_error():
    with pytest.raises(ModuleNotFoundError, match="'memnets.metrics.wisdom'"):
        import memnets.metrics.wisdom  # noqa: F401


@pytest.mark.once
def test_scores_and_word_vectors_need_no_keras(tmp_path):
    code = """
        import sys
        from memnets import metrics
        assert metrics.BLEU().sentence_score(["a b c d"], "a b c d").value == 1
        import memnets, tasks, memnets.cores, memnets.saving.atomic
        with open("text.txt", "w") as file:
            file.write("a b c a b c\\n" * 20)
        options = {"size": 2, "iterations": 1, "min_count": 1, "progress": False}
        tasks.train_word_vectors("text.txt", out="vectors", **options)
        assert "NTM" in dir(memnets)
        assert not {"keras", "tensorflow", "jax"} & set(sys.modules)
    """
    run_python(code, tmp_path)


@pytest.mark.once
def test_import_starts_no_threads(tmp_path):
    # A process that is forked afterwards would wait for them without end.
    code = """
        import os, keras
        before = len(os.listdir("/proc/self/task"))
        import importlib, pkgutil, memnets, tasks
        for package in (memnets, tasks):
            name = package.__name__
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                try:
                    importlib.import_module(module.name)
                except ImportError:  # another backend's, or of an extra
                    pass
        assert len(os.listdir("/proc/self/task")) == before
    """
    run_python(code, tmp_path, "tensorflow")


# Each is run in a process that has not imported Keras.
LOADING = """
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)
    {imports}
    keras.saving.load_model("model.keras")
    known = keras.saving.get_custom_objects()
    names = ("NTM", "DNC", "LRUA", "SAM", "StackRNN", "FastWeights", "StackedLSTM")
    assert all(f"memnets>{{name}}" in known for name in names)
    assert keras.saving.load_model("compiled.keras").compiled
"""
IMPORTS = (
    "import memnets, keras",
    "import keras, memnets",
    "import memnets.ntm, keras",
    "import memnets.dnc_heads, keras",
    "from memnets.memory import addressing; import keras",
    "import memnets; memnets.readout; import keras",
    "import memnets, tensorflow, keras",
    "import tensorflow, memnets, keras",
    "import memnets, importlib.util as u; u.find_spec('tensorflow'); import keras",
    "import memnets, importlib.util as u; u.find_spec('keras'); import keras",
)
# What other modules of tasks import first of those that need Keras.
FIRST = ["tasks.training.training"]
FIRST += [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "tasks").rglob("*.py"))
    if path.parent.name == "losses" or DECORATED.search(path.read_text())
]
REGISTERED = """
    import importlib, memnets
    importlib.import_module("{module}")
    import keras
    known = keras.saving.get_custom_objects()
    missing = [name for name in {classes} if f"memnets>{{name}}" not in known]
    assert not missing, missing
"""
ROOMS = """
    import memnets, runpy, sys
    rooms = (memnets.saving, memnets.checks, memnets.cores)
    assert "keras" not in sys.modules
    runpy.run_module("memnets.saving.loader")
    assert memnets.memory.Memory and memnets.numerics.precision
    from memnets.saving import LoadError, load
    assert (load, LoadError) == (memnets.load, memnets.LoadError)
"""
THREADS = """
    import memnets, threading
    found = []

    def look():
        import keras
        found.append(keras.saving.get_registered_object("memnets>SAM"))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert memnets.NTM
    for thread in threads:
        thread.join()
    assert found == 4 * [memnets.SAM]
"""
FAILED_IMPORT = """
    import os, sys, memnets
    os.environ["KERAS_BACKEND"] = "none-such"
    try:
        import keras
    except ValueError:
        pass
    os.environ["KERAS_BACKEND"] = "jax"
    for name in [name for name in sys.modules if name.startswith("keras")]:
        del sys.modules[name]
    import keras
    assert "memnets>NTM" in keras.saving.get_custom_objects()
"""
# Runs each code in a process of its own, and prints the errors by name. Each begins
# with the packages that Keras on JAX imports, which take most of the time.
APART = """
    import json, os, sys, traceback
    import h5py, jax.experimental.sparse, matplotlib.pyplot
    assert not {"keras", "memnets", "tensorflow"} & set(sys.modules)
    errors = {}
    for name, code in json.load(open("codes.json")).items():
        read, write = os.pipe()
        process = os.fork()
        if not process:
            said = "ended by itself"
            try:
                exec(code, {"__name__": "__main__"})
                said = "none"
            except BaseException:
                said = traceback.format_exc()
            finally:
                os.write(write, said[-2000:].encode())
                os._exit(0)
        os.close(write)
        with open(read) as pipe:
            errors[name] = pipe.read()
        os.waitpid(process, 0)
    json.dump(errors, open("errors.json", "w"))
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """What went wrong in each code that imports Keras, by name, or "none"."""
    folder = tmp_path_factory.mktemp("imports")
    model = keras.Sequential([keras.Input((3, 2)), memnets.DNC(2, memory_size=4)])
    model.save(folder / "model.keras")
    task = tasks.Copy()
    model.compile(loss=tasks.ReverseString().loss(), metrics=task.measures())
    model.save(folder / "compiled.keras")
    sources = [path.read_text() for path in (ROOT / "tasks").rglob("*.py")]
    classes = [name for source in sources for name in DECORATED.findall(source)]
    assert len(classes) > 20
    codes = {imports: LOADING.format(imports=imports) for imports in IMPORTS}
    codes |= {name: REGISTERED.format(module=name, classes=classes) for name in FIRST}
    codes |= {"rooms": ROOMS, "threads": THREADS, "failed import": FAILED_IMPORT}
    codes = {name: textwrap.dedent(code) for name, code in codes.items()}
    (folder / "codes.json").write_text(json.dumps(codes))
    run_python(APART, folder)
    return json.loads((folder / "errors.json").read_text())


@pytest.mark.once
@pytest.mark.parametrize("imports", IMPORTS)
def test_keras_alone_loads_every_layer(imports, errors):
    assert errors[imports] == "none"


@pytest.mark.once
@pytest.mark.parametrize("module", FIRST)
def test_losses_and_measures_of_tasks_are_known_too(module, errors):
    assert errors[module] == "none"


@pytest.mark.once
def test_rooms_and_their_names_are_there_before_keras(errors):
    assert errors["rooms"] == "none"


@pytest.mark.once
def test_threads_may_import_keras_at_the_same_time(errors):
    assert errors["threads"] == "none"


@pytest.mark.once
def test_a_failed_import_of_keras_can_be_repeated(errors):
    assert errors["failed import"] == "none"


TYPED = """
from typing import assert_type

{imports}
from metrics.bleu.bleu import BLEUScore
from tasks.training.training import TrainingResult

assert_type(metrics.BLEU().corpus_score([["a"]], ["a"]), BLEUScore)
assert_type(tasks.train("copy", sequences=16), TrainingResult)
assert_type(tasks.Copy(), {copy})
"""


@pytest.mark.once
def test_type_checkers_see_both_forms_of_import(tmp_path):
    pytest.importorskip("mypy")
    forms = {
        "one": "from memnets import metrics, tasks",
        "two": "import metrics\nimport tasks",
    }
    for name, imports in forms.items():
        code = TYPED.format(imports=imports, copy="tasks.Copy")
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        wrong = code.replace('["a"])', '"a", resample=1)')
        (tmp_path / f"{name}_wrong.py").write_text(wrong, encoding="utf-8")
    # The cache of `make lint`: without one it takes a minute.
    options = ["--cache-dir", str(ROOT / ".mypy_cache"), "--config-file=pyproject.toml"]
    command = [sys.executable, "-m", "mypy", *options, *sorted(tmp_path.iterdir())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    files = {pathlib.Path(line.split(":")[0]).name for line in errors}
    assert files == {"one_wrong.py", "two_wrong.py"}, done.stdout
