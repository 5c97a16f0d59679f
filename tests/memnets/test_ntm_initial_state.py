"""The state of a Neural Turing Machine before the first step."""

import keras
import numpy as np
import pytest
from gradients import layer_gradients
from ntm_layers import (
    B,
    N,
    W,
    built,
    initial_state,
    mean_square,
    ntm,
    sequences,
    unbuilt_ntm,
)


@pytest.mark.once
def test_constant_memory_is_the_small_constant_of_collier_and_beel():
    memory = initial_state(built(initial_memory="constant")).memory
    np.testing.assert_allclose(memory, np.full((B, N, W), 1e-6), rtol=1e-6)


@pytest.mark.once
def test_constant_trainable_memory_starts_as_the_constant_memory():
    trainable = initial_state(built(initial_memory="constant-trainable")).memory
    fixed = initial_state(built(initial_memory="constant")).memory
    np.testing.assert_array_equal(trainable, fixed)


@pytest.mark.once
@pytest.mark.parametrize("mode", ["random", "randomized", "learned"])
def test_random_memory_has_rows_that_differ(mode):
    memory = np.asarray(initial_state(built(initial_memory=mode)).memory)
    assert len(np.unique(memory[0], axis=0)) == N


@pytest.mark.parametrize("mode", ["random", "randomized"])
def test_random_memory_is_drawn_once(mode):
    layer = built(initial_memory=mode)
    np.testing.assert_array_equal(
        initial_state(layer).memory, initial_state(layer).memory
    )


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
def test_randomized_memory_differs_for_each_sequence_in_training(controller):
    layer = built(initial_memory="randomized", controller=controller)
    fixed = np.asarray(initial_state(layer).memory)
    drawn = [
        np.asarray(
            layer.cell.unpack(layer.cell.get_initial_state(B, training=True)).memory
        )
        for _ in range(200)
    ]
    drawn = np.concatenate(drawn)  # (200 B, N, W)
    starts, signs = set(), []
    for memory in drawn:
        # The row of the layer's memory that is the first, and the signs of the columns.
        (start,) = np.flatnonzero(np.isclose(abs(fixed[0]), abs(memory[0])).all(axis=1))
        sign = np.sign(memory[0] * fixed[0, start])
        np.testing.assert_allclose(memory, sign * np.roll(fixed[0], -start, axis=0))
        starts.add(int(start))
        signs.append(sign)
    assert starts == set(range(N))
    # The mean of n random signs has a standard deviation of 1 / sqrt(n).
    assert np.all(abs(np.mean(signs, axis=0)) < 5 / np.sqrt(len(drawn)))
    assert len({tuple(sign) for sign in signs}) == 2**W


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
def test_randomized_memory_changes_outputs_in_training_only(controller):
    layer = built(initial_memory="randomized", controller=controller)
    same = np.repeat(sequences()[:1], B, axis=0)
    first, again = np.asarray(layer(same)), np.asarray(layer(same))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(first, first[:1].repeat(B, axis=0), atol=1e-6)
    trained = np.asarray(layer(same, training=True))
    assert np.abs(np.diff(trained, axis=0)).max() > 1e-4
    assert np.abs(trained - first).max() > 1e-4
    assert np.abs(trained - np.asarray(layer(same, training=True))).max() > 1e-4


def test_an_initial_state_passed_in_is_not_randomized():
    layer = built(initial_memory="randomized")
    state = layer.cell.get_initial_state(batch_size=B)
    given = layer(sequences(), initial_state=state, training=True)
    np.testing.assert_allclose(given, layer(sequences()), atol=1e-6)


def test_a_stateful_layer_does_not_randomize():
    layer = unbuilt_ntm(initial_memory="randomized", stateful=True)
    first = np.asarray(layer(sequences(), training=True))
    layer.reset_state()
    np.testing.assert_allclose(layer(sequences(), training=True), first, atol=1e-6)


def test_randomized_memory_depends_on_the_seed_of_keras():
    outputs = []
    for seed in (1, 1, 2):
        keras.utils.set_random_seed(seed)
        layer = built(initial_memory="randomized")
        outputs.append(np.asarray(layer(sequences(), training=True)))
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert not np.array_equal(outputs[0], outputs[2])


@pytest.mark.once
@pytest.mark.parametrize("mode", ["random", "randomized", "learned"])
def test_random_memory_depends_on_the_seed_of_keras(mode):
    memories = []
    for seed in (1, 1, 2):
        keras.utils.set_random_seed(seed)
        memories.append(np.asarray(initial_state(built(initial_memory=mode)).memory))
    np.testing.assert_array_equal(memories[0], memories[1])
    assert not np.array_equal(memories[0], memories[2])


@pytest.mark.once
def test_uniform_weightings_attend_equally_to_all_rows():
    weightings = initial_state(built(initial_weightings="uniform")).weightings
    np.testing.assert_allclose(weightings, np.full((B, 2, N), 1 / N), atol=1e-7)


@pytest.mark.once
def test_one_hot_weightings_attend_to_row_zero():
    weightings = initial_state(built(initial_weightings="one-hot")).weightings
    np.testing.assert_array_equal(weightings, np.tile(np.eye(N)[0], (B, 2, 1)))


@pytest.mark.once
def test_a_memory_of_one_row_has_one_weighting_to_learn():
    layer = ntm(memory_size=1, shift_range=0, initial_weightings="learned")
    assert np.all(np.asarray(initial_state(layer).weightings) == 1)


def test_learned_weightings_are_always_weightings():
    weightings = np.asarray(initial_state(ntm(initial_weightings="learned")).weightings)
    assert np.all(weightings >= 0)
    np.testing.assert_allclose(weightings.sum(axis=-1), 1.0, atol=1e-6)


@pytest.mark.once
def test_zero_reads_are_zero():
    reads = initial_state(ntm(initial_reads="zeros")).reads
    np.testing.assert_array_equal(reads, np.zeros((B, 1, W)))


def before_and_after_training(part, mode):
    """One part of the initial state, before and after all trainable weights change."""
    layer = built(**{f"initial_{part}": mode})
    before = np.array(getattr(initial_state(layer), part))
    for variable in layer.trainable_variables:
        noise = np.random.default_rng(0).standard_normal(variable.shape)
        variable.assign(noise)
    return before, np.array(getattr(initial_state(layer), part))


@pytest.mark.parametrize(
    ("part", "mode"),
    [
        ("memory", "learned"),
        ("memory", "constant-trainable"),
        ("weightings", "learned"),
        ("reads", "learned"),
    ],
)
def test_initial_state_that_is_learned_is_trainable(part, mode):
    before, after = before_and_after_training(part, mode)
    assert not np.array_equal(after, before)


@pytest.mark.once
@pytest.mark.parametrize(
    ("part", "mode"),
    [
        ("memory", "random"),
        ("memory", "constant"),
        ("weightings", "uniform"),
        ("weightings", "one-hot"),
        ("reads", "zeros"),
    ],
)
def test_initial_state_that_is_not_learned_is_not_trainable(part, mode):
    before, after = before_and_after_training(part, mode)
    np.testing.assert_array_equal(after, before)


def test_every_weight_gets_a_gradient_the_learned_initial_state_included():
    layer = ntm(
        initial_memory="learned", initial_weightings="learned", initial_reads="learned"
    )
    gradients = layer_gradients(layer, mean_square, sequences())
    assert [path for path, gradient in gradients.items() if not np.any(gradient)] == []


@pytest.mark.once
def test_every_example_starts_from_the_same_state():
    layer = ntm(
        initial_memory="learned", initial_weightings="learned", initial_reads="learned"
    )
    for part in layer.cell.get_initial_state(batch_size=B):
        np.testing.assert_array_equal(part, np.repeat(part[:1], B, axis=0))
