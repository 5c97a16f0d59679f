"""Series against direct loops of their equations."""

import re

import numpy as np
import pytest

from tasks import series


def rng(seed=1):
    return np.random.default_rng(seed)


def test_narma_is_its_printed_recurrence():
    u, y = series.narma10(60, rng())
    # Both by time, from 10 steps before the first one.
    inputs, values = (
        dict.fromkeys(range(-10, 0), 0.0),
        dict.fromkeys(range(-10, 1), 0.0),
    )
    inputs |= dict(enumerate(u))
    for t in range(60):
        total = sum(values[t - i] for i in range(10))
        values[t + 1] = (
            0.3 * values[t]
            + 0.05 * values[t] * total
            + 1.5 * inputs[t - 9] * inputs[t]
            + 0.1
        )
        assert y[t] == pytest.approx(values[t + 1], rel=1e-12)


def test_inputs_of_narma_are_uniform_to_a_half():
    u, y = series.narma10(4000, rng())
    assert 0 <= u.min() < 0.01 and 0.49 < u.max() <= 0.5
    assert np.mean(u) == pytest.approx(0.25, abs=0.01)
    assert 0.1 <= y.min() and y.max() < 2


def test_inputs_on_which_narma_diverges_are_drawn_again():
    class LargeFirst(np.random.Generator):
        """Draws the largest inputs once, on which the system diverges."""

        calls = 0

        def uniform(self, low, high, size):
            self.calls += 1
            if self.calls == 1:
                return np.full(size, high)
            return super().uniform(low, high, size)

    generator = LargeFirst(np.random.PCG64(1))
    u, y = series.narma10(200, generator)
    assert generator.calls == 2
    assert u.max() > u.min() and np.isfinite(y).all()


def euler(start, steps, tau, per_unit):
    """Mackey-Glass with small steps of first order: as in Jaeger (2001), eq. 23, with
    a smaller delta."""
    delay = round(tau * per_unit)
    values = [start] * (delay + 1)
    for index in range(steps * per_unit):
        late, now = values[index], values[-1]
        slope = 0.2 * late / (1 + late**10) - 0.1 * now
        values.append(now + slope / per_unit)
    return np.array(values[delay + per_unit :: per_unit])


@pytest.mark.parametrize("tau", [17, 4.5])
def test_mackey_glass_agrees_with_smaller_steps(tau):
    found = series.mackey_glass(150, rng(), tau=tau, transient=0)
    start = rng().uniform(0.5, 1.3)
    # Two step sizes of first order give one without the first error term.
    fine, finer = (euler(start, 150, tau, per_unit) for per_unit in (100, 200))
    np.testing.assert_allclose(found, 2 * finer - fine, atol=2e-4)
    assert found.std() > 0.02


def test_mackey_glass_rests_where_gain_and_decay_are_equal():
    """x = 1 is a fixed point: 0.2 / 2 = 0.1."""

    class Ones(np.random.Generator):
        def uniform(self, low, high):
            return 1.0

    values = series.mackey_glass(50, Ones(np.random.PCG64(1)), transient=0)
    np.testing.assert_allclose(values, 1, atol=1e-12)


def test_mackey_glass_is_chaotic_with_a_delay_of_17():
    """Two histories that are nearly the same end up apart; with a delay of 10 both end
    in one cycle. The bounds are those of the figures of Jaeger (2001)."""
    values = series.mackey_glass(3000, rng())
    assert 0.3 < values.min() < 0.5 and 1.2 < values.max() < 1.4
    cycle = series.mackey_glass(400, rng(), tau=10, transient=3000)
    repeats = [abs(cycle[lag:] - cycle[:-lag]).max() for lag in range(10, 200)]
    chaotic = [
        abs(values[lag:400] - values[: 400 - lag]).max() for lag in range(10, 200)
    ]
    assert min(repeats) < 0.05 < 0.1 < min(chaotic)


@pytest.mark.parametrize("transient", [0, 25])
def test_a_transient_is_left_out(transient):
    whole = series.mackey_glass(60 + transient, rng(), transient=0)
    late = series.mackey_glass(60, rng(), transient=transient)
    np.testing.assert_array_equal(late, whole[transient:])


def test_the_generator_decides():
    for make in (series.mackey_glass, lambda n, r: series.narma10(n, r)[1]):
        first, same, other = make(30, rng(1)), make(30, rng(1)), make(30, rng(2))
        np.testing.assert_array_equal(first, same)
        assert (first != other).any()
        assert first.shape == (30,)


@pytest.mark.parametrize("make", [series.mackey_glass, series.narma10])
def test_wrong_arguments_are_errors(make):
    with pytest.raises(ValueError, match="^`steps` must be a positive integer. Receiv"):
        make(0, rng())
    with pytest.raises(TypeError, match="^`rng` must be a NumPy generator, such as np"):
        make(10, 3)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tau": 0}, "`tau` must be a finite number at least 0.1. Received"),
        ({"tau": 1.23}, "`tau` must be a multiple of 0.1. Received: tau=1.23"),
        ({"transient": -1}, "`transient` must be a non-negative integer. Received"),
    ],
)
def test_delays_and_transients_out_of_range_are_errors(changed, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        series.mackey_glass(10, rng(), **changed)


def test_a_series_that_always_diverges_is_refused(monkeypatch):
    monkeypatch.setattr(series, "DIVERGED", 0.0)
    with pytest.raises(ValueError, match="`steps` must be fewer: 100 series diverged"):
        series.narma10(20, rng())
