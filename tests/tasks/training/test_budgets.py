"""Budgets that go by the data, and trainings that end when they get no better."""

import dataclasses
import itertools
import json
import math

import keras
import pytest
from click.testing import CliRunner
from text_networks import random_network

import tasks
from tasks import LanguageModeling
from tasks.captions import photo_training
from tasks.cli import train as command
from tasks.cli.main import main
from tasks.comparison.plan import make_plan
from tasks.contract.splits import Budget
from tasks.registry import get_model
from tasks.runs import RunError, checkpoint
from tasks.runs.files import read_json, write_json
from tasks.runs.history import History
from tasks.text import language_model, translation_training
from tasks.text.language_evaluation import LanguageModelEvaluation
from tasks.training.optimizers import learning_rate_of
from tasks.training_options.training_config import TrainingConfig

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("undrawn")]

RHYME = "one two three four five. " * 40
BUDGETS = [translation_training.BUDGET, photo_training.BUDGET, language_model.BUDGET]
# The second epoch is the best; the third is as good, but later.
SCORES = (0.1, 0.4, 0.4, 0.3, 0.2, 0.9, 0.1)
OPTIONS = {"sequences": len(SCORES) * 16, "epoch_steps": 1, "progress": False}


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(RHYME, encoding="utf-8")
    return LanguageModeling(path, window=12, context=4)


# --- how long ---


def test_the_budget_of_multi30k_is_that_of_the_page_on_text():
    assert translation_training.BUDGET.training(28_997, 28_997, batch_size=64) == {
        "batch_size": 64,
        "epoch_steps": 450,
        "sequences": 13 * 450 * 64,
    }


def test_small_data_has_more_passes_and_less_in_all():
    budget = Budget(size=10_000, passes=10, least_steps=1, most_epoch_steps=10**6)

    def passes(size):
        return budget.training(size, size, batch_size=1)["sequences"] / size

    # Epochs are whole: a thirteenth may be cut off.
    assert passes(10_000) == pytest.approx(10, rel=0.01)
    assert passes(5_000) > passes(10_000) > passes(20_000)
    assert passes(300) == pytest.approx(20, rel=0.05)
    assert passes(10_000) > passes(400_000) > 1
    sizes = [20, 300, 3_000, 29_000, 400_000]
    seen = [passes(size) * size for size in sizes]
    assert seen == sorted(seen)
    # However much data there is, all of it is seen.
    assert passes(10**9) == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("size", [1, 2, 20, 470, 3_000, 29_000, 5_000_000])
def test_a_budget_is_of_whole_epochs_and_has_some_steps(budget, size):
    found = budget.training(size, size, batch_size=64)
    epoch = found["epoch_steps"] * found["batch_size"]
    assert found["sequences"] % epoch == 0
    assert found["sequences"] // epoch >= 12
    assert found["sequences"] // found["batch_size"] >= 0.9 * budget.least_steps
    assert found["batch_size"] <= min(64, size)


def test_passes_are_the_budget_in_other_words(book):
    model = get_model("gru", book)
    assert book.pass_sequences == math.ceil(900 / 8)
    config = TrainingConfig(passes=2.5).resolved(book, model)
    assert config.sequences == round(2.5 * 113)
    # As workers of a comparison do.
    assert config.resolved(book, model) == config
    with pytest.raises(ValueError, match="both the budget: give one of them. Rec"):
        TrainingConfig(passes=2.5, sequences=100).resolved(book, model)
    with pytest.raises(ValueError, match="`passes` must not be given for a task whose"):
        TrainingConfig(passes=2).resolved(tasks.Copy(), get_model("gru"))
    for wrong in (0, -1, math.nan):
        with pytest.raises(ValueError, match="`passes` must be"):
            TrainingConfig(passes=wrong)


def test_a_budget_by_hand_is_not_cut_short(book):
    model = get_model("gru", book)
    for given in ({"sequences": 4_000}, {"passes": 20}):
        config = TrainingConfig(**given).resolved(book, model)
        assert config.patience == 0
        config = TrainingConfig(**given, patience=160).resolved(book, model)
        assert config.patience == 160
    config = TrainingConfig().resolved(book, model)
    assert config.patience == pytest.approx(config.trained_sequences / 3, abs=1)
    assert config.resolved(book, model) == config
    assert TrainingConfig(patience=0).resolved(book, model).patience == 0


def resolved_with(own, *, is_validated, **given):
    """A training of a task with this budget and these epochs, given another budget."""
    recipe = type("Own", (tasks.Recipe,), {"training": {tasks.ModelConfig: own}})
    recipe.validation_measure = "val_score" if is_validated else None
    kind = type("Own", (tasks.Copy,), {"recipe": tasks.Beside(recipe)})
    task = dataclasses.dataclass(frozen=True)(kind)(2, 1, 2)
    return TrainingConfig(**given).resolved(task, get_model("lstm", tasks.Copy()))


@pytest.mark.parametrize("sequences", [800, 2_880, 3_150, 19_200, 63_000])
@pytest.mark.parametrize("batch_size", [16, 64])
def test_a_given_budget_has_epochs_enough_and_loses_less_than_one(
    sequences, batch_size
):
    """The task's own has 13 epochs of 76 batches."""
    own = {"sequences": 13 * 76 * batch_size, "epoch_steps": 76}
    config = resolved_with(
        own, is_validated=True, sequences=sequences, batch_size=batch_size
    )
    assert config.sequences == sequences
    steps = sequences // batch_size
    assert config.epochs >= min(13, steps)
    # Epochs are shorter by a quarter at most, so that there are not many more.
    assert config.epochs <= max(18, -(-steps // 57))
    lost = sequences - config.trained_sequences
    assert 0 <= lost < sequences / 13


def test_a_task_with_few_epochs_has_as_many_with_a_given_budget():
    own = {"sequences": 6 * 64_000, "epoch_steps": 1000, "batch_size": 64}
    for sequences, epochs in ((6 * 64_000, 6), (128_000, 8), (6_400, 7), (64, 1)):
        config = resolved_with(own, is_validated=True, sequences=sequences)
        assert config.epochs == epochs
        assert sequences - config.trained_sequences <= sequences / 50


@pytest.mark.parametrize(
    ("steps", "epochs"),
    [(20, [20]), (187, [93, 93]), (312, [78] * 4), (1350, [100] * 13)],
)
def test_without_validation_an_epoch_gets_little_shorter(steps, epochs):
    """Success is judged over it: it is as long as the usual one, but for the
    rounding, unless there are 13 of them."""
    own = {"sequences": 40_000, "epoch_steps": 100}
    config = resolved_with(own, is_validated=False, sequences=16 * steps)
    assert [config.steps_per_epoch] * config.epochs == epochs


def test_epochs_that_are_given_are_kept_and_so_is_the_task_s_own_budget():
    own = {"sequences": 6 * 64_000, "epoch_steps": 1000, "batch_size": 64}
    assert resolved_with(own, is_validated=True).epoch_steps == 1000
    given = {"sequences": 64_000, "epoch_steps": 300}
    assert resolved_with(own, is_validated=True, **given).epoch_steps == 300


def test_a_run_that_is_resumed_has_epochs_of_the_same_length(
    book, tmp_path, without_xla
):
    """Also with a longer budget, and where an earlier version chose the length."""
    model = get_model("gru", book, units=4)
    out = {"out": tmp_path / "run", "progress": False, "evaluate": False}
    tasks.train(book, model, passes=1, epoch_steps=3, **out)
    with pytest.warns(UserWarning, match="begun with a budget of 113 sequences"):
        result = tasks.train(book, model, passes=4, resume=True, **out)
    assert result.config.epoch_steps == 3
    assert len(result.history) == 4 * 113 // result.config.batch_size // 3


@pytest.mark.filterwarnings("ignore:.*was begun with a budget of 320 sequences")
def test_a_longer_budget_on_the_command_line_keeps_the_warmup(tmp_path, untrained):
    """That is a tenth of the first budget."""
    (tmp_path / "pairs").mkdir()
    for split, language in itertools.product(("train", "val"), ("en", "de")):
        lines = "".join(f"{split} {word}\n" for word in "bcdefghi" * 8)
        (tmp_path / "pairs" / f"{split}.{language}").write_text(lines)
    args = f"train translation --data {tmp_path}/pairs --unit word --batch-size 8"
    args += f" --model gru-attention --units 4 --no-jit-compile --out {tmp_path}/run"
    configs = []
    for budget in ("--passes 5", "--passes 10 --resume"):
        result = CliRunner().invoke(main, f"{args} {budget}")
        assert result.exit_code == 0, result.output
        configs.append(tasks.open_run(tmp_path / "run").training)
    before, after = configs
    assert after.warmup == before.warmup == before.scheduled_steps // 10 == 3
    assert after.scheduled_steps == 2 * before.scheduled_steps == 78
    # As in one run of 78 steps with `--warmup 3`: half a cosine after the warmup.
    rates, highest = learning_rate_of(after), after.learning_rate
    assert [float(rates(step)) for step in (3, 28, 78)] == pytest.approx(
        [highest, highest * 0.75, 0.0]
    )


def test_a_longer_budget_keeps_the_starts(tmp_path, untrained):
    """By the longer one there would be more of them, of more epochs each."""
    copy = tasks.Copy(2, 1, 2)
    model = get_model("lstm", layer_size=3, num_layers=1)
    out = {"out": tmp_path / "run", "progress": False, "evaluate": False}
    options = {"epoch_steps": 1, "batch_size": 1, "starts": 2, **out}
    before = tasks.train(copy, model, sequences=20, **options).config
    with pytest.warns(UserWarning, match="now 60: it continues"):
        after = tasks.train(copy, model, sequences=60, resume=True, **options).config
    assert TrainingConfig.resolved(after, copy, model).start_epochs == 1
    assert before.start_epochs == 1


def test_what_a_run_had_does_not_hide_what_differs(tmp_path, untrained):
    """Its number of starts does not fit a stateful training, but was not given."""
    copy, model = tasks.Copy(2, 1, 2), get_model("ntm-feedforward", memory_size=4)
    out = {"out": tmp_path, "progress": False, "evaluate": False, "epoch_steps": 1}
    tasks.train(copy, model, sequences=4, batch_size=1, starts=2, **out)
    with pytest.raises(RunError, match="give --starts 2 --no-stateful again"):
        tasks.train(
            copy, model, sequences=4, batch_size=1, stateful=True, resume=True, **out
        )


def test_generated_data_keeps_its_budget_in_sequences():
    copy, scenes = tasks.Copy(), tasks.get_task("captioning")
    for task, name in ((copy, "ntm-lstm"), (scenes, "cnn-gru")):
        model = get_model(name, task)
        config = TrainingConfig().resolved(task, model)
        assert (config.sequences, config.patience) == (model.sequences, 0)


def test_models_of_your_own_have_the_budget_of_the_data(book):
    own = tasks.registry.as_model(random_network, book)
    config = TrainingConfig().resolved(book, own)
    known = TrainingConfig().resolved(book, get_model("ntm-lstm", book))
    assert config.sequences == known.sequences != own.sequences


# --- when it ends ---


class Validation(tasks.Copy.recipe):
    validation_measure = "val_score"


class Listed(tasks.Evaluation):
    """Validation whose score is that of a list."""

    def validator(self, model):
        return lambda: {"val_score": next(type(self.task).scores)}


@dataclasses.dataclass(frozen=True)
class Validated(tasks.Copy):
    """Copy with validation, whose score is that of a list."""

    recipe = tasks.Beside(Validation)
    evaluation = tasks.Beside(Listed)
    scores = iter(())


@dataclasses.dataclass(frozen=True)
class WithErrors(Validated):
    """The same, and less is better."""

    @property
    def columns(self):
        return {"val_score": tasks.Column("validation errors")}


def dense(task):
    inputs = task.inputs()
    return keras.Model(inputs, keras.layers.Dense(task.output_size)(inputs))


@pytest.fixture
def task(registries, without_xla):
    tasks.registry.TASKS["copy"] = Validated  # so that a run finds it
    Validated.scores = iter(SCORES)
    return Validated(2, 1, 2)


@pytest.mark.parametrize(
    ("patience", "epochs"),
    [(0, 7), (16, 3), (17, 4), (32, 4), (48, 5), (64, 7), (10**9, 7)],
)
def test_a_training_ends_when_it_has_not_become_better(task, patience, epochs):
    """Sequences without a better epoch count in whole epochs of 16, as those of Keras'
    `EarlyStopping`; an epoch that is as good is not better."""
    result = tasks.train(task, dense, patience=patience, **OPTIONS)
    assert [row["val_score"] for row in result.history] == list(SCORES[:epochs])
    assert not result.interrupted


@pytest.mark.parametrize(("patience", "is_said"), [(0, False), (48, True)])
def test_the_command_says_why_it_ended(task, tmp_path, patience, is_said):
    result = tasks.train(
        task, dense, patience=patience, out=tmp_path / "run", **OPTIONS
    )
    text = command._in_words(result)
    why = "ended as nothing was better on validation data after 32,"
    assert (why in text) == is_said


def test_it_ends_as_keras_early_stopping_does():
    for patience in range(1, 5):
        stop = keras.callbacks.EarlyStopping("val_score", patience=patience, mode="max")
        model = keras.Sequential([keras.layers.Dense(1)])
        stop.set_model(model)
        stop.on_train_begin()
        config = TrainingConfig(
            sequences=112, epoch_steps=1, batch_size=16, patience=16 * patience
        )
        rows = []
        for epoch, score in enumerate(SCORES):
            stop.on_epoch_end(epoch, {"val_score": score})
            rows.append({"epoch": epoch + 1, "val_score": score, "rolled_back": 0})
            stalled = History(rows, config).is_stalled(Validated(2, 1, 2))
            assert stalled == getattr(model, "stop_training", False)
            if stalled:
                break


def test_the_best_is_the_lowest_where_less_is_better():
    config = TrainingConfig(sequences=112, epoch_steps=1, batch_size=16, patience=32)
    rows = [
        {"epoch": number, "val_score": score, "rolled_back": 0}
        for number, score in enumerate((math.nan, 0.4, 0.2, 0.3, 0.25), 1)
    ]
    history = History(rows, config)
    assert history.best(WithErrors(2, 1, 2))["epoch"] == 3
    assert history.is_stalled(WithErrors(2, 1, 2))
    # What is not a number is never the best.
    assert history.best(Validated(2, 1, 2))["epoch"] == 2
    assert not History(rows[:4], config).is_stalled(WithErrors(2, 1, 2))
    assert not History([], config).is_stalled(WithErrors(2, 1, 2))


@pytest.mark.parametrize("killed_after", [1, 2, 3, 4])
def test_a_killed_run_ends_at_the_same_epoch(task, tmp_path, killed_after):
    def train(out, **more):
        options = {**OPTIONS, "patience": 48, "evaluate": False, **more}
        return tasks.train(task, dense, out=out, **options)

    class Kill(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == killed_after:  # what it has is of the epochs before
                raise RuntimeError

    whole = train(tmp_path / "whole")
    assert len(whole.history) == 5
    Validated.scores = iter(SCORES)
    with pytest.raises(RuntimeError):
        train(tmp_path / "parts", callbacks=[Kill()], save_seconds=0.0)
    last = checkpoint.load_last(tmp_path / "parts" / "checkpoints")
    Validated.scores = iter(SCORES[len(last.rows) :])
    train(tmp_path / "parts", resume=True)
    assert state(tmp_path / "parts") == state(tmp_path / "whole")
    # It has ended: the same command trains no more.
    Validated.scores = iter(())
    again = train(tmp_path / "parts", resume=True)
    assert len(again.history) == 5
    assert again.startup_seconds == 0


def test_a_killed_language_model_ends_as_one_that_was_not(book, tmp_path, without_xla):
    """Its validation reads the network that is trained, and leaves it as it was."""
    model = get_model("lstm", book, num_layers=1, layer_size=4, dropout=0.5)
    options = {"passes": 1, "epoch_steps": 4, "progress": False, "evaluate": False}

    class Kill(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 1:
                raise RuntimeError

    tasks.train(book, model, out=tmp_path / "whole", **options)
    options |= {"out": tmp_path / "parts", "save_seconds": 0.0}
    with pytest.raises(RuntimeError):
        tasks.train(book, model, callbacks=[Kill()], **options)
    tasks.train(book, model, resume=True, **options)
    assert state(tmp_path / "parts") == state(tmp_path / "whole")


def state(folder):
    last = checkpoint.load_last(folder / "checkpoints")
    rows = [{**row, "seconds": 0} for row in last.rows]
    return rows, [v.tobytes() for v in (*last.values, *last.kept)]


def test_patience_needs_a_measure_on_validation_data():
    with pytest.raises(ValueError, match="`patience` must be 0 for a task that is not"):
        tasks.train(tasks.Copy(2, 1, 2), sequences=16, patience=16)
    with pytest.raises(ValueError, match="`patience` must be a non-negative"):
        TrainingConfig(patience=-1)


# --- runs of before ---


def test_a_run_of_an_earlier_version_goes_on_with_what_it_had(
    book, tmp_path, monkeypatch, without_xla
):
    """It had another budget, no validation of language models, and no patience."""
    model = get_model("gru", book, units=4)
    earlier = {"sequences": 48, "batch_size": 4, "epoch_steps": 4, "keep": "last"}
    earlier |= {"learning_rate": 0.01, "clip_norm": 1.0, "warmup": 0}
    shown = {"progress": False, "evaluate": False, "save_seconds": 0.0}

    class Kill(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 1:
                raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(LanguageModeling.recipe, "validation_measure", None)
        patch.setattr(LanguageModelEvaluation, "validator", lambda *_: None)
        out = tmp_path / "whole"
        tasks.train(book, model, out=out, **earlier, **shown)
        with pytest.raises(RuntimeError):
            out = tmp_path / "run"
            tasks.train(book, model, out=out, callbacks=[Kill()], **earlier, **shown)
    config = read_json(out / "config.json")
    for name in ("passes", "patience"):
        del config["training"][name]
    write_json(out / "config.json", config)
    run = tasks.open_run(out)
    assert (run.training.sequences, run.training.patience) == (48, 0)
    result = tasks.train(book, model, out=out, resume=True, **shown)
    assert (result.config.sequences, result.config.keep) == (48, "last")
    ended, whole = (
        checkpoint.load_last(tmp_path / name / "checkpoints")
        for name in ("run", "whole")
    )
    assert [v.tobytes() for v in ended.values] == [v.tobytes() for v in whole.values]
    assert [row.keys() for row in ended.rows] == [row.keys() for row in whole.rows]
    assert len(result.run.read_history()) == 3
    # What is given must still be what it had.
    with pytest.raises(tasks.RunError, match="give --batch-size 4 again"):
        tasks.train(book, model, out=out, resume=True, batch_size=8, **shown)


def test_the_budget_of_a_run_is_in_its_configuration(book, tmp_path, untrained):
    model = get_model("gru", book, units=4)
    out = tmp_path / "run"
    tasks.train(book, model, out=out, passes=1, progress=False, evaluate=False)
    saved = json.loads((out / "config.json").read_text())["training"]
    assert (saved["passes"], saved["sequences"], saved["patience"]) == (1, 113, 0)
    # The same command.
    tasks.train(
        book, model, out=out, passes=1, progress=False, evaluate=False, resume=True
    )


def test_a_quick_comparison_has_as_many_epochs(book, tmp_path):
    [whole], [quick] = (
        make_plan(book, ["gru"], [1], tmp_path, TrainingConfig(), quick=quick)
        for quick in (False, True)
    )
    assert quick.training.sequences == whole.training.sequences // 8
    assert whole.training.epochs - quick.training.epochs in (0, 1, 2)
    given = TrainingConfig(epoch_steps=5)
    [quick] = make_plan(book, ["gru"], [1], tmp_path, given, quick=True)
    assert quick.training.epoch_steps == 5
