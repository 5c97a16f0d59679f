"""What every task with symbols promises, seen on a small one."""

import dataclasses

import numpy as np
import pytest
from gradients import gradient

from tasks import Batch, Beside, SymbolTask
from tasks.contract.sized_task import SizedEvaluation, per_sequence
from tasks.losses.symbol_measures import GroupedCrossEntropy, SymbolErrors


class EchoEvaluation(SizedEvaluation):
    def at_length(self, length):
        return Echo(length)


@dataclasses.dataclass(frozen=True)
class Echo(SymbolTask):
    """The letter of each step, and every other step a digit, which is its number."""

    length: int = 4
    name = "echo"
    evaluation = Beside(EchoEvaluation)

    @property
    def input_names(self):
        return ("a", "b", "c")

    @property
    def symbols(self):
        return (("a", "b", "c"), ("0", "1"))

    @property
    def size_ranges(self):
        return ((self.length, self.length),)

    @property
    def eval_lengths(self):
        return (self.length, 2 * self.length)

    def sample(self, batch_size, rng=None):
        letters = np.random.default_rng(rng).integers(0, 3, (batch_size, self.length))
        inputs = np.eye(3, dtype=np.float32)[letters]
        mask = np.ones(inputs.shape[:2], np.float32)
        mask[:, 0] = 0
        return Batch(inputs, self.solve(inputs), mask)

    def solve(self, inputs):
        digits = np.zeros((*inputs.shape[:2], 2), np.float32)
        is_second = inputs[:, 1::2].argmax(axis=-1) > 0
        digits[:, 1::2] = np.eye(2)[is_second.astype(int)]
        return np.concatenate([inputs, digits], axis=-1)


TASK = Echo()
BATCH = TASK.sample(3, rng=1)
OUTPUTS = np.random.default_rng(2).normal(size=BATCH.targets.shape).astype("float32")


def by_definition():
    """The nats and the errors of each sequence, symbol by symbol."""
    nats, errors = np.zeros(3), np.zeros(3)
    for row, step in np.argwhere(BATCH.mask > 0):
        for group in (slice(0, 3), slice(3, 5)):
            target = BATCH.targets[row, step, group]
            if not target.any():
                continue
            logits = np.asarray(OUTPUTS[row, step, group], float)
            chances = np.exp(logits) / np.exp(logits).sum()
            nats[row] -= np.log(chances[target.argmax()])
            errors[row] += chances.argmax() != target.argmax()
    return nats, errors


def test_errors_and_bits_are_those_of_the_definition():
    nats, wrong = by_definition()
    errors = TASK.errors(BATCH, OUTPUTS)
    np.testing.assert_array_equal(errors["symbol_errors"], wrong)
    np.testing.assert_array_equal(errors["perfect"], wrong == 0)
    np.testing.assert_allclose(errors["bits"], nats / np.log(2), rtol=1e-5)


def test_what_is_not_a_number_is_wrong():
    asked = per_sequence(
        np.stack(
            [BATCH.targets[..., :3].any(-1), BATCH.targets[..., 3:].any(-1)], axis=-1
        ),
        BATCH,
    )
    errors = TASK.errors(BATCH, np.full_like(OUTPUTS, np.nan))
    np.testing.assert_array_equal(errors["symbol_errors"], asked)
    # The metric says the same, where one of three sequences has no numbers.
    outputs = BATCH.targets.copy()
    outputs[1] = np.nan
    [metric] = TASK.measures()
    metric.update_state(BATCH.targets, outputs, BATCH.mask)
    assert float(metric.result()) == pytest.approx(asked[1] / 3)


def test_the_loss_is_the_mean_over_groups_and_steps_that_count():
    nats, _ = by_definition()
    loss = TASK.loss()(BATCH.targets, OUTPUTS, BATCH.mask)
    assert float(loss) == pytest.approx(nats.sum() / 2 / BATCH.mask.sum(), rel=1e-5)


def test_the_metric_counts_as_the_errors_do():
    [metric] = TASK.measures()
    for row in range(3):
        metric.update_state(*(a[row : row + 1] for a in (BATCH[1], OUTPUTS, BATCH[2])))
    assert float(metric.result()) == pytest.approx(by_definition()[1].mean())


def test_the_loss_of_equal_logits_is_that_of_chance():
    # Without the group that is not asked for at every step.
    letters = GroupedCrossEntropy([3])
    loss = letters(BATCH.inputs, np.zeros_like(BATCH.inputs), BATCH.mask)
    assert float(loss) == pytest.approx(np.log(3), rel=1e-6)
    assert TASK.recipe.chance_loss == pytest.approx((np.log(3) + np.log(2)) / 2)


def test_a_symbol_whose_target_is_below_zero_is_no_choice():
    """As if it were not there: the same loss and errors, and no gradient."""
    rng = np.random.default_rng(0)
    targets = np.eye(3, dtype="float32")[rng.integers(0, 3, (4, 6))]
    logits = rng.standard_normal((4, 6, 3)).astype("float32")
    more = np.pad(targets, [(0, 0), (0, 0), (0, 1)], constant_values=-1)
    wide = np.pad(logits, [(0, 0), (0, 0), (0, 1)], constant_values=9)
    loss, expected = GroupedCrossEntropy([4]), GroupedCrossEntropy([3])
    assert float(loss(more, wide)) == pytest.approx(float(expected(targets, logits)))
    assert float(loss(more, wide * 1e4)) == pytest.approx(
        float(expected(targets, logits * 1e4))
    )
    metric, like = SymbolErrors([4]), SymbolErrors([3])
    metric.update_state(more, wide)
    like.update_state(targets, logits)
    assert float(metric.result()) == float(like.result()) > 0
    [actual] = gradient(lambda x: loss(more, x), wide)
    [known] = gradient(lambda x: expected(targets, x), logits)
    np.testing.assert_allclose(actual[..., :3], known, atol=1e-7)
    assert not actual[..., 3].any()


def test_large_logits_give_no_overflow():
    right = np.where(BATCH.targets > 0, 1e4, -1e4).astype("float32")
    assert float(TASK.loss()(BATCH.targets, right, BATCH.mask)) == 0
    assert TASK.errors(BATCH, right)["perfect"].all()
    wrong = TASK.errors(BATCH, -right)
    assert np.isfinite(wrong["bits"]).all() and not wrong["perfect"].any()


def test_what_the_targets_say_is_predicted():
    asked = np.concatenate([BATCH.targets[..., :3], OUTPUTS[..., 3:]], axis=-1)
    np.testing.assert_array_equal(TASK.predict(asked)[..., :3], BATCH.targets[..., :3])


def test_sizes_are_those_of_the_task():
    assert (TASK.input_size, TASK.output_size, TASK.groups) == (3, 5, (3, 2))
    assert [task.length for task in TASK.evaluation.eval_tasks] == [4, 8]


def test_a_wrong_symbol_is_marked():
    inputs = np.eye(3, dtype="float32")[[[0, 1, 2, 0]]]
    batch = Batch(inputs, TASK.solve(inputs), np.array([[0, 1, 1, 1]], "float32"))
    outputs = np.array(batch.targets)
    outputs[0, 2] = [1, 0, 0, 0, 1]
    assert TASK.presentation.render(batch, outputs) == "\n".join(
        [
            "sequence 0",
            "   input a b  c  a",
            "  target   b1 c  a0",
            "  output   b1 a1 a0",
            "   wrong      x",
        ]
    )


def test_measures_keep_their_groups():
    for kind in (GroupedCrossEntropy, SymbolErrors):
        config = kind([3, 2]).get_config()
        assert kind.from_config(config).groups == (3, 2)
