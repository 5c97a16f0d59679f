import numpy as np
import pytest

from tasks.algorithmic.measures import BitErrors, BitsPerSequence, masked_loss

RNG = np.random.default_rng(1)
TARGETS = RNG.integers(0, 2, (3, 4, 2)).astype("float32")
LOGITS = RNG.normal(size=(3, 4, 2)).astype("float32")
MASK = np.array([[0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1]], "float32")


def cross_entropy(target, logit):
    """In nats, straight from the definition."""
    p = 1 / (1 + np.exp(-np.float64(logit)))
    return -(target * np.log(p) + (1 - target) * np.log(1 - p))


def test_loss_is_the_mean_over_the_steps_that_count():
    expected = cross_entropy(TARGETS, LOGITS)[MASK > 0].mean()
    assert float(masked_loss()(TARGETS, LOGITS, MASK)) == pytest.approx(expected, 1e-5)


def test_padding_changes_no_loss():
    def pad(array):
        return np.concatenate([array, np.ones_like(array)], axis=1)

    mask = np.concatenate([MASK, np.zeros_like(MASK)], axis=1)
    padded = float(masked_loss()(pad(TARGETS), pad(LOGITS), mask))
    assert padded == pytest.approx(float(masked_loss()(TARGETS, LOGITS, MASK)), 1e-6)


def test_bits_per_sequence_is_the_sum_over_steps_and_the_mean_over_sequences():
    metric = BitsPerSequence()
    for i in range(3):
        metric.update_state(TARGETS[i : i + 1], LOGITS[i : i + 1], MASK[i : i + 1])
    nats = (cross_entropy(TARGETS, LOGITS) * MASK[..., None]).sum() / 3
    assert float(metric.result()) == pytest.approx(nats / np.log(2), rel=1e-5)


def test_bit_errors_counts_wrong_bits_under_the_mask():
    metric = BitErrors()
    metric.update_state(TARGETS, LOGITS, MASK)
    wrong = sum(
        (LOGITS[b, t, i] > 0) != TARGETS[b, t, i]
        for b in range(3)
        for t in range(4)
        for i in range(2)
        if MASK[b, t]
    )
    assert float(metric.result()) == pytest.approx(wrong / 3)


@pytest.mark.parametrize("metric", [BitErrors(), BitsPerSequence()])
def test_no_sequences_give_no_number(metric):
    # Zero would count as a success.
    assert np.isnan(float(metric.result()))


def test_bits_that_are_not_finite_are_wrong_where_they_count():
    metric = BitErrors()
    right = TARGETS * 2 - 1
    right[0] = np.nan  # two steps of two bits count
    right[1, :, 0] = np.inf
    metric.update_state(TARGETS, right, MASK)
    assert float(metric.result()) == pytest.approx((4 + 2 + 0) / 3)


def test_bits_of_sequences_that_are_not_finite_are_left_out():
    metric = BitsPerSequence()
    metric.update_state(TARGETS, LOGITS, MASK)
    expected = float(metric.result())
    nonfinite = np.concatenate([LOGITS, np.full_like(LOGITS[:1], np.nan)])
    metric.reset_state()
    metric.update_state(
        np.concatenate([TARGETS, TARGETS[:1]]),
        nonfinite,
        np.concatenate([MASK, MASK[:1]]),
    )
    assert float(metric.result()) == pytest.approx(expected)


def test_perfect_logits_have_no_errors():
    metric = BitErrors()
    metric.update_state(TARGETS, TARGETS * 2 - 1, MASK)
    assert float(metric.result()) == 0.0
