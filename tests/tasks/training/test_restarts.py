"""Several draws of the first weights, of which the best start goes on."""

import keras
import numpy as np
import pytest

import tasks
from tasks.runs import RunError
from tasks.runs.history import History
from tasks.training.rollback import best_recent_loss
from tasks.training_options.training_config import TrainingConfig

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("undrawn")]

TASK = tasks.Copy(2, 1, 2)
MODEL = tasks.get_model("lstm", layer_size=3, num_layers=1)
# Epochs of one batch: three starts of two epochs each, then 34 more. With this seed the
# second start is the best.
OPTIONS = {
    "seed": 5,
    "sequences": 40 * 16,
    "epoch_steps": 1,
    "starts": 3,
    "progress": False,
}


def weights_of(model):
    return np.concatenate([np.ravel(weights) for weights in model.get_weights()])


class Recorder(keras.callbacks.Callback):
    """Weights and counts of steps at the beginning of each epoch, and weights after its
    only step, before anything else is done with them."""

    def __init__(self):
        super().__init__()
        self.begins, self.ends, self.steps = [], [], []

    def on_epoch_begin(self, epoch, logs=None):
        self.begins.append(weights_of(self.model))
        self.steps.append(int(self.model.optimizer.iterations.numpy()))

    def on_train_batch_end(self, batch, logs=None):
        self.ends.append(weights_of(self.model))


class StopAfter(keras.callbacks.Callback):
    """Fails at the end of an epoch."""

    def __init__(self, epochs):
        super().__init__()
        self.epochs = epochs

    def on_epoch_end(self, epoch, logs=None):
        if epoch + 1 == self.epochs:
            raise RuntimeError


@pytest.mark.parametrize(("sequences", "epochs"), [(None, 2), (1, 1), (80, 5)])
def test_starts_have_so_many_sequences(sequences, epochs):
    config = TrainingConfig(
        sequences=640, epoch_steps=1, starts=3, start_sequences=sequences
    ).resolved(TASK, MODEL)
    assert config.start_epochs == epochs
    assert config.choosing_epochs == 3 * epochs
    assert config.scheduled_steps == 40 - 2 * epochs


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        ({}, 8),
        ({"sequences": 16_000}, 2),  # 5 epochs, of which a start has one
        ({"sequences": 32}, 1),
        ({"curriculum": 0.5}, 8),
        ({"stateful": True}, 1),
        ({"starts": 3}, 3),
    ],
)
def test_a_task_has_as_many_starts_as_there_is_room_for(options, starts):
    task = tasks.get_task("temporal-xor")
    model = tasks.get_model("simple-rnn", task)
    assert TrainingConfig(**options).resolved(task, model).starts == starts


@pytest.fixture(scope="module")
def trained(module_without_xla):
    recorder = Recorder()
    return tasks.train(TASK, MODEL, callbacks=[recorder], **OPTIONS), recorder


def test_each_start_begins_with_weights_of_its_own(trained):
    _, recorder = trained
    keras.utils.set_random_seed(OPTIONS["seed"])
    for start in range(3):
        drawn = weights_of(MODEL.build(TASK))
        assert recorder.begins[2 * start].tolist() == drawn.tolist()
        assert recorder.steps[2 * start : 2 * start + 2] == [0, 1]


def test_the_start_with_the_smallest_last_loss_goes_on(trained):
    result, recorder = trained
    losses = [row["loss"] for row in result.history[1:6:2]]
    best = int(np.argmin(losses))
    assert best == 1
    assert recorder.begins[6].tolist() == recorder.ends[2 * best + 1].tolist()
    assert recorder.steps[6:] == list(range(2, 36))
    assert weights_of(result.model).tolist() == recorder.ends[-1].tolist()


def test_each_start_begins_the_curriculum_anew():
    # Three starts of 80 sequences; the network that goes on sees 480 of the 640.
    config = TrainingConfig(
        sequences=640, epoch_steps=1, starts=3, start_sequences=80, curriculum=0.5
    ).resolved(TASK, MODEL)
    shares = [config.curriculum_share(n) for n in (16, 80, 96, 160, 176, 240, 400)]
    assert shares == [16 / 240, 80 / 240, 16 / 240, 80 / 240, 16 / 240, 80 / 240, 1]


def test_all_sequences_count_and_the_learning_rate_falls_to_zero(trained):
    result, _ = trained
    assert [row["sequences"] for row in result.history] == list(range(16, 656, 16))
    optimizer = result.model.optimizer
    assert int(optimizer.iterations.numpy()) == 36
    assert float(optimizer.learning_rate) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("epochs", [1, 3, 6])
def test_a_stopped_run_ends_as_one_that_was_not(trained, tmp_path, epochs):
    whole, _ = trained
    options = {**OPTIONS, "out": tmp_path / "run", "evaluate": False}
    with pytest.raises(RuntimeError):
        tasks.train(
            *(TASK, MODEL),
            callbacks=[StopAfter(epochs)],
            save_seconds=0,
            **options,
        )
    parts = tasks.train(TASK, MODEL, resume=True, **options)
    assert weights_of(parts.model).tolist() == weights_of(whole.model).tolist()
    for row, expected in zip(parts.history, whole.history, strict=True):
        assert {**row, "seconds": 0} == {**expected, "seconds": 0}
    with pytest.raises(RunError, match="starts"):
        tasks.train(TASK, MODEL, resume=True, **{**options, "starts": 2})


def test_skipped_steps_of_all_starts_count(without_xla):
    class Skip(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch in (0, 3):  # as if a step of it had been skipped
                self.model.optimizer.skipped.assign_add(1)

    result = tasks.train(TASK, MODEL, callbacks=[Skip()], **OPTIONS)
    assert [row["skipped"] for row in result.history] == [1, 0, 0, 1] + [0] * 36


def test_epochs_of_starts_are_not_compared_with_later_ones():
    config = TrainingConfig(**{k: v for k, v in OPTIONS.items() if k != "progress"})
    config = config.resolved(TASK, MODEL)
    rows = [{"loss": loss, "rolled_back": 0} for loss in (1, 1, 1, 1, 1, 1, 3, 2)]
    assert best_recent_loss(History(rows[:6], config)) == np.inf
    assert best_recent_loss(History(rows, config)) == 2


def test_a_run_that_is_solved_stops_within_a_start(without_xla):
    class Easy(tasks.Copy):
        @property
        def success(self):
            return tasks.Success("loss", below=100.0)

    recorder = Recorder()
    result = tasks.train(
        *(Easy(2, 1, 2), MODEL),
        stop_when_solved=True,
        callbacks=[recorder],
        **{**OPTIONS, "epoch_steps": 1, "sequences": 20 * 16, "starts": 2},
    )
    assert result.solved_at == 16
    assert weights_of(result.model).tolist() == recorder.ends[0].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"starts": 0}, "`starts` must be a positive integer"),
        ({"starts": 11}, "must leave half of the budget. Received: starts=11, of 2 "),
        ({"start_sequences": 112}, "starts=3, of 7 epochs each, of 40"),
        ({"start_sequences": 0}, "`start_sequences` must be a positive integer"),
        ({"sequences": 5 * 16}, "starts=3, of 1 epochs each, of 5"),
    ],
)
def test_wrong_starts_get_an_error(options, message):
    with pytest.raises(ValueError, match=message):
        tasks.train(TASK, MODEL, **{**OPTIONS, **options})


def test_a_model_that_is_given_has_one_start():
    with pytest.raises(ValueError, match="must be 1 for a Keras model that is given"):
        tasks.train(TASK, MODEL.build(TASK), **OPTIONS)
