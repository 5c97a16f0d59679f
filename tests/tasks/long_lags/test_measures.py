"""The Keras metrics of answers, against loops in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from tasks.long_lags.grammar_measures import NextSymbolLoss, WrongStrings
from tasks.long_lags.measures import (
    AbsoluteError,
    MinkowskiError,
    RightInARow,
    WrongAnswers,
)

RNG = np.random.default_rng(3)


def right_in_a_row(right):
    count = 0
    for one in right:
        count = count + 1 if one else 0
    return count


@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("seed", range(3))
def test_a_row_of_right_answers_goes_on_from_batch_to_batch(share, seed):
    metric, wrong = RightInARow("linear", 0.1), WrongAnswers("linear", 0.1)
    seen = []
    rng = np.random.default_rng(seed)
    for size in (5, 1, 8, 8):
        right = rng.random(size) < share
        outputs = np.where(right, 0.09, 0.11)[:, None].astype("float32")
        metric.update_state(np.zeros((size, 1), "float32"), outputs)
        wrong.update_state(np.zeros((size, 1), "float32"), outputs)
        seen.extend(right)
        assert float(metric.result()) == right_in_a_row(seen)
        assert float(wrong.result()) == pytest.approx(1 - np.mean(seen))


def test_a_class_is_right_if_all_probabilities_are_near():
    logits = np.log([[0.71, 0.2, 0.09], [0.69, 0.3, 0.01], [0.1, 0.8, 0.1]])
    metric = WrongAnswers("softmax", 0.3)
    metric.update_state(np.array([0, 0, 0]), logits.astype("float32"))
    assert float(metric.result()) == pytest.approx(2 / 3)
    # Read one by one, two may be near 1: 0.8 = 1 / (1 + 1 / 4).
    logits = np.log([[4.0, 0.25], [4.0, 0.5], [4.0, 4.0]])
    metric = WrongAnswers("sigmoid", 0.3)
    metric.update_state(np.array([0, 0, 0]), logits.astype("float32"))
    assert float(metric.result()) == pytest.approx(2 / 3)


def test_an_answer_that_is_not_finite_is_wrong():
    metric = WrongAnswers("linear", 0.1)
    outputs = np.array([[np.nan], [np.inf], [0.0]], "float32")
    metric.update_state(np.zeros((3, 1), "float32"), outputs)
    assert float(metric.result()) == pytest.approx(2 / 3)


def test_the_absolute_error_is_that_of_the_batches_where_it_is_finite():
    metric = AbsoluteError("linear")
    zeros = np.zeros((2, 1), "float32")
    for outputs in ([[np.nan], [0.0]], [[0.5], [0.0]], [[np.inf], [0.0]], [[1], [1]]):
        metric.update_state(zeros, np.array(outputs, "float32"))
    assert float(metric.result()) == (0.25 + 1) / 2
    metric.reset_state()
    metric.update_state(zeros, zeros + np.nan)
    assert np.isnan(float(metric.result()))


def test_noise_is_in_the_loss_and_its_mean_in_the_measures():
    targets = np.array([[0.9, 0.8], [-0.2, 0.2]], "float32")
    outputs = np.array([[0.8], [0.2]], "float32")
    loss = float(MinkowskiError("linear")(targets, outputs))
    assert loss == pytest.approx((0.01 + 0.16) / 2 / 2, rel=1e-5)
    error = AbsoluteError("linear")
    error.update_state(targets, outputs)
    assert float(error.result()) == pytest.approx(0, abs=1e-6)


def test_the_squared_error_of_classes_is_half_the_sum_over_them():
    outputs = RNG.normal(size=(3, 4))
    answers = 1 / (1 + np.exp(-outputs))
    expected = ((answers - np.eye(4)[[2, 0, 3]]) ** 2).sum(axis=1).mean() / 2
    loss = MinkowskiError("sigmoid")(np.array([2, 0, 3]), outputs.astype("float32"))
    assert float(loss) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("exponent", [1.0, 1.25, 1.5, 2.0])
def test_the_best_answer_to_an_uncertain_class_is_bolder_with_a_smaller_exponent(
    exponent,
):
    # A target of 1 with probability q, else 0: the mean error is least where
    # p / (1 - p) = (q / (1 - q)) ^ (1 / (R - 1)).
    q, answers = 0.7, np.linspace(0, 1, 1001, dtype="float32")
    loss = MinkowskiError("linear", exponent, reduction="none")
    error = q * loss(np.ones((1001, 1)), answers[:, None])
    error = error + (1 - q) * loss(np.zeros((1001, 1)), answers[:, None])
    best = answers[np.argmin(ops.convert_to_numpy(error))]
    odds = np.inf if exponent == 1 else (q / (1 - q)) ** (1 / (exponent - 1))
    assert best == pytest.approx(1 / (1 + 1 / odds), abs=2e-3)


def test_a_string_is_wrong_if_one_step_is():
    legal = np.array([[[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0]]])
    targets = np.concatenate([np.zeros_like(legal), legal], axis=-1).astype("float32")
    outputs = np.array([[[3, 2, 1], [0, 1, 2]], [[3, 2, 1], [0, 1, 1]]], "float32")
    metric = WrongStrings(3)
    metric.update_state(targets, outputs, np.ones((2, 2)))
    assert float(metric.result()) == 0.5  # a tie is wrong
    metric.reset_state()
    metric.update_state(targets, outputs, np.array([[1, 1], [1, 0]]))
    assert float(metric.result()) == 0


def test_the_loss_of_symbols_is_that_of_keras_over_the_steps_that_count():
    following = np.eye(4)[RNG.integers(4, size=(3, 5))]
    targets = np.concatenate([following, np.ones((3, 5, 4))], axis=-1)
    logits = RNG.normal(size=(3, 5, 4))
    mask = (RNG.random((3, 5)) < 0.6).astype("float32")
    powers = np.exp(logits)
    chances = (powers / powers.sum(-1, keepdims=True) * following).sum(-1)
    expected = -(np.log(chances) * mask).sum() / mask.sum()
    tensors = (targets.astype("float32"), logits.astype("float32"), mask)
    assert float(NextSymbolLoss(4)(*tensors)) == pytest.approx(expected, rel=1e-5)
    squares = (1 / (1 + np.exp(-logits)) - following) ** 2
    expected = (squares.sum(-1) * mask).sum() / mask.sum() / 2
    found = NextSymbolLoss(4, "sigmoid")(*tensors)
    assert float(found) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    "made",
    [
        RightInARow("linear", 0.1),
        WrongAnswers("softmax", 0.2),
        AbsoluteError("sigmoid"),
        WrongStrings(7),
    ],
    ids=lambda made: made.name,
)
def test_measures_are_serialised(made):
    again = keras.metrics.deserialize(keras.metrics.serialize(made))
    assert again.get_config() == made.get_config()
