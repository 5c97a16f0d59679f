"""An epoch that ruins what was learned is taken back."""

import keras
import numpy as np
import pytest

import tasks
from tasks.base import Success
from tasks.runs.checkpoint import state_of
from tasks.runs.training_config import TrainingConfig
from tasks.training import rollback
from tasks.training.rollback import best_loss, is_ruined, outcome

TASK = tasks.Copy(2, 1, 3)


def row(epoch, loss, taken_back=0):
    clock = {"epoch": epoch, "sequences": 1600 * epoch, "seconds": 1.0 * epoch}
    return {**clock, "loss": loss, "bit_errors": loss, "taken_back": taken_back}


class Ruin(keras.callbacks.Callback):
    """Weights that are lost at the beginning of an epoch; notes all before each."""

    def __init__(self, epoch=2):
        super().__init__()
        self.at = epoch
        self.states = []

    def on_epoch_begin(self, epoch, logs=None):
        iterations = self.model.optimizer.iterations
        found = {v.path: np.array(v.value) for v in state_of(self.model)}
        self.states.append((int(found.pop(iterations.path)), found))
        self.ruins = epoch == self.at
        if self.ruins:
            self.model.set_weights([w * 100 for w in self.model.get_weights()])

    def on_train_batch_end(self, batch, logs=None):
        # As if its last steps had not been finite, too few to end the run.
        if self.ruins and batch == 99:
            self.model.optimizer.in_a_row.assign(3)


@pytest.fixture
def quick(monkeypatch):
    """What a network that learned next to nothing has is worth keeping."""
    monkeypatch.setattr(rollback, "LEARNED", 1.0)


def ruined_run(tiny, epoch=2, **options):
    ruin = Ruin(epoch)
    options = {"sequences": 1600, "batch_size": 4, "seed": 2, **options}
    return tasks.train(TASK, tiny, callbacks=[ruin], **options), ruin.states


def taken_back(result):
    return [row["taken_back"] for row in result.history]


def test_an_epoch_that_ruins_is_taken_back(quick, tiny):
    """To before the best one: its end may have been the beginning of the ruin."""
    result, states = ruined_run(tiny)
    assert taken_back(result)[:3] == [0, 0, 1]
    assert [row["sequences"] for row in result.history] == [400, 800, 1200, 1600]
    (_, good), (iterations, now) = states[1], states[3]
    assert iterations == 300  # the learning rate falls on
    assert good.keys() == now.keys()
    for name, value in good.items():  # weights and the optimizer's moments
        np.testing.assert_array_equal(now[name], value, err_msg=name)


def test_ruin_of_the_second_epoch_goes_back_to_the_end_of_the_first(quick, tiny):
    """Not to the beginning: Adam's moments are empty there, and it takes them for those
    of many steps."""
    result, states = ruined_run(tiny, epoch=1)
    assert taken_back(result)[:2] == [0, 1]
    for name, value in states[1][1].items():
        np.testing.assert_array_equal(states[2][1][name], value, err_msg=name)


def test_what_is_said_at_the_end_is_of_what_was_kept(quick, tiny):
    result, _ = ruined_run(tiny, sequences=1200)
    assert taken_back(result) == [0, 0, 1]
    said = outcome(result.history)
    assert said["bit_errors"] == result.history[1]["bit_errors"]
    assert (said["epoch"], said["sequences"]) == (3, 1200)


def test_without_rollback_what_is_ruined_stays(quick, tiny):
    result, states = ruined_run(tiny, rollback=False)
    assert taken_back(result) == [0] * 4
    largest = [max(np.abs(v).max() for v in state.values()) for _, state in states]
    assert largest[3] > 20 * largest[1]


def test_an_epoch_of_a_curriculum_is_not_taken_back(quick, tiny):
    """Its loss may have risen because its sequences grew."""
    result, _ = ruined_run(tiny, curriculum=1.0)
    assert taken_back(result) == [0] * 4


@pytest.mark.once
def test_an_epoch_that_was_taken_back_is_no_success():
    config = TrainingConfig(sequences=8000, batch_size=16)
    history = [row(1, 9.0), row(2, 0.5, taken_back=1), row(3, 0.5)]
    assert config.solved_at(history, Success("bit_errors", 1.0)) == 4800


@pytest.mark.once
def test_the_best_is_of_the_last_ten_epochs_that_were_kept():
    assert best_loss([]) == np.inf
    history = [row(1, 0.1), row(2, 0.2, taken_back=1)]
    assert best_loss(history) == 0.1
    history += [row(epoch, 0.3) for epoch in range(3, 11)]
    assert best_loss(history) == 0.1
    assert best_loss([*history, row(11, 0.4)]) == 0.3
    # Nothing of late was kept: whatever comes is the new beginning.
    assert best_loss([row(1, 0.1)] + [row(e, 9.0, 1) for e in range(2, 12)]) == np.inf


@pytest.mark.once
@pytest.mark.parametrize("sequences", [100, 400, 1600])
@pytest.mark.parametrize("loss", [0.01, 0.2, 0.6])
def test_chance_is_not_taken_for_ruin(sequences, loss):
    """Losses of sequences that are exponential: they differ by as much as their mean.
    An epoch is compared with the best of ten."""
    rng = np.random.default_rng(sequences)
    epochs = rng.exponential(loss, (2000, 11, sequences)).mean(axis=2)
    ruined = [is_ruined(e[-1], e[:-1].min(), sequences) for e in epochs]
    assert np.mean(ruined) < 0.05


@pytest.mark.once
def test_ruin_is_found_by_what_is_lost():
    # Sorting, 128 bits: from 6 to 16, from 30 to 45.
    nats = np.log(2) / 128
    assert is_ruined(16 * nats, 6 * nats, 1600)
    assert is_ruined(45 * nats, 30 * nats, 1600)
    assert not is_ruined(10 * nats, 6 * nats, 1600)
    # Little was learned yet: it may leap.
    assert not is_ruined(105 * nats, 80 * nats, 1600)
    # Nothing was.
    assert not is_ruined(130 * nats, 127 * nats, 1600)
    assert not is_ruined(np.inf, np.inf, 1600)
