"""Steps whose gradients are not finite change nothing."""

import keras
import numpy as np
import pytest

from tasks.training.guarded_adam import GuardedAdam

INPUTS = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
TARGETS = INPUTS[:, :1] * 2
SETTINGS = {
    "learning_rate": keras.optimizers.schedules.CosineDecay(0.1, 20),
    "global_clipnorm": 0.1,
}


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
    counts = {id(v) for v in (optimizer.skipped, optimizer.in_a_row, optimizer.broken)}
    variables = [v for v in optimizer.variables if id(v) not in counts]
    return [np.array(v.value) for v in [*model.variables, *variables]]


def test_it_is_adam():
    ours, theirs = (
        network(GuardedAdam(**SETTINGS)),
        network(keras.optimizers.Adam(**SETTINGS)),
    )
    for model in (ours, theirs):
        fit(model)
    for one, other in zip(ours.get_weights(), theirs.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert int(ours.optimizer.skipped.value) == 0


@pytest.mark.parametrize("jit_compile", [True, False])
def test_a_broken_step_changes_nothing(jit_compile):
    model = network(GuardedAdam(**SETTINGS), jit_compile)
    fit(model)
    before = state(model)
    for count, value in enumerate((np.nan, np.inf, -np.inf), 1):
        model.train_on_batch(np.full((4, 3), value, np.float32), TARGETS[:4])
        for one, other in zip(state(model), before, strict=True):
            np.testing.assert_array_equal(one, other)
        assert int(model.optimizer.skipped.value) == count
        assert model.optimizer.broken_names()


def test_broken_steps_are_left_out_of_the_others():
    poisoned = INPUTS.copy()
    poisoned[8] = np.nan  # the third batch of ten
    ours, without = network(GuardedAdam(**SETTINGS)), network(GuardedAdam(**SETTINGS))
    fit(ours, poisoned)
    for start in (0, 4, *range(12, 40, 4)):
        batch = slice(start, start + 4)
        without.train_on_batch(INPUTS[batch], TARGETS[batch])
    for one, other in zip(state(ours), state(without), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)
    assert int(ours.optimizer.skipped.value) == 1
    assert int(ours.optimizer.in_a_row.value) == 0
