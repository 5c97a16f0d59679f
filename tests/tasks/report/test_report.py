"""Reports say what happened, and ask the task and the layers what to draw."""

import dataclasses
import re
import shutil
import types

import keras
import numpy as np
import pytest

import memnets
import tasks
from tasks.contract.parts import Batch, Column, Section
from tasks.contract.success import Success
from tasks.evaluation import EvaluationResult
from tasks.report import run_figures
from tasks.report.memories import heads_of, trace_memories
from tasks.report.page import write_page
from tasks.report.report import _summary, write_animation, write_report
from tasks.report.sections import run_example, sizes_in_words
from tasks.report.watch import draw_text
from tasks.runs import History, create_run
from tasks.runs.output_folder import OutputFolder

SMALL = {
    "associative-recall": tasks.AssociativeRecall(
        num_bits=2, item_length=1, max_items=3
    ),
    "dynamic-ngrams": tasks.DynamicNGrams(context=1, num_steps=6),
    "priority-sort": tasks.PrioritySort(num_bits=2, num_vectors=4, num_outputs=2),
    "repeat-copy": tasks.RepeatCopy(num_bits=2, max_length=2, max_repeats=2),
}
ROW = {"epoch": 1, "sequences": 3, "seconds": 1, "loss": 1}
END = {"skipped": 0, "rolled_back": 0}


@pytest.mark.parametrize("name", sorted(SMALL))
def test_every_task_has_a_report(name, tmp_path, tiny):
    task = SMALL[name]
    run = create_run(tmp_path, task, tiny, tasks.TrainingConfig())
    run.write_history([ROW | {"bits_per_sequence": 200, "bit_errors": 99} | END])
    path, results = write_report(run, tiny.build(task))
    assert [r.size for r in results] == [
        at.evaluation.sizes for at in task.evaluation.eval_tasks
    ]
    drawn = {picture.stem for picture in (tmp_path / "figures").glob("*.png")}
    assert {"learning", "sizes", "memory"} <= drawn
    assert ("write-locations" in drawn) == (name == "priority-sort")
    page = path.read_text()
    assert all(f"<td>{r.size}</td>" in page for r in results)
    assert f"Not solved ({task.success})" in page.replace("&lt;", "<")


def test_report_of_a_dnc_shows_usage_and_gates(tmp_path):
    task = tasks.Copy(2, 1, 3)
    model = tasks.get_model(
        "dnc-feedforward", memory_size=8, word_size=4, controller_size=8
    )
    run = create_run(tmp_path, task, model, tasks.TrainingConfig())
    run.write_history([ROW | {"bits_per_sequence": 2, "bit_errors": 1} | END])
    path, _ = write_report(run, model.build(task))
    assert (tmp_path / "figures" / "memory-values.png").exists()
    assert "The memory over time" in path.read_text()


def test_report_of_stacks_shows_what_is_filled_over_time(tmp_path):
    task = tasks.Counting(1, 3)
    model = tasks.get_model("stack", num_stacks=2, depth=4, controller_size=8)
    run = create_run(tmp_path, task, model, tasks.TrainingConfig())
    run.write_history([ROW | {"symbol_errors": 1} | END])
    path, _ = write_report(run, model.build(task))
    assert (tmp_path / "figures" / "memory-values.png").exists()
    # There are no heads, whose rows the memory at the end would be drawn by.
    assert not (tmp_path / "figures" / "memory.png").exists()
    assert "Of the heads" not in path.read_text()


def test_heads_are_those_of_the_layer(tiny):
    model = tiny.build(tasks.Copy(2, 1, 3))
    inputs = tasks.Copy(2, 3, 3).sample(1, 0).inputs
    (trace,) = trace_memories(model, inputs)
    state = model.layers[1].trace(inputs)
    write, read = heads_of([trace])
    assert (write.name, write.kind) == ("write head", "write")
    np.testing.assert_allclose(write.weighting, state.weightings[:, :, 1], atol=1e-6)
    np.testing.assert_allclose(read.vectors, state.reads[:, :, 0], atol=1e-6)
    np.testing.assert_allclose(trace.memory, state.memory, atol=1e-6)
    # What is read is the memory under the attention, eq. 2.
    np.testing.assert_allclose(
        np.einsum("btn,btnw->btw", read.weighting, trace.memory),
        read.vectors,
        atol=1e-5,
    )


def test_a_memory_behind_other_layers_is_traced_on_what_it_sees():
    inputs = keras.Input((None, 3))
    hidden = keras.layers.Dense(5)(inputs)
    outputs = memnets.NTM(2, memory_size=6, word_size=4, return_sequences=True)(hidden)
    model = keras.Model(inputs, outputs)
    sequences = np.random.default_rng(0).random((1, 4, 3), np.float32)
    (trace,) = trace_memories(model, sequences)
    expected = model.layers[2].trace_memory(model.layers[1](sequences))
    np.testing.assert_allclose(trace.memory, expected.memory, atol=1e-6)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_memory_behind_a_mask_is_traced_on_the_steps_that_it_sees(backwards):
    inputs = keras.Input((None, 3))
    layer = memnets.NTM(
        2, memory_size=6, word_size=4, go_backwards=backwards, name="ntm"
    )
    model = keras.Model(inputs, layer(keras.layers.Masking(-9.0)(inputs)))
    sequences = np.random.default_rng(0).random((1, 5, 3), np.float32)
    sequences[0, [0, 3]] = -9.0
    mask = sequences[..., 0] != -9.0
    (trace,) = trace_memories(model, sequences)
    state = model.get_layer("ntm").trace(sequences, mask=mask)
    seen = mask[0, ::-1] if backwards else mask[0]
    for head in trace.heads:
        assert np.isnan(head.weighting[0, ~seen]).all()
        assert np.isnan(head.vectors[0, ~seen]).all()
    (read,) = (head for head in trace.heads if head.kind == "read")
    np.testing.assert_allclose(
        read.weighting[0, seen], np.array(state.weightings)[0, seen, 0], atol=1e-6
    )
    # A masked step leaves the memory as it was; before the first step none is known.
    first = int(seen.argmax())
    assert np.isnan(trace.memory[0, :first]).all()
    np.testing.assert_allclose(
        trace.memory[0, first:], np.array(state.memory)[0, first:], atol=1e-6
    )


def test_what_else_is_known_of_a_memory_is_blank_at_masked_steps():
    class Counter(keras.layers.Layer):
        supports_masking = True

        def call(self, inputs, mask=None):
            return inputs

        def trace_memory(self, sequences):
            steps = np.array(sequences)  # each step is its number
            rows, gates = (("usage", steps),), (("gate", steps / 10),)
            return memnets.MemoryTrace([], steps[..., None], rows, gates)

    inputs = keras.Input((None, 1))
    model = keras.Model(inputs, Counter()(keras.layers.Masking(-9.0)(inputs)))
    sequences = np.array([[-9, 1, -9, 2, -9], [3, 4, 5, 6, 7]], np.float32)[..., None]
    (trace,) = trace_memories(model, sequences)
    nan = np.nan
    np.testing.assert_array_equal(trace.memory[0, :, 0, 0], [nan, 1, 1, 2, 2])
    ((_, usage),), ((_, gate),) = trace.row_values, trace.step_values
    np.testing.assert_array_equal(usage[0, :, 0], [nan, 1, nan, 2, nan])
    np.testing.assert_allclose(gate[0, :, 0], [nan, 0.1, nan, 0.2, nan], rtol=1e-6)


def test_a_masked_task_has_a_report_of_a_model_with_a_memory(tmp_path):
    task = tasks.get_task("adding", min_steps=10)
    model = tasks.get_model(
        "ntm-feedforward", memory_size=8, word_size=4, controller_size=8
    )
    run = create_run(tmp_path, task, model, tasks.TrainingConfig())
    run.write_history([ROW | {"wrong": 0.5, "right_in_a_row": 0} | END])
    network = model.build(task)
    result = EvaluationResult(
        task.evaluation.sizes, task.size[0], False, 1, {"wrong": 0.5}
    )
    path, _ = write_report(run, network, [result])
    assert "The memory at the end" in path.read_text()
    assert (tmp_path / "figures" / "memory.png").exists()
    assert "heads" in draw_text(network, task)


def test_any_layer_that_follows_the_protocol_is_drawn():
    class Shelf(keras.layers.Layer):
        def call(self, inputs):
            return inputs

        def trace_memory(self, sequences):
            head = memnets.HeadTrace(
                "write head", "write", np.ones((1, 2, 4)), np.ones((1, 2, 3)) / 3
            )
            return memnets.MemoryTrace([head], np.ones((1, 2, 3, 4)))

    inputs = keras.Input((None, 3))
    model = keras.Model(inputs, Shelf()(inputs))
    (trace,) = trace_memories(model, np.zeros((1, 2, 3), np.float32))
    assert trace.heads[0].kind == "write"


class SignPresentation(tasks.Presentation):
    headline = "accuracy"


@dataclasses.dataclass(frozen=True)
class Sign(tasks.Task):
    """Whether the sum of a sequence is positive: one class for each sequence."""

    name = "sign"
    every_step = False
    input_size = 1
    output_size = 2
    presentation = tasks.Beside(SignPresentation)
    success = Success("accuracy", above=0.9)
    columns = {"accuracy": Column("right", ".1%", higher_is_better=True)}

    def sample(self, batch_size, rng=None):
        inputs = np.random.default_rng(rng).normal(size=(batch_size, 5, 1))
        targets = (inputs.sum(axis=(1, 2)) > 0).astype(np.int32)
        return Batch(inputs.astype(np.float32), targets, np.ones(batch_size))

    def loss(self):
        return keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction="mean_with_sample_weight"
        )

    def measures(self):
        return [keras.metrics.SparseCategoricalAccuracy("accuracy")]

    def predict(self, outputs):
        return outputs.argmax(axis=-1)

    def errors(self, batch, outputs):
        return {"accuracy": self.predict(outputs) == batch.targets}


def test_a_task_that_classifies_has_a_report_of_its_own_measures(tmp_path, tiny):
    run = create_run(tmp_path, Sign(), tiny, tasks.TrainingConfig())
    run.write_history([ROW | {"accuracy": 0.95} | END])
    path, (result,) = write_report(run, tiny.build(Sign()))
    page = path.read_text()
    assert "<th>right</th>" in page
    assert f"<td>{result.accuracy:.1%}</td>" in page
    assert "right 95.0%" in page
    assert "bit" not in page.split("</style>")[1].split("<img")[0]
    assert (tmp_path / "figures" / "memory.png").exists()


def test_a_learning_curve_has_a_line_for_each_measure():
    rows = [ROW | {"bits_per_sequence": 2.0, "bit_errors": 1.0} | END]
    figure = run_figures.draw_learning(
        tasks.Copy(), History(rows, tasks.TrainingConfig())
    )
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.get_lines()] == ["bits", "wrong bits"]
    # A single epoch is a point, which a line alone would not show.
    assert all(line.get_marker() == "o" for line in axes.get_lines())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_epoch_without_a_finite_measure_is_a_gap_in_the_curve(value):
    rows = [
        ROW | {"sequences": 3 * (i + 1), "bits_per_sequence": bits} | END
        for i, bits in enumerate([9.0, value, -1.0])
    ]
    task = tasks.Copy()
    figure = run_figures.draw_learning(task, History(rows, tasks.TrainingConfig()))
    (axes,) = figure.axes
    low, high = axes.get_ylim()
    assert low == -1.0 and 9.0 <= high < 100.0
    figure.draw_without_rendering()


@pytest.mark.parametrize("headline", ["bit_errors", "perfect"])
def test_a_size_without_a_finite_value_has_a_label_and_no_bar(headline):
    class Judgement(tasks.Presentation):
        pass

    class Judged(tasks.Copy):
        presentation = tasks.Beside(Judgement)

    Judgement.headline = headline
    values = [np.nan, np.inf, 0.5]
    results = [
        EvaluationResult(f"{i}", i, False, 10, {headline: value})
        for i, value in enumerate(values)
    ]
    figure = run_figures.draw_sizes(Judged(), results)
    (axes,) = figure.axes
    assert [bar.get_height() for bar in axes.patches] == [0.0, 0.0, 0.5]
    assert [text.get_text()[:3] for text in axes.texts[:2]] == ["nan", "inf"]
    assert np.isfinite(axes.get_ylim()).all()
    figure.draw_without_rendering()


@pytest.mark.parametrize("errors, says", [([0.0, 0.0], True), ([0.0, 0.5], False)])
def test_a_chart_without_errors_says_why_it_is_empty(errors, says):
    results = [
        EvaluationResult(f"{i}", i, False, 10, {"bit_errors": value, "bits": value})
        for i, value in enumerate(errors, start=1)
    ]
    (axes,) = run_figures.draw_sizes(tasks.Copy(), results).axes
    assert ("All are 0: no bars" in [t.get_text() for t in axes.texts]) == says


def test_bars_show_the_headline_and_the_best_possible():
    def result(size, **values):
        return EvaluationResult(size, int(size), size == "400", 10, values)

    task = tasks.DynamicNGrams()
    results = [
        result("200", bit_errors=50.0, perfect=0.0, bits=133.5, best_bits=132.8),
        result("400", bit_errors=99.0, perfect=0.0, bits=250.0, best_bits=244.9),
    ]
    (axes,) = run_figures.draw_sizes(task, results).axes
    assert [bar.get_height() for bar in axes.patches] == [133.5, 250.0]
    (best,) = axes.get_lines()
    assert list(best.get_ydata()) == [132.8, 244.9]


def test_splits_and_kinds_of_questions_are_not_called_sizes():
    def results(*sizes):
        return [
            EvaluationResult(size, length, False, 10, {"wrong": 0.25})
            for size, length in sizes
        ]

    task = tasks.Stories()
    kinds = results(("all", 10), ("path", 10))
    sizes = results(("10", 10), ("20", 20))
    assert run_figures.draw_sizes(task, kinds).axes[0].get_xlabel() == ""
    assert run_figures.draw_sizes(task, sizes).axes[0].get_xlabel().startswith("size")
    assert "size" not in sizes_in_words(task, kinds)
    assert "within the sizes of training: 25.00% at 10" in sizes_in_words(task, sizes)


def summary_of(rows, **training):
    class Validation(tasks.Recipe):
        validation_measure = "val_right"

    class Validated(tasks.Copy):
        recipe = tasks.Beside(Validation)
        success = None
        columns = {
            **tasks.Copy().columns,
            "val_right": Column("validation right", ".1%", higher_is_better=True),
        }

    config = tasks.TrainingConfig(**training)
    run = types.SimpleNamespace(task=Validated(), training=config)
    rows = [
        {**ROW, "epoch": n + 1, "val_right": value, "rolled_back": int(value is None)}
        for n, value in enumerate(rows)
    ]
    return _summary(run, History(rows, config))


def test_a_summary_says_of_which_epoch_the_weights_are():
    assert summary_of([0.5, 0.75, 0.625], keep="best").endswith(
        "The model has the weights of epoch 2 of 3, the best one by validation right "
        "(75.0%)."
    )
    # Of equally good epochs it is the first; an epoch that was rolled back is none.
    assert "epoch 2 of 4," in summary_of([0.5, 0.75, None, 0.75], keep="best")
    assert summary_of([0.5, 0.75, 0.625], keep="last").endswith(
        "The model has the weights of the last epoch."
    )
    assert summary_of([0.1, 0.75, 0.5], keep="best", average=5).endswith(
        "(75.0%), averaged with those of the 1 before it."
    )


def test_a_section_of_headings_alone_is_left_out(tmp_path):
    sections = [
        Section("none", "No rows", "", None, [["a", "b"]]),
        Section("rows", "Rows", "", None, [["a", "b"], ["1", "2"]]),
        Section("text", "Words", "that stand alone", None),
    ]
    folder = OutputFolder(tmp_path, "run")
    page = write_page(folder, "a.html", title="", summary="", sections=sections)
    headings = re.findall("<h2>(.*?)</h2>", page.read_text())
    assert headings == ["Rows", "Words"]


def test_a_stack_sorts_without_heads():
    task = tasks.PrioritySort(num_vectors=3, num_outputs=2)
    model = tasks.get_model("stack", num_stacks=1, depth=4, controller_size=8)
    batch, _, traces = run_example(model.build(task), task)
    assert task.presentation.sections(batch, heads_of(traces)) == []
    assert "heads" not in draw_text(model.build(task), task)


def test_a_measure_without_a_column_has_the_direction_of_the_success():
    @dataclasses.dataclass(frozen=True)
    class Plain(Sign):
        columns = {}
        success = Success("accuracy", above=0.9)

    assert Plain().presentation.column("accuracy").higher_is_better
    assert not Plain().presentation.column("loss").higher_is_better


def test_sizes_follow_from_the_size():
    class Sized(Sign):
        size = (6, 2)

    assert (Sized().evaluation.sizes, Sign().evaluation.sizes) == ("6 x 2", "all")


def test_a_model_of_other_outputs_is_named_before_it_is_evaluated(tiny):
    model = tiny.build(tasks.Copy(3, 1, 2))
    with pytest.raises(ValueError, match="must have inputs of shape"):
        tasks.evaluate(model, tasks.Copy(2, 1, 2), [2])


@pytest.mark.once
def test_an_animation_shows_the_memory_of_each_step(trained, tmp_path):
    from PIL import Image

    run = tasks.open_run(shutil.copytree(trained.run.path, tmp_path / "run"))
    path = write_animation(run, run.load_model())
    assert path == tmp_path / "run" / "figures" / "animation.gif"
    with Image.open(path) as picture:
        # Three vectors, the delimiter and three to copy.
        assert picture.n_frames == 7
        frames = []
        for number in (0, 6):
            picture.seek(number)
            frames.append(np.asarray(picture.convert("L"), float))
    # Covered first, then all that is drawn.
    assert frames[0].mean() > frames[1].mean()


@pytest.mark.once
def test_a_memory_without_heads_has_an_animation_of_all_its_rows(tmp_path):
    model = tasks.get_model("stack", controller_size=4)
    options = {
        "sequences": 16,
        "progress": False,
        "jit_compile": False,
        "evaluate": False,
    }
    run = tasks.train(tasks.Reversal(1, 3), model, out=tmp_path, **options).run
    assert write_animation(run, run.load_model()).stat().st_size > 0


@pytest.mark.once
def test_a_model_without_a_memory_has_no_animation(tmp_path):
    model = tasks.get_model("lstm", num_layers=1, layer_size=2)
    options = {"sequences": 16, "progress": False, "jit_compile": False}
    run = tasks.train(tasks.Copy(2, 1, 2), model, out=tmp_path, **options).run
    with pytest.raises(ValueError, match="`animation` needs a model with a memory"):
        write_animation(run, run.load_model())
    assert not (tmp_path / "figures" / "animation.gif").exists()
