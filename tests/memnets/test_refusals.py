"""Wrong arguments of layers and cells: errors that name the argument."""

import functools
import re

import hypothesis
import keras
import numpy as np
import pytest
from cases import cases
from fuzz.judge import check_error
from hypothesis import strategies as st
from keras import ops

import memnets
from memnets.memory import access, addressing

pytestmark = pytest.mark.once

B, T, F = 2, 4, 3
SMALL = {"memory_size": 4, "word_size": 3, "controller_size": 3}


def zeros(*shape):
    return np.zeros(shape, "float32")


@functools.cache
def built(kind):
    """A layer that was called, for reading only."""
    layer = {
        "NTM": lambda: memnets.NTM(2, **SMALL),
        "DNC": lambda: memnets.DNC(2, **SMALL),
        "MemoryRNN": lambda: memnets.MemoryRNN(keras.layers.LSTMCell(2)),
        "StackedLSTM": lambda: memnets.StackedLSTM(2, layer_sizes=(3,)),
        "NTMCell": lambda: memnets.NTMCell(2, **SMALL),
        "DNCCell": lambda: memnets.DNCCell(2, **SMALL),
        "FeedforwardCell": lambda: memnets.cells.FeedforwardCell(2),
    }[kind]()
    layer.build((B, F) if kind.endswith("Cell") else (B, T, F))
    return layer


LAYERS = pytest.mark.parametrize("kind", ["NTM", "DNC", "MemoryRNN", "StackedLSTM"])
LOOPS = pytest.mark.parametrize("kind", ["NTM", "DNC", "MemoryRNN"])
CELLS = pytest.mark.parametrize("kind", ["NTMCell", "DNCCell", "FeedforwardCell"])


def rejected(message, error=ValueError):
    return pytest.raises(error, match=f"^{re.escape(message)}")


# Sequences and masks


@LAYERS
@pytest.mark.parametrize("shape", [(B, F), (B, T, F, 1), (B, T, F + 2), (B, T, F - 1)])
def test_sequences_with_a_wrong_shape_are_rejected(kind, shape):
    with rejected(
        f"`sequences` must have the shape (B, T, {F}). Received: sequences of shape "
        f"{shape}"
    ):
        built(kind)(zeros(*shape))


@LAYERS
def test_sequences_of_a_new_layer_must_have_three_axes(kind):
    layer = type(built(kind)).from_config(built(kind).get_config())
    with rejected("`sequences` must have the shape (B, T, features). Received"):
        layer(zeros(B, F))
    with pytest.raises(ValueError, match="needs return_sequences=True.$"):
        layer(zeros(B, F))


@LAYERS
def test_sequences_must_have_a_step(kind):
    with rejected("`sequences` must have at least one step. Received: sequences of "):
        built(kind)(zeros(B, 0, F))


@LAYERS
@pytest.mark.parametrize(
    ("value", "received"),
    [
        ("abc", "sequences='abc'"),
        (None, "sequences=None"),
        ([[[1.0]]], "sequences=[[[1.0]]]"),
        (np.full((B, T, F), "a"), "sequences of type <U1"),
        (np.full((B, T, F), 1j), "sequences of type complex128"),
        (np.full((B, T, F), None), "sequences of type object"),
    ],
)
def test_sequences_must_be_a_tensor_of_real_numbers(kind, value, received):
    with rejected(
        f"`sequences` must be a tensor of real numbers, of shape (B, T, {F}). "
        f"Received: {received}",
        TypeError,
    ):
        built(kind)(value)


@LAYERS
def test_number_of_features_must_be_known(kind):
    layer = type(built(kind)).from_config(built(kind).get_config())
    with rejected("`sequences` must have a known number of features. Received"):
        layer(keras.Input((T, None)))


@LAYERS
@pytest.mark.parametrize(
    "shape", [(B, T + 1), (B + 1, T), (T,), (B, T, 1), (B, 1), (1, T)]
)
def test_mask_with_a_wrong_shape_is_rejected(kind, shape):
    # Without the check, a mask of rank 3 gives an output of rank 3.
    with rejected(
        f"`mask` must have the shape ({B}, {T}). Received: mask of shape {shape}"
    ):
        built(kind)(zeros(B, T, F), mask=np.ones(shape, bool))


@LAYERS
@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
def test_mask_may_have_any_numeric_type(kind, dtype):
    mask = np.array([[1, 1, 0, 0], [0, 1, 1, 1]], dtype)
    layer = built(kind)
    expected = layer(np.ones((B, T, F), "float32"), mask=mask.astype(bool))
    actual = layer(np.ones((B, T, F), "float32"), mask=ops.convert_to_tensor(mask))
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@LAYERS
def test_empty_batch_has_an_empty_output(kind):
    # Keras' LSTMCell alone fails on an empty batch on TensorFlow.
    layer = built(kind)
    output = layer(zeros(0, T, F), mask=np.ones((0, T), bool))
    assert output.shape == (0, *layer(zeros(B, T, F)).shape[1:])


# States


@LOOPS
@pytest.mark.parametrize("number", [0, 1, 3, 12])
def test_initial_state_with_a_wrong_number_of_tensors_is_rejected(kind, number):
    layer = built(kind)
    sizes = layer.state_size
    number += number == len(sizes)  # a wrong one
    with rejected(
        f"`initial_state` must hold {len(sizes)} tensors, of the sizes {sizes}. "
        f"Received: {number} tensor{'' if number == 1 else 's'}"
    ):
        layer(zeros(B, T, F), initial_state=[zeros(B, 2)] * number)


@LOOPS
def test_initial_state_with_a_wrong_batch_size_is_rejected(kind):
    # Without the check, the compiled kernel would read beyond the array.
    layer = built(kind)
    with rejected(
        "`initial_state` must have the shape (2, 2). Received: initial_state"
    ):
        layer(zeros(B, T, F), initial_state=layer.get_initial_state(B + 1))


@LOOPS
def test_initial_state_with_a_wrong_size_is_rejected(kind):
    layer = built(kind)
    states = [zeros(B, size + 1) for size in layer.state_size]
    with rejected(
        "`initial_state` must have the shape (2, 2). Received: initial_state"
    ):
        layer(zeros(B, T, F), initial_state=states)


@LOOPS
def test_state_of_a_stateful_layer_has_its_batch_size(kind):
    config = {**built(kind).get_config(), "stateful": True}
    layer = type(built(kind)).from_config(config)
    layer.build((B, T, F))
    with rejected(f"`sequences` must have the batch size {B} that the state of"):
        layer(zeros(B + 1, T, F))


@LOOPS
def test_stateful_layer_needs_a_known_batch_size(kind):
    config = {**built(kind).get_config(), "stateful": True}
    layer = type(built(kind)).from_config(config)
    with rejected(
        "`sequences` must have a known batch size for a stateful layer. Name it in the "
        f"input, such as keras.Input(batch_shape=(4, {T}, {F})). "
    ):
        layer(keras.Input((T, F)))


@LOOPS
def test_traces_check_their_arguments_as_calls_do(kind):
    layer = built(kind)
    methods = [name for name in ("trace", "trace_heads") if hasattr(layer, name)]
    assert ("trace_heads" in methods) == (kind != "MemoryRNN")
    for method in methods:
        with rejected("`sequences` must have at least one step. "):
            getattr(layer, method)(zeros(B, 0, F))


@pytest.mark.parametrize("batch_size", [-1, 2.5, "2", None])
def test_initial_state_needs_a_valid_batch_size(batch_size):
    with rejected(
        "`batch_size` must be a non-negative integer. Received: batch_size="
        f"{batch_size!r}"
    ):
        built("NTM").get_initial_state(batch_size)


def test_initial_state_of_a_layer_that_is_not_built_is_rejected():
    with rejected("The initial state must be built before it is asked for. Call or "):
        memnets.NTM(2).get_initial_state(2)


def test_unpack_rejects_a_wrong_number_of_states():
    with rejected("`states` must hold 6 tensors, of the sizes [2, 3, 3, 3, 8, 12]. "):
        built("NTMCell").unpack([zeros(B, 2)])


# Cells


def test_a_cell_of_a_memory_that_is_called_as_a_layer_names_what_runs_it():
    with pytest.raises(TypeError, match=r"NTMCell runs one step.*keras.layers.RNN\("):
        memnets.NTMCell(2)(zeros(B, T, F))


@CELLS
@pytest.mark.parametrize("shape", [(B, F + 1), (B, T, F), (B,)])
def test_inputs_with_a_wrong_shape_are_rejected(kind, shape):
    cell = built(kind)
    states = [zeros(B, size) for size in keras.tree.flatten(cell.state_size)]
    with rejected(f"`inputs` must have the shape (B, {F}). Received: inputs of shape "):
        cell(zeros(*shape), states)


@CELLS
def test_states_with_a_wrong_number_or_shape_are_rejected(kind):
    cell = built(kind)
    sizes = keras.tree.flatten(cell.state_size)
    with rejected(
        f"`states` must hold {len(sizes)} tensors, of the sizes {sizes}. Rec"
    ):
        cell(zeros(B, F), [])
    with rejected(
        "`states` must have the shape (2, 2). Received: states of shape (3, 2"
    ):
        cell(zeros(B, F), [zeros(B + 1, size) for size in sizes])


@pytest.mark.parametrize("activation", ["swisch", 3, b"tanh"])
def test_unknown_activation_is_rejected(activation):
    with rejected(
        "`activation` must be an activation of Keras, such as 'tanh'. "
        f"Received: activation={activation!r}"
    ):
        memnets.cells.FeedforwardCell(2, activation)


# Constructors


@LAYERS
@pytest.mark.parametrize("shape", [(B, F), "abc", None, (None, None, None)])
def test_layers_are_built_from_a_shape_with_features(kind, shape):
    layer = type(built(kind)).from_config(built(kind).get_config())
    with rejected("`sequences_shape` must be (B, T, features) with a known number of "):
        layer.build(shape)


def test_a_layer_that_is_given_as_a_cell_or_traced_without_values_says_so():
    with pytest.raises(
        ValueError, match="`NTM` is a whole layer; .*RNN` takes a `NTMCell`"
    ):
        keras.layers.RNN(memnets.NTM(4))(np.zeros((2, 3, 4)))
    with pytest.raises(TypeError, match="an array or a tensor with values"):
        memnets.NTM(4).trace(keras.Input((None, 3)))


@pytest.mark.parametrize(
    "name",
    [
        *("return_sequences", "return_state", "go_backwards", "stateful", "unroll"),
        "zero_output_for_mask",
    ],
)
@pytest.mark.parametrize("value", ["no", 1, None])
def test_switches_must_be_true_or_false(name, value):
    message = f"`{name}` must be True or False. Received: {name}={value!r}"
    with rejected(message, TypeError):
        memnets.NTM(2, **SMALL, **{name: value})


@pytest.mark.parametrize(
    "make", [memnets.NTM, memnets.NTMCell, memnets.DNC, memnets.StackedLSTM]
)
@pytest.mark.parametrize("dtype", ["float13", "int32", "string", 5, {}, True])
def test_dtype_that_is_not_floating_point_is_rejected(make, dtype):
    with rejected(
        "`dtype` must be a floating point type or a data type policy of Keras, such as "
        f"'mixed_bfloat16'. Received: dtype={dtype!r}"
    ):
        make(2, dtype=dtype)


@pytest.mark.parametrize(
    "cell", [5, None, "lstm", keras.layers.Dense(2), keras.layers.LSTMCell]
)
def test_loop_over_something_else_than_a_cell_is_rejected(cell):
    with rejected(
        "`cell` must be a cell, such as keras.layers.LSTMCell(100). Received"
    ):
        memnets.MemoryRNN(cell)


def test_loop_over_no_cells_is_rejected():
    with rejected("`cell` must not be empty. Received: cell=[]"):
        memnets.MemoryRNN([])


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda layer: memnets.MemoryRNN(layer), "cell"),
        (lambda layer: memnets.NTM(2, controller=layer), "controller"),
    ],
)
def test_layer_in_place_of_a_cell_is_rejected(make, name):
    # Without the check, a controller fails only at the first call.
    with rejected(
        f"`{name}` must be a cell, such as keras.layers.LSTMCell(100), not a layer "
        f"that runs one. Received: {name}=<LSTM"
    ):
        make(keras.layers.LSTM(3))


@pytest.mark.parametrize("name", ["units", "memory_size", "word_size"])
def test_sizes_beyond_32_bits_are_rejected(name):
    with rejected(
        f"`{name}` must be an integer of at most 2147483647. "
        f"Received: {name}=2147483648"
    ):
        memnets.NTM(**{"units": 2, name: 2**31})


def test_memory_beyond_32_bits_is_rejected():
    with rejected(
        "`memory_size * word_size` must be an integer of at most 2147483647. Received"
    ):
        memnets.NTM(2, memory_size=2**20, word_size=2**20)


@pytest.mark.parametrize(
    "function",
    [
        lambda axis: access.read(zeros(1, 3, 2), zeros(1, 1, 3), row_axis=axis),
        lambda axis: access.write(
            *(zeros(1, 3, 2), zeros(1, 1, 3), zeros(1, 1, 2), zeros(1, 1, 2)),
            row_axis=axis,
        ),
        lambda axis: addressing.cosine_similarity(
            zeros(1, 3, 2), zeros(1, 1, 2), row_axis=axis
        ),
    ],
)
@pytest.mark.parametrize("axis", [0, 3, None])
def test_row_axis_must_be_one_of_two(function, axis):
    with rejected(f"`row_axis` must be 1 or 2. Received: row_axis={axis!r}"):
        function(axis)


MEMORY, WEIGHTING = zeros(1, 3, 2), zeros(1, 1, 3)
KEY, SCALAR = zeros(1, 1, 2), zeros(1, 1, 1)
FUNCTIONS = {
    "cosine_similarity": (addressing, {"memory": MEMORY, "key": KEY}),
    "content_weighting": (addressing, {"memory": MEMORY, "key": KEY, "beta": SCALAR}),
    "interpolate": (
        addressing,
        {"content": WEIGHTING, "prev_weighting": WEIGHTING, "gate": SCALAR},
    ),
    "shift": (addressing, {"weighting": WEIGHTING, "shift": SCALAR}),
    "sharpen": (addressing, {"weighting": WEIGHTING, "gamma": SCALAR}),
    "read": (access, {"memory": MEMORY, "weighting": WEIGHTING}),
    "write": (
        access,
        {"memory": MEMORY, "weighting": WEIGHTING, "erase": KEY, "add": KEY},
    ),
}


@pytest.mark.parametrize(
    ("function", "name"),
    [(function, name) for function, (_, right) in FUNCTIONS.items() for name in right],
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 1, 3, 2)])
def test_tensors_of_the_memory_mathematics_have_three_axes(function, name, shape):
    module, right = FUNCTIONS[function]
    getattr(module, function)(**right)
    with rejected(f"`{name}` must have 3 axes. Received: {name} of shape {shape}"):
        getattr(module, function)(**right | {name: zeros(*shape)})


# Random arguments

JUNK = st.sampled_from(
    [
        *(-1, 0, 1, 2, 3, 2**31, -(10**400), 10**400, True, False, None, 1j),
        *(0.0, 2.0, 2.5, float("nan"), float("inf"), "", "3", "lstm", "random", b"x"),
        *((), [], (2,), [3, 2], (2, "x"), (0,), {}, {"a": 1}, {2}),
        *(np.int64(2), np.float32(2), np.array(2), np.array([1, 2]), np.bool_(True)),
        *(object(), keras.layers.LSTMCell, keras.layers.Dense(2), zeros(B, T, F)),
    ]
)
ARGUMENTS = {
    "NTM": (
        *("units", "memory_size", "word_size", "num_read_heads", "num_write_heads"),
        *("shift_range", "controller", "controller_size", "initial_memory"),
        *("initial_weightings", "initial_reads", "gate_bias", "shift_bias", "dtype"),
        *("write_gate_bias", "write_shift_bias", "input_clip", "cell_clip"),
        *("return_sequences", "return_state", "stateful", "go_backwards", "unroll"),
        *("zero_output_for_mask", "trainable"),
    ),
    "DNC": (
        *("units", "memory_size", "word_size", "num_read_heads", "num_write_heads"),
        *("controller", "controller_size", "links", "deallocate", "masks", "mask_min"),
        *("sharpen_links", "usage_gradient", "allocation_bias", "initial_memory"),
        *("input_clip", "cell_clip", "dtype"),
    ),
    "MemoryRNN": ("cell", "stateful", "dtype", "return_sequences"),
    "StackedLSTM": ("units", "layer_sizes", "dtype"),
    "NTMCell": ("units", "memory_size", "shift_range", "dtype", "controller"),
    "FeedforwardCell": ("units", "dtype"),
}
GOOD = {
    "NTM": {"units": 2, **SMALL, "controller": "feedforward"},
    "DNC": {"units": 2, **SMALL, "controller": "feedforward"},
    "MemoryRNN": {},
    "StackedLSTM": {"units": 2, "layer_sizes": (3,)},
    "NTMCell": {"units": 2, **SMALL, "controller": "feedforward"},
    "FeedforwardCell": {"units": 2},
}


def arguments(kind):
    good = dict(GOOD[kind])
    if kind == "MemoryRNN":
        good["cell"] = keras.layers.GRUCell(2)
    return good


@hypothesis.given(
    st.sampled_from([(kind, name) for kind in ARGUMENTS for name in ARGUMENTS[kind]]),
    JUNK,
)
@cases(150)
def test_any_constructor_gives_finite_numbers_or_an_error_that_names_the_argument(
    where, junk
):
    kind, name = where
    try:
        made = type(built(kind))(**{**arguments(kind), name: junk})
    except (ValueError, TypeError) as error:
        check_error(error, {name, "memory_size"})
        return
    loop = keras.layers.RNN(made) if kind.endswith("Cell") else made
    outputs = keras.tree.flatten(loop(np.ones((B, T, F), "float32")))
    assert all(np.all(np.isfinite(output)) for output in outputs)


tensors = st.builds(
    lambda shape, dtype: np.ones(shape, dtype),
    st.one_of(
        st.sampled_from([(B, T, F), (B, T)]),
        st.lists(st.integers(0, 4), max_size=4).map(tuple),
    ),
    st.sampled_from(["float32", "float64", "float16", "int8", "bool", "complex64"]),
)
calls = st.fixed_dictionaries(
    {},
    optional={
        "sequences": st.one_of(tensors, JUNK),
        "mask": st.one_of(tensors, JUNK),
        "initial_state": st.one_of(tensors, JUNK, st.lists(tensors, max_size=6)),
    },
)


@hypothesis.given(st.sampled_from(["NTM", "DNC", "MemoryRNN", "StackedLSTM"]), calls)
@cases(100)
def test_any_call_gives_finite_numbers_or_an_error_that_names_the_argument(
    kind, passed
):
    passed = {"sequences": np.ones((B, T, F), "float32"), **passed}
    if kind == "StackedLSTM":
        passed.pop("initial_state", None)
    try:
        output = built(kind)(**passed)
    except (ValueError, TypeError) as error:
        check_error(error, passed)
    else:
        assert np.all(np.isfinite(output))
