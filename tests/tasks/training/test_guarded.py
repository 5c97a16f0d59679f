"""Steps whose gradients are not finite change nothing."""

import keras
import numpy as np
import pytest

from tasks.training.guarded import GuardedAdam, GuardedSGD

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
    guarded, plain = network(kind(**SETTINGS)), network(PLAIN[kind](**SETTINGS))
    for model in (guarded, plain):
        fit(model)
    for one, other in zip(guarded.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert int(guarded.optimizer.skipped.value) == 0


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
