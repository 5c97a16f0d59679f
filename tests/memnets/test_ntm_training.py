"""Gradients, precision, training and saving of a Neural Turing Machine."""

import subprocess
import sys

import keras
import numpy as np
import pytest
from gradients import layer_gradients
from layer_weights import randomise
from ntm_layers import B, F, T, built, mean_square, ntm, sequences, twin, unbuilt_ntm

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


def compiled(jit_compile):
    inputs = keras.Input((T, F))
    model = keras.Model(inputs, ntm()(inputs))
    model.compile(keras.optimizers.SGD(0.1), loss="mse", jit_compile=jit_compile)
    return model


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


def test_saved_training_goes_on_where_it_stopped(tmp_path):
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


@pytest.mark.once
@pytest.mark.slow
def test_saved_model_loads_where_only_the_package_was_imported(tmp_path):
    inputs = keras.Input((None, F))
    model = keras.Model(
        inputs, keras.layers.Bidirectional(unbuilt_ntm(controller="lstm"))(inputs)
    )
    model.save(tmp_path / "ntm.keras")
    np.save(tmp_path / "inputs.npy", sequences())
    script = (
        "import memnets, keras, numpy as np\n"
        "model = keras.saving.load_model('ntm.keras')\n"
        "np.save('outputs.npy', model.predict_on_batch(np.load('inputs.npy')))\n"
    )
    root = str(memnets.__path__[0]) + "/.."
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{script}"],
        cwd=tmp_path,
        check=True,
    )
    # Another process may compile to another order of sums.
    np.testing.assert_allclose(
        np.load(tmp_path / "outputs.npy"),
        model.predict_on_batch(sequences()),
        atol=1e-6,
    )
