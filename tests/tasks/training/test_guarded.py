"""Steps whose gradients are not finite change nothing, or are random."""

import warnings

import keras
import numpy as np
import pytest
from xla import ON_AND_OFF

from tasks.runs import checkpoint
from tasks.training.guarded import (
    GuardedAdadelta,
    GuardedAdagrad,
    GuardedAdam,
    GuardedRMSprop,
    GuardedSGD,
)
from tasks.training.mean_loss import MeanLoss
from tasks.training.optimizers import KINDS, learning_rate_of, optimizer_of
from tasks.training_options.training_config import OPTIMIZERS, TrainingConfig

INPUTS = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
TARGETS = INPUTS[:, :1] * 2
SETTINGS = {
    "learning_rate": keras.optimizers.schedules.CosineDecay(0.1, 20),
    "global_clipnorm": 0.1,
}
PLAIN = {
    GuardedAdam: keras.optimizers.Adam,
    GuardedSGD: keras.optimizers.SGD,
    GuardedRMSprop: keras.optimizers.RMSprop,
    GuardedAdagrad: keras.optimizers.Adagrad,
    GuardedAdadelta: keras.optimizers.Adadelta,
}


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


@pytest.mark.parametrize("jit_compile", ON_AND_OFF)
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
    assert float(reached.numpy()[0]) == pytest.approx(0.9, abs=1e-4)  # epsilon
    assert float(other.numpy()[0]) == 1.0
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


def momentum_of_sutskever(gradients, rate, nesterov):
    """Sutskever, Martens, Dahl, Hinton (2013), eqs. 1-4: the places after each step, of
    Nesterov's with the gradient ahead of the place."""
    place, velocity, places = 0.0, 0.0, []
    for gradient in gradients:
        velocity = 0.9 * velocity - rate * gradient
        place += velocity
        # Keras keeps the place ahead, where the next gradient is taken.
        places.append(place + (0.9 * velocity if nesterov else 0.0))
    return places


def rmsprop_of_graves(gradients, rate):
    """Graves (2013), eqs. 38-45."""
    n = g = step = place = 0.0
    for gradient in gradients:
        n = 0.95 * n + 0.05 * gradient**2
        g = 0.95 * g + 0.05 * gradient
        step = 0.9 * step - rate * gradient / np.sqrt(n - g**2 + 1e-4)
        place += step
        yield place


def adagrad_of_duchi(gradients, rate):
    """Duchi, Hazan, Singer (2011), figure 1, with diagonal matrices."""
    total = place = 0.0
    for gradient in gradients:
        total += gradient**2
        place -= rate * gradient / np.sqrt(total)
        yield place


def adadelta_of_zeiler(gradients, rate):
    """Zeiler (2012), algorithm 1, times a learning rate."""
    squares = updates = place = 0.0
    for gradient in gradients:
        squares = 0.95 * squares + 0.05 * gradient**2
        update = -np.sqrt(updates + 1e-6) / np.sqrt(squares + 1e-6) * gradient
        updates = 0.95 * updates + 0.05 * update**2
        place += rate * update
        yield place


def adam_of_kingma(gradients, rate):
    """Kingma, Ba (2015), algorithm 1."""
    m = v = place = 0.0
    for t, gradient in enumerate(gradients, 1):
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        place -= rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
        yield place


ORACLES = {
    "adam": adam_of_kingma,
    "sgd": lambda gradients, rate: -rate * np.cumsum(gradients),
    "momentum": lambda gradients, rate: momentum_of_sutskever(gradients, rate, False),
    "nesterov": lambda gradients, rate: momentum_of_sutskever(gradients, rate, True),
    "rmsprop": rmsprop_of_graves,
    "adagrad": adagrad_of_duchi,
    "adadelta": adadelta_of_zeiler,
}
# So small that no bound cuts it, and steps that differ in size and sign.
GRADIENTS = [0.5, -0.25, 0.125, 0.75, -0.5]


def config_of(**options):
    options = {"epoch_steps": 1, "batch_size": 1, "sequences": 150, **options}
    usual = {"learning_rate": 0.3, "schedule": "constant", "clip_norm": 0.0}
    return TrainingConfig(**{**usual, "warmup": 0, "starts": 1, **options})


def test_every_optimizer_has_an_oracle():
    assert set(OPTIMIZERS) == KINDS.keys() == ORACLES.keys()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_of_the_paper(name):
    weight, found = keras.Variable(0.0), []
    optimizer = optimizer_of(config_of(optimizer=name))
    for gradient in GRADIENTS:
        optimizer.apply([keras.ops.convert_to_tensor(gradient, "float32")], [weight])
        found.append(float(weight.numpy()))
    expected = list(ORACLES[name](GRADIENTS, 0.3))
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_elements_of_gradients_are_cut(name):
    cut, other = keras.Variable([0.0, 0.0]), keras.Variable([0.0, 0.0])
    config = config_of(optimizer=name, clip_value=0.5)
    for weight, gradients in ((cut, [7.0, -0.25]), (other, [0.5, -0.25])):
        optimizer = optimizer_of(config)
        optimizer.apply([keras.ops.convert_to_tensor(gradients, "float32")], [weight])
    np.testing.assert_array_equal(cut.value, other.value)
    assert float(cut.numpy()[0]) < 0 < float(cut.numpy()[1])


def test_a_rate_halves_late_in_the_training():
    rate = learning_rate_of(config_of(optimizer="sgd", schedule="halving"))
    rates = [float(rate(step)) for step in range(1, 151)]
    expected = [0.3] * 100
    for halvings in range(1, 6):
        expected += [0.3 * 0.5**halvings] * 10
    np.testing.assert_allclose(rates, expected, rtol=1e-6)
