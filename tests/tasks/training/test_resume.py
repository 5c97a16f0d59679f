"""Runs that were stopped end as if they had not been."""

import contextlib
import signal

import keras
import numpy as np
import pytest

import tasks
from tasks.models.base import ModelConfig
from tasks.models.ntm import NTMFeedforward
from tasks.runs import RunError, checkpoint, locked
from tasks.training import rollback
from tasks.training.training import compiled_model

# See tests/tasks/conftest.py.
IN_GRAPHS = True
TASK = tasks.Copy(2, 1, 3)
TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)
# Four epochs.
OPTIONS = {
    "sequences": 160,
    "batch_size": 2,
    "epoch_steps": 20,
    "save_seconds": 0,
    "progress": False,
    "evaluate": False,
    # On TensorFlow, XLA would take most of the time of such a run.
    "jit_compile": keras.backend.backend() == "jax",
}


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
        if self.now and batch > 5:
            signal.raise_signal(signal.SIGINT)


class Diverge(keras.callbacks.Callback):
    """Makes the weights useless at the beginning of an epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            self.model.set_weights([w * 100 for w in self.model.get_weights()])


def state(folder):
    """Everything that a run ends with, except its seconds."""
    last = checkpoint.load_last(folder / "checkpoints")
    assert last is not None
    rows = [{**row, "seconds": 0} for row in last.rows]
    return rows, [v.tobytes() for v in (*last.values, *last.rollback_values)]


@pytest.mark.parametrize(
    ("model", "options", "epochs"),
    [
        (TINY, {"curriculum": 0.5}, (0, 2)),
        (Dropout(), {}, (2,)),
        (TINY, {"stateful": True}, (2,)),
        pytest.param(Dropout(), {"jit_compile": True}, (2,), marks=pytest.mark.once),
    ],
    ids=["curriculum", "dropout", "stateful", "by XLA"],
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


@contextlib.contextmanager
def early_rollback():
    """Within it, networks are rolled back that have learned next to nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollback, "ACTIVE_BELOW", 2.0)
        yield


@pytest.fixture(scope="module")
def rolled_back(tmp_path_factory):
    """A run that has ended, whose third epoch was rolled back."""
    path = tmp_path_factory.mktemp("rolled back") / "whole"
    with early_rollback():
        tasks.train(TASK, TINY, out=path, callbacks=[Diverge()], **OPTIONS)
    assert tasks.open_run(path).read_history().rows[2]["rolled_back"] == 1
    return path


@pytest.mark.parametrize("epoch", [2, 3])
def test_a_run_stopped_beside_a_rolled_back_epoch_ends_as_one_that_was_not(
    tmp_path, rolled_back, epoch
):
    options = OPTIONS | {"out": tmp_path, "resume": True}
    callbacks = [Diverge(), StopAt(epoch)]
    with early_rollback():
        stopped = tasks.train(TASK, TINY, callbacks=callbacks, **options)
        assert stopped.interrupted and len(stopped.history) == epoch
        tasks.train(TASK, TINY, callbacks=[Diverge()], **options)
    assert state(tmp_path) == state(rolled_back)


@pytest.mark.once
def test_the_command_continues_a_run(tmp_path):
    """Runs that were killed, and more of them, are in tests/test_reliability.py."""
    # Of a network that is soon evaluated.
    model = tasks.get_model("lstm", num_layers=1, layer_size=4)
    tasks.train(TASK, model, out=tmp_path, callbacks=[StopAt(2)], **OPTIONS)
    before = checkpoint.load_last(tmp_path / "checkpoints").rows
    command = "train copy --model lstm --num-layers 1 --layer-size 4 --num-bits 2"
    command += " --max-length 3 --sequences 160 --batch-size 2 --epoch-steps 20"
    command += f" --save-seconds 0 --no-jit-compile --out {tmp_path}"
    from click.testing import CliRunner

    from tasks.cli.main import main

    result = CliRunner().invoke(main, [*command.split(), "--resume"])
    assert result.exit_code == 0, result.output
    assert "Goes on after 80 of 160 sequences." in result.stderr
    after = checkpoint.load_last(tmp_path / "checkpoints").rows
    assert len(before) == 2 and after[:2] == before and len(after) == 4


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that has ended."""
    path = tmp_path_factory.mktemp("finished")
    tasks.train(TASK, TINY, out=path, **OPTIONS)
    return path


@pytest.mark.once
def test_resuming_a_finished_run_changes_nothing(finished):
    rows, before = tasks.open_run(finished).read_history().rows, state(finished)
    again = tasks.train(TASK, TINY, out=finished, resume=True, **OPTIONS)
    assert again.history == rows and len(rows) == 4
    assert state(finished) == before


def test_a_checkpoint_holds_a_model_exactly(finished):
    last = checkpoint.load_last(finished / "checkpoints")
    model = compiled_model(
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
    with pytest.raises(ValueError, match="`resume` continues .* `force` overwrites"):
        tasks.train(TASK, TINY, out=tmp_path, resume=True, force=True, **OPTIONS)


@pytest.mark.once
def test_a_run_in_use_is_refused(finished):
    with locked(finished), pytest.raises(RunError, match="in use"):
        tasks.train(TASK, TINY, out=finished, resume=True, **OPTIONS)
