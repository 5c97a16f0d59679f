"""The promises of every layer, for each row of `descriptors.py`, and Keras' own test of
a layer. The promises of recurrent layers are in `test_matrix.py`."""

import functools
import inspect
import re

import keras
import numpy as np
import pytest
from absl.testing import parameterized
from conformance.descriptors import (
    DESCRIPTORS,
    FEATURES,
    OTHER_INPUTS,
    registered_layer_classes,
)
from keras.src import testing
from layer_weights import randomise

import memnets

pytestmark = pytest.mark.once

BATCH_SIZE, TIME = 4, 3
EACH = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in DESCRIPTORS]
)


def sequences(*shape, seed=0):
    shape = shape or (BATCH_SIZE, TIME, FEATURES)
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def built(descriptor, dtype=None):
    layer = descriptor.make_layer(dtype)
    layer.build((None, None, FEATURES))
    return randomise(layer)


@functools.cache
def output_of(name):
    """Output of the built layer of a row, for reading only. On JAX every direct call of
    a recurrent layer compiles it anew."""
    (descriptor,) = (row for row in DESCRIPTORS if row.name == name)
    return np.asarray(built(descriptor)(sequences()))


@functools.cache
def graph_of(name):
    """A model of the built layer of a row, not to be changed."""
    (descriptor,) = (row for row in DESCRIPTORS if row.name == name)
    return functional(built(descriptor))


@functools.cache
def run_of(name):
    """Runs the graph of a row. TensorFlow traces it once, for any batch and length: in
    `predict_on_batch` it would for each of the first sizes."""
    if keras.backend.backend() != "tensorflow":
        return graph_of(name).predict_on_batch
    import tensorflow as tf

    of_any_size = tf.TensorSpec((None, None, FEATURES))
    return tf.function(graph_of(name), input_signature=[of_any_size])


def last_step(output):
    output = np.asarray(output)
    return output[:, -1] if output.ndim == 3 else output


def functional(layer, batch_size=None, time=None):
    inputs = keras.Input((time, FEATURES), batch_size=batch_size)
    return keras.Model(inputs, layer(inputs))


@pytest.mark.parametrize("layer_class", list(registered_layer_classes()))
def test_every_registered_layer_has_a_row(layer_class):
    rows = {descriptor.layer_class for descriptor in DESCRIPTORS}
    assert (layer_class in rows) is not (layer_class in OTHER_INPUTS)


@EACH
def test_row_makes_a_layer_of_its_class(descriptor):
    assert type(descriptor.make(dtype=None)) is descriptor.layer_class


@EACH
def test_class_is_registered_under_the_name_of_the_package(descriptor):
    layer_class = descriptor.layer_class
    package = layer_class.__module__.partition(".")[0]
    name = keras.saving.get_registered_name(layer_class)
    assert name == f"{package}>{layer_class.__name__}"


@EACH
def test_config_holds_every_argument_of_the_constructor(descriptor):
    parameters = inspect.signature(descriptor.layer_class.__init__).parameters
    named = {
        name
        for name, parameter in parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }
    assert named - {"self"} <= set(descriptor.make(dtype=None).get_config())


@EACH
def test_config_makes_the_same_layer_again(descriptor):
    layer = descriptor.make(dtype="mixed_bfloat16")
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


@EACH
def test_layer_made_from_config_computes_the_same(descriptor):
    layer = built(descriptor)
    again = type(layer).from_config(layer.get_config())
    again.build((None, None, FEATURES))
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(again(sequences()), output_of(descriptor.name))


@EACH
def test_saved_model_loads_with_identical_outputs(descriptor, tmp_path):
    graph_of(descriptor.name).save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(sequences()), output_of(descriptor.name))


@EACH
def test_saved_weights_load_into_a_new_layer(descriptor, tmp_path):
    model = graph_of(descriptor.name)
    model.save_weights(tmp_path / "model.weights.h5")
    again = functional(descriptor.make_layer())
    again.load_weights(tmp_path / "model.weights.h5")
    for actual, expected in zip(again.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(actual, expected)


@EACH
def test_graph_of_unknown_length_computes_what_a_direct_call_computes(descriptor):
    outputs = run_of(descriptor.name)(sequences())
    np.testing.assert_allclose(outputs, output_of(descriptor.name), atol=1e-5)


@EACH
def test_symbolic_output_has_the_shape_of_the_real_one(descriptor):
    symbolic = functional(built(descriptor), BATCH_SIZE, TIME).output
    assert tuple(symbolic.shape) == output_of(descriptor.name).shape


@EACH
def test_last_axis_has_the_output_size(descriptor):
    assert output_of(descriptor.name).shape[-1] == descriptor.output_size


@EACH
def test_mixed_precision_keeps_weights_in_full_precision(descriptor):
    layer = built(descriptor, "mixed_bfloat16")
    assert {variable.dtype for variable in layer.weights} == {"float32"}


@EACH
def test_layer_takes_the_mask_of_the_layer_before_it(descriptor):
    layer, inputs = built(descriptor), sequences()
    inputs[:, 2:] = 0
    masked = keras.Sequential([keras.layers.Masking(), layer])
    np.testing.assert_allclose(
        last_step(masked(inputs)), last_step(layer(inputs[:, :2])), atol=1e-5
    )


@EACH
def test_each_example_is_computed_as_if_it_were_alone(descriptor):
    run = run_of(descriptor.name)
    alone = [run(sequences()[[row]]) for row in range(BATCH_SIZE)]
    np.testing.assert_allclose(
        np.concatenate(alone), output_of(descriptor.name), atol=1e-5
    )


@EACH
def test_what_is_not_finite_changes_nothing_before_it_nor_beside_it(descriptor):
    whole = descriptor.layer_class in (memnets.StackedLSTM, memnets.trees.BalancedTree)
    layer = descriptor.make_layer(**({} if whole else {"return_sequences": True}))
    layer.build((None, None, FEATURES))
    randomise(layer)
    # At the end of a chunk of FastWeights, whose chunks have two steps here.
    step, rows, others = 1, [1, 2], [0, 3]
    inputs = sequences()
    inputs[rows, step] = [[np.nan], [np.inf]]
    outputs, expected = (np.asarray(layer(x)) for x in (inputs, sequences()))
    np.testing.assert_array_equal(outputs[others], expected[others])
    for row in rows:
        assert not np.array_equal(outputs[row], expected[row])
    if outputs.ndim == 3:
        np.testing.assert_array_equal(outputs[rows, :step], expected[rows, :step])


@EACH
def test_model_can_be_cloned(descriptor):
    model = graph_of(descriptor.name)
    clone = keras.models.clone_model(model)
    assert clone.layers[-1] is not model.layers[-1]
    assert clone.layers[-1].get_config() == model.layers[-1].get_config()


@pytest.mark.parametrize(
    "layer_class",
    [
        layer_class
        for layer_class in registered_layer_classes()
        if "units" in inspect.signature(layer_class.__init__).parameters
    ],
)
@pytest.mark.parametrize("units", [0, -1, 2.5, "5", None, True])
def test_units_must_be_a_positive_integer(layer_class, units):
    message = f"`units` must be a positive integer. Received: units={units!r}"
    others = {"cell_clip": 1.0, "outputs": 2, "factors": 3}
    parameters = inspect.signature(layer_class.__init__).parameters
    needed = {name: value for name, value in others.items() if name in parameters}
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layer_class(units, **needed)


SMALL = {"units": 2, "memory_size": 4, "word_size": 3, "controller_size": 5}


# This test of Keras trains from a generator, which makes Keras warn.
@pytest.mark.filterwarnings("ignore:`shuffle=True` was passed:UserWarning")
class KerasLayerTest(testing.TestCase):
    @parameterized.named_parameters(
        ("lstm", {"controller": "lstm"}, (2, 2)),
        (
            "feedforward_many_heads",
            {
                "controller": "feedforward",
                "num_read_heads": 2,
                "num_write_heads": 3,
                "return_sequences": True,
            },
            (2, 3, 2),
        ),
        (
            "learned_unrolled_backwards",
            {
                "initial_memory": "learned",
                "initial_weightings": "learned",
                "initial_reads": "learned",
                "unroll": True,
                "go_backwards": True,
            },
            (2, 2),
        ),
    )
    def test_keras_accepts_ntm(self, arguments, output_shape):
        self.run_layer_test(
            memnets.NTM,
            init_kwargs={**SMALL, **arguments},
            input_shape=(2, 3, 4),
            expected_output_shape=output_shape,
            expected_num_losses=0,
            supports_masking=True,
        )

    def test_keras_accepts_stacked_lstm(self):
        self.run_layer_test(
            memnets.StackedLSTM,
            init_kwargs={"units": 2, "layer_sizes": (4, 3)},
            input_shape=(2, 3, 4),
            expected_output_shape=(2, 3, 2),
            expected_num_trainable_weights=8,
            expected_num_non_trainable_weights=0,
            expected_num_losses=0,
            supports_masking=True,
        )
