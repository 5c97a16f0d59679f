"""Half precision: the data types of weights, computations and results."""

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from gradients import values_and_gradients
from keras import ops
from layer_weights import randomise

import memnets
from memnets import native
from memnets.numerics.precision import FLOAT16_LARGEST, at_least_float32

EACH = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in DESCRIPTORS]
)
HALF_POLICIES = pytest.mark.parametrize(
    "policy", ["float16", "mixed_float16", "bfloat16", "mixed_bfloat16"]
)
SMALL = {"memory_size": 4, "word_size": 3, "controller_size": 4}


def sequences(batch_size=2):
    rng = np.random.default_rng(0)
    return rng.standard_normal((batch_size, 3, FEATURES)).astype("float32")


def dtype_of(tensor):
    return keras.backend.standardize_dtype(tensor.dtype)


@EACH
@HALF_POLICIES
def test_weights_are_in_float32_and_the_symbolic_output_in_the_compute_type(
    descriptor, policy
):
    layer = descriptor.make_layer(policy)
    symbolic = layer(keras.Input((3, FEATURES)))
    assert {dtype_of(variable) for variable in layer.weights} == {"float32"}
    assert dtype_of(symbolic) == keras.DTypePolicy(policy).compute_dtype


@EACH
@HALF_POLICIES
def test_config_keeps_the_policy(descriptor, policy):
    layer = descriptor.make(dtype=policy)
    again = type(layer).from_config(layer.get_config())
    assert layer.dtype_policy.name == again.dtype_policy.name == policy


@pytest.mark.parametrize("policy", ["float16", "mixed_float16"])
def test_float16_is_computed_in_float32(policy):
    layer = memnets.NTM(2, **SMALL, return_state=True, dtype=policy)
    assert layer.cell.compute_dtype == "float32"
    assert native.covers(layer.cell) == native.is_available()
    output, *states = layer(sequences())
    assert dtype_of(output) == "float16"
    assert {dtype_of(state) for state in states} == {"float32"}
    precise = memnets.NTM(2, **SMALL, return_state=True)
    precise.build((None, None, FEATURES))
    precise.set_weights(layer.get_weights())
    precise_output, *precise_states = precise(sequences())
    np.testing.assert_array_equal(output, ops.cast(precise_output, "float16"))
    for state, like in zip(states, precise_states, strict=True):
        np.testing.assert_array_equal(state, like)


def types_of_a_call(layer, inputs):
    """What a layer returns. JAX tells the types without compiling anything."""
    if keras.backend.backend() != "jax":
        return layer(inputs)
    import jax

    return jax.eval_shape(layer, inputs)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize(
    "descriptor",
    [
        pytest.param(row, id=row.name)
        for row in DESCRIPTORS
        if issubclass(row.layer_class, keras.layers.RNN | memnets.StackedLSTM)
    ],
)
def test_symbolic_states_have_the_type_of_the_states(descriptor, policy):
    layer = descriptor.make_layer(policy, return_state=True)
    symbolic = keras.tree.flatten(layer(keras.Input((3, FEATURES))))
    results = keras.tree.flatten(types_of_a_call(layer, sequences()[:, :2]))
    assert [dtype_of(x) for x in symbolic] == [dtype_of(x) for x in results]


def test_rows_that_a_controller_counts_are_exact_in_bfloat16():
    """Above 256, bfloat16 leaves out every other number."""
    sizes = {"memory_size": 1001, "word_size": 3, "controller_size": 4}
    controller = memnets.SAMCell(4, num_read_heads=1, **sizes)
    cell = memnets.NTMCell(
        2, memory_size=4, word_size=3, controller=controller, dtype="mixed_bfloat16"
    )
    layer = memnets.MemoryRNN(cell, return_state=True, dtype="mixed_bfloat16")
    output, *states = layer(sequences())
    assert dtype_of(output) == "bfloat16"
    start = layer.get_initial_state(2)
    assert {dtype_of(state) for state in (*start, *states)} == {"float32"}


def test_sparse_memory_goes_on_from_a_returned_state_in_bfloat16():
    sizes = {"memory_size": 1001, "word_size": 3, "controller_size": 4}
    layer = memnets.SAM(2, **sizes, return_state=True, dtype="mixed_bfloat16")
    whole = layer(sequences())
    _, *states = layer(sequences()[:, :1])
    parts = layer(sequences()[:, 1:], initial_state=states)
    for part, like in zip(parts, whole, strict=True):
        np.testing.assert_allclose(
            ops.cast(part, "float32"), ops.cast(like, "float32"), atol=1e-6
        )


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize(
    "make",
    [
        keras.layers.GRUCell,
        lambda units, dtype: memnets.SAMCell(units, memory_size=5, dtype=dtype),
    ],
)
def test_a_learned_start_runs_in_half_precision(make, policy):
    cell = memnets.cells.LearnedStart(make(4, dtype=policy), dtype=policy)
    layer = memnets.MemoryRNN(cell, dtype=policy)
    output = layer(sequences())
    assert dtype_of(output) == keras.DTypePolicy(policy).compute_dtype
    assert np.all(np.isfinite(ops.convert_to_numpy(ops.cast(output, "float32"))))


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize(
    "dropout",
    [{"dropout": 0.5}, {"recurrent_dropout": 0.5}],
    ids=" ".join,
)
@pytest.mark.parametrize(
    "cell_class",
    [keras.layers.LSTMCell, keras.layers.GRUCell, keras.layers.SimpleRNNCell],
)
def test_cells_with_dropout_run_in_half_precision(cell_class, dropout, policy):
    cell = cell_class(4, dtype=policy, **dropout)
    layer = memnets.MemoryRNN(cell, dtype=policy)
    like = keras.layers.RNN(cell, dtype=policy)  # of the same weights
    layer.build((None, None, FEATURES))
    equal_rows = np.repeat(sequences(1), 50, axis=0)
    without = assert_dropped(layer, equal_rows)
    expected = ops.cast(like(equal_rows, training=False), "float32")
    rounding = {"mixed_float16": 2e-3, "mixed_bfloat16": 2e-2}[policy]
    np.testing.assert_allclose(without, expected, atol=rounding)


def test_stacked_cells_with_dropout_run_in_half_precision(half_precision):
    cells = [
        keras.layers.LSTMCell(4, dropout=0.5),
        keras.layers.GRUCell(3, dropout=0.5),
    ]
    assert_dropped(memnets.MemoryRNN(cells), np.ones((50, 3, FEATURES)))


@pytest.fixture(params=["mixed_float16", "mixed_bfloat16"])
def half_precision(request):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(request.param)
    yield
    keras.config.set_dtype_policy(before)


def assert_dropped(layer, equal_rows):
    """In training, and only there, equal sequences have other outputs. Returns those
    without dropout."""
    for training in (True, False):
        output = ops.cast(layer(equal_rows, training=training), "float32")
        output = ops.convert_to_numpy(output)
        spread = np.ptp(output, axis=0)
        assert np.all(np.isfinite(spread))
        assert np.any(spread > 0.01) == training
    return output


def test_a_stack_of_layers_goes_on_from_a_returned_state_in_float16():
    precise, layer = (
        memnets.StackedLSTM(2, layer_sizes=(3, 4), return_state=True, dtype=policy)
        for policy in ("float32", "mixed_float16")
    )
    _, *expected = precise(sequences())
    layer.build((None, None, FEATURES))
    layer.set_weights(precise.get_weights())
    _, *states = layer(sequences()[:, :1])
    output, *states = layer(sequences()[:, 1:], initial_state=states)
    assert dtype_of(output) == "float16"
    assert {dtype_of(state) for state in states} == {"float32"}
    for state, like in zip(states, expected, strict=True):
        np.testing.assert_allclose(state, like, atol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int32", "float32"),
        ("int64", "float32"),
        ("bool", "float32"),
    ],
)
def test_half_precision_and_integers_are_widened_and_float64_is_kept(dtype, expected):
    assert at_least_float32(dtype) == expected


def test_trace_under_float16_is_not_rounded():
    layer = memnets.NTM(2, **SMALL, dtype="mixed_float16")
    assert dtype_of(layer.trace(sequences()).memory) == "float32"
    addressing_params, _ = layer.trace_heads(sequences())
    assert dtype_of(addressing_params.key) == "float32"


def test_lstm_in_bfloat16_can_be_built():
    # TensorFlow cannot initialise orthogonal matrices in bfloat16.
    for layer in (memnets.NTM(2, **SMALL, dtype="bfloat16"), stacked("bfloat16")):
        assert dtype_of(layer(sequences())) == "bfloat16"


def stacked(policy):
    return memnets.StackedLSTM(2, layer_sizes=(3,), dtype=policy)


def linear(policy):
    cell = memnets.cells.FeedforwardCell(2, activation=None, dtype=policy)
    return keras.layers.RNN(cell, dtype=policy)


def ntm_with_linear_controller(policy):
    cell = memnets.cells.FeedforwardCell(4, activation=None, dtype=policy)
    return memnets.NTM(2, memory_size=4, word_size=3, controller=cell, dtype=policy)


@pytest.mark.parametrize("make", [linear, ntm_with_linear_controller])
@pytest.mark.parametrize("policy", ["float16", "mixed_float16"])
def test_output_beyond_float16_is_its_largest_number(make, policy):
    layer = make(policy)
    layer.build((None, None, FEATURES))
    for variable in layer.weights:
        variable.assign(np.full(variable.shape, 50.0))
    inputs = np.full((2, 3, FEATURES), 1e4, "float32")
    values, gradients = values_and_gradients(layer, inputs, [1.0])
    np.testing.assert_array_equal(values[0], np.full((2, 2), FLOAT16_LARGEST))
    for name, gradient in gradients.items():
        assert np.all(np.isfinite(gradient)), name


@pytest.mark.parametrize(
    "make",
    [
        lambda policy: memnets.NTM(
            3, **{**SMALL, "num_read_heads": 3}, return_sequences=True, dtype=policy
        ),
        stacked,
    ],
)
@pytest.mark.parametrize("policy", ["float16", "mixed_float16"])
def test_gradients_beyond_float16_are_finite(make, policy):
    layer = make(policy)
    layer.build((None, None, FEATURES))
    randomise(layer, scale=60.0)
    # Small inputs do not saturate the controller; large ones give its kernel large
    # gradients.
    for size in (1.0, 1e2, 1e4):
        _, gradients = values_and_gradients(layer, size * sequences(), [1e3])
        for name, gradient in gradients.items():
            assert np.all(np.isfinite(gradient)), name
