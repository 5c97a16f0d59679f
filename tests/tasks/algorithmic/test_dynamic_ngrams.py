import numpy as np
import pytest

import tasks
from tasks import DynamicNGrams


def test_docstring_shows_an_example(assert_drawn_in_docstring):
    task = DynamicNGrams(1, 6)
    targets = np.array([[1, 0, 1, 0, 1, 1]], np.float32)[..., None]
    inputs = np.zeros_like(targets)
    inputs[:, 1:] = targets[:, :-1]
    assert_drawn_in_docstring(task, tasks.Batch(inputs, targets, np.ones((1, 6))))


def test_each_step_sees_the_bit_before():
    inputs, targets, _ = DynamicNGrams(2, 9).sample(5, rng=1)
    np.testing.assert_array_equal(inputs[:, 1:], targets[:, :-1])
    assert not inputs[:, 0].any()


def test_solution_counts_what_followed_each_context():
    # Bits 1 1 0 1 1 1; context of one. By hand, (N1 + 1/2) / (N1 + N0 + 1).
    inputs = np.array([[0, 1, 1, 0, 1, 1]], np.float32)[..., None]
    expected = [1 / 2, 1 / 2, 1.5 / 2, 1 / 2, 1.5 / 3, 2.5 / 4]
    got = DynamicNGrams(1, 6).solve(inputs)[0, :, 0]
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_optimum_is_that_of_the_paper():
    # 133 bits on average, section 4.4; and no constant predicts better than 200.
    inputs, targets, _ = DynamicNGrams().sample(2000, rng=1)
    chances = DynamicNGrams().solve(inputs)
    bits = -np.log2(np.where(targets > 0, chances, 1 - chances)).sum(axis=(1, 2))
    assert bits.mean() == pytest.approx(133, abs=4 * bits.std() / np.sqrt(2000))


def test_tables_differ_from_sequence_to_sequence():
    # Over all sequences a bit is fair whatever came before.
    inputs, targets, _ = DynamicNGrams(1, 50).sample(4000, rng=1)
    after_one = targets[:, 10:][inputs[:, 10:] > 0].mean()
    within = targets[:, 10:, 0].mean(axis=1)
    assert after_one > 0.55  # tables that prefer ones give more of them
    assert within.mean() == pytest.approx(0.5, abs=0.02)
    assert within.std() > 0.2


def test_context_must_leave_a_bit_to_predict():
    with pytest.raises(ValueError, match="`context` must be less than `num_steps`"):
        DynamicNGrams(5, 5)
