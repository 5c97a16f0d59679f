"""The Neural Turing Machine as a layer and as a cell."""

import re
import subprocess
import sys

import keras
import numpy as np
import pytest
import reference
from gradients import layer_gradients
from keras import ops
from layer_weights import ntm_initial_state, ntm_weights, randomise

import memnets
from memnets import addressing, native

B, T, F, N, W = 3, 5, 3, 8, 4
EPSILONS = (addressing.NORM_EPSILON, addressing.SHARPEN_EPSILON)

MASK = np.array(
    [[1, 1, 1, 1, 1], [0, 1, 1, 0, 1], [1, 1, 0, 0, 0]],
    bool,
)


def sequences(batch_size=B, time=T, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((batch_size, time, F)).astype("float32")


def arguments(**changes):
    return {
        "memory_size": N,
        "word_size": W,
        "controller_size": 6,
        "initial_memory": "random",
        "initial_weightings": "uniform",
        "initial_reads": "zeros",
        **changes,
    }


def unbuilt_ntm(units=2, **changes):
    return memnets.NTM(units, **arguments(**changes))


def ntm(units=2, **changes):
    layer = unbuilt_ntm(units, **changes)
    layer.build((B, None, F))
    return randomise(layer)


def twin(layer, **changes):
    """Another layer with the same weights."""
    other = memnets.NTM(**{**layer.get_config(), **changes})
    other.build((B, None, F))
    other.set_weights(layer.get_weights())
    other.reset_state()  # which came from the weights before
    return other


def assert_same_state(actual, expected, atol=1e-6):
    """Both are lists of flat states or both are an `NTMState`."""
    actual, expected = keras.tree.flatten(actual), keras.tree.flatten(expected)
    for x, y in zip(actual, expected, strict=True):
        np.testing.assert_allclose(x, y, atol=atol)


# The whole machine against the paper

CONTROLLERS = pytest.mark.parametrize(
    ("controller", "control"),
    [("feedforward", reference.feedforward_step), ("lstm", reference.lstm_step)],
)
# 1e-4: five float32 steps against float64, each sharpened by gamma.
PAPER_TOLERANCE = 1e-4


def run_oracle(layer, control, inputs):
    """Outputs and last states of each example, computed by the oracle."""
    runs = [
        reference.ntm_run(
            sequence,
            ntm_initial_state(layer.cell),
            ntm_weights(layer.cell),
            control,
            layer.cell.shift_range,
            *EPSILONS,
        )
        for sequence in inputs
    ]
    return np.array([outputs for outputs, _ in runs]), [s[-1] for _, s in runs]


@CONTROLLERS
@pytest.mark.parametrize("num_heads", [1, 3])
@pytest.mark.parametrize("shift_range", [0, 1, 2])
def test_outputs_agree_with_the_paper(controller, control, num_heads, shift_range):
    layer = ntm(
        controller=controller,
        num_read_heads=num_heads,
        num_write_heads=num_heads,
        shift_range=shift_range,
        return_sequences=True,
    )
    expected, _ = run_oracle(layer, control, sequences())
    np.testing.assert_allclose(layer(sequences()), expected, atol=PAPER_TOLERANCE)


@CONTROLLERS
@pytest.mark.parametrize("name", ["reads", "weightings", "memory"])
def test_last_state_agrees_with_the_paper(controller, control, name):
    layer = ntm(
        controller=controller, num_read_heads=2, num_write_heads=3, return_state=True
    )
    _, *state = layer(sequences())
    _, expected = run_oracle(layer, control, sequences())
    np.testing.assert_allclose(
        getattr(layer.cell.unpack(state), name),
        [getattr(last, name) for last in expected],
        atol=PAPER_TOLERANCE,
    )


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param({"memory_size": 1, "shift_range": 0}, id="N=1"),
        pytest.param({"memory_size": 5, "shift_range": 2}, id="N=2K+1"),
        pytest.param({"word_size": 1}, id="W=1"),
        pytest.param({"units": 1, "controller_size": 1}, id="units=1"),
    ],
)
def test_smallest_sizes_agree_with_the_paper(sizes):
    layer = ntm(controller="feedforward", return_sequences=True, **sizes)
    inputs = sequences(batch_size=1, time=2)
    expected, _ = run_oracle(layer, reference.feedforward_step, inputs)
    np.testing.assert_allclose(layer(inputs), expected, atol=PAPER_TOLERANCE)


def test_one_step_of_one_example_agrees_with_the_paper():
    layer = ntm(controller="lstm", return_sequences=True)
    inputs = sequences(batch_size=1, time=1)
    expected, _ = run_oracle(layer, reference.lstm_step, inputs)
    np.testing.assert_allclose(layer(inputs), expected, atol=PAPER_TOLERANCE)


@pytest.mark.parametrize("controller", ["feedforward", "lstm"])
@pytest.mark.parametrize("compiled", [True, False])
def test_inputs_beyond_the_bound_are_taken_for_it(controller, compiled):
    layer = ntm(controller=controller, input_clip=0.5, return_sequences=True)
    free = twin(layer, input_clip=None)
    inputs = sequences()
    assert inputs.min() < -0.5 < 0.5 < inputs.max()
    clipped = np.minimum(np.maximum(inputs, -0.5), 0.5)
    native.set_enabled(compiled)
    try:
        for run in (lambda layer, x: layer(x), memnets.NTM.trace):
            assert_same_state(run(layer, inputs), run(free, clipped))
    finally:
        native.set_enabled(True)
    assert_same_state(layer.trace_heads(inputs), free.trace_heads(clipped))


@pytest.mark.parametrize("compiled", [True, False])
def test_whole_numbers_are_bounded_too(compiled):
    layer = ntm(input_clip=1.5)
    numbers = np.random.default_rng(0).integers(-3, 4, (B, T, F))
    native.set_enabled(compiled)
    try:
        expected = layer(numbers.astype("float32"))
        np.testing.assert_array_equal(layer(numbers.astype("int32")), expected)
    finally:
        native.set_enabled(True)


# Names and shapes of the state


@pytest.mark.once
def test_unpack_names_the_parts_of_a_state():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    output, *states = layer(sequences())
    state = layer.cell.unpack(states)
    np.testing.assert_array_equal(state.output, output)
    assert [tuple(x.shape) for x in state.controller] == [(B, 6), (B, 6)]
    assert tuple(state.reads.shape) == (B, 2, W)
    assert tuple(state.weightings.shape) == (B, 5, N)
    assert tuple(state.memory.shape) == (B, N, W)


@pytest.mark.once
def test_pack_undoes_unpack():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    _, *states = layer(sequences())
    again = layer.cell.pack(layer.cell.unpack(states))
    for actual, expected in zip(again, states, strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.once
def test_unpack_keeps_a_time_axis():
    cell = ntm(num_read_heads=2).cell
    states = [np.zeros((B, T, size), "float32") for size in cell.state_size]
    assert tuple(cell.unpack(states).memory.shape) == (B, T, N, W)


@pytest.mark.once
def test_states_have_the_sizes_that_the_cell_announces():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    output, *states = layer(sequences())
    assert [tuple(x.shape) for x in states] == [(B, n) for n in layer.cell.state_size]


@pytest.mark.once
def test_read_vectors_are_the_memory_under_the_read_weightings():
    layer = ntm(num_read_heads=2, num_write_heads=3, return_state=True)
    _, *states = layer(sequences())
    state = layer.cell.unpack(states)
    expected = np.asarray(state.weightings)[:, :2] @ np.asarray(state.memory)
    np.testing.assert_allclose(state.reads, expected, atol=1e-5)


# Initial state


def built(**changes):
    layer = unbuilt_ntm(**changes)
    layer.build((B, None, F))
    return layer


def initial_state(layer, batch_size=B):
    return layer.cell.unpack(layer.cell.get_initial_state(batch_size=batch_size))


@pytest.mark.once
def test_constant_memory_is_the_small_constant_of_collier_and_beel():
    memory = initial_state(built(initial_memory="constant")).memory
    np.testing.assert_allclose(memory, np.full((B, N, W), 1e-6), rtol=1e-6)


@pytest.mark.once
def test_constant_trainable_memory_starts_as_the_constant_memory():
    trainable = initial_state(built(initial_memory="constant-trainable")).memory
    fixed = initial_state(built(initial_memory="constant")).memory
    np.testing.assert_array_equal(trainable, fixed)


@pytest.mark.once
@pytest.mark.parametrize("mode", ["random", "redrawn", "learned"])
def test_random_memory_has_rows_that_differ(mode):
    memory = np.asarray(initial_state(built(initial_memory=mode)).memory)
    assert len(np.unique(memory[0], axis=0)) == N


@pytest.mark.parametrize("mode", ["random", "redrawn"])
def test_random_memory_is_drawn_once(mode):
    layer = built(initial_memory=mode)
    np.testing.assert_array_equal(
        initial_state(layer).memory, initial_state(layer).memory
    )


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
def test_redrawn_memory_is_drawn_for_each_sequence_in_training(controller):
    layer = built(initial_memory="redrawn", controller=controller)
    fixed = np.asarray(initial_state(layer).memory)
    drawn = [
        np.asarray(
            layer.cell.unpack(layer.cell.get_initial_state(B, training=True)).memory
        )
        for _ in range(200)
    ]
    drawn = np.concatenate(drawn)  # (200 B, N, W)
    starts, signs = set(), []
    for memory in drawn:
        # Which row of the layer's own is the first, and what became of its columns.
        (start,) = np.flatnonzero(np.isclose(abs(fixed[0]), abs(memory[0])).all(axis=1))
        sign = np.sign(memory[0] * fixed[0, start])
        np.testing.assert_allclose(memory, sign * np.roll(fixed[0], -start, axis=0))
        starts.add(int(start))
        signs.append(sign)
    assert starts == set(range(N))
    # A mean of so many signs has a standard deviation of 1 / sqrt(how many).
    assert np.all(abs(np.mean(signs, axis=0)) < 5 / np.sqrt(len(drawn)))
    assert len({tuple(sign) for sign in signs}) == 2**W


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
def test_redrawn_memory_changes_outputs_in_training_only(controller):
    layer = built(initial_memory="redrawn", controller=controller)
    same = np.repeat(sequences()[:1], B, axis=0)
    first, again = np.asarray(layer(same)), np.asarray(layer(same))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(first, first[:1].repeat(B, axis=0), atol=1e-6)
    trained = np.asarray(layer(same, training=True))
    assert np.abs(np.diff(trained, axis=0)).max() > 1e-4
    assert np.abs(trained - first).max() > 1e-4
    assert np.abs(trained - np.asarray(layer(same, training=True))).max() > 1e-4


def test_an_initial_state_that_is_given_is_not_redrawn():
    layer = built(initial_memory="redrawn")
    state = layer.cell.get_initial_state(batch_size=B)
    given = layer(sequences(), initial_state=state, training=True)
    np.testing.assert_allclose(given, layer(sequences()), atol=1e-6)


def test_a_stateful_layer_does_not_redraw():
    layer = unbuilt_ntm(initial_memory="redrawn", stateful=True)
    first = np.asarray(layer(sequences(), training=True))
    layer.reset_state()
    np.testing.assert_allclose(layer(sequences(), training=True), first, atol=1e-6)


def test_draws_of_a_redrawn_memory_depend_on_the_seed_of_keras():
    outputs = []
    for seed in (1, 1, 2):
        keras.utils.set_random_seed(seed)
        layer = built(initial_memory="redrawn")
        outputs.append(np.asarray(layer(sequences(), training=True)))
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert not np.array_equal(outputs[0], outputs[2])


@pytest.mark.once
@pytest.mark.parametrize("mode", ["random", "redrawn", "learned"])
def test_random_memory_depends_on_the_seed_of_keras(mode):
    memories = []
    for seed in (1, 1, 2):
        keras.utils.set_random_seed(seed)
        memories.append(np.asarray(initial_state(built(initial_memory=mode)).memory))
    np.testing.assert_array_equal(memories[0], memories[1])
    assert not np.array_equal(memories[0], memories[2])


@pytest.mark.once
def test_uniform_weightings_attend_to_all_rows_alike():
    weightings = initial_state(built(initial_weightings="uniform")).weightings
    np.testing.assert_allclose(weightings, np.full((B, 2, N), 1 / N), atol=1e-7)


@pytest.mark.once
def test_one_hot_weightings_attend_to_row_zero():
    weightings = initial_state(built(initial_weightings="one-hot")).weightings
    np.testing.assert_array_equal(weightings, np.tile(np.eye(N)[0], (B, 2, 1)))


@pytest.mark.once
def test_learned_weightings_are_weightings_whatever_is_learned():
    weightings = np.asarray(initial_state(ntm(initial_weightings="learned")).weightings)
    assert np.all(weightings >= 0)
    np.testing.assert_allclose(weightings.sum(axis=-1), 1.0, atol=1e-6)


@pytest.mark.once
def test_zero_reads_are_zero():
    reads = initial_state(ntm(initial_reads="zeros")).reads
    np.testing.assert_array_equal(reads, np.zeros((B, 1, W)))


def before_and_after_training(part, mode):
    """One part of the initial state, before and after all trainable weights change."""
    layer = built(**{f"initial_{part}": mode})
    before = np.array(getattr(initial_state(layer), part))
    for variable in layer.trainable_variables:
        noise = np.random.default_rng(0).standard_normal(variable.shape)
        variable.assign(noise)
    return before, np.array(getattr(initial_state(layer), part))


@pytest.mark.parametrize(
    ("part", "mode"),
    [
        ("memory", "learned"),
        ("memory", "constant-trainable"),
        ("weightings", "learned"),
        ("reads", "learned"),
    ],
)
def test_initial_state_that_is_learned_is_trainable(part, mode):
    before, after = before_and_after_training(part, mode)
    assert not np.array_equal(after, before)


@pytest.mark.once
@pytest.mark.parametrize(
    ("part", "mode"),
    [
        ("memory", "random"),
        ("memory", "constant"),
        ("weightings", "uniform"),
        ("weightings", "one-hot"),
        ("reads", "zeros"),
    ],
)
def test_initial_state_that_is_not_learned_is_not_trainable(part, mode):
    before, after = before_and_after_training(part, mode)
    np.testing.assert_array_equal(after, before)


def test_every_weight_gets_a_gradient_the_learned_initial_state_included():
    layer = ntm(
        initial_memory="learned", initial_weightings="learned", initial_reads="learned"
    )
    gradients = layer_gradients(layer, mean_square, sequences())
    assert [path for path, gradient in gradients.items() if not np.any(gradient)] == []


@pytest.mark.once
def test_every_example_starts_from_the_same_state():
    layer = ntm(
        initial_memory="learned", initial_weightings="learned", initial_reads="learned"
    )
    for part in layer.cell.get_initial_state(batch_size=B):
        np.testing.assert_array_equal(part, np.repeat(part[:1], B, axis=0))


# Controllers


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
    passed = twin(named, controller=keras.layers.LSTMCell(6))
    np.testing.assert_array_equal(passed(sequences()), named(sequences()))


@pytest.mark.once
def test_stacked_names_compute_what_stacked_cells_do():
    named = ntm(controller="lstm", controller_size=(6, 5))
    cells = [keras.layers.LSTMCell(6), keras.layers.LSTMCell(5)]
    passed = twin(named, controller=keras.layers.StackedRNNCells(cells))
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


# Arguments


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.NTMCell])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"memory_size": 0},
            "`memory_size` must be a positive integer. Received: memory_size=0",
        ),
        (
            {"word_size": 2.0},
            "`word_size` must be a positive integer. Received: word_size=2.0",
        ),
        (
            {"num_read_heads": 0},
            "`num_read_heads` must be a positive integer. Received: num_read_heads=0",
        ),
        (
            {"num_write_heads": True},
            "`num_write_heads` must be a positive integer. "
            "Received: num_write_heads=True",
        ),
        (
            {"shift_range": -1},
            "`shift_range` must be a non-negative integer. Received: shift_range=-1",
        ),
        (
            {"memory_size": 4, "shift_range": 2},
            "`2 * shift_range + 1` must be at most `memory_size`. "
            "Received: shift_range=2, memory_size=4",
        ),
        (
            {"controller": "gru"},
            "`controller` must be one of 'feedforward', 'lstm'. "
            "Received: controller='gru'",
        ),
        (
            {"controller": 100},
            "`controller` must be one of 'feedforward', 'lstm'. "
            "Received: controller=100",
        ),
        (
            {"input_clip": -1},
            "`input_clip` must be from 1e-30 to 1e30. Received: input_clip=-1.0",
        ),
        (
            {"cell_clip": 0},
            "`cell_clip` must be from 1e-30 to 1e30. Received: cell_clip=0.0",
        ),
        (
            {"cell_clip": "3"},
            "`cell_clip` must be a finite number. Received: cell_clip='3'",
        ),
        (
            {"cell_clip": 3.0, "controller": "feedforward"},
            "`cell_clip` is for the controller 'lstm': another must be None. "
            "Received: cell_clip=3.0, controller='feedforward'",
        ),
        (
            {"controller_size": 0},
            "`controller_size` must be a positive integer. Received: controller_size=0",
        ),
        (
            {"controller_size": (6, None)},
            "`controller_size` must be a positive integer. "
            "Received: controller_size=None",
        ),
        ({"controller_size": ()}, "`controller_size` must not be empty. Received: ()"),
        (
            {"initial_memory": "zeros"},
            "`initial_memory` must be one of 'constant', 'constant-trainable', "
            "'learned', 'random', 'redrawn'. Received: initial_memory='zeros'",
        ),
        (
            {"initial_weightings": None},
            "`initial_weightings` must be one of 'uniform', 'one-hot', 'learned'. "
            "Received: initial_weightings=None",
        ),
        (
            {"initial_reads": "random"},
            "`initial_reads` must be one of 'zeros', 'learned'. "
            "Received: initial_reads='random'",
        ),
        (
            {"shift_bias": float("nan")},
            "`shift_bias` must be a finite number. Received: shift_bias=nan",
        ),
    ],
)
def test_argument_is_refused(layer_class, changes, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layer_class(2, **arguments(**changes))


@pytest.mark.once
def test_numpy_integers_are_sizes():
    assert unbuilt_ntm(np.int64(2), memory_size=np.int32(N)).get_config()["units"] == 2


@pytest.mark.once
def test_config_round_trip_keeps_every_argument():
    layer = unbuilt_ntm(
        memory_size=7,
        word_size=5,
        num_read_heads=2,
        num_write_heads=3,
        shift_range=2,
        controller="feedforward",
        controller_size=(4, 3),
        initial_memory="learned",
        initial_weightings="one-hot",
        initial_reads="learned",
        shift_bias=0.25,
        return_sequences=True,
        return_state=True,
        stateful=True,
        go_backwards=True,
        unroll=True,
        zero_output_for_mask=True,
        name="tape",
        dtype="mixed_bfloat16",
        trainable=False,
    )
    again = memnets.NTM.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.cell.get_config() == layer.cell.get_config()


# The loop


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


# Trace


def step_by_step(layer, inputs, mask=None):
    """The named states after every step, stacked along the time axis."""
    states, after = layer.cell.get_initial_state(batch_size=len(inputs)), []
    for step in range(inputs.shape[1]):
        _, new = layer.cell(inputs[:, step], states)
        if mask is not None:
            new = [
                ops.where(mask[:, step, None], x, prev_x)
                for x, prev_x in zip(new, states, strict=True)
            ]
        states = new
        after.append(layer.cell.unpack(states))
    return keras.tree.map_structure(lambda *parts: np.stack(parts, 1), *after)


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
def test_trace_equals_the_cell_run_step_by_step(controller):
    layer = ntm(controller=controller, num_read_heads=2, num_write_heads=3)
    assert_same_state(
        layer.trace(sequences()), step_by_step(layer, sequences()), atol=1e-5
    )


def test_trace_under_a_mask_repeats_the_state_before():
    layer = ntm()
    mask = MASK | (np.arange(T) == 0)
    assert_same_state(
        layer.trace(sequences(), mask=mask),
        step_by_step(layer, sequences(), mask),
        atol=1e-5,
    )


@pytest.mark.once
def test_trace_under_a_mask_of_the_first_step_holds_the_initial_state():
    layer = ntm()
    assert_same_state(
        layer.trace(sequences(), mask=MASK),
        step_by_step(layer, sequences(), MASK),
        atol=1e-5,
    )


@pytest.mark.once
def test_trace_ends_in_the_state_that_the_layer_returns():
    layer = ntm(return_state=True)
    _, *states = layer(sequences())
    last = keras.tree.map_structure(lambda x: x[:, -1], layer.trace(sequences()))
    assert_same_state(last, layer.cell.unpack(states), atol=1e-5)


def test_trace_starts_from_the_initial_state_passed_in():
    layer = ntm(return_state=True)
    _, *state = layer(sequences()[:, :2])
    actual = layer.trace(sequences()[:, 2:], initial_state=state)
    expected = layer.trace(sequences())
    assert_same_state(
        actual, keras.tree.map_structure(lambda x: x[:, 2:], expected), atol=1e-5
    )


@pytest.mark.once
def test_trace_of_a_backward_layer_is_in_the_order_of_processing():
    layer = ntm()
    backwards = twin(layer, go_backwards=True)
    assert_same_state(
        backwards.trace(sequences()), layer.trace(sequences()[:, ::-1]), atol=1e-5
    )


@pytest.mark.once
def test_trace_builds_a_new_layer():
    trace = unbuilt_ntm().trace(sequences())
    assert tuple(trace.memory.shape) == (B, T, N, W)


@pytest.mark.once
def test_trace_leaves_the_state_of_a_stateful_layer():
    layer = twin(ntm(), stateful=True)
    layer(sequences())
    before = [np.array(state) for state in layer.states]
    layer.trace(sequences())
    assert_same_state(layer.states, before, 0)


@pytest.mark.once
def test_trace_weightings_are_weightings():
    weightings = np.asarray(ntm(num_read_heads=3).trace(sequences()).weightings)
    assert np.all(weightings >= 0)
    np.testing.assert_allclose(weightings.sum(axis=-1), 1.0, atol=1e-5)


@CONTROLLERS
@pytest.mark.parametrize("go_backwards", [False, True])
def test_traced_heads_are_those_of_the_paper(controller, control, go_backwards):
    layer = ntm(controller=controller, num_write_heads=2, go_backwards=go_backwards)
    find, change = layer.trace_heads(
        sequences()[:, ::-1] if go_backwards else sequences()
    )
    traced = {**find._asdict(), **change._asdict()}
    weights = ntm_weights(layer.cell)
    for b, sequence in enumerate(sequences()):
        start = ntm_initial_state(layer.cell)
        run = (weights, control, layer.cell.shift_range, *EPSILONS)
        states = [start, *reference.ntm_run(sequence, start, *run)[1]]
        for t, state in enumerate(states[:-1]):
            joined = np.concatenate([sequence[t], state.reads.ravel()])
            hidden, _ = control(joined, state.controller, weights.controller)
            kernel, bias = weights.heads
            told = reference.head_parameters(hidden @ kernel + bias, 1, 2, W, 1)
            for name, values in told._asdict().items():
                np.testing.assert_allclose(
                    traced[name][b, t], values, atol=PAPER_TOLERANCE, err_msg=name
                )


# Precision and gradients


def mean_square(output):
    return ops.mean(ops.square(ops.cast(output, "float32") - 1.0))


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
    "mode", ["constant", "constant-trainable", "learned", "random", "redrawn"]
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


# Training and saving


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
