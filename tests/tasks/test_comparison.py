import concurrent.futures
import contextlib
import csv
import dataclasses
import io
import itertools
import json
import math
import multiprocessing
import pathlib
import re
import shutil
import subprocess
import sys

import keras
import numpy as np
import pytest
import rich.console
from click.testing import CliRunner
from processes import InThisProcess, local_scheduler, train_here

import tasks
from tasks.cli.compare_output import advice_on
from tasks.cli.main import main
from tasks.comparison import csv_table, processes, worker
from tasks.comparison.cluster import executor_of
from tasks.comparison.comparison import Comparison
from tasks.comparison.figures import colors_of
from tasks.comparison.finished_run import FailedRun, FinishedRun, by_label, read
from tasks.comparison.json_progress import JsonLines
from tasks.comparison.labels import folder_name, label_of, model_from_text
from tasks.comparison.page import (
    comparison_folder,
    draw_comparison,
    summary_of,
)
from tasks.comparison.plan import Job, make_plan
from tasks.comparison.processes import _end_of
from tasks.comparison.progress import show_runs
from tasks.comparison.table import cell, table_of
from tasks.comparison.train_all import train_all
from tasks.models.ntm import NTMLSTM, NTMFeedforward
from tasks.models.recurrent import StackedLSTM
from tasks.registry import MODELS as MODELS_BY_NAME
from tasks.registry import PUBLISHED, TASKS, get_model
from tasks.runs import (
    History,
    RunError,
    TrainingConfig,
    checkpoint,
    create_run,
    in_use,
    locked,
)
from tasks.runs.run import Run
from tasks.runs.saved_config import saved_model
from tasks.training.data import TaskSequence

TASK = tasks.Copy(2, 1, 2)
NTM = "ntm-feedforward:memory-size=8,word-size=4,controller-size=8"
MODELS = (
    NTMFeedforward(memory_size=8, word_size=4, controller_size=8),
    StackedLSTM(num_layers=1, layer_size=4),
)
# Without XLA, which needs seconds to compile the smallest model.
TRAINING = TrainingConfig(sequences=64, batch_size=4, jit_compile=False)


def plan_in(folder, training=TRAINING):
    return make_plan(TASK, MODELS, [5], folder, training)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A comparison of two tiny models with one seed: its folder, runs and progress. The
    run of the second was there, but interrupted before its first epoch. It goes on in a
    process of its own; the first is trained here, where Keras is imported already."""
    folder = tmp_path_factory.mktemp("comparison")
    job = plan_in(folder)[1]
    create_run(job.path, job.task, job.model, job.training)
    # A module of this name in the working folder is not taken for ours.
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "tasks.py").write_text("raise SystemExit(3)")
    news = []

    def train(asked, on_line):
        is_first = asked["model"]["name"] == MODELS[0].name
        return (train_here if is_first else processes.train_apart)(asked, on_line)

    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(elsewhere):
        patch.setattr("tasks.comparison.engine.train_apart", train)
        comparison = tasks.compare(
            TASK,
            MODELS,
            [5],
            folder,
            jobs=2,
            training=TRAINING,
            on_progress=lambda *n: news.append(n),
        )
    assert not comparison.failures, comparison.failures
    return folder, comparison, news


@pytest.fixture
def copied(compared, tmp_path):
    """A copy of the second run of the comparison, and the plan of it alone."""
    folder, comparison, _ = compared
    path = comparison.runs[1].run.path
    shutil.copytree(path, tmp_path / path.name)
    return read(tmp_path / path.name), plan_in(tmp_path)[1:]


def test_each_run_has_the_parameters_of_the_plan(compared):
    folder, comparison, news = compared
    runs = comparison.runs
    plan = plan_in(folder)
    for run, job in zip(runs, plan, strict=True):
        assert Job(run.run.task, run.run.model, run.run.training, run.run.path) == job
        assert run.history.rows[-1]["sequences"] == run.summary["sequences"] == 64
        assert run.run.file("report.html").exists()
    assert {name for name, _, _ in news} == {job.path.name for job in plan}
    assert max(seen for _, seen, _ in news) == 64
    assert any(re.search("64/64 sequences  wrong bits [0-9.]+$", m) for *_, m in news)
    assert [measure for *_, measure in news].count("") == 2  # the ends


def test_the_page_names_the_models_and_links_their_reports(compared):
    folder, comparison, _ = compared
    page = comparison.page.read_text()
    assert comparison.page == folder / "index.html"
    assert page.count("data:image/png;base64,") == 1
    name = "ntm-feedforward,memory-size=8,word-size=4,controller-size=8-5"
    assert f'href="{name}/report.html"' in page
    assert NTM in page and "lstm:num-layers=1,layer-size=4" in page
    assert "http" not in page and "<script" not in page
    assert comparison.table[0][:3] == ["model", "solved", "wrong bits at 1-2"]


# Their batches are tested in tests/tasks/text and tests/tasks/captions.
FROM_FILES = {"translation", "photo-captioning"}
# Recipes with a curriculum that the task itself has not.
WITH_A_CURRICULUM = {
    ("repeat-copy", "ntm-feedforward"),
    ("bucket-sort", "stack"),
    *itertools.product(("letter-copy", "reversal", "bigram-flip"), ("stack", "lstm")),
}


@pytest.mark.parametrize("name", sorted(TASKS.keys() - FROM_FILES))
def test_models_see_the_same_sequences(name):
    task = TASKS[name]()
    streams, drawn_of = [], set()
    for model in MODELS_BY_NAME:
        config = TrainingConfig(seed=5).resolved(task, get_model(model, task))
        if config in drawn_of:  # it and the task decide what is drawn
            continue
        drawn_of.add(config)
        if config.curriculum:  # its sequences are smaller at first
            # Of all models alike, but for those of one recipe.
            alike = (
                hasattr(task, "strategy") or task.recipe.curriculum == config.curriculum
            )
            assert alike or (name, model) in WITH_A_CURRICULUM
            continue
        batches = TaskSequence(task, config)
        drawn = [batches[i] for i in range(-(-48 // config.batch_size))]
        if config.stateful:  # the steps of each sequence come with it
            drawn = [(inputs, *others) for (inputs, _), *others in drawn]
        flat = map(keras.tree.flatten, drawn)  # inputs may have names
        # One by one: batches may differ in their number of steps.
        rows = [row for batch in flat for row in zip(*batch, strict=True)]
        streams.append(rows[:48])
    for stream in streams[1:]:
        for row, like in zip(stream, streams[0], strict=True):
            for arrays in zip(row, like, strict=True):
                np.testing.assert_array_equal(*arrays)


def test_a_finished_run_is_not_trained_again(compared):
    folder, comparison, _ = compared
    first = comparison.runs[0]
    kept = first.run.file("model.keras").stat().st_mtime_ns
    (again,), failures = train_all(plan_in(folder)[:1])
    assert not failures
    assert again.run.file("model.keras").stat().st_mtime_ns == kept
    assert again.history == first.history


def final_state(folder):
    """Every number that a run ends with, but its seconds."""
    last = checkpoint.load_last(folder / "checkpoints")
    rows = [{**row, "seconds": 0.0} for row in last.rows]
    return rows, [value.tobytes() for value in last.values]


@contextlib.contextmanager
def process_pool():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        yield pool


@contextlib.contextmanager
def dask():
    with local_scheduler(1) as address, executor_of(address) as executor:
        yield executor


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask and its event loop
@pytest.mark.parametrize("engine", [process_pool, dask])
def test_runs_on_an_executor_are_those_of_this_machine(engine, compared, tmp_path):
    _, here, _ = compared
    news = []
    with engine() as executor:
        there = tasks.compare(
            TASK,
            MODELS[1:],
            [5],
            tmp_path,
            executor=executor,
            training=TRAINING,
            on_progress=lambda *line: news.append(line),
        )
    assert not there.failures, there.failures
    path = there.runs[0].run.path
    assert final_state(path) == final_state(here.runs[1].run.path)
    assert news[-1] == (path.name, 64, "")
    assert not in_use(path) and not (tmp_path / ".permit").exists()


def test_a_run_evaluated_on_other_sizes_is_evaluated_again(copied):
    before, plan = copied
    summary = dict(before.summary, evaluation=before.summary["evaluation"][1:])
    del summary["cores"]  # summaries of earlier versions may lack it
    before.run.write_summary(summary)
    (again,), failures = train_all(plan, executor=InThisProcess())
    assert not failures
    assert again.history == before.history and again.sizes == before.sizes
    startup = "startup_seconds"
    assert again.summary[startup] == before.summary[startup]


def test_a_run_killed_before_its_report_gets_one(copied):
    before, plan = copied
    report = before.run.file("report.html")
    report.unlink()
    (again,), failures = train_all(plan, executor=InThisProcess())
    assert not failures and again.history == before.history
    assert report.exists()


def test_a_run_that_cannot_be_evaluated_again_is_left_as_it_is(copied):
    before, plan = copied
    shutil.rmtree(before.run.path / "checkpoints")
    assert train_all(plan)[0][0].summary == before.summary
    summary = dict(before.summary, evaluation=before.summary["evaluation"][1:])
    before.run.write_summary(summary)
    with pytest.raises(RunError, match="whose checkpoints are gone"):
        train_all(plan)
    assert read(before.run.path).history == before.history


def test_an_interrupted_run_is_trained(compared):
    folder, comparison, _ = compared
    run = comparison.runs[1]
    assert run.run.path == plan_in(folder)[1].path and len(run.history) == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("of another run", "holds a run with other parameters: choose another dir"),
        ("{", r"lstm.*config\.json` is truncated or not JSON"),
        ('{"mine": 1}', r"lstm.*config\.json` is damaged"),
    ],
)
def test_an_unfinished_run_of_another_configuration_is_left_alone(
    tmp_path, config, message
):
    job = plan_in(tmp_path)[1]
    other = dataclasses.replace(job.training, sequences=32)
    path = create_run(job.path, job.task, job.model, other).file("config.json")
    if config != "of another run":
        path.write_text(config)
    before = path.read_bytes()
    with pytest.raises(RunError, match=message):
        train_all([job])
    assert path.read_bytes() == before


def test_a_run_that_fails_is_named_and_the_others_are_kept(compared, tmp_path):
    folder, comparison, _ = compared
    ntm, lstm = plan_in(tmp_path)
    comparison_folder(tmp_path).claim()
    shutil.copytree(folder / lstm.path.name, lstm.path)
    ntm.path.write_text("a file")
    result = tasks.compare(
        TASK, MODELS, [5], tmp_path, training=TRAINING, progress=False
    )
    assert [run.label for run in result.runs] == ["lstm:num-layers=1,layer-size=4"]
    (failure,) = result.failures
    assert failure.path == ntm.path
    assert "`out` must be a directory" in failure.reason
    assert "could not be trained: `out` must be" in str(failure)
    page = result.page.read_text()
    assert "Failed, and not in the table" in page and ntm.path.name in page


def test_a_folder_that_another_comparison_uses_is_refused(tmp_path):
    with locked(tmp_path):
        with pytest.raises(RunError, match="is in use: another process trains in it"):
            tasks.compare(TASK, MODELS, [5], tmp_path, training=TRAINING)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_finished_run_of_other_parameters_is_not_overwritten(compared):
    folder, comparison, _ = compared
    kept = comparison.runs[0].run.file("model.keras").read_bytes()
    other = plan_in(folder, dataclasses.replace(TRAINING, sequences=32))
    with pytest.raises(tasks.RunError, match="controller-size=8-5` holds a run with"):
        train_all(other[:1])
    assert comparison.runs[0].run.file("model.keras").read_bytes() == kept


# --- models with parameters ---


def test_a_model_is_read_from_text_and_named_by_what_was_set():
    model = model_from_text("ntm-lstm:memory-size=64,gate_bias=-1.5", tasks.Copy())
    assert model == NTMLSTM(memory_size=64, gate_bias=-1.5)
    label = "ntm-lstm:memory-size=64,gate-bias=-1.5"
    assert label_of(model, tasks.Copy()) == label
    assert model_from_text(label, tasks.Copy()) == model
    assert folder_name(label, 3) == "ntm-lstm,memory-size=64,gate-bias=-1.5-3"


def test_a_number_for_each_head_is_read_and_named():
    text = "ntm-lstm:num-read-heads=2,gate-bias=-4.0/2.0"
    model = model_from_text(text, tasks.Copy())
    assert model == NTMLSTM(num_read_heads=2, gate_bias=(-4.0, 2.0))
    assert label_of(model, tasks.Copy()) == text
    assert folder_name(text, 1) == "ntm-lstm,num-read-heads=2,gate-bias=-4.0,2.0-1"
    saved = json.loads(json.dumps({"name": model.name, **model.parameters}))
    assert saved_model(saved) == model
    with pytest.raises(ValueError, match="`gate_bias` must be of type numbers"):
        model_from_text("ntm-lstm:gate-bias=-4/x", tasks.Copy())


def test_a_parameter_that_is_none_is_read_and_named():
    model = NTMLSTM(write_gate_bias=None)
    label = "ntm-lstm:write-gate-bias=none"
    assert label_of(model, tasks.Copy()) == label
    assert model_from_text(label, tasks.Copy()) == model
    with pytest.raises(ValueError, match="`gate_bias` must be of type numbers"):
        model_from_text("ntm-lstm:gate-bias=none", tasks.Copy())


def test_the_task_s_own_parameters_need_no_name():
    task = tasks.RepeatCopy()
    model = model_from_text("ntm-lstm", task)
    assert (model.memory_size, label_of(model, task)) == (256, "ntm-lstm")
    same = model_from_text("ntm-lstm:memory-size=256", task)
    assert label_of(same, task) == "ntm-lstm"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpt", "`model` must be one of bahdanau, bgru, blstm, cho"),
        ("lstm:layers=3", "lstm has no argument `layers`. Its arguments: num-layers, "),
        ("lstm:layer-sise=3", "Did you mean `layer-size`?"),
        ("lstm:layer_sise=3", "Did you mean `layer-size`?"),
        ("lstm:num-layers=many", "`num_layers` must be of type int. Received: 'many'"),
        ("lstm:num-layers=0", "`num_layers` must be a positive integer"),
        (
            "lstm:3",
            "must be as ntm-lstm:memory-size=64,word-size=10. Received: 'lstm:3'",
        ),
    ],
)
def test_wrong_texts_of_models_are_named(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        model_from_text(text, tasks.Copy())


def test_seeds_and_models_are_trained_once_each(tmp_path):
    plan = make_plan(
        TASK, ["lstm", "lstm", "lstm:num-layers=1"], [2, 1, 2], tmp_path, TRAINING
    )
    names = [job.path.name for job in plan]
    assert names == ["lstm-2", "lstm,num-layers=1-2", "lstm-1", "lstm,num-layers=1-1"]
    quick = make_plan(TASK, ["lstm"], [1], tmp_path, TRAINING, quick=True)
    assert quick[0].training.sequences == 8


def test_models_and_tasks_that_no_process_would_find_are_refused(tmp_path):
    def plan(task, model, **options):
        return make_plan(task, [model], [1], tmp_path, TRAINING, **options)

    inputs = TASK.inputs()
    dense = keras.layers.Dense(TASK.output_size)(inputs)
    with pytest.raises(ValueError, match="model mine must be registered to be"):
        plan(TASK, keras.Model(inputs, dense, name="mine"))

    class Mine(tasks.Copy):
        name = "mine"

    with pytest.raises(ValueError, match="task mine must be registered"):
        plan(Mine(), "lstm")
    tasks.register_task(Mine)
    try:
        with pytest.raises(ValueError, match="`imports` must name the file or module"):
            plan(Mine(), "lstm")
        assert plan(Mine(), "lstm", imports=["mine.py"])[0].task == Mine()
    finally:
        del TASKS["mine"]


# --- the worker ---


def test_the_worker_writes_progress_as_json(tmp_path):
    job = plan_in(tmp_path)[1]
    output = io.StringIO()
    asked = {"out": str(job.path), "imports": [], "folders": []}
    asked |= {"wait": 0, "evaluate": True}
    worker.train_job(job.config | asked, output)
    *lines, last = map(json.loads, output.getvalue().splitlines())
    assert all(line.keys() == {"sequences", "total", "measure"} for line in lines)
    assert (last["sequences"], last["total"]) == (64, 64)
    assert re.fullmatch(r"wrong bits \d\.\d{3}", last["measure"])
    assert read(job.path).summary["sequences"] == 64


def test_progress_within_an_epoch_is_written_every_second(monkeypatch):
    output = io.StringIO()
    training = TRAINING.resolved(TASK, MODELS[1])
    progress = JsonLines(TASK, training, output)
    progress.on_epoch_begin(0)
    progress.on_train_batch_end(0)
    assert not output.getvalue()
    monkeypatch.setattr("tasks.comparison.json_progress.LINE_INTERVAL", 0.0)
    progress.on_train_batch_end(1)
    expected = {"sequences": 8, "total": 64, "measure": "-"}
    assert json.loads(output.getvalue()) == expected


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"task": {"name": "juggling"}}, "`task` must be one of"),
        ({"imports": ["nowhere.py"]}, "`nowhere.py` cannot be imported"),
    ],
)
def test_what_a_worker_does_not_find_is_an_error(changed, reason, tmp_path):
    """And so the reason of a failed run, as that of the run of a process above."""
    job = plan_in(tmp_path)[1]
    asked = {"out": str(job.path), "imports": [], "folders": [], "wait": 0}
    with pytest.raises(ValueError, match=reason):
        worker.train_job(job.config | asked | changed, io.StringIO())
    assert not job.path.exists()


def test_a_worker_that_does_not_start_is_a_failed_run(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "START", "raise SystemExit('no memory left')")
    _, (failure,) = train_all(plan_in(tmp_path)[:1])
    assert failure.reason == "no memory left"


@pytest.mark.slow
def test_a_comparison_runs_beside_modules_of_the_names_of_ours(tmp_path):
    """The package is then loaded as `memnets.tasks`, and its workers find it."""
    for name in ("tasks", "metrics"):
        (tmp_path / f"{name}.py").write_text("NAME = 'mine'\n")
    code = (
        "import tasks as mine\n"
        "from memnets import tasks\n"
        "assert mine.NAME == 'mine' and tasks.__name__ == 'memnets.tasks'\n"
        "small = 'lstm:num-layers=1,layer-size=4'\n"
        "comparison = tasks.compare(tasks.Copy(1, 1, 1), [small],\n"
        "    training=tasks.TrainingConfig(sequences=16, jit_compile=False),\n"
        "    progress=False)\n"
        "assert not comparison.failures, comparison.failures\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "runs" / "compare-copy" / "index.html").exists()


def test_progress_without_a_terminal_is_lines(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("tasks.comparison.progress.time.monotonic", lambda: clock[-1])
    console = rich.console.Console(file=io.StringIO())
    plan = plan_in(tmp_path)
    total = sum(job.training.sequences for job in plan)
    with show_runs(len(plan), total, console) as on_progress:
        on_progress("lstm-1", 32, "32/64 sequences  wrong bits 0.5")
        on_progress("lstm-1", 33, "33/64 sequences")  # too soon for another line
        clock.append(2.0)
        on_progress("lstm-1", 64, "")
        on_progress("lstm-2", 0, "0/64 sequences")
        clock.append(1e9)
        on_progress("lstm-2", 0, "0/64 sequences")  # nothing new
    first, done, other = console.file.getvalue().splitlines()
    assert first == f"lstm-1 (run 1 of {len(plan)}): 32/64 sequences  wrong bits 0.5"
    # 32 sequences in 2 seconds; those before the first report are not counted.
    left = (total - 64) / 16
    text = f", about {left:.0f} s left in all"
    assert done == f"lstm-1 (run 1 of {len(plan)}): done{text}"
    assert other.startswith(f"lstm-2 (run 2 of {len(plan)}): 0/64 sequences, about ")


# --- the table and the pictures ---


def made_up(model, seed, errors, at_20, *, task=None, measure="bit_errors"):
    """A run whose epochs of 10 sequences and 2 seconds had the errors given."""
    task = tasks.Copy() if task is None else task
    rows = [
        {
            **{"epoch": e, "sequences": 10 * e, "seconds": 2.0 * e, "loss": error},
            **{measure: error, "bits_per_sequence": error, "rolled_back": 0},
        }
        for e, error in enumerate(errors, 1)
    ]
    values = {"bit_errors": at_20, "perfect": 1 - at_20, "bits": 1.0}
    result = {"size": "20", "length": 20, "beyond": False, "sequences": 4}
    summary = {"weights": 1234, "startup_seconds": 1.0, "cores": 1, "seconds": 6.0}
    summary["evaluation"] = [result | {"values": values}]
    run = Run(pathlib.Path(f"{model.name}-{seed}"), task, model, TRAINING, {})
    return FinishedRun(run, History(rows, TRAINING), summary)


def test_the_table_shows_medians_and_the_worst_important_columns_first():
    model = NTMFeedforward()
    runs = [
        made_up(model, 1, [1.0, 0.001, 0.0], 0.0),
        made_up(model, 2, [0.0, 0.0, 0.0], 0.25),
        made_up(model, 3, [1.0, 1.0, 1.0], 0.5),
    ]
    assert [r.solved_at for r in runs] == [20, 10, None]
    assert [r.seconds_to_solve for r in runs] == [4.0, 2.0, None]
    assert [r.settled_at for r in runs] == [10, 0, None]
    headings, row, published = table_of(runs)
    assert headings[:3] == ["model", "solved", "wrong bits at 20"]
    cells = dict(zip(headings, row, strict=True))
    assert cells["model"] == "ntm-feedforward" and cells["weights"] == "1,234"
    assert cells["solved"] == "2 of 3"
    assert cells["after sequences"] == "20 (never)"
    assert cells["after seconds"] == "4 (never)"
    assert cells["settled after"] == "10 (never)"
    assert cells["wrong bits at 20"] == "0.250 (0.500)"
    assert cells["perfect at 20"] == "75% (50%)"  # of a score the least is the worst
    cells = dict(zip(headings, published, strict=True))
    assert cells["model"] == "Graves et al. (2014)" and cells["weights"] == "17,162"
    assert cells["after sequences"] == "0.1 bits after 100,000"


def csv_of(rows):
    """Rows as a program reads them from the file."""
    return list(csv.DictReader(io.StringIO(csv_table.text_of(rows))))


def test_the_csv_has_a_row_a_model_and_size_and_plain_numbers():
    runs = [
        made_up(NTMFeedforward(), 1, [1.0, 0.001, 0.0], 0.0),
        made_up(NTMFeedforward(), 2, [0.0, 0.0, 0.0], 0.25),
        made_up(NTMFeedforward(), 3, [1.0, 1.0, 1.0], 0.5),
        made_up(NTMFeedforward(memory_size=64), 1, [1.0], 1 / 3),
    ]
    for run in runs:
        (result,) = run.summary["evaluation"]
        run.summary["evaluation"].append(result | {"size": "40"})
    rows = csv_of(csv_table.rows_of(runs))
    keys = [(row["model"], row["size"]) for row in rows]
    assert keys[:2] == [("ntm-feedforward", "20"), ("ntm-feedforward", "40")]
    assert keys[2] == ("Graves et al. (2014)", "")
    assert keys[3:] == [("ntm-feedforward:memory-size=64", n) for n in ("20", "40")]
    first, other = rows[0], rows[3]
    assert (first["runs"], first["solved"], first["weights"]) == ("3", "2", "1234")
    assert (first["wrong bits"], first["wrong bits, worst"]) == ("0.25", "0.5")
    assert (first["perfect"], first["perfect, worst"]) == ("0.75", "0.5")
    assert (first["after sequences"], first["after sequences, worst"]) == ("20", "")
    assert float(other["wrong bits"]) == pytest.approx(1 / 3, rel=1e-9)
    assert other["wrong bits, worst"] == "" == other["after sequences"]
    assert rows[2]["weights"] == "17162"  # of the paper


def test_intervals_and_the_best_possible_have_columns_of_the_csv():
    run = made_up(NTMLSTM(), 1, [140.0], 47.0, task=tasks.DynamicNGrams())
    (result,) = run.summary["evaluation"]
    result["values"] |= {"bits": 133.5, "best_bits": 132.8}
    result["intervals"] = {"bits": [130.0, math.nan]}
    row, *_ = csv_of(csv_table.rows_of([run]))
    assert row["bits"] == "133.5" and row["bits, best possible"] == "132.8"
    assert (row["bits, low"], row["bits, high"]) == ("130", "nan")


@pytest.mark.parametrize(
    ("values", "higher_is_better", "shown"),
    [
        ([0.1, 0.2, math.nan], False, "0.20 (nan)"),
        ([math.nan, 0.1], False, "nan (nan)"),
        ([0.9, math.nan, 0.7, 0.5], True, "0.60 (nan)"),
        ([math.nan, None, 0.1], False, "never (nan)"),
        ([0.9, 0.7, 0.4], True, "0.70 (0.40)"),
        ([0.1, 0.2], False, "0.15 (0.20)"),
    ],
)
def test_what_is_not_a_number_is_the_worst(values, higher_is_better, shown):
    column = tasks.Column("errors", higher_is_better=higher_is_better)
    assert cell(values, ".2f", column) == shown


def test_there_is_no_row_of_the_paper_for_another_size_or_model():
    small = made_up(NTMFeedforward(), 1, [1.0], 0.0, task=tasks.Copy(num_bits=2))
    assert len(table_of([small])) == 2
    other = made_up(NTMFeedforward(memory_size=64), 1, [1.0], 0.0)
    _, row = table_of([other])
    assert row[0] == "ntm-feedforward:memory-size=64"


def test_a_task_without_success_has_no_columns_of_it():
    @dataclasses.dataclass(frozen=True)
    class Plain(tasks.Copy):
        success = None

    run = made_up(NTMFeedforward(), 1, [1.0], 0.25, task=Plain(num_bits=2))
    headings, row = table_of([run])
    assert headings[:2] == ["model", "wrong bits at 20"]
    assert not {"solved", "after sequences", "settled after"} & set(headings)
    assert row[1] == "0.250"
    assert "Solved" not in summary_of([run], [])


def test_a_score_of_one_seed_stands_with_its_interval():
    runs = [made_up(NTMFeedforward(), seed, [1.0], 0.25) for seed in (1, 2)]
    for run in runs:
        run.summary["evaluation"][0]["intervals"] = {"bit_errors": [0.125, 0.5]}
    headings, row = table_of(runs[:1])[:2]
    cells = dict(zip(headings, row, strict=True))
    assert cells["wrong bits at 20"] == "0.250 (0.125 to 0.500)"
    assert "intervals of 95%" in summary_of(runs[:1], [])
    # Of several seeds the brackets hold the worst.
    headings, row = table_of(runs)[:2]
    assert dict(zip(headings, row, strict=True))["wrong bits at 20"] == "0.250 (0.250)"
    assert "intervals" not in summary_of(runs, [])


def test_a_value_that_one_size_lacks_has_no_column_there():
    run = made_up(NTMFeedforward(), 1, [1.0], 0.25)
    first = run.summary["evaluation"][0]
    first["values"]["perfect"] = 0.5
    other = {**first, "size": "40", "values": {"bit_errors": 0.75}}
    run.summary["evaluation"] = [first, other]
    headings, row = table_of([run])[:2]
    cells = dict(zip(headings, row, strict=True))
    assert cells["wrong bits at 20"] == "0.250" and cells["wrong bits at 40"] == "0.750"
    assert "perfect at 20" in cells and "perfect at 40" not in cells
    # The headline is a value that all sizes have.
    first["values"] = {"perfect": 0.5, "bit_errors": 0.25}
    assert run.headline == "bit_errors"
    del first["values"]["bit_errors"]
    other["values"] = {"perfect": 0.25, "bit_errors": 0.5}
    assert run.headline == "perfect"


def test_the_best_possible_stands_in_the_heading():
    run = made_up(NTMLSTM(), 1, [140.0], 47.0, task=tasks.DynamicNGrams())
    values = run.summary["evaluation"][0]["values"]
    values |= {"bits": 133.5, "perfect": 0.0, "best_bits": 132.8}
    headings, *_ = table_of([run])
    assert headings[:3] == ["model", "solved", "bits at 20 (best 132.800)"]
    # No algorithm has sequences of random bits right.
    assert "perfect at 20" not in headings


def test_the_paper_is_quoted_beside_its_own_tasks_only():
    paper = [tasks.Copy(), tasks.RepeatCopy(), tasks.AssociativeRecall()]
    paper += [tasks.DynamicNGrams(), tasks.PrioritySort()]
    assert list(PUBLISHED) == [task.signature for task in paper]
    assert PUBLISHED[tasks.Copy().signature].weights["lstm"] == 1_352_969
    assert tasks.Copy(num_bits=2).signature not in PUBLISHED
    recall = tasks.AssociativeRecall()
    published = PUBLISHED[recall.signature]
    assert published.sizes["ntm-lstm"]["15"] == 4.8
    assert published.value == recall.presentation.headline == "bits"
    assert tasks.PrioritySort().presentation.headline == "bits"


def test_failed_runs_are_named_above_the_table():
    run = made_up(NTMFeedforward(), 1, [1.0], 0.0)
    failure = FailedRun(pathlib.Path("c/lstm-5"), "From step 30 on, it diverged.")
    text = summary_of([run], [failure])
    assert text.endswith("not in the table: lstm-5: From step 30 on, it diverged.")
    assert "Solved: bit errors below 0.01 over an epoch." in text
    assert "median" not in text  # of one seed
    assert "in brackets the worst" in summary_of([run, run], [])


def test_a_run_that_stopped_early_keeps_its_last_value_in_the_picture():
    model = NTMFeedforward()
    runs = [made_up(model, 1, [4.0], 0.0), made_up(model, 2, [8.0, 6.0, 2.0], 0.0)]
    learning, _ = draw_comparison(by_label(runs)).axes
    line = learning.lines[0]
    assert list(line.get_xdata()) == [10, 20, 30]
    assert list(line.get_ydata()) == [6.0, 5.0, 3.0]


def test_models_of_a_comparison_have_different_colors():
    colors = colors_of(["ntm-feedforward", "ntm-lstm", "lstm", "lstm:num-layers=1"])
    assert len(set(colors.values())) == 4
    assert (
        colors["ntm-feedforward"] == colors_of(["ntm-feedforward"])["ntm-feedforward"]
    )


def test_a_model_that_trained_by_a_curriculum_only_has_no_curve():
    run = made_up(NTMFeedforward(), 1, [4.0, 2.0], 0.5)
    training = dataclasses.replace(TRAINING, curriculum=1.0)
    grown = dataclasses.replace(run, history=History(run.history.rows, training))
    (sizes,) = draw_comparison(by_label([grown])).axes
    assert sizes.get_title() == "after training"


def test_a_quick_comparison_resolves_what_follows_from_the_budget():
    model = get_model("ntm-feedforward", tasks.DynamicNGrams())
    whole = TrainingConfig().resolved(tasks.DynamicNGrams(), model)
    (job,) = make_plan(
        tasks.DynamicNGrams(), [model], [1], "folder", TrainingConfig(), quick=True
    )
    assert job.training.sequences == whole.sequences // 8
    # As the process of the run does.
    assert job.training.resolved(job.task, job.model) == job.training


def test_a_killed_process_is_said_to_be():
    process = subprocess.Popen(
        [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    )
    process.wait()
    assert _end_of(io.StringIO("a warning"), process) == (
        "it was killed by signal 9, SIGKILL"
    )


def evaluated_at(*sizes, model=None, **lengths):
    """A run that was evaluated on sizes; `lengths` are those of sizes that are none."""
    run = made_up(model or NTMFeedforward(), 1, [4.0, 2.0], 0.5)
    (result,) = run.summary["evaluation"]
    run.summary["evaluation"] = [
        result
        | {"size": size, "length": (length := int(lengths.get(size, size)))}
        | {"beyond": length > 20, "values": result["values"] | {"bit_errors": length}}
        for size in sizes
    ]
    return run


def sizes_of(*runs):
    """The panel of errors by size."""
    return draw_comparison(by_label(list(runs))).axes[-1]


def test_a_line_joins_sizes_but_not_splits():
    sizes = sizes_of(evaluated_at("20", "40"))
    splits = sizes_of(evaluated_at("test", "rare", test=20, rare=20))
    assert sizes.lines[0].get_linestyle() == "-"
    assert splits.lines[0].get_linestyle() == "None"
    assert (sizes.get_xlabel(), splits.get_xlabel()) == ("size of the sequences", "")


def shaded(axes):
    """The shaded ranges of a panel."""
    boxes = [patch.get_extents() for patch in axes.patches]
    ends = axes.transData.inverted()
    return [tuple(ends.transform(box)[:, 0].round(6)) for box in boxes]


def test_errors_stand_at_their_lengths_and_the_lengths_of_training_are_shaded():
    axes = sizes_of(evaluated_at("1-20", "20", "40", "120", **{"1-20": 20}))
    (line,) = axes.lines
    assert line.get_xdata().tolist() == line.get_ydata().tolist() == [20, 40, 120]
    assert shaded(axes) == [(1, 20)]
    low, high = axes.get_xlim()
    assert low < 1 and high > 120


def test_sizes_without_numbers_are_shaded_where_they_are_of_training():
    sizes = {"10 x 10": 10, "20 x 10": 21}
    axes = sizes_of(evaluated_at(*sizes, **sizes))
    assert shaded(axes) == [(-0.5, 0.5)]


def test_a_model_has_one_color_in_both_panels_and_one_place_in_the_legend():
    models = NTMFeedforward(), StackedLSTM(), StackedLSTM(layer_size=9)
    runs = [evaluated_at("20", "40", model=model) for model in models]
    figure = draw_comparison(by_label(runs))
    colors = [
        {line.get_label(): line.get_color() for line in axes.lines[: len(models)]}
        for axes in figure.axes
    ]
    assert colors[0] == colors[1] and len(set(colors[0].values())) == len(models)
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert sorted(texts) == sorted([*colors[0], "sizes of training"])
    figure.draw_without_rendering()
    assert legend.get_window_extent().width < figure.bbox.width


def test_budgets_far_apart_have_a_logarithmic_axis():
    near = [made_up(m, 1, [4.0] * 9, 0.5) for m in (NTMFeedforward(), StackedLSTM())]
    far = [near[0], made_up(StackedLSTM(), 1, [4.0] * 90, 0.5)]
    scales = [draw_comparison(by_label(r)).axes[0].get_xscale() for r in (near, far)]
    assert scales == ["linear", "log"]


def test_pictures_are_labelled_as_the_task_says():
    def labels(runs):
        return [axes.get_ylabel() for axes in draw_comparison(by_label(runs)).axes]

    # The paper has bits per sequence of copy.
    runs = [made_up(NTMFeedforward(), 1, [4.0, 2.0], 0.5)]
    assert labels(runs) == ["bits", "wrong bits"]
    small = tasks.Copy(num_bits=2)
    runs = [made_up(NTMFeedforward(), 1, [4.0, 2.0], 0.5, task=small)]
    assert labels(runs) == ["wrong bits", "wrong bits"]


# --- the command ---


def test_the_command_writes_a_page_and_continues_it(tmp_path, monkeypatch):
    # With processes it is in tests/tasks/test_own_code.py.
    monkeypatch.setattr("tasks.comparison.engine.train_apart", train_here)
    out = tmp_path / "compared"
    args = ["compare", "copy", "--models", "lstm:num-layers=1,layer-size=4"]
    args += ["--seeds", "2", "--num-bits", "1", "--max-length", "1"]
    args += ["--sequences", "32", "--no-jit-compile", "--out", str(out)]
    result = CliRunner().invoke(main, [*args, "--json"])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    label = "lstm:num-layers=1,layer-size=4"
    assert printed["table"][0]["model"] == printed["runs"][0]["label"] == label
    assert printed["failures"] == []
    path = out / "lstm,num-layers=1,layer-size=4-2"
    assert (
        'href="lstm,num-layers=1,layer-size=4-2/report.html"'
        in (out / "index.html").read_text()
    )
    kept = (path / "model.keras").stat().st_mtime_ns
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 0, result.output
    assert (path / "model.keras").stat().st_mtime_ns == kept
    lines = result.stdout.splitlines()
    # In a pipe a row is a line, however long, and a column a model.
    assert lines[0].split() == ["model", label]
    assert lines[1].split() == ["solved", "0", "of", "1"]
    assert lines[-1] == f"page: {out / 'index.html'}"
    assert lines[-2] == (
        "No run has solved copy. Try other seeds (--seeds 3-5) or, with another --out, "
        "a longer training (--sequences 64)."
    )
    assert '<a href="table.csv">' in (out / "index.html").read_text()
    with open(out / "table.csv") as file:
        rows = list(csv.DictReader(file))
    evaluation = printed["runs"][0]["evaluation"]
    for row, result in zip(rows, evaluation, strict=True):
        assert (row["model"], row["size"]) == (label, result["size"])
        errors = result["values"]["bit_errors"]
        assert float(row["wrong bits"]) == pytest.approx(errors, rel=1e-9)
    latex = CliRunner().invoke(main, [*args, "--latex"]).stdout.splitlines()
    assert latex[:4] == [
        *(r"\begin{tabular}{lr}", r"\toprule", f"model & {label} " + r"\\"),
        r"\midrule",
    ]
    assert r"solved & 0 of 1 \\" in latex
    assert latex[-1].startswith("% copy|bits:1|") and "|sequences:32|" in latex[-1]


def test_a_table_that_somebody_changed_is_not_replaced(tmp_path):
    output = comparison_folder(tmp_path / "out")
    rows = csv_table.rows_of([made_up(NTMFeedforward(), 1, [1.0], 0.5)])
    path = csv_table.write_csv(output, rows)
    assert csv_table.write_csv(output, rows) == path  # ours
    path.write_text("my,notes\n")
    with pytest.raises(RunError, match="is in the way"):
        csv_table.write_csv(output, rows)


def test_advice_is_given_on_tasks_that_no_run_solved():
    right, wrong = (made_up(NTMFeedforward(), 1, [e], 0.0) for e in (0.0, 1.0))
    assert advice_on(Comparison([right, wrong], [], None)) == ""
    text = advice_on(Comparison([wrong, wrong], [], None))
    assert text.startswith("No run has solved copy. Try other seeds (--seeds 2-4)")
    assert f"--sequences {2 * TRAINING.sequences}" in text


def test_the_command_says_why_every_run_has_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "tasks.comparison.engine.train_apart", lambda *asked: {"error": "no memory"}
    )
    args = ["compare", "copy", "--models", "lstm", "gru", "--out", str(tmp_path)]
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 1 and not result.stdout
    for name in ("lstm-1", "gru-1"):
        reason = f"Error: `{tmp_path / name}` could not be trained: no memory\n"
        assert reason in result.stderr


@pytest.mark.parametrize("seeds", ["", "a", "3-1", "1-", "-1", "1,,2"])
def test_bad_seeds_are_refused(seeds):
    result = CliRunner().invoke(main, ["compare", "copy", "--seeds", seeds])
    assert result.exit_code == 2
    assert "`--seeds` must be as 1-10 or 1,2,5" in result.stderr


def test_an_option_of_a_model_belongs_to_the_model():
    result = CliRunner().invoke(main, ["compare", "copy", "--layer-size", "4"])
    assert result.exit_code == 2
    assert "write it with the model, as --models lstm:layer-size=4." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"training": {}}, TypeError, "`training` must be a TrainingConfig"),
        ({"models": []}, ValueError, "`models` must not be empty"),
        ({"seeds": []}, ValueError, "`seeds` must not be empty"),
        ({"models": "lstm"}, TypeError, "`models` must be a list. Received: models='l"),
    ],
)
def test_wrong_arguments_are_named_before_anything_is_trained(
    arguments, error, message, tmp_path
):
    with pytest.raises(error, match=message):
        tasks.compare("copy", out=tmp_path, **arguments)
    assert not list(tmp_path.iterdir())
