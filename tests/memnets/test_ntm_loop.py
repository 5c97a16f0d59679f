"""The Neural Turing Machine as a recurrent layer of Keras."""

import keras
import numpy as np
import pytest
import reference
from keras import ops
from layer_weights import ntm_initial_state, ntm_weights, randomise
from ntm_layers import (
    EPSILONS,
    MASK,
    PAPER_TOLERANCE,
    B,
    F,
    N,
    T,
    W,
    arguments,
    assert_same_state,
    initial_state,
    ntm,
    sequences,
    twin,
    unbuilt_ntm,
)

import memnets


@pytest.mark.once
def test_sequence_split_in_two_equals_the_whole():
    layer = ntm(return_sequences=True, return_state=True)
    whole, *last = layer(sequences())
    first, *state = layer(sequences()[:, :2])
    second, *last_of_two = layer(sequences()[:, 2:], initial_state=state)
    np.testing.assert_allclose(ops.concatenate([first, second], 1), whole, atol=1e-6)
    assert_same_state(last_of_two, last)


@pytest.mark.once
def test_initial_state_passed_in_is_where_it_starts():
    layer, memory = ntm(return_sequences=True), np.full((N, W), 3.0)
    state = initial_state(layer)._replace(memory=np.tile(memory, (B, 1, 1)))
    outputs = layer(sequences(), initial_state=layer.cell.pack(state))
    expected, _ = reference.ntm_run(
        sequences()[0],
        ntm_initial_state(layer.cell)._replace(memory=memory),
        ntm_weights(layer.cell),
        reference.lstm_step,
        layer.cell.shift_range,
        *EPSILONS,
    )
    np.testing.assert_allclose(outputs[0], expected, atol=PAPER_TOLERANCE)


@pytest.mark.once
def test_stateful_layer_continues_where_it_ended():
    layer = ntm(return_sequences=True)
    whole = np.asarray(layer(sequences()))
    stateful = twin(layer, stateful=True)
    first, second = stateful(sequences()[:, :2]), stateful(sequences()[:, 2:])
    np.testing.assert_allclose(ops.concatenate([first, second], 1), whole, atol=1e-6)


@pytest.mark.once
def test_reset_state_starts_anew():
    layer = twin(ntm(), stateful=True)
    first, second = np.array(layer(sequences())), np.array(layer(sequences()))
    layer.reset_state()
    again = np.array(layer(sequences()))
    assert not np.allclose(first, second)
    np.testing.assert_array_equal(again, first)


@pytest.mark.once
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"controller_size": (6, 5), "controller": "feedforward"},
        {"initial_memory": "learned", "initial_weightings": "learned"},
    ],
)
def test_reset_state_restores_the_initial_state_of_the_cell(changes):
    layer = twin(ntm(**changes), stateful=True)
    layer(sequences())
    layer.reset_state()
    assert_same_state(layer.states, layer.cell.get_initial_state(batch_size=B), 0)


@pytest.mark.once
def test_reset_state_of_a_layer_without_states_does_nothing():
    layer = ntm()
    before = np.asarray(layer(sequences()))
    layer.reset_state()
    np.testing.assert_array_equal(layer(sequences()), before)


# As many examples as rows, as read vectors and as words: a mask of the wrong rank would
# broadcast without an error.
@pytest.mark.once
@pytest.mark.parametrize("batch_size", [B, N, W])
def test_masked_steps_leave_the_state_untouched(batch_size):
    layer = ntm(return_state=True)
    inputs = sequences(batch_size)
    steps = np.tile([True, True, True, False, False], (batch_size, 1))
    mask = np.random.default_rng(1).permuted(steps, axis=1)
    kept = inputs[mask].reshape(batch_size, 3, F)
    inputs[~mask] = 1e3
    _, *masked = layer(inputs, mask=mask)
    _, *expected = layer(kept)
    assert_same_state(masked, expected, atol=1e-5)


@pytest.mark.once
def test_fully_masked_sequence_leaves_the_initial_state():
    layer = ntm(return_state=True)
    _, *states = layer(sequences(), mask=np.zeros((B, T), bool))
    assert_same_state(states, layer.cell.get_initial_state(batch_size=B), 0)


@pytest.mark.once
def test_masked_step_repeats_the_output_before_it():
    output = np.asarray(ntm(return_sequences=True)(sequences(), mask=MASK))
    np.testing.assert_array_equal(output[2, 2:], output[2, [1, 1, 1]])


@pytest.mark.once
def test_masked_step_puts_out_zero_if_asked_to():
    layer = ntm(return_sequences=True, zero_output_for_mask=True)
    output = np.asarray(layer(sequences(), mask=MASK))
    np.testing.assert_array_equal(output[~MASK], np.zeros_like(output[~MASK]))


@pytest.mark.once
def test_go_backwards_reads_the_sequence_from_its_end():
    layer = ntm(return_sequences=True)
    backwards = twin(layer, go_backwards=True)
    np.testing.assert_allclose(
        backwards(sequences()), layer(sequences()[:, ::-1]), atol=1e-6
    )


@pytest.mark.once
@pytest.mark.parametrize("mask", [None, MASK], ids=["unmasked", "masked"])
def test_unrolled_loop_equals_the_loop(mask):
    layer = ntm(return_sequences=True, return_state=True)
    unrolled = twin(layer, unroll=True)
    assert_same_state(unrolled(sequences(), mask=mask), layer(sequences(), mask=mask))


@pytest.mark.once
def test_bidirectional_joins_both_directions():
    both = keras.layers.Bidirectional(unbuilt_ntm(return_sequences=True))
    both.build((B, None, F))
    randomise(both)
    backward = ops.flip(both.backward_layer(sequences()), 1)
    expected = ops.concatenate([both.forward_layer(sequences()), backward], -1)
    np.testing.assert_allclose(both(sequences()), expected, atol=1e-6)


@pytest.mark.once
def test_bidirectional_returns_the_states_of_both_directions():
    inputs = keras.Input((None, F))
    both = keras.layers.Bidirectional(unbuilt_ntm(return_state=True))
    model = keras.Model(inputs, both(inputs))
    randomise(both)
    _, *states = model(sequences())
    _, *forward = both.forward_layer(sequences())
    _, *backward = both.backward_layer(sequences())
    assert_same_state(states, forward + backward)


@pytest.mark.once
def test_functional_model_returns_the_state():
    inputs = keras.Input((None, F))
    layer = ntm(return_state=True)
    symbolic = layer(inputs)
    assert [x.shape[-1] for x in symbolic] == [2, *layer.cell.state_size]
    model = keras.Model(inputs, symbolic)
    assert_same_state(model(sequences()), layer(sequences()))


@pytest.mark.once
def test_cell_runs_in_the_rnn_layer_of_keras():
    layer = ntm(return_sequences=True)
    plain = keras.layers.RNN(layer.cell, return_sequences=True)
    # To rounding: the layer of Keras does not know the compiled kernel.
    np.testing.assert_allclose(plain(sequences()), layer(sequences()), atol=1e-6)


@pytest.mark.once
def test_cell_stacks_with_other_cells():
    cells = [memnets.NTMCell(2, **arguments()), keras.layers.LSTMCell(3)]
    stacked = keras.layers.RNN(cells)
    stacked.build((B, None, F))
    randomise(stacked)
    first = keras.layers.RNN(cells[0], return_sequences=True)
    second = keras.layers.RNN(cells[1])
    np.testing.assert_allclose(
        stacked(sequences()), second(first(sequences())), atol=1e-6
    )


@pytest.mark.once
def test_layers_stack():
    inputs = keras.Input((None, F))
    model = keras.Sequential([inputs, ntm(return_sequences=True), unbuilt_ntm(1)])
    assert model.predict_on_batch(sequences()).shape == (B, 1)
