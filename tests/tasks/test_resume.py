"""Runs that were stopped end as if they had not been."""

import signal

import keras
import numpy as np
import pytest
from click.testing import CliRunner

import tasks
from tasks.cli.main import main
from tasks.models import ModelConfig, NTMFeedforward
from tasks.runs import checkpoint
from tasks.runs.run import RunError
from tasks.training import rollback

TASK = tasks.Copy(2, 1, 3)
TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)
OPTIONS = {"sequences": 800, "batch_size": 2, "save_seconds": 0, "progress": False}


class Dropout(ModelConfig):
    """A model with the state of a random generator."""

    name = "dropout"
    signature = "dropout"
    learning_rate = 1e-3
    sequences = 100

    def layer(self, units):
        return keras.Sequential(
            [
                keras.layers.Dense(8, "tanh"),
                keras.layers.Dropout(0.3),
                keras.layers.Dense(units),
            ]
        )


class StopAt(keras.callbacks.Callback):
    """Ctrl-C in the middle of an epoch."""

    def __init__(self, epoch):
        super().__init__()
        self.at = epoch

    def on_epoch_begin(self, epoch, logs=None):
        self.now = epoch == self.at

    def on_train_batch_end(self, batch, logs=None):
        if self.now and batch > 50:
            signal.raise_signal(signal.SIGINT)


class Ruin(keras.callbacks.Callback):
    """Weights that are lost at the beginning of an epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            self.model.set_weights([w * 100 for w in self.model.get_weights()])


def state(folder):
    """All that a run ends with, but for the clock."""
    last = checkpoint.load_last(folder / "checkpoints")
    assert last is not None
    history = [{**row, "seconds": 0} for row in last.history]
    return history, [value.tobytes() for value in (*last.values, *last.safe)]


@pytest.mark.parametrize(
    ("model", "options", "epochs"),
    [(TINY, {"curriculum": 0.5}, (0, 2)), (Dropout(), {}, (2,))],
    ids=["curriculum", "dropout"],
)
def test_a_stopped_run_ends_as_one_that_was_not(tmp_path, model, options, epochs):
    options = OPTIONS | options
    tasks.train(TASK, model, out=tmp_path / "whole", **options)
    for epoch in epochs:
        stopped = tasks.train(
            TASK,
            model,
            out=tmp_path / "run",
            resume=True,
            callbacks=[StopAt(epoch)],
            **options,
        )
        assert stopped.interrupted
        assert len(stopped.history) == epoch
    tasks.train(TASK, model, out=tmp_path / "run", resume=True, **options)
    assert state(tmp_path / "run") == state(tmp_path / "whole")


@pytest.mark.parametrize("epoch", [2, 3])
def test_a_run_stopped_beside_a_ruined_epoch_ends_as_one_that_was_not(
    tmp_path, monkeypatch, epoch
):
    # These have learned next to nothing.
    monkeypatch.setattr(rollback, "LEARNED", 1.0)
    whole, run = tmp_path / "whole", tmp_path / "run"
    tasks.train(TASK, TINY, out=whole, callbacks=[Ruin()], **OPTIONS)
    options = OPTIONS | {"out": run, "resume": True}
    stopped = tasks.train(TASK, TINY, callbacks=[Ruin(), StopAt(epoch)], **options)
    assert stopped.interrupted and len(stopped.history) == epoch
    tasks.train(TASK, TINY, callbacks=[Ruin()], **options)
    assert state(run) == state(whole)
    assert tasks.open_run(whole).read_history()[2]["taken_back"] == 1


@pytest.mark.once
def test_the_command_goes_on_with_a_run(tmp_path):
    """Runs that were killed, and more of them, are in tests/test_reliability.py."""
    tasks.train(TASK, TINY, out=tmp_path, callbacks=[StopAt(2)], **OPTIONS)
    before = checkpoint.load_last(tmp_path / "checkpoints").history
    command = "train copy --model ntm-feedforward --controller-size 8 --num-bits 2"
    command += " --max-length 3 --memory-size 8 --word-size 4 --sequences 800"
    command += f" --batch-size 2 --save-seconds 0 --resume --out {tmp_path}"
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    after = checkpoint.load_last(tmp_path / "checkpoints").history
    assert len(before) == 2 and after[:2] == before and len(after) == 4


@pytest.mark.once
def test_a_finished_run_is_left_as_it_is(tmp_path):
    first = tasks.train(TASK, TINY, out=tmp_path, **OPTIONS)
    before = state(tmp_path)
    again = tasks.train(TASK, TINY, out=tmp_path, resume=True, **OPTIONS)
    assert again.history == first.history
    assert state(tmp_path) == before


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run with two checkpoints, of epochs 3 and 4."""
    path = tmp_path_factory.mktemp("finished")
    tasks.train(TASK, TINY, out=path, **OPTIONS)
    return path


@pytest.fixture
def folder(finished, tmp_path):
    """Copies of its checkpoints."""
    for path in checkpoint.files_of(finished / "checkpoints"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.once
def test_the_last_two_checkpoints_are_kept(folder):
    assert [path.stem for path in checkpoint.files_of(folder)] == ["000003", "000004"]


@pytest.mark.once
def test_of_a_damaged_checkpoint_the_one_before_is_used(folder):
    before, last = checkpoint.files_of(folder)
    last.write_bytes(last.read_bytes()[:-1])
    with pytest.warns(UserWarning, match="000004.checkpoint` is damaged"):
        loaded = checkpoint.load_last(folder)
    assert loaded.history == checkpoint.load(before).history
    assert len(loaded.history) == 3


@pytest.mark.once
def test_without_a_good_checkpoint_a_run_is_not_resumed(folder):
    for path in checkpoint.files_of(folder):
        path.write_bytes(b"")
    with (
        pytest.warns(UserWarning),
        pytest.raises(checkpoint.CheckpointError, match="no good one before it"),
    ):
        checkpoint.load_last(folder)


@pytest.mark.once
def test_a_checkpoint_of_another_model_is_refused(finished):
    last = checkpoint.load_last(finished / "checkpoints")
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd")
    with pytest.raises(checkpoint.CheckpointError, match="of another model"):
        checkpoint.restore(last.values, model)


def test_a_checkpoint_holds_a_model_exactly(finished):
    last = checkpoint.load_last(finished / "checkpoints")
    model = tasks.training.compiled_model(
        TASK, TINY, tasks.TrainingConfig(sequences=800).resolved(TASK, TINY)
    )
    model.optimizer.build(model.trainable_variables)
    checkpoint.restore(last.values, model)
    for one, other in zip(checkpoint.values_of(model), last.values, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.once
def test_resuming_needs_a_directory_and_forbids_overwriting(tmp_path):
    with pytest.raises(ValueError, match="`resume` needs `out`"):
        tasks.train(TASK, TINY, resume=True, **OPTIONS)
    with pytest.raises(ValueError, match="`resume` goes on .* `force` overwrites"):
        tasks.train(TASK, TINY, out=tmp_path, resume=True, force=True, **OPTIONS)


@pytest.mark.once
def test_a_run_in_use_is_refused(finished):
    from tasks.runs.run import locked

    with locked(finished), pytest.raises(RunError, match="in use"):
        tasks.train(TASK, TINY, out=finished, resume=True, **OPTIONS)
