"""Steps whose gradients are not finite change nothing, or are random."""

import warnings

import keras
import numpy as np
import pytest

from tasks.runs import checkpoint
from tasks.training.guarded import GuardedAdam, GuardedSGD
from tasks.training.mean_loss import MeanLoss

INPUTS = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
TARGETS = INPUTS[:, :1] * 2
SETTINGS = {
    "learning_rate": keras.optimizers.schedules.CosineDecay(0.1, 20),
    "global_clipnorm": 0.1,
}
PLAIN = {GuardedAdam: keras.optimizers.Adam, GuardedSGD: keras.optimizers.SGD}


@pytest.fixture(params=PLAIN, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def network(optimizer, jit_compile=False):
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)]
    )
    model.compile(optimizer, "mse", jit_compile=jit_compile)
    model.optimizer.build(model.trainable_variables)
    return model


def fit(model, inputs=INPUTS):
    model.fit(inputs, TARGETS, batch_size=4, shuffle=False, verbose=0)


def state(model):
    optimizer = model.optimizer
    counted = (optimizer.skipped, optimizer.consecutive_skips, optimizer.nonfinite)
    counts = {id(variable) for variable in counted}
    variables = [v for v in optimizer.variables if id(v) not in counts]
    return [np.array(v.value) for v in [*model.variables, *variables]]


def test_finite_steps_are_those_of_keras(kind):
    plain, *guarded = (
        network(optimizer)
        for optimizer in (
            PLAIN[kind](**SETTINGS),
            kind(**SETTINGS),
            kind(on_nonfinite="random", **SETTINGS),
        )
    )
    fit(plain)
    for model in guarded:
        fit(model)
        for one, other in zip(model.get_weights(), plain.get_weights(), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)
        assert int(model.optimizer.skipped.value) == 0


@pytest.mark.parametrize("jit_compile", [True, False])
def test_a_nonfinite_step_changes_nothing(kind, jit_compile):
    model = network(kind(**SETTINGS), jit_compile)
    fit(model)
    before = state(model)
    for count, value in enumerate((np.nan, np.inf, -np.inf), 1):
        model.train_on_batch(np.full((4, 3), value, np.float32), TARGETS[:4])
        for one, other in zip(state(model), before, strict=True):
            np.testing.assert_array_equal(one, other)
        assert int(model.optimizer.skipped.value) == count
        assert model.optimizer.nonfinite_names()


@pytest.mark.parametrize("on_nonfinite", ["skip", "random"])
def test_a_weight_that_the_loss_does_not_reach_stays_as_it_is(on_nonfinite):
    reached, other = keras.Variable([1.0]), keras.Variable([1.0])
    optimizer = GuardedAdam(0.1, global_clipnorm=1.0, on_nonfinite=on_nonfinite)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Keras warns of it
        optimizer.apply([keras.ops.ones(1), None], [reached, other])
    assert float(reached.value[0]) == pytest.approx(0.9, abs=1e-4)  # epsilon
    assert float(other.value[0]) == 1.0
    assert int(optimizer.skipped.value) == 0


def test_an_epoch_without_a_finite_loss_has_none():
    loss = MeanLoss(keras.losses.MeanSquaredError())
    loss.update_state([[0.0]], [[np.nan]])
    assert np.isnan(float(loss.result()))
    loss.update_state([[0.0]], [[2.0]])
    assert float(loss.result()) == 4.0


def test_training_continues_as_without_the_nonfinite_steps(kind):
    poisoned = INPUTS.copy()
    poisoned[8] = np.nan  # the third batch of ten
    skipping, without = (network(kind(**SETTINGS)) for _ in range(2))
    fit(skipping, poisoned)
    for start in (0, 4, *range(12, 40, 4)):
        batch = slice(start, start + 4)
        without.train_on_batch(INPUTS[batch], TARGETS[batch])
    for one, other in zip(state(skipping), state(without), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)
    assert int(skipping.optimizer.skipped.value) == 1
    assert int(skipping.optimizer.consecutive_skips.value) == 0


def random_steps(**settings):
    return GuardedAdam(0.1, on_nonfinite="random", global_clipnorm=0.5, **settings)


def nonfinite_gradients():
    return [np.array([[np.nan, 1, 2], [3, 4, 5]]), np.array([np.inf, 0])]


def random_gradients(optimizer, steps=1):
    """The gradients with which Adam goes on, read off its first moments."""
    variables = [keras.Variable(np.zeros((2, 3))), keras.Variable(np.zeros(2))]
    optimizer.build(variables)
    drawn, rate = [], 1 - optimizer.beta_1
    moments = [np.zeros((2, 3)), np.zeros(2)]
    for _ in range(steps):
        optimizer.apply(
            [keras.ops.convert_to_tensor(g, "float32") for g in nonfinite_gradients()]
        )
        after = [np.array(moment) for moment in optimizer._momentums]
        drawn.append(
            [(m - (1 - rate) * b) / rate for m, b in zip(after, moments, strict=True)]
        )
        moments = after
    return variables, drawn


def test_a_random_step_has_the_size_of_the_clipped_norm():
    optimizer = random_steps(seed=3)
    variables, drawn = random_gradients(optimizer, steps=2)
    for gradients in drawn:
        entries = np.concatenate([gradient.ravel() for gradient in gradients])
        assert np.linalg.norm(entries) == pytest.approx(0.5, rel=1e-4)
        assert len(set(np.round(entries, 6))) == len(entries)
    assert not np.allclose(drawn[0][0], drawn[1][0])
    assert all(np.isfinite(np.array(v)).all() and np.any(v) for v in variables)
    assert int(optimizer.skipped.value) == int(optimizer.consecutive_skips.value) == 2
    assert len(optimizer.nonfinite_names()) == 2


def test_directions_of_random_steps_have_no_preference():
    """The mean of random unit vectors is near zero, and as many point to each side."""
    _, drawn = random_gradients(random_steps(seed=5), steps=50)
    first = np.array([gradients[0].ravel() for gradients in drawn])
    assert np.abs(np.sign(first).mean(axis=0)).max() < 0.6
    # Of eight components, each has an eighth of the squares.
    np.testing.assert_allclose((first**2).mean(axis=0), 0.5**2 / 8, rtol=0.8)


def test_random_steps_go_on_after_a_restart_as_without_one():
    poisoned = INPUTS.copy()
    poisoned[4:12] = np.nan  # the second and the third batch

    def train(model, *batches):
        for start in (4 * batch for batch in batches):
            batch = slice(start, start + 4)
            model.train_on_batch(poisoned[batch], TARGETS[batch])

    whole, resumed = (network(random_steps(seed=seed)) for seed in (1, 9))
    train(whole, 0, 1)
    checkpoint.restore(checkpoint.values_of(whole), resumed)
    for model in (whole, resumed):
        train(model, 2, 3)
    assert int(resumed.optimizer.skipped.value) == 2
    for one, other in zip(state(whole), state(resumed), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_rule_is_part_of_the_configuration():
    optimizer = random_steps(seed=4)
    copy = GuardedAdam.from_config(optimizer.get_config())
    assert (copy.on_nonfinite, copy.seed) == ("random", 4)
    assert GuardedAdam().on_nonfinite == "skip"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"on_nonfinite": "raise"}, "`on_nonfinite` must be one of 'skip', 'random'"),
        ({"on_nonfinite": "random"}, "needs a `global_clipnorm`, the size of the"),
        ({"seed": -1}, "`seed` must be a non-negative integer"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        GuardedAdam(**settings)


def test_clipping_the_global_norm_is_the_formula():
    """Goodfellow et al., eq. 10.15: g becomes g v / |g| if |g| > v, over all weights
    together; `clipnorm` is another thing."""
    gradients, rate = [np.full((2, 3), 3.0), np.array([4.0, -1.0])], 0.5
    norm = float(np.sqrt(sum((gradient**2).sum() for gradient in gradients)))
    for bound in (norm / 10, norm * 2):
        variables = [keras.Variable(np.zeros((2, 3))), keras.Variable(np.zeros(2))]
        optimizer = keras.optimizers.SGD(rate, global_clipnorm=bound)
        optimizer.apply(
            [keras.ops.convert_to_tensor(g, "float32") for g in gradients], variables
        )
        factor = bound / norm if norm > bound else 1
        for variable, gradient in zip(variables, gradients, strict=True):
            np.testing.assert_allclose(variable, -rate * factor * gradient, rtol=1e-5)
