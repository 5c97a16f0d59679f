"""Stacks, queues, deques and lists against plain Python and the equations of the
paper."""

import math
import re

import keras
import numpy as np
import pytest
import reference
import stack_reference as oracle
from keras import ops
from layer_weights import arrays, randomise

import memnets
from memnets.stacks import rules

KINDS = pytest.mark.parametrize("kind", rules.KINDS)
SIZE = 3


def run(kind, depth, actions, elements):
    """Places `(P, 1 + E)`, dropped elements and the back after each step, of actions
    `(T, A)` and elements `(T, E)`."""
    places = ops.zeros((1, 1, 1 + SIZE, depth))
    dropped, steps = 0.0, []
    for weights, element in zip(actions, elements, strict=True):
        weights, element = (
            ops.convert_to_tensor(x[None, None].astype("float32"))
            for x in (weights, element)
        )
        dropped += float(rules.dropped(kind, places, weights)[0, 0])
        places = rules.update(kind, places, weights, element)
        back = np.asarray(rules.read(kind, places, 1))[0, 0, :, -1]
        steps.append((np.asarray(places)[0, 0].T, dropped, back))
    return steps


@KINDS
@pytest.mark.parametrize("depth", [1, pytest.param(2, marks=pytest.mark.once), 5])
def test_single_actions_are_those_of_plain_python(kind, depth):
    rng = np.random.default_rng(depth)
    pushes = [name.startswith(("push", "insert")) for name in oracle.ACTIONS[kind]]
    # Pushes often, so that it overflows; pops often enough to be empty at times.
    likely = np.where(pushes, 2.0, 1.0)
    drawn = rng.choice(len(pushes), 40, p=likely / likely.sum())
    elements = rng.uniform(0.1, 1, (40, SIZE))
    discrete = oracle.discrete_of(kind, depth)
    found = run(kind, depth, np.eye(len(pushes))[drawn], elements)
    for action, element, (places, dropped, back) in zip(
        drawn, elements, found, strict=True
    ):
        discrete.act(oracle.ACTIONS[kind][action], element)
        np.testing.assert_allclose(places, discrete.places(SIZE), atol=1e-6)
        assert dropped == discrete.dropped
        if kind == "deque":
            np.testing.assert_allclose(back, discrete.back(SIZE), atol=1e-6)
    assert discrete.dropped > 0


def weighed(kind, steps, seed=1):
    rng = np.random.default_rng(seed)
    raw = 2 * rng.standard_normal((steps, len(oracle.ACTIONS[kind])))
    probabilities = np.array([reference.softmax(row) for row in raw])
    return probabilities, rng.uniform(0.1, 1, (steps, SIZE))


@KINDS
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_filled_places_are_the_mean_over_drawn_actions(kind, depth):
    actions, elements = weighed(kind, 5)
    places, dropped = oracle.expected(kind, depth, actions, elements)
    found, found_dropped, _ = run(kind, depth, actions, elements)[-1]
    np.testing.assert_allclose(found[:, 0], places[:, 0], atol=1e-6)
    assert found_dropped == pytest.approx(dropped, abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "depth"),
    [("stack", 2), ("stack", 5), ("queue", 5), ("list", 2), ("list", 5)],
)
def test_contents_are_the_mean_over_drawn_actions(kind, depth):
    """Of a queue where it cannot overflow."""
    actions, elements = weighed(kind, 5)
    places, _ = oracle.expected(kind, depth, actions, elements)
    found, _, _ = run(kind, depth, actions, elements)[-1]
    np.testing.assert_allclose(found, places, atol=1e-6)


@KINDS
def test_contents_stay_within_what_was_pushed(kind):
    """They are means, whatever the actions: of elements of 0.5 they are 0.5."""
    actions, elements = weighed(kind, 30)
    for places, _, _ in run(kind, 3, actions, np.full_like(elements, 0.5)):
        assert places.min() >= 0
        assert places[:, 0].max() <= 1 + 1e-6
        np.testing.assert_allclose(places[:, 1:], places[:, :1] / 2 + [[0] * SIZE])
        if kind != "list":  # which may have gaps
            assert (np.diff(places[:, 0]) <= 1e-6).all()


@pytest.mark.once
def test_rounded_actions_are_zero_and_one():
    actions = np.array([[0.2, 0.5, 0.3], [0.9, 0.05, 0.05]], "float32")
    np.testing.assert_array_equal(
        rules.rounded(ops.convert_to_tensor(actions)), [[0, 1, 0], [1, 0, 0]]
    )


def stack_rnn(units=2, **changes):
    arguments = {"num_stacks": 2, "depth": 4, "element_size": SIZE}
    layer = memnets.StackRNN(units, **{**arguments, "controller_size": 5, **changes})
    layer.build((3, None, 3))
    return randomise(layer)


def sequences(steps=6, seed=0):
    shape = (3, steps, 3)
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


FEEDFORWARD = ("feedforward", reference.feedforward_step, 1)
LSTM = ("lstm", reference.lstm_step, 2)


@pytest.mark.parametrize(
    ("controller", "control", "states", "read_depth"),
    [
        (*FEEDFORWARD, 1),
        (*LSTM, 3),
        pytest.param(*FEEDFORWARD, 3, marks=pytest.mark.once),
        pytest.param(*LSTM, 1, marks=pytest.mark.once),
    ],
)
def test_layer_agrees_with_the_paper(controller, control, states, read_depth):
    layer = stack_rnn(
        controller=controller, read_depth=read_depth, return_sequences=True
    )
    weights = oracle.StackWeights(
        *(
            arrays(part)
            for part in (layer.cell.controller, layer.cell.heads, layer.cell.projection)
        )
    )
    outputs, memory = layer(sequences()), layer.trace(sequences()).memory
    for row, sequence in enumerate(sequences()):
        expected, places = oracle.stack_rnn(
            sequence.astype("float64"),
            (np.zeros(5),) * states,
            weights,
            control,
            (2, 4, SIZE),
            read_depth,
        )
        np.testing.assert_allclose(outputs[row], expected, atol=1e-5)
        np.testing.assert_allclose(memory[row, -1], places, atol=1e-5)


@KINDS
def test_actions_are_rounded_outside_of_training(kind):
    layer, soft = stack_rnn(kind=kind, round_actions=True), stack_rnn(kind=kind)
    soft.set_weights(layer.get_weights())
    filled = np.asarray(layer.trace(sequences()).memory)[..., 0]
    assert set(np.unique(filled)) == {0.0, 1.0}
    x = sequences()
    np.testing.assert_allclose(layer(x, training=True), soft(x), atol=1e-6)
    assert np.abs(np.asarray(layer(x) - soft(x))).max() > 0.01


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_noise_is_the_same_for_integers(dtype):
    sequences = np.eye(3)[None].astype(dtype)
    noise = []
    for inputs in (sequences, sequences.astype("float32")):
        keras.utils.set_random_seed(3)
        layer = memnets.StackRNN(4, depth=2, noise=1.0)
        layer.build(inputs.shape)
        noise.append(np.asarray(layer._with_noise(inputs)))
    np.testing.assert_array_equal(*noise)


def test_noise_in_training_draws_actions_by_their_probabilities():
    """The largest of logits with Gumbel noise is drawn with the softmax of the
    logits."""
    layer = stack_rnn(noise=1.0, num_stacks=1, depth=2)
    zeros = np.zeros((2_000, 1, 3), "float32")
    np.testing.assert_array_equal(layer(zeros), layer(zeros))
    drawn = np.asarray(layer._with_noise(zeros))[:, 0, 3:]
    logits = np.array([1.0, 0.0, -1.0])
    shares = np.bincount((drawn + logits).argmax(axis=1), minlength=3) / 2_000
    # Four standard deviations.
    np.testing.assert_allclose(shares, reference.softmax(logits), atol=0.045)
    noisy = np.asarray(layer(zeros, training=True))
    assert len(np.unique(noisy[:, 0])) > 1_000


@pytest.mark.once
@pytest.mark.parametrize(
    ("kind", "pops"), [("stack", [1]), ("queue", [1]), ("deque", [2, 3])]
)
def test_pops_are_rare_at_first_if_asked_for(kind, pops):
    cell = memnets.StackCell(2, kind=kind, num_stacks=2, pop_bias=-3.0)
    cell.build((3, 4))
    actions, element = cell.memory.split(cell.heads.bias[None])
    odds = np.ones(len(cell.action_names))
    odds[pops] = np.exp(-3.0)
    np.testing.assert_allclose(actions, [[odds / odds.sum()] * 2], rtol=1e-6)
    np.testing.assert_array_equal(element, np.full((1, 2, 8), 0.5))


@pytest.mark.once
def test_weights_can_be_used_with_a_larger_depth():
    layer = stack_rnn(depth=8, return_sequences=True)
    larger = memnets.StackRNN(**{**layer.get_config(), "depth": 20})
    larger.build((3, None, 3))
    larger.set_weights(layer.get_weights())
    np.testing.assert_allclose(larger(sequences()), layer(sequences()), atol=1e-6)


@pytest.mark.once
def test_trace_counts_what_was_dropped():
    layer = stack_rnn(round_actions=True)
    bias = np.zeros(layer.cell.heads.bias.shape)
    bias[0] = 1e3  # the first stack pushes at every step
    bias[4] = 1e3  # the second one pops
    layer.cell.heads.kernel.assign(ops.zeros_like(layer.cell.heads.kernel))
    layer.cell.heads.bias.assign(bias)
    state = layer.trace(sequences(6))
    np.testing.assert_array_equal(state.dropped[0, :, 0], [0, 0, 0, 0, 1, 2])
    np.testing.assert_array_equal(state.dropped[..., 1], np.zeros((3, 6)))


@pytest.mark.once
def test_traced_memory_has_the_places_and_actions_of_each_stack():
    layer = stack_rnn(kind="deque", round_actions=True, dtype="mixed_bfloat16")
    trace, state = layer.trace_memory(sequences()), layer.trace(sequences())
    assert isinstance(layer, memnets.TraceableMemory)
    assert trace.heads == []
    assert trace.memory.shape == (3, 6, 4, 2 * (1 + SIZE))
    filled = dict(trace.row_values)["deque 2\nfilled"]
    np.testing.assert_array_equal(filled, state.memory[:, :, 1, :, 0])
    (_, actions), (_, front), *_ = trace.step_values
    # Two runs, in which bfloat16 is rounded at other places.
    np.testing.assert_allclose(front, state.memory[:, :, 0, 0, 1:], atol=0.02)
    assert actions.shape == (3, 6, 5)
    np.testing.assert_array_equal(actions.sum(axis=-1), np.ones((3, 6)))
    assert trace.memory.dtype == actions.dtype == "float32"


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.StackRNN, memnets.StackCell])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"kind": "heap"},
            "`kind` must be one of 'stack', 'queue', 'deque', 'list'. "
            "Received: kind='heap'",
        ),
        (
            {"num_stacks": 0},
            "`num_stacks` must be a positive integer. Received: num_stacks=0",
        ),
        (
            {"read_depth": 3, "depth": 2},
            "`read_depth` must be at most 2 for a stack of 2 places. "
            "Received: read_depth=3",
        ),
        (
            {"kind": "list", "read_depth": 3, "depth": 4},
            "`read_depth` must be at most 2 for a list of 4 places. "
            "Received: read_depth=3",
        ),
        (
            {"noise": -1},
            "`noise` must be a finite number at least 0. Received: noise=-1",
        ),
        (
            {"pop_bias": math.inf},
            "`pop_bias` must be a finite number. Received: pop_bias=inf",
        ),
        (
            {"kind": "list", "pop_bias": -3.0},
            "`pop_bias` must be 0 for a list, which has no action that pops. "
            "Received: pop_bias=-3.0",
        ),
        (
            {"depth": 2**30},
            "`num_stacks * depth * (1 + element_size)` must be an integer of at most "
            "2147483647. Received: num_stacks * depth * (1 + element_size)=19327352832",
        ),
    ],
)
def test_wrong_argument_is_named(layer_class, changes, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layer_class(2, **changes)


@pytest.mark.once
def test_states_survive_packing():
    cell = stack_rnn(kind="deque").cell
    rng = np.random.default_rng(3)
    states = [rng.standard_normal((2, size)) for size in cell.state_size]
    packed = cell.pack(cell.unpack(states))
    for part, state in zip(packed, states, strict=True):
        np.testing.assert_array_equal(keras.ops.convert_to_numpy(part), state)


@pytest.mark.once
def test_only_a_cell_with_noise_takes_inputs_with_noise():
    cells = [memnets.StackCell(4, noise=noise) for noise in (0.0, 1.0)]
    wide = np.zeros((1, 2 + cells[0].noise_size), "float32")
    for cell in cells:
        cell.build((None, 2))
    cells[1](wide, cells[1].get_initial_state(1))
    with pytest.raises(ValueError, match="`inputs` must have the shape"):
        cells[0](wide, cells[0].get_initial_state(1))
