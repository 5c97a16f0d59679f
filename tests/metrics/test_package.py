"""The public names of the package, and that it works under another name."""

import pathlib
import subprocess
import sys

import pytest

import memnets
import metrics
import tasks
from metrics.registry import get_metrics

ROOT = pathlib.Path(metrics.__file__).parents[1]


def run(*command):
    """Output of Python in a process of its own, where a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *command],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_importing_the_package_and_all_text_metrics_does_not_import_keras():
    code = "import metrics, sys; list(map(metrics.get, metrics.METRICS)); "
    code += "print({'keras', 'tensorflow', 'jax'} & set(sys.modules))"
    assert run("-c", code) == "set()\n"


def test_dir_shows_the_public_names_only():
    assert dir(metrics) == sorted(metrics.__all__)
    assert all(hasattr(metrics, name) for name in dir(metrics))


@pytest.mark.parametrize(
    ("package", "name", "meant"),
    [(metrics, "Bleu", "BLEU"), (tasks, "copy", "Copy"), (memnets, "Dnc", "DNC")],
)
def test_python_can_name_the_nearest_public_name(package, name, meant):
    """It looks among the names of the object that an error has."""
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'$") as raised:
        getattr(package, name)
    assert raised.value.name == name
    assert meant in dir(raised.value.obj)


def test_the_nearest_public_name_is_named():
    command = [sys.executable, "-c", "import metrics; metrics.Bleu"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr.endswith("attribute 'Bleu'. Did you mean: 'BLEU'?\n")


@pytest.mark.parametrize("name", ["TokenBLEU", "GenerationMetrics"])
def test_keras_classes_are_the_same_at_both_places(name):
    from metrics import keras_metrics

    assert getattr(metrics, name) is getattr(keras_metrics, name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError) as error:
        print(metrics.BLUE)
    assert str(error.value) == "module 'metrics' has no attribute 'BLUE'"


@pytest.mark.parametrize("name", metrics.METRICS)
def test_every_name_gives_its_metric(name):
    entry = metrics.METRICS[name]
    metric = metrics.get(name)
    assert type(metric) is entry.load()
    assert repr(metric) == repr(entry.load()(**entry.settings))


def test_capitals_of_a_name_do_not_matter():
    assert "|order:2|" in metrics.get("BLEU-2", lowercase=True).signature()
    assert list(get_metrics(["METEOR", "chrF++"])) == ["meteor", "chrf++"]


def test_settings_are_passed_to_the_metric():
    assert "|case:lc|" in metrics.get("bleu", lowercase=True).signature()
    assert "|n:2|" in metrics.get("rouge-2").signature()
    assert "|preset:1.5|" in metrics.get("meteor-1.5", beam=5).signature()


def test_each_of_several_metrics_gets_the_settings_that_it_has():
    both = get_metrics(["bleu", "cider"], lowercase=True, tokenizer="13a")
    assert "|case:lc|eff:no|tok:13a|" in both["bleu"].signature()
    assert "|tok:13a|" in both["cider"].signature()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: metrics.get("blue"), ValueError, "`name` must be one of 'bleu', 'b"),
        (
            lambda: metrics.get("Metero"),
            ValueError,
            f"`name` must be one of {', '.join(map(repr, metrics.METRICS))}. Did you "
            "mean 'meteor'? Received: name='Metero'",
        ),
        (lambda: metrics.get(["bleu"]), ValueError, "`name` must be one of 'bleu', 'b"),
        (lambda: get_metrics(["blue"]), ValueError, "`name` must be one of 'bleu', 'b"),
        (lambda: get_metrics("bleu"), TypeError, "`names` must be a list of strings."),
        (
            lambda: metrics.get("bleu", stem=True),
            ValueError,
            "bleu has no argument `stem`. Its arguments: max_order, weights, ",
        ),
        (
            lambda: get_metrics(["bleu", "ter"], stem=True),
            ValueError,
            "bleu, ter has no argument `stem`. Its arguments: max_order, weights, ",
        ),
        (
            lambda: metrics.get("rouge-1", stems=True),
            ValueError,
            "rouge-1 has no argument `stems`. Its arguments: order, tokenizer, stem. "
            "Did you mean `stem`?",
        ),
        (
            lambda: metrics.get("bleu", lowercase=1),
            TypeError,
            "`lowercase` must be True or False.",
        ),
    ],
)
def test_wrong_names_and_settings_are_errors(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value).startswith(message)


# The names of today's modules are blocked, so that an absolute import is an error.
OTHER_NAME = """
import importlib.util
import pathlib
import sys

sys.modules.update({"metrics": None, "memnets": None, "tasks": None})
folder = pathlib.Path(sys.argv[1])
spec = importlib.util.spec_from_file_location(
    "other_name", folder / "__init__.py", submodule_search_locations=[str(folder)]
)
package = sys.modules["other_name"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)

if __name__ == "__main__":
    references, hypotheses = [["a cat sat"], ["the dogs"]] * 600, ["cats sat"] * 1200
    for name in ("bleu", "meteor", "meteor-1.5"):
        metric = package.get(name)
        one, two = (
            metric.corpus_score(references, hypotheses, jobs=jobs) for jobs in (1, 2)
        )
        assert one == two
        print(type(metric).__module__, one)
    print(package.corpus_bleu(references, hypotheses, jobs=2))
    print(package.corpus_meteor(references, hypotheses, jobs=2))
    from other_name.meteor import native
    print(native.load() is not None)
    if "spawn" in sys.argv:
        package.parallel.start_method = lambda: "spawn"
        print(package.corpus_meteor(references, hypotheses, jobs=2))
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_the_package_works_under_another_name(tmp_path, start):
    script = tmp_path / "script.py"
    script.write_text(OTHER_NAME)
    references, hypotheses = [["a cat sat"], ["the dogs"]] * 600, ["cats sat"] * 1200
    bleu = metrics.corpus_bleu(references, hypotheses)
    meteor = metrics.corpus_meteor(references, hypotheses)
    program = metrics.corpus_meteor(references, hypotheses, preset="1.5")
    from metrics.meteor import native

    expected = [
        f"other_name.bleu.bleu {bleu}",
        f"other_name.meteor.meteor {meteor}",
        f"other_name.meteor.meteor {program}",
        f"{bleu}",
        f"{meteor}",
        f"{native.load() is not None}",
    ]
    if start == "spawn":
        expected.append(f"{meteor}")
    folder = str(pathlib.Path(metrics.__file__).parent)
    assert run(str(script), folder, start).splitlines() == expected


def test_functions_of_one_call_take_processes():
    references, hypotheses = [["a cat sat"]] * 600, ["cats sat"] * 600
    for function in (metrics.corpus_bleu, metrics.corpus_meteor):
        assert function(references, hypotheses, jobs=2) == function(
            references, hypotheses
        )


def test_functions_of_a_sentence_keep_metrics_of_plain_options_only(tmp_path):
    from metrics import one_call

    one_call._kept.cache_clear()
    for _ in range(3):
        metrics.sentence_bleu(["a b"], "a c")
        metrics.sentence_bleu(["a b"], "a c", max_order=2)
        metrics.sentence_bleu(["a b"], "a c", weights=[0.5, 0.5, 0, 0])
        metrics.sentence_bleu(["a b"], "a c", tokenizer=str.split)
    assert one_call._kept.cache_info().currsize == 2
    with pytest.raises(TypeError, match="`lowercase` must be True or False"):
        metrics.sentence_bleu(["a b"], "A b", lowercase=1)
    assert metrics.sentence_bleu(["a b"], "A b", lowercase=True).value == 1.0
    with pytest.raises(TypeError, match="`lowercase` must be True or False"):
        metrics.sentence_bleu(["a b"], "A b", lowercase=1)
    for order in range(1, 60):
        metrics.sentence_bleu(["a b"], "a c", max_order=order)
    assert one_call._kept.cache_info().currsize == 32


def test_a_file_that_an_option_names_is_read_at_each_call(tmp_path, monkeypatch):
    from metrics import one_call

    made = []
    monkeypatch.setattr(one_call, "BLEU", lambda **options: made.append(options))
    path = tmp_path / "a.model"
    path.touch()
    for _ in range(2):
        with pytest.raises(AttributeError):
            metrics.sentence_bleu(["a"], "a", tokenizer=str(path))
    assert len(made) == 2
