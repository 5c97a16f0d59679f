"""Quantised layers, saved and loaded: sub-layers keep the policies that they had."""

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from text_networks import drawn_texts, text_inputs

import memnets

INPUTS = np.random.default_rng(0).standard_normal((2, 3, FEATURES)).astype("float32")
# Of Keras, about layers such as the LSTM cell, which it cannot quantise.
pytestmark = pytest.mark.filterwarnings("ignore:.*quantize:UserWarning")


def outputs_of(model, inputs=INPUTS):
    return keras.ops.convert_to_numpy(keras.ops.cast(model(inputs), "float32"))


def loaded_again(model, folder):
    model.save(folder / "model.keras")
    return keras.saving.load_model(folder / "model.keras")


def policies(model):
    return [layer.dtype_policy.name for layer in model._flatten_layers()]


def assert_loaded_as_saved(model, folder):
    again = loaded_again(model, folder)
    assert policies(again) == policies(model)
    np.testing.assert_allclose(outputs_of(again), outputs_of(model), atol=1e-6)
    return again


def has_dense_layers(descriptor):
    layer = descriptor.make_layer()
    return any(type(part) is keras.layers.Dense for part in layer._flatten_layers())


# One of each class: what its options add is loaded alike.
WITH_DENSE_LAYERS = {
    type(row.make_layer()): row for row in DESCRIPTORS if has_dense_layers(row)
}


@pytest.mark.parametrize(
    "descriptor",
    [
        pytest.param(
            row,
            id=row.name,
            marks=[] if kind in (memnets.NTM, memnets.TapeRNN) else pytest.mark.once,
        )
        for kind, row in WITH_DENSE_LAYERS.items()
    ],
)
def test_every_layer_with_dense_parts_is_loaded_as_it_was_quantised(
    descriptor, tmp_path
):
    model = keras.Sequential([keras.Input((3, FEATURES)), descriptor.make_layer()])
    model.quantize("int8")
    assert "int8_from_float32" in policies(model)
    assert_loaded_as_saved(model, tmp_path)


ON_ONE = pytest.mark.once  # files and policies are those of Keras on every backend


@pytest.mark.parametrize(
    ("mode", "policy"),
    [
        pytest.param("int4", "float32", marks=ON_ONE),
        ("int4", "mixed_bfloat16"),
        pytest.param("int4", "mixed_float16", marks=ON_ONE),
        ("float8", "float32"),
        pytest.param("float8", "mixed_bfloat16", marks=ON_ONE),
        pytest.param("float8", "mixed_float16", marks=ON_ONE),
    ],
)
def test_each_mode_is_loaded_under_each_policy(mode, policy, tmp_path):
    layer = memnets.NTM(3, memory_size=4, controller="feedforward", dtype=policy)
    model = keras.Sequential([keras.Input((3, FEATURES)), layer])
    model.quantize(mode)
    again = assert_loaded_as_saved(model, tmp_path)
    assert_loaded_as_saved(again, tmp_path)  # a second time


def test_quantisers_of_a_user_are_loaded(tmp_path):
    model = keras.Sequential(
        [keras.Input((3, FEATURES)), memnets.NTM(3, memory_size=4)]
    )
    # Activations are not quantised, unlike by default.
    model.quantize(config=keras.quantizers.Int8QuantizationConfig(None, None))
    again = assert_loaded_as_saved(model, tmp_path)
    assert again.layers[0].cell.heads.quantization_config.activation_quantizer is None


def test_a_policy_set_by_hand_is_loaded(tmp_path):
    layer = memnets.NTM(3, memory_size=4)
    model = keras.Sequential([keras.Input((3, FEATURES)), layer])
    layer.cell.projection.dtype_policy = "mixed_bfloat16"
    assert_loaded_as_saved(model, tmp_path)


def test_a_layer_with_lora_is_loaded_merged(tmp_path):
    layer = memnets.NTM(3, memory_size=4)
    model = keras.Sequential([keras.Input((3, FEATURES)), layer])
    layer.cell.heads.enable_lora(2)
    layer.cell.heads.lora_kernel_b.assign(np.ones(layer.cell.heads.lora_kernel_b.shape))
    again = loaded_again(model, tmp_path)
    np.testing.assert_allclose(outputs_of(again), outputs_of(model), atol=1e-5)


def test_a_plain_layer_is_saved_as_before():
    layer = memnets.NTM(3, memory_size=4)
    layer.build((None, None, FEATURES))
    assert layer.get_build_config() == {"input_shape": (None, None, FEATURES)}


def test_the_safe_loader_says_that_it_does_not_read_quantised_layers(tmp_path):
    model = keras.Sequential(
        [keras.Input((3, FEATURES)), memnets.NTM(3, memory_size=4)]
    )
    model.quantize("int8")
    model.save(tmp_path / "model.keras")
    with pytest.raises(memnets.LoadError, match="holds a quantized layer, which is"):
        memnets.load(tmp_path / "model.keras")


def text_network():
    network = memnets.seq2seq.SequenceToSequence(
        *(9, 9),
        encoder=[keras.layers.GRU(6)],
        decoder=[keras.layers.GRU(6)],
        embedding_size=6,
    )
    inputs = text_inputs(4)
    return keras.Model(inputs, network(inputs))


@ON_ONE
def test_a_tied_readout_of_a_quantised_embedding_is_close_to_the_plain_one(tmp_path):
    """It multiplies by the embedding, whose weights are integers then."""
    model = text_network()
    tokens = drawn_texts(np.random.default_rng(0), 2, 4, tokens=9)
    plain = outputs_of(model, tokens)
    model.quantize("int8")
    quantised = outputs_of(model, tokens)
    assert np.max(np.abs(quantised - plain)) < 0.05 * np.max(np.abs(plain))
    again = loaded_again(model, tmp_path)
    np.testing.assert_allclose(outputs_of(again, tokens), quantised, atol=1e-6)
