"""LSTM and GRU layers in the compiled kernel against the loop of Keras and float64."""

import keras
import numpy as np
import pytest
from both_paths import path, relative_to
from gradients import values_and_gradients
from keras import ops
from layer_weights import randomise
from xla import HAS_XLA

import memnets
from memnets import native
from memnets.native import library
from memnets.native.recurrent_kernel_layout import RecurrentLayout

pytestmark = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)

LAYERS = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}
each_layer = pytest.mark.parametrize("kind", LAYERS)
ON_JAX = keras.backend.backend() == "jax"


def layer_of(kind, units=12, features=5, **changes):
    """A built layer that the kernel runs."""
    arguments = {"return_sequences": True, "return_state": True, **changes}
    layer = memnets.accelerate(LAYERS[kind](units, **arguments))
    layer.build((None, None, features))
    randomise(layer, scale=0.4)
    return layer


def arguments_of(layer, batch=3, steps=7, features=5, has_mask=False):
    """Inputs, first states and a mask."""
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((batch, steps, features)).astype("float32")
    states = [
        rng.standard_normal((batch, size)).astype("float32")
        for size in layer.state_size
    ]
    mask = rng.random((batch, steps)) < 0.6 if has_mask else None
    if has_mask:
        mask[0], mask[1, :2] = False, False  # nothing counts, or not from the beginning
    return inputs, states, mask


def computed(layer, inputs, states, mask):
    shapes = [r.shape for r in keras.tree.flatten(layer(inputs, initial_state=states))]
    rng = np.random.default_rng(1)
    factors = [rng.standard_normal(shape).astype("float32") for shape in shapes]
    return values_and_gradients(layer, inputs, factors, states, mask)


def assert_paths_agree(layer, **shape):
    inputs, states, mask = arguments_of(layer, **shape)
    assert native.covers(layer.cell)
    values, gradients = computed(layer, inputs, states, mask)
    with path(compiled=False):
        expected_values, expected = computed(layer, inputs, states, mask)
    for value, like in zip(values, expected_values, strict=True):
        np.testing.assert_allclose(value, like, rtol=0, atol=0.1 * relative_to(like))
    assert gradients.keys() == expected.keys()
    for name, like in expected.items():
        tolerance = 0.1 * relative_to(like)  # 1e-5
        np.testing.assert_allclose(
            gradients[name], like, rtol=0, atol=tolerance, err_msg=name
        )


CASES = {
    "usual": ({}, {}),
    "one step": ({}, {"steps": 1}),
    "one sequence": ({}, {"batch": 1}),
    "one unit": ({"units": 1}, {}),
    "blocks of uneven size": ({"units": 33}, {"batch": 19}),
    "many steps": ({"units": 37}, {"steps": 70}),
    "whole vectors": ({"units": 64}, {}),
    "no bias": ({"use_bias": False}, {}),
    "last output": ({"return_sequences": False}, {}),
    "mask": ({}, {"has_mask": True, "batch": 9}),
    "mask, last output": ({"return_sequences": False}, {"has_mask": True}),
    "backwards": ({"go_backwards": True}, {"has_mask": True}),
    "zeros under a mask": ({"zero_output_for_mask": True}, {"has_mask": True}),
}
if keras.backend.backend() != "tensorflow":  # where each takes seconds
    CASES = {name: CASES[name] for name in ("blocks of uneven size", "backwards")}


@each_layer
@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_are_those_of_keras(kind, case):
    changes, shape = CASES[case]
    assert_paths_agree(layer_of(kind, **changes), **shape)


def test_clipped_carries_are_those_of_the_portable_path():
    cell = memnets.cells.ClippedLSTMCell(12, cell_clip=0.3)
    layer = memnets.MemoryRNN(cell, return_sequences=True, return_state=True)
    layer.build((None, None, 5))
    randomise(layer, scale=0.4)
    assert_paths_agree(layer, steps=12)


@each_layer
def test_both_directions_are_those_of_keras(kind):
    layer = keras.layers.Bidirectional(LAYERS[kind](6, return_sequences=True))
    memnets.accelerate(layer)
    inputs = np.random.default_rng(0).standard_normal((4, 6, 5)).astype("float32")
    mask = np.arange(6) < np.array([[6], [3], [1], [5]])
    actual = layer(inputs, mask=ops.convert_to_tensor(mask))
    with path(compiled=False):
        expected = layer(inputs, mask=ops.convert_to_tensor(mask))
    np.testing.assert_allclose(actual, expected, atol=1e-6)


# Against float64


def squash(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(inputs, output, carry, matrix, bias):
    values = inputs + output @ matrix + bias[0]
    gate, forget, candidate, out = np.split(values, 4, axis=-1)
    carry = squash(forget) * carry + squash(gate) * np.tanh(candidate)
    return squash(out) * np.tanh(carry), carry


def gru_step(inputs, output, matrix, bias):
    """Cho et al. (2014), with the reset gate after the product."""
    update, reset, candidate = np.split(inputs + bias[0], 3, axis=-1)
    for_update, for_reset, inner = np.split(output @ matrix + bias[1], 3, axis=-1)
    update, reset = squash(update + for_update), squash(reset + for_reset)
    candidate = np.tanh(candidate + reset * inner)
    return (update * output + (1 - update) * candidate,)


STEPS = {"lstm": lstm_step, "gru": gru_step}


def oracle(kind, inputs, state, weights, units):
    """Outputs and the last state, in float64."""
    gates = {"lstm": 4, "gru": 3}[kind] * units
    rows = weights.reshape(-1, gates)
    features = inputs.shape[-1]
    of_inputs, matrix, bias = np.split(rows, [features, features + units])
    inputs = inputs @ of_inputs
    states, outputs = np.split(state, state.shape[1] // units, axis=1), []
    for step in range(inputs.shape[1]):
        states = STEPS[kind](inputs[:, step], *states, matrix, bias)
        outputs.append(states[0])
    return np.stack(outputs, 1), np.concatenate(states, 1)


def arrays_of(kind, batch=3, steps=5, features=4, units=6):
    layout = RecurrentLayout(kind, features, units, np.inf)
    rng = np.random.default_rng(2)
    gates, biases = (3 * units, 2) if kind == "gru" else (4 * units, 1)
    num_weights = (features + units + biases) * gates
    shapes = [(batch, steps, features), (batch, layout.state_size), num_weights]
    inputs, state, weights = (rng.standard_normal(s) for s in shapes)
    return layout, [inputs, state, 0.5 * weights]


def run_kernel(layout, arrays, threads=2, mask=None):
    inputs, state, weights = (np.asarray(array, "float32") for array in arrays)
    mask = np.zeros((0, 0), "uint8") if mask is None else mask
    arguments = [inputs, mask, state, weights]
    return library.forward(layout, threads, True, *arguments), arguments


@pytest.mark.once
@each_layer
def test_values_are_those_of_a_loop_in_float64(kind):
    layout, arrays = arrays_of(kind)
    (outputs, last_state, _), _ = run_kernel(layout, arrays)
    expected = oracle(kind, *arrays, layout.units)
    np.testing.assert_allclose(outputs, expected[0], atol=1e-6)
    np.testing.assert_allclose(last_state, expected[1], atol=1e-6)


@pytest.mark.once
@each_layer
def test_gradients_are_central_differences_in_float64(kind):
    layout, arrays = arrays_of(kind)
    (outputs, last_state, ticket), kept = run_kernel(layout, arrays)
    rng = np.random.default_rng(3)
    factors = [rng.standard_normal(x.shape) for x in (outputs, last_state)]
    gradients = library.backward(
        layout, 2, *kept, ticket, *(f.astype("float32") for f in factors)
    )

    def value(*arrays):
        results = oracle(kind, *arrays, layout.units)
        return sum(np.sum(r * f) for r, f in zip(results, factors, strict=True))

    width = 1e-5
    for place, gradient in enumerate(gradients):
        expected = np.empty(gradient.shape)
        for index in np.ndindex(gradient.shape):
            ends = []
            for sign in (1, -1):
                moved = [array.copy() for array in arrays]
                moved[place][index] += sign * width
                ends.append(value(*moved))
            expected[index] = (ends[0] - ends[1]) / (2 * width)
        np.testing.assert_allclose(gradient, expected, atol=1e-5)


@pytest.mark.once
@each_layer
def test_the_number_of_threads_changes_no_bit(kind):
    layout, arrays = arrays_of(kind, batch=11, units=70)
    mask = (np.random.default_rng(4).random((11, 5)) < 0.7).astype("uint8")
    results = []
    for threads in (1, 2, 5):
        forward, kept = run_kernel(layout, arrays, threads, mask)
        factors = [np.ones_like(result) for result in forward[:2]]
        backward = library.backward(layout, threads, *kept, forward[2], *factors)
        results.append([*forward[:2], *backward])
    for other in results[1:]:
        for result, like in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(result, like)


@pytest.mark.once
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e38])
@each_layer
def test_an_extreme_input_stays_in_its_sequence(kind, value):
    layout, arrays = arrays_of(kind, batch=5)
    expected = run_kernel(layout, arrays)[0][0]
    arrays[0][2, 3, 0] = value
    actual = run_kernel(layout, arrays)[0][0]
    np.testing.assert_array_equal(actual[[0, 1, 3, 4]], expected[[0, 1, 3, 4]])
    assert np.isnan(actual[2, 3:]).any() == np.isnan(value)


@pytest.mark.once
def test_sizes_out_of_range_are_an_error():
    layout = RecurrentLayout("lstm", 1, 1 << 20, np.inf)
    with pytest.raises(ValueError, match="small enough for the compiled kernel"):
        library.history_size(layout, layout.sizes(1, 1, 1, True))


# What is covered


@pytest.mark.parametrize(
    "changes",
    [
        {"activation": "relu"},
        {"recurrent_activation": "hard_sigmoid"},
        {"recurrent_dropout": 0.5},
        {"dropout": 0.5, "implementation": 1},
        {"dtype": "mixed_bfloat16"},
        pytest.param({"dtype": "float64"}, marks=pytest.mark.only("tensorflow")),
    ],
)
@each_layer
def test_other_layers_run_as_in_keras(kind, changes):
    layer = memnets.accelerate(LAYERS[kind](4, **changes))
    inputs = np.random.default_rng(0).standard_normal((2, 3, 5)).astype("float32")
    actual = layer(inputs)
    assert not native.covers(layer.cell)
    with path(compiled=False):
        np.testing.assert_array_equal(actual, layer(inputs))


def test_a_reset_before_the_product_runs_as_in_keras():
    layer = memnets.accelerate(keras.layers.GRU(4, reset_after=False))
    assert layer(np.ones((2, 3, 5), "float32")).shape == (2, 4)
    assert not native.covers(layer.cell)


@each_layer
def test_dropout_of_inputs_is_that_of_keras(kind):
    def outputs(compiled):
        layer = layer_of(kind, dropout=0.5, seed=3, return_state=False)
        inputs, *_ = arguments_of(layer)
        with path(compiled):
            return np.asarray(layer(inputs, training=True)), np.asarray(layer(inputs))

    (actual, plain), (expected, _) = outputs(True), outputs(False)
    np.testing.assert_allclose(actual, expected, atol=1e-6)
    assert not np.allclose(actual, plain)


@each_layer
def test_an_accelerated_model_learns_as_before_and_is_saved_as_before(kind, tmp_path):
    def trained(change):
        keras.utils.set_random_seed(5)
        model = keras.Sequential(
            [
                keras.Input((None, 5)),
                LAYERS[kind](8, return_sequences=True),
                LAYERS[kind](8),
                keras.layers.Dense(2),
            ]
        )
        change(model)
        # XLA compiles for seconds; without it, only JAX takes as long.
        with_xla = HAS_XLA if change is memnets.accelerate else ON_JAX
        model.compile("sgd", "mse", jit_compile=with_xla)
        rng = np.random.default_rng(0)
        inputs = rng.standard_normal((32, 6, 5)).astype("float32")
        targets = rng.standard_normal((32, 2)).astype("float32")
        model.fit(inputs, targets, batch_size=8, epochs=2, verbose=0)
        return model

    fast, plain = trained(memnets.accelerate), trained(lambda model: model)
    assert "inner_loop" in vars(fast.layers[0])
    for weight, like in zip(fast.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_allclose(weight, like, atol=1e-5)
    fast.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert type(loaded.layers[0]) is LAYERS[kind]
    assert "inner_loop" not in vars(loaded.layers[0])
    again = memnets.load(tmp_path / "model.keras")
    assert "inner_loop" in vars(again.layers[0])


def test_layers_of_a_layer_are_accelerated():
    model = keras.Sequential([keras.layers.TimeDistributed(keras.layers.LSTM(3))])
    assert memnets.accelerate(model) is model
    assert "inner_loop" in vars(model.layers[0].layer)


def test_what_is_no_layer_is_refused():
    with pytest.raises(TypeError, match=r"`model` must be a Keras model or layer\."):
        memnets.accelerate("model.keras")


def test_a_loop_that_a_user_put_into_a_layer_stays():
    layer = keras.layers.LSTM(3)
    layer.inner_loop = lambda *arguments, **options: None
    own = layer.inner_loop
    assert memnets.accelerate(layer).inner_loop is own


@pytest.mark.parametrize("cell", [memnets.NTMCell, memnets.DNCCell, memnets.LRUACell])
def test_a_loop_of_keras_over_a_memory_is_accelerated(cell):
    layer = memnets.accelerate(
        keras.layers.RNN(cell(3, memory_size=8), return_sequences=True)
    )
    inputs = np.random.default_rng(0).standard_normal((2, 5, 4)).astype("float32")
    actual = layer(inputs)
    assert native.covers(layer.cell)
    with path(compiled=False):
        np.testing.assert_allclose(actual, layer(inputs), atol=1e-6)
