"""Tests of lengths: which lengths, the score, early ends, what a run keeps of it."""

import csv
import dataclasses
import json
import math
import re

import keras
import numpy as np
import pytest
from click.testing import CliRunner
from processes import train_here

import tasks
from tasks.cli.main import main
from tasks.comparison.task_table import Entry
from tasks.contract.length_ranges import lengths_of, text_of_lengths
from tasks.evaluation import evaluate
from tasks.length_generalization import LengthTest, as_test, length_test, saved_test
from tasks.models.few_shapes import FewShapes
from tasks.runs import History, TrainingConfig

pytestmark = pytest.mark.once


class RightUpTo:
    """A model that knows all answers to strings of up to a length, and no others."""

    def __init__(self, task, longest):
        self.task, self.longest, self.shapes = task, longest, set()

    def predict_on_batch(self, inputs):
        self.shapes.add(inputs.shape)
        rows = inputs.any(axis=(1, 2))
        targets = np.zeros((*inputs.shape[:2], self.task.output_size))
        targets[rows] = self.task.solve(inputs[rows])
        strings = inputs[..., : len(self.task.alphabet)].sum(axis=(1, 2))
        wrong = strings > self.longest
        targets[wrong] = targets[wrong, :, ::-1]
        return targets


@pytest.mark.parametrize(
    ("text", "lengths"),
    [("7", [7]), ("41-43", [41, 42, 43]), ("80,41-60:9", [41, 50, 59, 80])],
)
def test_lengths_are_named_one_by_one_or_as_ranges(text, lengths):
    assert lengths_of(text) == lengths
    assert lengths_of(text_of_lengths(lengths)) == lengths


@pytest.mark.parametrize("text", ["", "0", "5-4", "4-8:0", "4-", "a", "-3", "4-8:x"])
def test_other_texts_are_refused_in_one_line(text):
    message = (
        "`test_lengths` must be lengths from 1 on, as 41-500, 41-500:9 or 20,40,80. "
    )
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        TrainingConfig(test_lengths=text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("task", "lengths", "message"),
    [
        ("solve-equation", "2-9", "must be at least 3 for the task solve-equation"),
        ("binary-multiplication", "1", "must be at least 3"),
        ("copy", "5-10001", "`length` must be an integer of at most 10000"),
        ("dynamic-ngrams", "50", "whose answers are not right or wrong at a length"),
        ("stories", "5", "the task stories has no lengths to choose"),
    ],
)
def test_lengths_that_a_task_has_not_are_refused(task, lengths, message):
    task = tasks.get_task(task)
    model = tasks.get_model(task.recipe.compared_models[0], task)
    with pytest.raises(ValueError, match=message):
        TrainingConfig(test_lengths=lengths).resolved(task, model)


def test_the_number_of_sequences_needs_lengths():
    with pytest.raises(ValueError, match="`test_sequences` needs `test_lengths`"):
        TrainingConfig(test_sequences=5).resolved(tasks.Copy(), tasks.get_model("gru"))


def test_the_score_is_the_mean_over_the_lengths_beyond_training():
    task = tasks.ReverseString(max_length=5)
    test = length_test(RightUpTo(task, 7), task, "4-9", 3)
    assert test.lengths == [4, 5, 6, 7, 8, 9] and test.sequences == 3
    assert test.measured == [1, 1, 1, 1, 0, 0]
    assert test.scored == [6, 7, 8, 9] and test.range == "6-9"
    assert test.score == pytest.approx(0.5)
    assert test.in_words(task) == (
        "score 50.0%: right symbols, mean over 4 lengths from 6 to 9, 3 sequences "
        "each; a guess has 50%"
    )
    again = saved_test({"by_length": json.loads(json.dumps(test.summary))})
    assert again == test


def test_what_follows_the_end_symbol_does_not_count():
    task = tasks.BinaryAddition(max_length=5)

    class Babbling(RightUpTo):
        def predict_on_batch(self, inputs):
            right = super().predict_on_batch(inputs)
            return np.where(right.any(-1, keepdims=True), right, [0, 1, 0])

    assert length_test(Babbling(task, 99), task, "6-12:3", 4).score == 1


def test_many_lengths_are_few_shapes_and_the_same_values():
    task = tasks.ReverseString(max_length=5)
    lengths = list(range(40, 64))
    model = RightUpTo(task, 50)
    few = evaluate(model, task, lengths, num_sequences=3)
    each = [r for n in lengths for r in evaluate(model, task, [n], num_sequences=3)]
    assert few == each
    model.shapes.clear()
    evaluate(model, task, lengths, num_sequences=3)
    # 80 to 126 steps, to the next multiple of 8.
    assert {steps for _, steps, _ in model.shapes} == set(range(80, 129, 8))


def test_padding_to_few_shapes_changes_no_output():
    inputs = keras.Input((None, 3))
    outputs = keras.layers.GRU(2, return_sequences=True)(inputs)
    model = keras.Model(inputs, outputs)
    drawn = np.random.default_rng(0).random((5, 19, 3)).astype("float32")
    few = FewShapes(model)
    few.predict_on_batch(drawn[:3])
    np.testing.assert_allclose(
        few.predict_on_batch(drawn), model.predict_on_batch(drawn), atol=1e-6
    )


def test_results_of_one_length_are_no_test():
    task = tasks.Copy(2, 1, 2)
    model = tasks.get_model("gru", task, units=2).build(task)
    results = evaluate(model, task, [3, 2], num_sequences=2)
    assert as_test(task, results[:1]) is None
    assert as_test(task, results).lengths == [2, 3]
    assert as_test(task, results).measure == "perfect"


def test_longer_strings_than_in_training_are_validated():
    task = tasks.ReverseString(max_length=5)
    assert task.evaluation.validator(RightUpTo(task, 99))() == {"val_accuracy": 1.0}
    # Lengths 6 to 10, each as often: of 40 symbols in 5 strings, 13 are of 6 and 7.
    half = task.evaluation.validator(RightUpTo(task, 7))()
    assert half["val_accuracy"] == pytest.approx(13 / 40)
    assert task.recipe.validation_measure == "val_accuracy"


@pytest.mark.parametrize(
    ("values", "is_over"),
    [
        ([1, 1, 1, 1], False),
        ([0.9, 1, 1, 1, 1, 1], True),
        ([1, 1, 1, 0.999, 1], False),
    ],
)
def test_a_training_ends_after_five_perfect_validations(values, is_over):
    task = tasks.ReverseString()
    config = TrainingConfig(sequences=64_000).resolved(task, tasks.get_model("gru"))
    size = config.sequences_per_epoch
    rows = [
        {"epoch": n, "sequences": n * size, "val_accuracy": v, "rolled_back": 0}
        for n, v in enumerate(values, 1)
    ]
    history = History(rows, config)
    assert history.is_mastered(task) is history.is_over(task) is is_over
    assert config.keep == "last"
    # Strings of the validation are not smaller in a curriculum.
    smaller = dataclasses.replace(config, curriculum=0.5)
    assert History(rows, smaller).is_mastered(task) is is_over
    shorter = History(rows, smaller)
    assert shorter.solved_at(task) == (len(values) * size if is_over else None)
    # The five epochs are the last; all before them was not yet settled.
    assert shorter.settled_at(task) == ((len(values) - 5) * size if is_over else None)
    assert not History([{"rolled_back": 0}] * 9, config).is_mastered(task)


ARGS = ["--num-bits", 1, "--max-length", 2, "--sequences", 32, "--no-jit-compile"]
LSTM = ["--num-layers", 1, "--layer-size", 4]


def invoke(*args):
    return CliRunner().invoke(main, [*map(str, args)])


def test_a_run_keeps_its_test_and_may_have_another(tmp_path):
    out = tmp_path / "run"
    command = ["train", "copy", "--model", "lstm", *LSTM, *ARGS, "--out", out]
    asked = ["--test-lengths", "2-4", "--test-sequences", 4]
    result = invoke(*command, *asked)
    assert result.exit_code == 0, result.output
    assert "perfect, mean over 2 lengths from 3 to 4, 4 sequences each" in result.stdout
    summary = tasks.open_run(out).read_summary()
    assert summary["by_length"]["lengths"] == [2, 3, 4]
    assert set(summary["by_length"]["values"]) == {"bit_errors", "perfect", "bits"}
    assert (out / "figures" / "lengths.png").exists()
    history = (out / "history.csv").read_bytes()
    result = invoke(*command, "--test-lengths", "3,5", "--resume", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["by_length"]["lengths"] == [3, 5]
    assert tasks.open_run(out).training.test_sequences is None
    assert (out / "history.csv").read_bytes() == history
    found = json.loads(invoke("report", out, "--json").stdout)
    assert found["by_length"]["score"] == pytest.approx(
        np.mean(found["by_length"]["values"]["perfect"])
    )
    result = invoke(
        "evaluate", out, "--lengths", "2-4", 6, "--sequences", 3, "--figure"
    )
    assert "mean over 3 lengths from 3 to 6" in result.stdout, result.output
    assert (out / "figures" / "evaluation.png").exists()
    result = invoke("evaluate", out, "--lengths", 4, "--figure")
    assert result.exit_code == 2 and "`--figure` needs several" in result.output


def test_lengths_under_the_least_are_one_line(tmp_path):
    command = ["train", "solve-equation", "--model", "gru", "--out", tmp_path / "run"]
    result = invoke(*command, "--test-lengths", "1-9")
    assert result.exit_code == 2 and not (tmp_path / "run").exists()
    assert result.output.strip().splitlines()[-1] == (
        "Error: `--test-lengths` must be at least 3 for the task solve-equation. "
        "Received: 1"
    )


def test_several_tasks_are_one_page_that_continues(tmp_path, monkeypatch, undrawn):
    monkeypatch.setattr("tasks.comparison.engine.train_apart", train_here)
    out = tmp_path / "all"
    command = ["compare", "reversal", "copy", "--out", out]
    command += ["--models", "lstm:num-layers=1,layer-size=4", "--max-length", 8]
    command += ["--sequences", 32, "--no-jit-compile", "--test-lengths", "9,12"]
    command += ["--test-sequences", 3]
    result = invoke(*command, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [row["task"] for row in found["table"]] == ["reversal", "copy"]
    assert [row["class"] for row in found["table"]] == [
        *("formal languages", "algorithmic"),
    ]
    assert {row["seeds"] for row in found["table"]} == {"1"}
    assert found["table"][1]["over 90%"] == "0 of 1"
    page = (out / "index.html").read_text()
    assert 'href="copy/index.html"' in page and page.count("image/png") == 3
    assert "mean over the lengths 9,12, 3 each. Seeds: 1." in page
    with open(out / "table.csv") as file:
        rows = list(csv.DictReader(file))
    for row, shown in zip(rows, found["table"], strict=True):
        assert [row[k] for k in ("class", "task", "model", "over 90%")] == [
            *(shown["class"], shown["task"], shown["model"], shown["over 90%"][0]),
        ]
        assert f"{float(row['best']):.1%}" == shown["best"]
        assert f"{int(row['weights']):,}" == shown["weights"]
    kept = {p: p.stat().st_mtime_ns for p in out.rglob("model.keras")}
    assert len(kept) == 2
    lost = out / "copy" / "lstm,num-layers=1,layer-size=4-1" / "summary.json"
    lost.unlink()  # as after a kill
    again = invoke(*command)
    latex = invoke(*command, "--latex")
    assert latex.stdout.startswith(r"\begin{tabular}{llrlrrrrrr}"), latex.output
    assert again.exit_code == 0 and lost.exists(), again.output
    assert "page:" in again.stdout
    changed = [p for p, time in kept.items() if p.stat().st_mtime_ns != time]
    assert changed == [lost.parent / "model.keras"]
    # Another test is made of the same runs.
    result = invoke(*command, "--test-lengths", "10-12", "--json")
    assert result.exit_code == 0, result.output
    runs = json.loads(result.stdout)["runs"]
    assert [run["by_length"]["lengths"] for run in runs] == [[10, 11, 12]] * 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["copy", "revers-string"], "Did you mean reverse-string?"),
        (["copy", "copy"], "`tasks` must differ in their names. Received: copy twice"),
        (["copy", "even-pairs", "--num-bits", "2"], "`--num-bits` is not an option of"),
    ],
)
def test_wrong_tasks_are_one_line(names, message):
    result = invoke("compare", *names, "--models", "gru")
    assert result.exit_code == 2
    assert message in result.output.strip().splitlines()[-1]


def test_the_summary_of_a_test_has_its_score():
    test = LengthTest("perfect", 4, 2, [3, 5], {"perfect": [1.0, 0.5]})
    assert test.summary["score"] == 0.5 and test.range == "5"


def test_cells_have_the_best_the_median_and_how_many_are_solved():
    entry = Entry([0.5, 0.9, math.nan, 1.0], [1.0] * 4, 7)
    assert entry.cells == ["4", "100.0%", "70.0%", "2 of 4"]
    assert Entry([None, None], [1.0, 2.0], 7).cells == ["2", "", "", ""]
