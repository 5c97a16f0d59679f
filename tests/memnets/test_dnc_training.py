"""Gradients, precision and training of a Differentiable Neural Computer."""

import keras
import numpy as np
import pytest
from both_paths import BOTH_PATHS, path
from dnc_layers import (
    MASK,
    OPTIONS,
    B,
    F,
    N,
    T,
    dnc,
    sequences,
    twin,
    unbuilt_dnc,
)
from gradients import (
    assert_central_differences,
    central_differences,
    layer_gradients,
    results_and_layer_gradients,
    values_and_gradients,
)
from keras import ops
from layer_weights import randomise

from memnets.backends.recomputation import without_recomputation

ON_JAX = keras.backend.backend() == "jax"


def mean_square(output):
    return ops.mean(ops.square(ops.cast(output, "float32") - 1.0))


def assert_finite_gradients(layer, inputs):
    results, gradients = results_and_layer_gradients(layer, mean_square, inputs)
    for name, values in [*enumerate(results), *gradients.items()]:
        assert np.all(np.isfinite(values)), name


# Every operation of these is one of "all" or of many heads. One that is wrong or not
# finite in one of several operations is so in all of them.
PART_OF_OTHERS = ("deallocate", "masks", "sharp links", "three readers", "two writers")
PORTABLE = [name for name in OPTIONS if name not in PART_OF_OTHERS]
FINITE = pytest.mark.parametrize(
    ("name", "compiled"),
    [
        *(pytest.param(name, True, marks=pytest.mark.once) for name in OPTIONS),
        *((name, False) for name in PORTABLE),
    ],
)
SHORT = 3  # steps: the third one follows links from the first to the second


@pytest.mark.only("tensorflow", reason="JAX computes in float32 only")
@pytest.mark.parametrize(
    ("controller", "name"),
    [
        # The least value of a mask is a number in the same formula.
        *(("feedforward", name) for name in PORTABLE if name != "masks from 0"),
        # To a controller, all options are one interface of some size. A plain one of an
        # LSTM is in test_gradients.py.
        ("lstm", "many heads, all"),
    ],
)
def test_gradients_are_central_differences(controller, name):
    layer = dnc(
        controller=controller,
        initial_memory="learned",
        usage_gradient=True,
        return_sequences=True,
        dtype="float64",
        **OPTIONS[name],
    )
    inputs, mask = sequences(time=SHORT).astype("float64"), MASK[:, :SHORT]
    factors = np.random.default_rng(1).standard_normal((B, SHORT, 2))
    _, gradients = values_and_gradients(layer, inputs, [factors], mask=mask)
    assert_central_differences(
        gradients, central_differences(layer, inputs, factors, mask)
    )


@pytest.mark.once
def test_usage_is_not_differentiated_with_respect_to_what_was_written():
    """Its value is the same, and only the write weightings lose a gradient. Free gates
    keep theirs."""
    with_it = dnc(usage_gradient=True, return_sequences=True)
    without = twin(with_it, usage_gradient=False)
    np.testing.assert_array_equal(with_it(sequences()), without(sequences()))
    layout, starts = with_it.cell.memory.head_shapes, {}
    for name, (heads, size) in layout.items():
        starts[name] = sum(h * s for h, s in list(layout.values())[: len(starts)])
        starts[name] = slice(starts[name], starts[name] + heads * size)
    full, stopped = (
        np.asarray(layer_gradients(layer, mean_square, sequences())[bias])
        for layer in (with_it, without)
        for bias in [layer.cell.heads.bias.path]
    )
    assert not np.allclose(full[starts["write_gate"]], stopped[starts["write_gate"]])
    assert np.all(stopped[starts["free_gate"]] != 0)


@pytest.mark.once
@pytest.mark.parametrize(
    # It sees the flat parts of a state, which differ in these, and not what is computed
    # of them.
    "name",
    ["plain", "no links", "all", "many heads, all", "many heads, no links"],
)
def test_recomputation_changes_no_gradient(name):
    layer = dnc(return_sequences=True, **OPTIONS[name])
    with path(compiled=False):
        inputs = sequences(time=SHORT)
        recomputed = layer_gradients(layer, mean_square, inputs)
        with without_recomputation():
            stored = layer_gradients(layer, mean_square, inputs)
    for name, gradient in stored.items():
        np.testing.assert_allclose(recomputed[name], gradient, atol=1e-6, err_msg=name)


@FINITE
def test_gradients_are_finite_on_all_zero_inputs(name, compiled):
    layer = unbuilt_dnc(return_sequences=True, **OPTIONS[name])
    layer.build((B, None, F))
    with path(compiled):
        assert_finite_gradients(layer, np.zeros((B, SHORT, F), "float32"))


@pytest.mark.once
@FINITE
def test_gradients_are_finite_where_all_weights_are_zero(name, compiled):
    layer = dnc(return_sequences=True, **OPTIONS[name])
    for variable in layer.weights:
        variable.assign(np.zeros(variable.shape))
    with path(compiled):
        assert_finite_gradients(layer, np.zeros((B, SHORT, F), "float32"))


@BOTH_PATHS
@pytest.mark.parametrize("name", ["plain", "many heads, all", "many heads, no links"])
def test_gradients_are_finite_at_extremes(name, compiled):
    """Those of both sizes of weights by one layer, which JAX compiles once."""
    layer = dnc(return_sequences=True, **OPTIONS[name])
    # More steps than rows.
    inputs = (1e4 * sequences(time=N + 2)).astype("float32")
    for scale in (0.6, 100.0):
        randomise(layer, scale=scale)
        with path(compiled):
            if compiled:  # without gradients the kernel is another one
                assert np.all(np.isfinite(layer(inputs)))
            assert_finite_gradients(layer, inputs)


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_has_finite_gradients(dtype):
    layer = dnc(dtype=dtype, return_sequences=True, **OPTIONS["many heads, all"])
    assert_finite_gradients(layer, sequences())


@pytest.mark.once
@BOTH_PATHS
def test_a_full_memory_and_a_free_one_have_finite_gradients(compiled):
    layer = dnc(return_sequences=True)
    start = layer.cell.unpack(layer.cell.get_initial_state(B))
    for usage in (np.zeros_like(start.usage), np.ones_like(start.usage)):
        states = layer.cell.pack(start._replace(usage=usage))
        with path(compiled):
            values, gradients = values_and_gradients(layer, sequences(), [1.0], states)
        for part in [*values, *gradients.values()]:
            assert np.all(np.isfinite(part))


@pytest.mark.parametrize("name", ["all", "two writers"])
def test_training_at_ten_times_the_learning_rate_stays_finite(name):
    keras.utils.set_random_seed(1)
    inputs = keras.Input((None, F))
    layer = unbuilt_dnc(F, return_sequences=True, **OPTIONS[name])
    model = keras.Model(inputs, layer(inputs))
    # On TensorFlow, the kernel takes less time than the graph of a step.
    eager = {"jit_compile": ON_JAX, "run_eagerly": not ON_JAX}
    model.compile(keras.optimizers.Adam(3e-2), "mse", **eager)
    bits = np.random.default_rng(0).integers(0, 2, (16, 8, F)).astype("float32")
    delayed = np.concatenate([np.zeros((16, 3, F), "float32"), bits[:, :-3]], axis=1)
    history = [model.train_on_batch(bits, delayed) for _ in range(40)]
    assert np.all(np.isfinite(history)) and history[-1] < history[0]
    assert all(np.all(np.isfinite(weight)) for weight in model.get_weights())


def test_saved_training_continues_where_it_stopped(tmp_path):
    inputs = keras.Input((T, F))
    model = keras.Model(inputs, dnc(**OPTIONS["all"])(inputs))
    model.compile(keras.optimizers.SGD(0.1), loss="mse", jit_compile=False)
    model.train_on_batch(sequences(), np.ones((B, 2)))
    model.save(tmp_path / "dnc.keras")
    loaded = keras.saving.load_model(tmp_path / "dnc.keras")
    assert loaded.train_on_batch(sequences(), np.ones((B, 2))) == pytest.approx(
        model.train_on_batch(sequences(), np.ones((B, 2))), rel=1e-6
    )
