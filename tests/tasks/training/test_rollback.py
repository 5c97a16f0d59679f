"""A divergent epoch is rolled back: the decision, and the state after it."""

import math

import keras
import numpy as np
import pytest

import tasks
from tasks.runs.checkpoint import state_of
from tasks.runs.history import History
from tasks.training import rollback
from tasks.training.rollback import RollbackPolicy, best_recent_loss
from tasks.training_options.training_config import TrainingConfig

pytestmark = pytest.mark.once

TASK = tasks.Copy(2, 1, 3)
TINY = tasks.get_model("ntm-feedforward", memory_size=8, word_size=4, controller_size=8)
POLICY = RollbackPolicy(TASK.recipe.chance_loss)
CONFIG = TrainingConfig(sequences=80_000, batch_size=16)


def row(epoch, loss, rolled_back=0):
    clock = {"epoch": epoch, "sequences": 1600 * epoch, "seconds": 1.0 * epoch}
    return {**clock, "loss": loss, "bit_errors": loss, "rolled_back": rolled_back}


class Diverge(keras.callbacks.Callback):
    """Makes the weights useless at the beginning of an epoch; records the state before
    each epoch."""

    def __init__(self, epoch=2):
        super().__init__()
        self.at = epoch
        self.states = []

    def on_epoch_begin(self, epoch, logs=None):
        iterations = self.model.optimizer.iterations
        found = {v.path: np.array(v.value) for v in state_of(self.model)}
        self.states.append((int(found.pop(iterations.path)), found))
        self.diverges = epoch == self.at
        if self.diverges:
            self.model.set_weights([w * 100 for w in self.model.get_weights()])

    def on_train_batch_end(self, batch, logs=None):
        # As if the last steps had been skipped, too few to end the run.
        if self.diverges and batch == 19:
            self.model.optimizer.consecutive_skips.assign(3)


def divergent_run(epoch=2, **options):
    """Four epochs of a tiny network, one of which diverges. Roll-back is active though
    the network has learned next to nothing."""
    diverge = Diverge(epoch)
    options |= {"sequences": 320, "batch_size": 4, "epoch_steps": 20, "seed": 2}
    options["jit_compile"] = False  # compiling would take most of the time
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollback, "ACTIVE_BELOW", 2.0)
        result = tasks.train(TASK, TINY, callbacks=[diverge], **options)
    return result, diverge.states


@pytest.fixture(scope="module")
def divergent():
    """A run whose third epoch diverges, and the states before its epochs."""
    return divergent_run()


def rolled_back(result):
    return [row["rolled_back"] for row in result.history]


def test_a_divergent_epoch_is_rolled_back(divergent):
    """To before the best epoch, at whose end the divergence may have begun."""
    result, states = divergent
    assert rolled_back(result)[:3] == [0, 0, 1]
    assert [row["sequences"] for row in result.history] == [80, 160, 240, 320]
    (_, before), (iterations, now) = states[1], states[3]
    assert iterations == 60  # the schedule of the learning rate continues
    assert before.keys() == now.keys()
    for name, value in before.items():  # weights and the optimizer's moments
        np.testing.assert_array_equal(now[name], value, err_msg=name)


def test_divergence_in_the_second_epoch_restores_the_end_of_the_first():
    """Not the initial state: Adam's moments are zero there, but its count of steps is
    kept, so that the moments would not be corrected for it."""
    result, states = divergent_run(epoch=1)
    assert rolled_back(result)[:2] == [0, 1]
    for name, value in states[1][1].items():
        np.testing.assert_array_equal(states[2][1][name], value, err_msg=name)


def test_final_measures_are_of_the_last_accepted_epoch(divergent):
    result, _ = divergent
    rows = result.history[:3]
    final = History(rows, result.config).final
    assert final["bit_errors"] == rows[1]["bit_errors"] != rows[2]["bit_errors"]
    assert (final["epoch"], final["sequences"]) == (3, 240)


def test_without_rollback_divergent_weights_stay():
    result, states = divergent_run(rollback=False)
    assert rolled_back(result) == [0] * 4
    largest = [max(np.abs(v).max() for v in state.values()) for _, state in states]
    assert largest[3] > 20 * largest[1]


def test_an_epoch_of_a_curriculum_is_not_rolled_back():
    """Its loss may have risen because its sequences grew."""
    result, _ = divergent_run(curriculum=1.0)
    assert rolled_back(result) == [0] * 4


@pytest.mark.once
def test_a_rolled_back_epoch_is_not_a_success():
    rows = [row(1, 9.0), row(2, 0.0, rolled_back=1), row(3, 0.0)]
    assert History(rows, CONFIG).solved_at(TASK) == 4800


@pytest.mark.once
def test_the_best_recent_loss_is_of_the_accepted_among_the_last_ten_epochs():
    def best(rows):
        return best_recent_loss(History(rows, CONFIG))

    assert best([]) == np.inf
    rows = [row(1, 0.1), row(2, 0.2, rolled_back=1)]
    assert best(rows) == 0.1
    rows += [row(epoch, 0.3) for epoch in range(3, 11)]
    assert best(rows) == 0.1
    assert best([*rows, row(11, 0.4)]) == 0.3
    # No recent epoch was accepted: the next one is accepted whatever its loss.
    assert best([row(1, 0.1)] + [row(e, 9.0, 1) for e in range(2, 12)]) == np.inf


@pytest.mark.once
@pytest.mark.parametrize("sequences", [100, 400, 1600])
@pytest.mark.parametrize("loss", [0.01, 0.2, 0.6])
def test_sampling_noise_is_not_divergence(sequences, loss):
    """Losses of sequences are exponential: their spread equals their mean. An epoch is
    compared with the best of ten."""
    rng = np.random.default_rng(sequences)
    epochs = rng.exponential(loss, (2000, 11, sequences)).mean(axis=2)
    diverged = [POLICY.has_diverged(e[-1], e[:-1].min(), sequences) for e in epochs]
    assert np.mean(diverged) < 0.05


@pytest.mark.once
@pytest.mark.parametrize(
    ("loss", "best", "diverged"),
    [
        # Bits of an answer of 128 bits, as in sorting.
        (16, 6, True),
        (45, 30, True),
        (10, 6, False),
        # Little was learned: spikes are normal.
        (105, 80, False),
        # Most of what was learned is lost.
        (117, 80, True),
        (346, 56, True),
        (130, 100, False),
        # Nothing was learned.
        (130, 127, False),
        (np.inf, np.inf, False),
        (np.nan, 6, False),
    ],
)
def test_divergence_is_a_loss_far_above_the_best(loss, best, diverged):
    nats = np.log(2) / 128
    assert POLICY.has_diverged(loss * nats, best * nats, 1600) == diverged


@pytest.mark.once
def test_without_a_chance_level_loss_nothing_diverges():
    assert not RollbackPolicy(None).has_diverged(100.0, 0.001, 1600)


def rolls_back(rows, loss, sequences, first_full_size):
    """The rule in plain words, for bits. The loss exceeds the best accepted one of the
    last ten epochs of all sizes by five standard errors and a twentieth of ln 2. If
    that best is from a quarter of ln 2 on, three quarters of the way back to ln 2 are
    lost too, and from three quarters on nothing diverges."""
    best = math.inf
    for recent in [r for r in rows if r["epoch"] >= first_full_size][-10:]:
        if recent["rolled_back"] == 0 and recent["loss"] < best:
            best = recent["loss"]
    chance = math.log(2)
    if best > chance * 3 / 4:
        return False
    if best >= chance / 4 and loss <= best / 4 + chance * 3 / 4:
        return False
    return loss > best + 5 * best / sequences**0.5 + chance / 20


@pytest.mark.once
@pytest.mark.parametrize("curriculum", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_decisions_are_those_of_the_rule(seed, curriculum):
    """Histories of 50 epochs: losses that fall, with spikes of all sizes."""
    rng = np.random.default_rng(seed)
    config = TrainingConfig(sequences=80_000, batch_size=16, curriculum=curriculum)
    # The curriculum covers the first 15 of 50 epochs.
    first = 16 if curriculum else 1
    rows, decisions = [], []
    for epoch in range(1, 51):
        loss = np.log(2) * 0.9**epoch + rng.choice([0, 0.02, 0.04, 0.3]) * rng.random()
        best = best_recent_loss(History(rows, config))
        diverged = POLICY.has_diverged(loss, best, config.sequences_per_epoch)
        assert diverged == rolls_back(rows, loss, 1600, first)
        decisions.append(diverged)
        rows.append(row(epoch, loss, int(diverged)))
    assert 0 < sum(decisions) < 25
