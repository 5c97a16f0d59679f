"""Named controllers and cells as controllers."""

import keras
import numpy as np
import pytest
from keras import ops
from ntm_layers import (
    B,
    F,
    T,
    arguments,
    built,
    initial_state,
    ntm,
    sequences,
    twin,
    unbuilt_ntm,
)

import memnets


@pytest.mark.once
@pytest.mark.parametrize(
    ("controller", "controller_size", "state_sizes"),
    [
        ("feedforward", 6, [6]),
        ("lstm", 6, [6, 6]),
        ("lstm", (6,), [6, 6]),
        ("lstm", (6, 5), [6, 6, 5, 5]),
        ("lstm", [6, 5], [6, 6, 5, 5]),
        ("feedforward", (6, 5, 4), [6, 5, 4]),
    ],
)
def test_named_controller_has_the_sizes_asked_for(
    controller, controller_size, state_sizes
):
    layer = built(controller=controller, controller_size=controller_size)
    sizes = [state.shape[-1] for state in initial_state(layer).controller]
    assert sizes == state_sizes


@keras.saving.register_keras_serializable("test_ntm")
class CountingCell(keras.layers.Layer):
    """A cell with the least that Keras asks for: no `output_size` and no initial
    state. Its state counts the steps."""

    state_size = 6

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], 6), name="kernel")

    def call(self, inputs, states):
        count = states[0] + 1
        return ops.tanh(inputs @ self.kernel) / count, [count]


CELLS = {
    "GRUCell": lambda: keras.layers.GRUCell(6),
    "SimpleRNNCell": lambda: keras.layers.SimpleRNNCell(6),
    "StackedRNNCells": lambda: keras.layers.StackedRNNCells(
        [keras.layers.LSTMCell(6), keras.layers.GRUCell(5)]
    ),
    "FeedforwardCell": lambda: memnets.cells.FeedforwardCell(6, activation="relu"),
    "CountingCell": CountingCell,
    "NTMCell": lambda: memnets.NTMCell(6, **arguments(controller_size=5)),
}
ANY_CELL = pytest.mark.parametrize("cell", CELLS)


@pytest.mark.once
@ANY_CELL
def test_any_cell_may_be_the_controller(cell):
    layer = ntm(controller=CELLS[cell](), return_state=True)
    output, *states = layer(sequences())
    assert np.all(np.isfinite(output))
    assert [tuple(x.shape) for x in states] == [(B, n) for n in layer.cell.state_size]


@pytest.mark.once
def test_lstm_cell_passed_in_computes_what_the_name_does():
    named = ntm(controller="lstm", controller_size=6)
    passed = twin(named, controller=keras.layers.LSTMCell(6), controller_size=None)
    np.testing.assert_array_equal(passed(sequences()), named(sequences()))


@pytest.mark.once
def test_stacked_names_compute_what_stacked_cells_do():
    named = ntm(controller="lstm", controller_size=(6, 5))
    cells = [keras.layers.LSTMCell(6), keras.layers.LSTMCell(5)]
    passed = twin(
        named, controller=keras.layers.StackedRNNCells(cells), controller_size=None
    )
    np.testing.assert_array_equal(passed(sequences()), named(sequences()))


@pytest.mark.once
def test_state_of_the_controller_is_carried_from_step_to_step():
    layer = ntm(controller=CountingCell(), return_state=True)
    _, *states = layer(sequences())
    (count,) = layer.cell.unpack(states).controller
    np.testing.assert_array_equal(count, np.full((B, 6), T))


@pytest.mark.once
@ANY_CELL
def test_config_brings_the_controller_back(cell):
    layer = ntm(controller=CELLS[cell](), return_sequences=True)
    again = memnets.NTM.from_config(layer.get_config())
    again.build((B, None, F))
    again.set_weights(layer.get_weights())
    assert type(again.cell.controller) is type(layer.cell.controller)
    np.testing.assert_array_equal(again(sequences()), layer(sequences()))


@pytest.mark.once
@ANY_CELL
def test_model_with_any_controller_is_saved_and_loaded(cell, tmp_path):
    inputs = keras.Input((None, F))
    model = keras.Model(inputs, ntm(controller=CELLS[cell]())(inputs))
    model.save(tmp_path / "ntm.keras")
    loaded = keras.saving.load_model(tmp_path / "ntm.keras")
    np.testing.assert_array_equal(
        loaded.predict_on_batch(sequences()), model.predict_on_batch(sequences())
    )


@pytest.mark.once
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda **d: keras.layers.LSTMCell(6, **d), id="LSTMCell"),
        pytest.param(lambda **d: keras.layers.GRUCell(6, **d), id="GRUCell"),
        pytest.param(
            lambda **d: keras.layers.StackedRNNCells(
                [keras.layers.LSTMCell(6), keras.layers.LSTMCell(6, **d)]
            ),
            id="second of a stack",
        ),
        pytest.param(
            lambda **d: keras.layers.StackedRNNCells(
                [keras.layers.StackedRNNCells([keras.layers.LSTMCell(6, **d)])]
            ),
            id="stack in a stack",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["dropout", "recurrent_dropout"])
def test_controller_with_dropout_is_refused(make, kind):
    message = (
        "^`controller` must not use dropout; apply dropout to the inputs or outputs of "
        "the layer. Received: controller=<.*>$"
    )
    with pytest.raises(ValueError, match=message):
        unbuilt_ntm(controller=make(**{kind: 0.1}))
