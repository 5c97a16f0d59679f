"""Gradients, precision, training and saving of a Neural Turing Machine."""

import functools

import keras
import numpy as np
import pytest
from gradients import gradient as gradient_of
from gradients import layer_gradients, values_and_gradients
from layer_weights import randomise
from ntm_layers import (
    MASK,
    B,
    F,
    T,
    built,
    mean_square,
    ntm,
    sequences,
    twin,
    unbuilt_ntm,
)
from xla import needs_xla

import memnets


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_has_finite_gradients(dtype):
    layer = ntm(dtype=dtype, return_sequences=True)
    for gradient in layer_gradients(layer, mean_square, sequences()).values():
        assert np.all(np.isfinite(gradient))


@pytest.mark.once
def test_controller_passed_in_may_compute_in_another_precision():
    controller = keras.layers.LSTMCell(6, dtype="float32")
    output = ntm(controller=controller, dtype="mixed_bfloat16")(sequences())
    assert keras.backend.standardize_dtype(output.dtype) == "bfloat16"


@pytest.mark.once
@pytest.mark.parametrize(
    "mode", ["constant", "constant-trainable", "learned", "random", "randomized"]
)
def test_gradients_are_finite_on_all_zero_inputs(mode):
    layer = built(initial_memory=mode)
    inputs = np.zeros((B, T, F), "float32")
    for gradient in layer_gradients(layer, mean_square, inputs).values():
        assert np.all(np.isfinite(gradient))


@pytest.mark.once
def test_gradients_are_finite_where_all_weights_and_the_memory_are_zero():
    layer = ntm(initial_memory="learned", initial_reads="learned")
    for variable in layer.weights:
        variable.assign(np.zeros(variable.shape))
    inputs = np.zeros((B, T, F), "float32")
    for gradient in layer_gradients(layer, mean_square, inputs).values():
        assert np.all(np.isfinite(gradient))


def test_gradients_are_finite_at_extreme_weights():
    layer = ntm(return_sequences=True)
    randomise(layer, scale=100.0)
    for gradient in layer_gradients(layer, mean_square, sequences()).values():
        assert np.all(np.isfinite(gradient))


# The kernel, the portable path, and layers whose call or loop is their own.
BOUNDED = {
    "NTM": lambda **bound: unbuilt_ntm(return_state=True, **bound),
    "NTM, learned state": lambda **bound: unbuilt_ntm(
        initial_memory="learned", initial_reads="learned", **bound
    ),
    "NTM, portable": lambda **bound: unbuilt_ntm(
        controller=keras.layers.GRUCell(4), return_sequences=True, **bound
    ),
    "DNC": lambda **bound: memnets.DNC(2, memory_size=4, word_size=3, **bound),
    "SAM": lambda **bound: memnets.SAM(2, memory_size=6, num_rows_read=2, **bound),
    "FastWeights": lambda **bound: memnets.FastWeights(2, key_size=3, **bound),
}
# One loop bounds those of all cells: on other backends with the kernel and without, and
# what has no loop.
EVERYWHERE = ("NTM", "NTM, learned state", "NTM, portable", "FastWeights")
EACH_BOUNDED = pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            make, id=name, marks=[] if name in EVERYWHERE else pytest.mark.once
        )
        for name, make in BOUNDED.items()
    ],
)


def gradients_of(layer, scale=1.0):
    """The gradients of a sum of the results times `factors`, and the factors."""
    if not layer.built:
        layer.build((B, None, F))
        randomise(layer)
    states = [np.asarray(state) for state in layer.get_initial_state(B)]
    results = keras.tree.flatten(layer(keras.Input(batch_shape=(B, T, F))))
    rng = np.random.default_rng(3)
    factors = [
        (scale * rng.standard_normal(result.shape)).astype("float32")
        for result in results
    ]
    factors[0][0] = 0.0  # no error of one sequence
    _, gradients = values_and_gradients(layer, sequences(), factors, states, MASK)
    return gradients, factors


def norm_of(gradients):
    numbers = np.concatenate([np.ravel(x) for x in gradients.values()])
    return np.linalg.norm(numbers.astype("float64"))


def errors_of(factors):
    """E of `with_bounded_gradients`: the factors are the errors."""
    rows = [row for factor in factors for row in factor.reshape(-1, factor.shape[-1])]
    return sum(np.linalg.norm(row.astype("float64")) for row in rows)


@functools.cache
def free_gradients(make):
    """Without a bound, for reading only."""
    return gradients_of(make())


@EACH_BOUNDED
def test_bounded_gradients_keep_their_direction_and_reach_the_bound(make):
    free, factors = free_gradients(make)
    errors = errors_of(factors)
    bound = 0.25 * norm_of(free) / errors
    bounded, _ = gradients_of(make(gradient_bound=bound))
    for expected, actual in zip(free.values(), bounded.values(), strict=True):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(4 * actual, expected, rtol=1e-4, atol=1e-5 * scale)
    assert norm_of(bounded) == pytest.approx(bound * errors, rel=1e-4)


@EACH_BOUNDED
def test_gradients_below_the_bound_stay_as_they_are(make):
    free, factors = free_gradients(make)
    errors = errors_of(factors)
    bounded, _ = gradients_of(make(gradient_bound=1.01 * norm_of(free) / errors))
    for expected, actual in zip(free.values(), bounded.values(), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def test_bounded_gradients_scale_with_the_loss():
    """As loss scaling needs, and sums in place of means; squares would overflow."""
    layer = ntm(return_sequences=True, gradient_bound=0.1)
    gradients, _ = gradients_of(layer)
    for scale in (1e-25, 1e25):
        for name, scaled in gradients_of(layer, scale)[0].items():
            np.testing.assert_allclose(
                scaled / scale, gradients[name], rtol=1e-4, atol=1e-6
            )


def test_gradients_without_errors_are_zero():
    gradients, _ = gradients_of(ntm(return_sequences=True, gradient_bound=0.1), 0.0)
    assert norm_of(gradients) == 0.0


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_a_bound_hides_no_gradient_that_is_not_finite(value):
    """Optimizers that skip such a step must see it."""
    layer = ntm(return_sequences=True, gradient_bound=0.1)
    assert not np.isfinite(norm_of(gradients_of(layer, value)[0]))


def test_gradients_outside_training_have_no_bound():
    layer = ntm(gradient_bound=1e-3)
    free = twin(layer, gradient_bound=None)
    actual, expected = (
        gradient_of(lambda x, each=each: mean_square(each(x)), sequences())[0]
        for each in (layer, free)
    )
    np.testing.assert_allclose(actual, expected, atol=1e-6)
    assert np.abs(expected).max() > 1e-3


def test_a_bounded_layer_keeps_its_state_and_its_random_numbers():
    layer = twin(ntm(), stateful=True, gradient_bound=0.1)
    free = twin(layer, gradient_bound=None)
    for _ in range(2):
        actual, expected = (each(sequences(), training=True) for each in (layer, free))
        np.testing.assert_allclose(actual, expected, atol=1e-6)
    stack = memnets.StackRNN(2, noise=1.0, gradient_bound=0.1)
    first, second = (np.asarray(stack(sequences(), training=True)) for _ in range(2))
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_a_bounded_layer_learns_in_fit(dtype):
    layer = unbuilt_ntm(
        return_sequences=True, gradient_bound=0.1, initial_memory="randomized"
    )
    layer = memnets.NTM(**{**layer.get_config(), "dtype": dtype})
    model = keras.Sequential([keras.Input((T, F)), layer])
    model.compile("adam", "mse")
    x, y = sequences(64), np.ones((64, T, 2), "float32")
    losses = model.fit(x, y, epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0]


@pytest.mark.once
def test_a_bound_is_saved_and_a_file_without_one_loads():
    layer = unbuilt_ntm(gradient_bound=2)
    assert memnets.NTM.from_config(layer.get_config()).gradient_bound == 2.0
    config = unbuilt_ntm().get_config()
    del config["gradient_bound"]
    assert memnets.NTM.from_config(config).gradient_bound is None


@pytest.mark.once
def test_a_bound_must_be_a_positive_number():
    message = "`gradient_bound` must be from 1e-30 to 1e30. Received: gradient_bound=0"
    with pytest.raises(ValueError, match=message):
        unbuilt_ntm(gradient_bound=0)


def compiled(jit_compile):
    inputs = keras.Input((T, F))
    model = keras.Model(inputs, ntm()(inputs))
    model.compile(keras.optimizers.SGD(0.1), loss="mse", jit_compile=jit_compile)
    return model


@needs_xla
def test_training_compiled_with_xla_equals_training_without():
    targets = np.ones((B, 2))
    with_xla, without = compiled(True), compiled(False)
    losses = [
        (
            with_xla.train_on_batch(sequences(), targets),
            without.train_on_batch(sequences(), targets),
        )
        for _ in range(3)
    ]
    # 1e-4: XLA orders the sums otherwise, and three updates amplify it.
    np.testing.assert_allclose(*zip(*losses, strict=True), rtol=1e-4)


def test_saved_training_continues_where_it_stopped(tmp_path):
    model = compiled(False)
    model.train_on_batch(sequences(), np.ones((B, 2)))
    model.save(tmp_path / "ntm.keras")
    loaded = keras.saving.load_model(tmp_path / "ntm.keras")
    assert loaded.train_on_batch(sequences(), np.ones((B, 2))) == pytest.approx(
        model.train_on_batch(sequences(), np.ones((B, 2))), rel=1e-6
    )


def test_loaded_stateful_layer_starts_from_the_initial_state_that_was_saved(tmp_path):
    layer = twin(ntm(), stateful=True)
    keras.Sequential([keras.Input(batch_shape=(B, T, F)), layer]).save(
        tmp_path / "ntm.keras"
    )
    loaded = keras.saving.load_model(tmp_path / "ntm.keras")
    np.testing.assert_allclose(loaded(sequences()), layer(sequences()), atol=1e-6)
