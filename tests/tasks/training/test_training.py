import dataclasses
import json
import math
import signal
import types

import keras
import numpy as np
import pytest

import tasks
from tasks.models.captioner import CaptionerConfig
from tasks.models.ntm import NTMLSTM
from tasks.models.recurrent_cells import BothWays
from tasks.models.seq2seq import Seq2SeqConfig
from tasks.registry import MODELS, get_model
from tasks.runs import History, TrainingConfig
from tasks.training.base import Training
from tasks.training.progress import Silent
from tasks.training.stopping import StopWhenDone, TrainingDiverged
from tasks.training.training import compiled_model
from tasks.training.training_progress import TrainingProgress

# See tests/tasks/conftest.py.
IN_GRAPHS = True
TASK = tasks.Copy(2, 1, 3)
# On TensorFlow, XLA would take most of the time of such runs.
QUICK = {"batch_size": 4, "jit_compile": keras.backend.backend() == "jax"}
# Four layers of 1,000 units, and the same to write: seconds to draw their weights.
SMALLER = {"sutskever": {"units": 50}, "transformer": {"causal": True}}


def dense(task):
    """A network without a loop, for what is the same of every network."""
    inputs = task.inputs()
    hidden = keras.layers.Dense(4, "tanh")(inputs)
    return keras.Model(inputs, keras.layers.Dense(task.output_size)(hidden))


def test_history_has_a_row_an_epoch(trained):
    assert [row["sequences"] for row in trained.history] == [400, 800]
    assert all(
        math.isfinite(value) for row in trained.history for value in row.values()
    )


def test_columns_are_the_measures_of_the_task_in_its_order(trained):
    assert list(trained.history[0]) == [
        *("epoch", "sequences", "seconds", "loss"),
        *("bits_per_sequence", "bit_errors"),
        *("skipped", "rolled_back"),
    ]


def test_a_result_is_short_to_look_at(trained):
    result = dataclasses.replace(trained, solved_at=None)
    expected = "<TrainingResult copy: 800 sequences in 2 epochs, not solved>"
    assert repr(result) == expected


def test_the_loss_falls(trained):
    first, last = trained.history
    assert last["loss"] < first["loss"]


def test_reported_bits_agree_with_the_loss(trained):
    # With 2 bits and lengths of 1 to 3, a sequence has 4 bits on average.
    row = trained.history[-1]
    assert row["bits_per_sequence"] == pytest.approx(
        row["loss"] * 4 / np.log(2), rel=0.1
    )


def test_same_seed_gives_the_same_weights(trained, tiny):
    again = tasks.train(TASK, tiny, sequences=800, batch_size=4, seed=3)
    pairs = zip(trained.model.get_weights(), again.model.get_weights(), strict=True)
    for one, two in pairs:
        np.testing.assert_array_equal(one, two)


def test_run_directory_holds_what_it_should(trained):
    path = trained.run.path
    assert {file.name for file in path.iterdir()} >= {
        "config.json",
        "history.csv",
        "model.keras",
        "summary.json",
    }
    config = json.loads((path / "config.json").read_text())
    assert config["task"] == {
        "name": "copy",
        "num_bits": 2,
        "min_length": 1,
        "max_length": 3,
        "blank_rate": 0.05,
    }
    assert config["training"]["seed"] == 3
    assert config["versions"]["keras"] == keras.__version__
    assert trained.run.read_history().rows == trained.history


def test_saved_model_is_the_trained_model(trained):
    inputs = TASK.sample(3, rng=0).inputs
    loaded = trained.run.load_model()
    np.testing.assert_array_equal(
        loaded.predict_on_batch(inputs),
        keras.Model(trained.model.input, trained.model.output).predict_on_batch(inputs),
    )


@pytest.mark.once
@pytest.mark.parametrize("model", sorted(MODELS))
def test_every_model_builds_for_every_task(model):
    if issubclass(MODELS[model], Seq2SeqConfig):
        of_model = [tasks.get_task("toy-translation")]
    elif issubclass(MODELS[model], CaptionerConfig):
        of_model = [tasks.get_task("captioning")]
    elif model == "memory-network":
        of_model = [tasks.get_task("stories")]
    elif issubclass(MODELS[model], BothWays):
        of_model = [tasks.ReverseString(), tasks.Adding()]
    else:
        of_model = [TASK, tasks.PrioritySort(2, 4, 2)]
    for task in of_model:
        network = get_model(model, **SMALLER.get(model, {})).build(task)
        steps = (None,) * task.every_step
        assert network.output_shape == (None, *steps, task.output_size)


def test_models_for_texts_refuse_other_tasks_and_the_reverse():
    with pytest.raises(ValueError, match="`task` must read one text and write another"):
        get_model("gru-attention").build(TASK)
    with pytest.raises(ValueError, match="`model` must write a text"):
        get_model("gru").build(tasks.get_task("toy-translation"))


def test_paper_sizes_of_the_lstm_baseline():
    # Table 3 gives 1,352,969 weights for copy; the rest is the paper's LSTM, which has
    # peepholes (3 x 3 x 256) and reads what Keras counts once in its biases.
    count = get_model("lstm").build(tasks.Copy()).count_params()
    assert count == pytest.approx(1_352_969, rel=0.03)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_models_bring_their_own_budget_and_learning_rate(model):
    model = get_model(model)
    config = TrainingConfig().resolved(TASK, model)
    assert config.sequences == model.sequences
    assert config.learning_rate == model.learning_rate
    assert (config.optimizer, config.schedule, config.epoch_steps) == (
        *("adam", "cosine"),
        100,
    )
    assert (config.warmup, config.keep, config.starts) == (model.warmup, "last", 1)
    given = TrainingConfig(
        *(7, 7, 7, 0.5, 2.0, 0.5),
        optimizer="sgd",
        schedule="constant",
        epoch_steps=7,
        warmup=7,
        keep="last",
        starts=1,
        stateful=False,
        patience=0,
    )
    assert given.resolved(TASK, model) == given


def test_options_bring_what_goes_with_them():
    model = get_model("gru-attention")  # it warms up
    task = tasks.get_task("toy-translation")
    assert TrainingConfig(schedule="halving").resolved(task, model).warmup == 0
    assert TrainingConfig(clip_value=10.0).resolved(task, model).clip_norm == 0
    usual = TrainingConfig().resolved(task, model).learning_rate
    rates = {"rmsprop": 1e-4, "adadelta": 1.0, "sgd": usual}
    for optimizer, rate in rates.items():
        config = TrainingConfig(optimizer=optimizer).resolved(task, model)
        assert config.learning_rate == rate
        given = TrainingConfig(optimizer=optimizer, learning_rate=0.5)
        assert given.resolved(task, model).learning_rate == 0.5


def test_tasks_may_change_what_a_model_brings_and_users_both():
    class Own(tasks.Recipe):
        models = {NTMLSTM: {"gate_bias": 3.0}}
        training = {NTMLSTM: {"learning_rate": 0.25}}

    class Other(tasks.Copy):
        recipe = tasks.Beside(Own)

    task = Other()
    assert get_model("ntm-lstm", task).gate_bias == 3.0
    assert get_model("ntm-lstm", task, gate_bias=-1.0).gate_bias == -1.0
    assert get_model("ntm-lstm").gate_bias == 2.0
    config = TrainingConfig().resolved(task, get_model("ntm-lstm", task))
    assert config.learning_rate == 0.25
    given = TrainingConfig(learning_rate=0.5)
    assert given.resolved(task, get_model("ntm-lstm")).learning_rate == 0.5


def test_epochs_and_steps_fit_the_budget():
    config = TrainingConfig(sequences=5000, batch_size=16)
    assert (config.epochs, config.steps_per_epoch) == (3, 100)
    config = TrainingConfig(sequences=40, batch_size=16)
    assert (config.epochs, config.steps_per_epoch) == (1, 2)
    config = TrainingConfig(sequences=5000, batch_size=1, epoch_steps=1500)
    assert (config.epochs, config.steps_per_epoch) == (3, 1500)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sequences": 0}, "`sequences` must be a positive integer. Received"),
        ({"batch_size": 2.5}, "`batch_size` must be a positive integer"),
        ({"seed": -1}, "`seed` must be a non-negative integer"),
        ({"learning_rate": 0.0}, "`learning_rate` must be a finite number above 0"),
        (
            {"learning_rate": math.nan},
            "`learning_rate` must be a finite number above 0",
        ),
        ({"clip_norm": "1"}, "`clip_norm` must be a finite number at least 0"),
        ({"optimizer": "lion"}, "`optimizer` must be one of 'adam', 'sgd', 'momentum'"),
        ({"clip_value": 0.0}, "`clip_value` must be a finite number above 0"),
        (
            {"clip_value": 10.0, "clip_norm": 1.0},
            "give one of them. Received: clip_norm=1, clip_value=10",
        ),
        (
            {"schedule": "halving", "warmup": 7},
            "`warmup` must be 0 with the schedule halving. Received: warmup=7",
        ),
        ({"schedule": "linear"}, "`schedule` must be one of 'cosine', 'constant'"),
        ({"seed": 2**32}, "`seed` must be an integer of at most 4294967295"),
        ({"epoch_steps": 0}, "`epoch_steps` must be a positive integer"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tasks.train(TASK, **options)


def test_bad_sizes_are_refused_before_anything_is_written(tmp_path):
    model = dataclasses.replace(get_model("ntm-lstm"), shift_range=64)
    with pytest.raises(ValueError, match="must be at most `memory_size`"):
        tasks.train(TASK, model, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_plain_gradient_descent_takes_steps_of_the_learning_rate(tiny):
    options = {"optimizer": "sgd", "schedule": "constant", "learning_rate": 0.25}
    config = TrainingConfig(**options, clip_norm=0, sequences=32).resolved(TASK, tiny)
    model = compiled_model(TASK, tiny, config)
    model.optimizer.build(model.trainable_variables)
    before = [np.array(v) for v in model.trainable_variables]
    gradients = [np.full(v.shape, 8.0, "float32") for v in before]
    for _ in range(3):
        model.optimizer.apply([keras.ops.convert_to_tensor(g) for g in gradients])
    for old, variable in zip(before, model.trainable_variables, strict=True):
        np.testing.assert_allclose(np.array(variable), old - 3 * 0.25 * 8, rtol=1e-5)


def test_unknown_model_is_refused_with_the_names_that_exist():
    with pytest.raises(ValueError, match="one of bahdanau, .*gru, .*lstm, .*ntm-lstm"):
        tasks.train(TASK, "gpt")


def test_stop_when_solved_stops_at_the_first_solved_epoch(tiny):
    config = TrainingConfig(sequences=16_000, stop_when_solved=True)
    config = config.resolved(TASK, tiny)
    model = compiled_model(TASK, tiny, config)
    training = Training(TASK, tiny, config, model, model)
    history = training.session.history
    stop = StopWhenDone(training)
    stop.set_model(model)
    for epoch, errors in enumerate((0.5, TASK.success.below / 2), 1):
        assert not getattr(model, "stop_training", False)
        row = {"epoch": epoch, "sequences": 1600 * epoch, "bit_errors": errors}
        history.rows.append(row | {"loss": 1.0, "rolled_back": 0})
        stop.on_epoch_end(epoch - 1)
    assert model.stop_training
    assert history.is_over(TASK)
    assert history.solved_at(TASK) == 2 * 1600


def test_success_is_in_the_measure_of_the_task():
    row = {"epoch": 1, "sequences": 5, "rolled_back": 0}
    row |= {"bit_errors": 70.0, "bits_per_sequence": 133.5}
    config = TrainingConfig()
    assert config.resolved(TASK, get_model("lstm")).batch_size == 16
    history = History([row], config)
    assert history.solved_at(tasks.DynamicNGrams()) == 5
    assert history.solved_at(tasks.PrioritySort()) is None
    assert history.solved_at(tasks.get_task("language-model")) is None


def test_unsolved_history_has_no_success():
    row = {"epoch": 1, "sequences": 5, "rolled_back": 0}
    row["bit_errors"] = TASK.success.below
    assert History([row], TrainingConfig()).solved_at(TASK) is None


def test_epochs_of_the_curriculum_do_not_count_as_solved():
    # Of ten epochs.
    config = TrainingConfig(sequences=16_000, batch_size=16, curriculum=0.25)
    history = [
        {"epoch": n, "sequences": 1600 * n, "bit_errors": 0.0, "rolled_back": 0}
        for n in range(1, 11)
    ]
    assert History(history, config).solved_at(TASK) == 4 * 1600


class Poison(keras.callbacks.Callback):
    """Makes the weights NaN in the second epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 1:
            self.before = self.model.get_weights()
            self.model.set_weights([w * np.nan for w in self.before])


def test_nan_stops_the_training_and_keeps_the_last_checkpoint(tmp_path):
    poison = Poison()
    message = (
        "From step 101 on, in 100 consecutive steps, the loss and the gradients of "
        r"`.*` and \d+ others were not finite; .* The last checkpoint is of epoch 1, "
        "after 400 sequences"
    )
    with pytest.raises(TrainingDiverged, match=message):
        tasks.train(
            TASK,
            dense,
            out=tmp_path / "run",
            callbacks=[poison],
            sequences=1200,
            **QUICK,
        )
    run = tasks.open_run(tmp_path / "run")
    assert len(run.read_history()) == 1
    for kept, before in zip(run.load_model().get_weights(), poison.before, strict=True):
        np.testing.assert_array_equal(kept, before)


class Interrupt(keras.callbacks.Callback):
    """Ctrl-C in the second epoch, where Keras would swallow the exception."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 1:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pass


def test_interrupt_keeps_what_was_learned(tmp_path):
    options = {"sequences": 80, "epoch_steps": 10, **QUICK}
    result = tasks.train(TASK, dense, out=tmp_path, callbacks=[Interrupt()], **options)
    assert result.interrupted
    assert len(result.history) == 1
    assert tasks.open_run(tmp_path).load_model()


@pytest.mark.once
def test_ctrl_c_after_the_last_epoch_keeps_the_run(tmp_path, monkeypatch):
    options = {**QUICK, "sequences": 8, "progress": False, "out": tmp_path / "run"}

    def stopped(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tasks.training.training.summarize", stopped)
        result = tasks.train(TASK, "ntm-feedforward", **options)
    assert result.interrupted and result.summary is None
    assert result.run.read_history().rows == result.history
    ended = tasks.train(TASK, "ntm-feedforward", resume=True, **options)
    assert not ended.interrupted and ended.summary["sequences"] == 8
    assert ended.history == result.history


def test_the_handler_of_ctrl_c_is_restored_after_training():
    before = signal.getsignal(signal.SIGINT)
    tasks.train(TASK, dense, sequences=8, **QUICK)
    assert signal.getsignal(signal.SIGINT) is before


def test_numpy_numbers_are_written_as_numbers(tmp_path):
    task = tasks.Copy(2, 1, np.int64(3))
    options = {"sequences": 8, "seed": np.int64(5), "evaluate": False, **QUICK}
    tasks.train(task, dense, out=tmp_path, **options)
    assert tasks.open_run(tmp_path).training.seed == 5


def test_a_batch_that_devices_do_not_divide_is_refused(monkeypatch, tiny, tmp_path):
    devices = keras.distribution.DeviceMesh((1, 2), ["model", "batch"], ["a", "b"])
    spread = types.SimpleNamespace(
        batch_dim_name="batch", device_mesh=devices, num_processes=1, data_shard_id=0
    )
    monkeypatch.setattr(keras.distribution, "distribution", lambda: spread)
    with pytest.raises(ValueError, match="multiple of 2, .* Received: batch_size=5"):
        tasks.train(TASK, tiny, out=tmp_path, sequences=10, batch_size=5)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_short_sequences_are_learned():
    # Chance is 6 wrong bits of 12; with this seed nearly all are right.
    model = get_model("ntm-feedforward", memory_size=16, word_size=8)
    result = tasks.train(tasks.Copy(4, 1, 5), model, seed=1, sequences=12_800)
    assert result.history[-1]["bit_errors"] < 0.5


class Screen(Silent):
    """Keeps what is shown."""

    def __init__(self):
        self.texts = []

    def show(self, text, done, total, *, at_once=False):
        self.texts.append(text)


def test_the_loss_is_shown_until_an_epoch_has_measures():
    config = TrainingConfig(sequences=64, batch_size=8, epoch_steps=4)
    screen = Screen()
    with TrainingProgress(tasks.Copy(2, 1, 2), config, screen) as progress:
        progress.on_train_begin()
        progress.on_epoch_begin(0)
        progress.on_train_batch_end(0, {"loss": 0.75})
        progress.on_train_batch_end(1, {"loss": 0.5})  # it is not read at each step
        progress.on_epoch_end(0, {"loss": 0.4, "bit_errors": 3.25})
        progress.on_epoch_begin(1)
        progress.on_train_batch_end(0, {"loss": 0.3})
    compiling, _, before, after = screen.texts
    assert "16/64 sequences  loss 0.75" in before
    assert "40/64 sequences  wrong bits 3.25" in after
