"""Gradient flow and information flow against formulas and other ways to them."""

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from dnc_layers import double_precision
from gradients import gradient
from keras import ops
from layer_weights import randomise

import memnets
from memnets import flow
from memnets.flow.jacobian import step_gains
from memnets.flow.steps import state_gradients

pytestmark = pytest.mark.once

BATCH_SIZE, TIME = 3, 4
RNG = np.random.default_rng(11)
INPUTS = RNG.standard_normal((BATCH_SIZE, TIME, FEATURES)).astype("float32")
# A row for each class that is a loop over time, or a cell of one. A cell that has a
# layer is run by it as "NTMCell" is run by Keras' loop.
OF_A_LAYER = ("DNC", "LRUA", "SAM", "Stack", "Tape", "FastWeights", "NeuralStack")
OTHERS = ("StackedLSTM", "BalancedTree", *(f"{name}Cell" for name in OF_A_LAYER))
LOOPS = {
    row.layer_class: row
    for row in DESCRIPTORS
    if row.layer_class.__name__ not in OTHERS
}


@pytest.fixture(autouse=True)
def _same_weights():
    keras.utils.set_random_seed(1)


def compiled(layer, *others, loss="mse", features=FEATURES):
    """A model of a recurrent layer and others after it."""
    model = keras.Sequential([keras.Input((None, features)), layer, *others])
    model.compile(keras.optimizers.SGD(0.1), loss)
    return model


def simple(units, activation, weights, features=FEATURES):
    """A model that is a simple network with the given recurrent weights."""
    layer = keras.layers.SimpleRNN(units, activation, use_bias=False)
    model = compiled(layer, features=features)
    layer.cell.recurrent_kernel.assign(weights)
    return model, layer


def root_mean_square(norms):
    return np.sqrt((norms**2).mean(axis=0))


def orthogonal(units):
    return np.linalg.qr(RNG.standard_normal((units, units)))[0]


def states_of(inputs, kernel, recurrent, activation=np.tanh):
    """The states of a simple network, `(B, T, units)`."""
    state, states = np.zeros((len(inputs), len(recurrent))), []
    for t in range(inputs.shape[1]):
        state = activation(inputs[:, t] @ kernel + state @ recurrent)
        states.append(state)
    return np.stack(states, axis=1)


# --- the norm at each step ---


@pytest.mark.parametrize("weight", [0.5, -0.9, 1.5])
def test_the_gradient_of_a_linear_unit_is_a_power_of_its_weight(weight):
    model, layer = simple(1, "linear", [[weight]], features=1)
    layer.cell.kernel.assign([[1.0]])
    targets = np.array([[1.0], [-2.0], [0.5]])
    found = flow.gradient_flow(model, layer, INPUTS[:, :, :1], targets)
    lags = np.arange(TIME)[::-1]
    last = (INPUTS[:, :, 0] * weight**lags).sum(axis=1, keepdims=True)
    norms = np.abs(2 * (last - targets) * weight**lags)
    np.testing.assert_allclose(found.norms, root_mean_square(norms), rtol=1e-4)
    np.testing.assert_allclose(found.state_norms[:, 0], found.norms)
    np.testing.assert_allclose(found.gains, abs(weight), rtol=1e-5)
    np.testing.assert_allclose(found.singular_values, abs(weight), rtol=1e-5)
    # With one unit the bound is reached.
    np.testing.assert_allclose(found.bound, np.abs(weight) ** lags, rtol=1e-5)


def test_a_gradient_far_below_the_smallest_square_has_its_gains():
    """Squares of float32 underflow below 1e-19."""
    model, layer = simple(1, "linear", [[1e-9]], features=1)
    found = flow.gradient_flow(model, layer, INPUTS[:, :, :1], np.ones((3, 1)))
    np.testing.assert_allclose(found.gains, 1e-9, rtol=1e-4)
    faded = 1e-9 ** (TIME - 1)
    np.testing.assert_allclose(found.norms[0], faded * found.norms[-1], rtol=1e-3)


def test_a_logistic_network_of_small_weights_forgets_as_hochreiter_says():
    units, steps = 5, 20
    largest = 0.9 * 4 / units
    weights = RNG.uniform(-largest, largest, (units, units))
    model, layer = simple(units, "sigmoid", weights)
    inputs = RNG.standard_normal((BATCH_SIZE, steps, FEATURES))
    found = flow.gradient_flow(model, layer, inputs, np.ones((BATCH_SIZE, units)))
    lags = np.arange(steps)[::-1]
    rate = 0.25 * max(sum(abs(weights[s, r]) for s in range(units)) for r in range(5))
    np.testing.assert_allclose(found.bound, units * rate**lags, rtol=1e-5)
    assert (found.norms <= found.bound * found.norms[-1]).all()
    assert (found.bound <= units * (units * largest / 4) ** lags + 1e-6).all()
    assert found.bound[0] < 1


def test_a_cell_that_is_no_simple_network_has_no_bound():
    layer = keras.layers.SimpleRNN(2, activation="softplus")
    found = flow.gradient_flow(compiled(layer), layer, INPUTS, np.ones((3, 2)))
    assert found.bound is None


def test_the_gradient_of_a_tanh_network_follows_the_recursion_of_back_propagation():
    """Goodfellow et al., section 10.2.1: a loss at every step."""
    units, classes = 4, 3
    layer = keras.layers.SimpleRNN(units, use_bias=False, return_sequences=True)
    outputs = keras.layers.Dense(classes, "softmax")
    model = compiled(layer, outputs, loss="sparse_categorical_crossentropy")
    targets = RNG.integers(classes, size=(BATCH_SIZE, TIME))
    kernel, recurrent, out, bias = model.get_weights()
    found = flow.gradient_flow(model, layer, INPUTS, targets)

    states = states_of(INPUTS, kernel, recurrent)
    powers = np.exp(states @ out + bias)
    errors = powers / powers.sum(axis=-1, keepdims=True) - np.eye(classes)[targets]
    delta, norms, jacobians = np.zeros((BATCH_SIZE, units)), [], []
    for t in range(TIME)[::-1]:
        if t + 1 < TIME:
            delta = delta * (1 - states[:, t + 1] ** 2) @ recurrent.T
            jacobians.append((1 - states[0, t + 1, :, None] ** 2) * recurrent.T)
        delta = delta + errors[:, t] @ out.T / TIME
        norms.append(np.linalg.norm(delta, axis=1))
    expected = root_mean_square(np.array(norms[::-1]).T)
    np.testing.assert_allclose(found.norms, expected, rtol=1e-4)
    values = np.linalg.svd(jacobians[::-1], compute_uv=False)
    np.testing.assert_allclose(found.singular_values, values, rtol=1e-3, atol=1e-5)


def test_an_error_in_the_state_of_the_first_lstm_stays_what_it_is():
    cell = memnets.cells.LSTM1997Cell(1)
    layer = memnets.MemoryRNN(cell, return_state=True)
    sequences = keras.Input((None, FEATURES))
    output, *states = layer(sequences)
    model = keras.Model(sequences, output)
    model.compile(loss="mse")
    randomise(layer)
    found = flow.gradient_flow(model, layer, INPUTS, np.ones((BATCH_SIZE, 1)))
    y, _, s, gates = (np.asarray(result) for result in layer(INPUTS))
    slope = 2 * np.exp(-s) / (1 + np.exp(-s)) ** 2
    expected = root_mean_square(np.abs(2 * (y - 1) * gates[:, 1:] * slope))
    np.testing.assert_allclose(found.state_norms[:-1, 1], expected[0], rtol=1e-4)
    np.testing.assert_allclose(found.gains[:-1], 1, rtol=1e-5)
    cell.truncated = False
    full = flow.gradient_flow(model, layer, INPUTS, np.ones((BATCH_SIZE, 1)))
    assert np.ptp(full.state_norms[:-1, 1]) > 0.01 * expected[0]


# --- any layer ---


def split_gradients(layer, inputs, step):
    """Gradients of the squares of the last output by the states after a step, found by
    starting the layer from them."""
    first = None
    if getattr(getattr(layer.cell, "memory", None), "jumps", False):
        # A tape is told how long the whole input is.
        first = layer.get_initial_state(BATCH_SIZE)
        first = layer.cell.with_length(first, np.full((BATCH_SIZE, 1), inputs.shape[1]))
    layer.return_state = True
    _, *states = layer(inputs[:, :step], initial_state=first)
    layer.return_state = False

    def loss(*states):
        return ops.sum(layer(inputs[:, step:], initial_state=list(states)) ** 2)

    return gradient(loss, *(ops.convert_to_numpy(state) for state in states))


@pytest.mark.parametrize("row", LOOPS.values(), ids=lambda row: row.name)
def test_the_gradient_of_any_layer_is_that_of_starting_from_its_state(row):
    layer = row.make_layer(dtype=None, return_sequences=False)
    model = compiled(layer)
    zeros = np.zeros((BATCH_SIZE, *model.output_shape[1:]))
    inputs = INPUTS[:, :2]
    found = flow.gradient_flow(model, layer, inputs, zeros)
    expected = split_gradients(layer, inputs, 1)
    # The loss is the mean over the outputs of a sequence.
    norms = [np.linalg.norm(x, axis=1) / zeros.shape[1] for x in expected]
    expected = [root_mean_square(part) for part in norms]
    np.testing.assert_allclose(found.state_norms[0], expected, rtol=1e-3, atol=1e-6)
    # Of the last step there is only the output, which is the first state.
    last = np.linalg.norm(2 * layer(inputs) / zeros.shape[1], axis=1)
    np.testing.assert_allclose(found.state_norms[-1, 0], root_mean_square(last), 1e-5)
    assert not found.state_norms[-1, 1:].any()


def test_masked_steps_are_as_if_they_were_not_there():
    layer = keras.layers.GRU(4)
    model = compiled(layer)
    masked = keras.Sequential([keras.Input((None, FEATURES)), keras.layers.Masking()])
    masked.add(layer)
    masked.compile(loss="mse")
    padded = np.concatenate([np.zeros((BATCH_SIZE, 2, FEATURES)), INPUTS], axis=1)
    targets = np.ones((BATCH_SIZE, 4))
    plain = flow.gradient_flow(model, layer, INPUTS, targets)
    found = flow.gradient_flow(masked, layer, padded, targets)
    assert np.isnan(found.norms[:2]).all() and np.isnan(found.gains[:2]).all()
    assert np.isnan(found.singular_values[:2]).all()
    np.testing.assert_allclose(found.norms[2:], plain.norms, rtol=1e-5)
    np.testing.assert_allclose(found.gains[2:], plain.gains, rtol=1e-5)
    np.testing.assert_allclose(
        flow.information_flow(masked, layer, padded, targets),
        flow.information_flow(model, layer, INPUTS, targets),
        rtol=1e-5,
    )


def test_steps_of_a_backward_layer_are_in_the_order_of_processing():
    layer = keras.layers.LSTM(3)
    model, targets = compiled(layer), np.ones((BATCH_SIZE, 3))
    forward = flow.gradient_flow(model, layer, INPUTS[:, ::-1], targets)
    layer.go_backwards = True
    backward = flow.gradient_flow(model, layer, INPUTS, targets)
    np.testing.assert_allclose(backward.norms, forward.norms, rtol=1e-5)


def test_a_layer_in_both_directions_is_measured_in_each():
    both = keras.layers.Bidirectional(keras.layers.LSTM(3))
    model, targets = compiled(both), np.ones((BATCH_SIZE, 6))
    for layer in (both.forward_layer, both.backward_layer):
        found = flow.gradient_flow(model, layer, INPUTS, targets)
        assert found.norms[-1] > found.norms[0] > 0


def test_the_gradient_passes_by_a_layer_and_counts_the_weights_of_sequences():
    """A model that is not a chain; a sequence that counts for nothing has none."""
    sequences = keras.Input((None, FEATURES))
    layer = keras.layers.SimpleRNN(FEATURES, return_sequences=True)
    outputs = keras.layers.Dense(1)(layer(sequences) * sequences)
    model = keras.Model(sequences, outputs[:, -1])
    model.compile(loss="mse")
    targets, weights = np.ones((2, 1)), np.array([1.0, 0.0])
    found = flow.gradient_flow(model, layer, INPUTS[:2], targets, weights)
    alone = flow.gradient_flow(model, layer, INPUTS[:1], targets[:1])
    np.testing.assert_allclose(found.norms, alone.norms / np.sqrt(2), rtol=1e-5)
    np.testing.assert_allclose(found.gains, alone.gains, rtol=1e-5)


def test_measuring_starts_from_the_state_of_the_model_and_changes_nothing():
    cell = keras.layers.LSTMCell(3, dropout=0.5)
    layer = memnets.MemoryRNN(cell, stateful=True)
    model = keras.Sequential([keras.Input((None, FEATURES), BATCH_SIZE), layer])
    model.add(keras.layers.BatchNormalization())
    model.compile(loss="mse")
    model(INPUTS)
    before = [np.array(variable) for variable in model.variables]
    targets = np.ones((BATCH_SIZE, 3))
    found = flow.gradient_flow(model, layer, INPUTS, targets)
    for variable, value in zip(model.variables, before, strict=True):
        np.testing.assert_array_equal(variable, value)
    assert "inner_loop" not in vars(layer)

    sequences, *start = (
        keras.Input((None, FEATURES)),
        keras.Input((3,)),
        keras.Input((3,)),
    )
    given = memnets.MemoryRNN(cell)
    outputs = model.layers[-1](given(sequences, initial_state=start))
    other = keras.Model([sequences, *start], outputs)
    other.compile(loss="mse")
    states = [np.array(state) for state in layer.states]
    expected = flow.gradient_flow(other, given, [INPUTS, *states], targets)
    np.testing.assert_allclose(found.norms, expected.norms, rtol=1e-5)


def test_a_single_step_has_a_norm_and_no_gain():
    layer = keras.layers.LSTM(2)
    model, targets = compiled(layer), np.ones((BATCH_SIZE, 2))
    found = flow.gradient_flow(model, layer, INPUTS[:, :1], targets)
    expected = np.linalg.norm(layer(INPUTS[:, :1]) - targets, axis=1)
    np.testing.assert_allclose(found.norms, [root_mean_square(expected)], rtol=1e-5)
    assert len(found.gains) == len(found.singular_values) == 0
    assert float(flow.information_flow(model, layer, INPUTS[:, :1], targets)) == 0


def test_half_precision_measures_nearly_the_same():
    models = [
        compiled(keras.layers.GRU(4, dtype=dtype)) for dtype in (None, "mixed_float16")
    ]
    models[1].set_weights(models[0].get_weights())
    targets = np.ones((BATCH_SIZE, 4))
    full, half = (
        flow.gradient_flow(model, model.layers[0], INPUTS, targets) for model in models
    )
    np.testing.assert_allclose(half.norms, full.norms, rtol=0.05)
    np.testing.assert_allclose(half.gains, full.gains, rtol=0.05)


def test_integers_are_measured_as_the_same_numbers():
    """Above 256, bfloat16 leaves out every other number."""
    inputs = np.array([[[0], [300], [-1]], [[1], [2], [257]]])
    found = []
    for dtype in ("int32", "float32"):
        layer = keras.layers.SimpleRNN(2, "linear", use_bias=False)
        sequences = keras.Input((3, 1), dtype=dtype)
        model = keras.Model(sequences, layer(sequences))
        model.compile(loss="mse")
        layer.cell.kernel.assign([[0.1, 0.2]])
        layer.cell.recurrent_kernel.assign([[0.5, 0.1], [-0.3, 0.4]])
        arrays = inputs.astype(dtype), np.ones((2, 2))
        found.append(flow.gradient_flow(model, layer, *arrays))
    assert found[1].norms.min() > 0.1
    np.testing.assert_allclose(found[0].norms, found[1].norms, rtol=1e-5)
    np.testing.assert_allclose(found[0].gains, found[1].gains, rtol=1e-5)


@keras.saving.register_keras_serializable("tests")
class CountingCell(keras.layers.Layer):
    """A cell that takes tokens and adds up a number for each."""

    state_size = output_size = 1

    def build(self, input_shape):
        self.table = self.add_weight(shape=(600, 1), name="table")

    def call(self, tokens, states):
        total = 0.5 * states[0] + ops.take(self.table, tokens[:, 0], axis=0)
        return total, [total]


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_a_cell_of_tokens_gets_its_tokens(dtype):
    layer = keras.layers.RNN(CountingCell(dtype=dtype), dtype=dtype)
    tokens = keras.Input((3, 1), dtype="int32")
    model = keras.Model(tokens, layer(tokens))
    model.compile(loss="mse")
    table = np.zeros((600, 1))
    table[301] = 1.0  # which bfloat16 would round
    layer.set_weights([table])
    inputs, targets = np.array([[[0], [301], [5]]]), np.array([[2.0]])
    found = flow.gradient_flow(model, layer, inputs, targets)
    # The loss is (2 - 0.5) ** 2.
    np.testing.assert_allclose(found.norms, [0.75, 1.5, 3.0])


def test_gains_in_double_precision_are_measured_so():
    """The norms are those of a loss, which Keras computes in float32."""
    with double_precision():
        layer = keras.layers.SimpleRNN(1, "linear", use_bias=False, dtype="float64")
        model = compiled(layer, features=1)
        layer.cell.kernel.assign([[1.0]])
        layer.cell.recurrent_kernel.assign([[1 / 3]])
        found = flow.gradient_flow(model, layer, INPUTS[:, :, :1], np.ones((3, 1)))
    np.testing.assert_allclose(found.gains, 1 / 3, rtol=1e-12)


# --- the penalty ---


@pytest.mark.parametrize("factor", [1.0, 0.5, 1.3])
def test_a_linear_network_is_penalised_for_the_scale_of_its_weights(factor):
    model, layer = simple(4, "linear", factor * orthogonal(4))
    targets = np.ones((BATCH_SIZE, 4))
    penalty = flow.information_flow(model, layer, INPUTS, targets)
    expected = (TIME - 1) * (factor - 1) ** 2
    np.testing.assert_allclose(penalty, expected, rtol=1e-4, atol=1e-9)


def penalty_of(kernel, recurrent, before, inputs, deltas):
    """Eq. 10.16 for a tanh network with given gradients and states before steps."""
    states = np.tanh(inputs @ kernel + before @ recurrent)
    back = (deltas * (1 - states**2)) @ recurrent.T
    gains = np.linalg.norm(back, axis=-1) / np.linalg.norm(deltas, axis=-1)
    return ((gains - 1) ** 2).sum(axis=1).mean()


def test_the_penalty_and_its_gradient_are_those_of_the_formula():
    layer = keras.layers.SimpleRNN(4, use_bias=False)
    model, targets = compiled(layer), RNG.standard_normal((BATCH_SIZE, 4))
    kernel, recurrent = map(np.float64, model.get_weights())
    states = states_of(INPUTS, kernel, recurrent)
    deltas = [states[:, -1] - targets]
    for t in range(TIME - 1, 1, -1):
        deltas.insert(0, (deltas[0] * (1 - states[:, t] ** 2)) @ recurrent.T)
    fixed = (states[:, :-1], INPUTS[:, 1:], np.stack(deltas, axis=1))
    found = flow.information_flow(model, layer, INPUTS, targets)
    np.testing.assert_allclose(found, penalty_of(kernel, recurrent, *fixed), rtol=1e-4)

    variables = [layer.cell.kernel, layer.cell.recurrent_kernel]

    def penalty(*values):
        with keras.StatelessScope(zip(variables, values, strict=True)):
            return flow.information_flow(model, layer, INPUTS, targets)

    weights, width = [kernel, recurrent], 1e-5
    for index, grads in enumerate(gradient(penalty, *model.get_weights())):
        for entry in np.ndindex(grads.shape):
            values = []
            for sign in (1, -1):
                moved = [np.array(weight) for weight in weights]
                moved[index][entry] += sign * width
                values.append(penalty_of(*moved, *fixed))
            slope = (values[0] - values[1]) / (2 * width)
            np.testing.assert_allclose(grads[entry], slope, rtol=1e-2, atol=1e-4)


def test_a_layer_that_passes_no_gradient_back_has_a_penalty_with_a_gradient_of_zero():
    layer = keras.layers.RNN(memnets.cells.ElmanCell(3, truncated=True))
    model, targets = compiled(layer), np.ones((BATCH_SIZE, 3))
    found = flow.gradient_flow(model, layer, INPUTS, targets)
    assert found.gains[-1] == 0 and not found.norms[:-1].any()
    variable = layer.cell.recurrent_kernel

    def penalty(value):
        with keras.StatelessScope([(variable, value)]):
            return flow.information_flow(model, layer, INPUTS, targets)

    # The only step with a gradient loses it all.
    assert float(penalty(np.array(variable))) == pytest.approx(1)
    assert not np.any(gradient(penalty, np.array(variable))[0])


def test_the_gradient_of_the_penalty_of_a_memory_is_its_slope():
    """TensorFlow cannot differentiate twice what is recomputed in the backward pass."""
    layer = memnets.NTM(2, memory_size=3, word_size=2, controller="feedforward")
    model, cell = compiled(layer), layer.cell
    steps, deltas = state_gradients(model, layer, INPUTS, np.zeros((BATCH_SIZE, 2)))
    variable, direction = (
        cell.heads.kernel,
        RNG.standard_normal(cell.heads.kernel.shape),
    )
    before = np.array(variable)

    def penalty(distance):
        value = before + distance * ops.convert_to_tensor(direction, "float32")
        with keras.StatelessScope([(variable, value)]):
            gains, _ = step_gains(cell, steps, deltas)
            return ops.sum((gains - 1) ** 2)

    width = np.float32(1e-3)
    slope = (float(penalty(width)) - float(penalty(-width))) / (2 * width)
    [found] = gradient(penalty, np.float32(0))
    assert found == pytest.approx(slope, rel=0.05) and abs(slope) > 0.01


class Regularised(keras.Model):
    """A model with the penalty in its loss, as in docs/gradient_flow.md."""

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if training:
            loss += 0.5 * flow.information_flow(self, "rnn", x, y, sample_weight)
        return loss


def test_a_training_step_follows_the_gradient_of_loss_and_penalty():
    sequences = keras.Input((TIME, FEATURES))
    layer = keras.layers.SimpleRNN(4, name="rnn")
    model = Regularised(sequences, layer(sequences))
    model.compile(keras.optimizers.SGD(0.1), "mse", jit_compile=False)
    targets = np.zeros((BATCH_SIZE, 4), "float32")
    variable = layer.cell.recurrent_kernel

    def total(value):
        with keras.StatelessScope([(variable, value)]):
            penalty = flow.information_flow(model, layer, INPUTS, targets)
            return ops.mean(model(INPUTS) ** 2) + 0.5 * penalty

    before = np.array(variable)
    [slope] = gradient(total, before)
    model.train_on_batch(INPUTS, targets)
    np.testing.assert_allclose(variable, before - 0.1 * slope, atol=1e-5)
    plain = ops.convert_to_numpy(ops.mean(model(INPUTS) ** 2))
    assert model.test_on_batch(INPUTS, targets) == pytest.approx(plain, rel=1e-5)


# --- wrong arguments ---


def refused(message):
    return pytest.raises(ValueError, match=message)


def test_wrong_arguments_are_named():
    model, layer = simple(4, "tanh", orthogonal(4))
    targets = np.ones((BATCH_SIZE, 4))
    for measure in (flow.gradient_flow, flow.information_flow):
        with refused("`layer` must be one of the layers of `model`: 'simple_rnn"):
            measure(model, "lstm", INPUTS, targets)
        with refused("`layer` must be a recurrent layer, such as keras.layers.LSTM"):
            measure(model, keras.layers.Dense(3), INPUTS, targets)
        with refused("it runs 0 times"):
            measure(model, keras.layers.LSTM(3), INPUTS, targets)
        with refused("`x`, `y` and `sample_weight` must be .* x with 3, y with 2"):
            measure(model, layer, INPUTS, targets[:2])
        with refused("at least one. Received: x with 0, y with 0"):
            measure(model, layer, INPUTS[:0], targets[:0])
    assert "inner_loop" not in vars(layer)


def test_the_model_must_have_a_loss():
    layer = keras.layers.LSTM(3)
    model = keras.Sequential([keras.Input((None, FEATURES)), layer])
    for wrong in (model, layer):
        with refused("`model` must be a keras.Model that was compiled with a loss"):
            flow.gradient_flow(wrong, layer, INPUTS, np.ones((BATCH_SIZE, 3)))


def test_targets_have_the_steps_of_the_outputs():
    layer = keras.layers.LSTM(3, return_sequences=True)
    with refused("`y` must have 4 steps, as many as the outputs of `model`. "):
        flow.gradient_flow(compiled(layer), layer, INPUTS, np.ones((3, 5, 3)))


def test_a_layer_that_runs_twice_is_refused():
    layer = keras.layers.LSTM(FEATURES, return_sequences=True)
    model = compiled(layer, layer)
    with refused("runs once. Received: the layer 'lstm.*', which it runs 2 times"):
        flow.gradient_flow(model, layer, INPUTS, np.ones(INPUTS.shape))


def test_a_layer_of_images_is_refused():
    layer = keras.layers.ConvLSTM1D(2, 1)
    model = keras.Sequential([keras.Input((None, 4, 1)), layer])
    model.compile(loss="mse")
    with refused("`layer` must take sequences of vectors"):
        flow.gradient_flow(model, layer, np.ones((1, 2, 4, 1)), np.ones((1, 4, 2)))
