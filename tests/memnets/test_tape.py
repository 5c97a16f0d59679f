"""Tapes against a machine in plain Python and the equations of the paper."""

import re

import keras
import numpy as np
import pytest
import reference
import tape_reference as oracle
from keras import ops
from layer_weights import arrays, randomise

import memnets
from memnets.tapes import rules

SIZE = 3
JUMPS = pytest.mark.parametrize("length", [0, 3, 7])


def run(size, words, moves, length=0):
    """The tape `(N, W)` and the place of the head after words `(T, W)` and moves
    `(T, A)`."""
    tape = ops.zeros((1, size, words.shape[1]))
    head = ops.convert_to_tensor(np.eye(1, size, dtype="float32"))
    jump = ops.full((1, 1), float(length)) if moves.shape[1] == 5 else None
    for word, shares in zip(words, moves, strict=True):
        word, shares = (
            ops.convert_to_tensor(x[None].astype("float32")) for x in (word, shares)
        )
        tape = rules.move(rules.write(tape, word[None]), shares, jump)
        head = rules.move_head(head, shares, jump)
    return np.asarray(tape)[0], np.asarray(head)[0]


def drawn(steps, seed):
    return np.random.default_rng(seed).standard_normal((steps, SIZE))


@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.once), 5])
@JUMPS
def test_single_moves_are_those_of_a_machine(size, length):
    moves = np.random.default_rng(size).integers(5 if length else 3, size=30)
    words, machine = drawn(30, 1), oracle.Machine(size, SIZE)
    for word, one in zip(words, moves, strict=True):
        machine.act(word, one, length)
    tape, head = run(size, words, np.eye(5 if length else 3)[moves], length)
    np.testing.assert_allclose(tape, machine.from_head(), rtol=1e-6)
    np.testing.assert_array_equal(head, np.eye(size)[machine.head])


def likely(steps, count, seed=2):
    raw = 2 * np.random.default_rng(seed).standard_normal((steps, count))
    return np.array([reference.softmax(row) for row in raw])


@JUMPS
def test_head_is_where_drawn_moves_lead_on_average(length):
    moves = likely(4, 5 if length else 3)
    _, head = run(5, drawn(4, 3), moves, length)
    _, places = oracle.expected(5, drawn(4, 3), moves, length)
    np.testing.assert_allclose(head, places, atol=1e-6)


@JUMPS
def test_one_step_is_the_mean_over_drawn_moves(length):
    """Of several steps it is not: a word replaces the mean of what may be there."""
    words = drawn(3, 4)
    moves = np.concatenate([np.eye(5)[[2, 1]], likely(1, 5)])
    moves = moves if length else moves[:, :3] / moves[:, :3].sum(axis=1, keepdims=True)
    tape, _ = run(4, words, moves, length)
    cells, _ = oracle.expected(4, words, moves, length)
    np.testing.assert_allclose(tape, cells, atol=1e-6)


@pytest.mark.parametrize("there", [0, 1, 2, 3, 4])
def test_a_move_and_the_one_back_leave_the_tape_as_it_was(there):
    tape = ops.convert_to_tensor(drawn(6, 5)[None].astype("float32"))
    moved, length = tape, ops.full((1, 1), 4.0)
    for each in (there, rules.BACK[there]):
        shares = ops.convert_to_tensor(np.eye(5, dtype="float32")[[each]])
        moved = rules.move(moved, shares, length)
    np.testing.assert_array_equal(moved, tape)


@pytest.mark.once
def test_the_ring_wraps():
    tape = ops.convert_to_tensor(drawn(5, 6)[None].astype("float32"))
    right = ops.convert_to_tensor(np.eye(3, dtype="float32")[[2]])
    moved = tape
    for _ in range(5):
        moved = rules.move(moved, right)
    np.testing.assert_array_equal(moved, tape)


def tape_rnn(units=2, **changes):
    sizes = {"memory_size": 5, "word_size": SIZE, "controller_size": 4}
    layer = memnets.TapeRNN(units, **{**sizes, "writer_sizes": (6, 5), **changes})
    layer.build((3, None, 3))
    return randomise(layer)


def sequences(steps=6, seed=0):
    shape = (3, steps, 3)
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


SIMPLE = ("simple-rnn", oracle.simple_rnn_step, 1)
LSTM = ("lstm", reference.lstm_step, 2)


@pytest.mark.parametrize(
    ("controller", "control", "states", "jumps"),
    [
        (*SIMPLE, False),
        (*LSTM, True),
        pytest.param(*SIMPLE, True, marks=pytest.mark.once),
        pytest.param(*LSTM, False, marks=pytest.mark.once),
    ],
)
def test_layer_agrees_with_the_paper(controller, control, states, jumps):
    layer = tape_rnn(controller=controller, jumps=jumps, return_sequences=True)
    heads = layer.cell.heads
    weights = oracle.TapeWeights(
        arrays(layer.cell.controller),
        arrays(heads.moves),
        [arrays(part) for part in (*heads.writer, heads.word)],
        arrays(layer.cell.projection),
    )
    mask = np.ones((3, 6), bool)
    mask[1, 3:] = mask[2, [0, 4]] = False
    outputs = np.asarray(layer(sequences(), mask=mask))
    memory = np.asarray(layer.trace(sequences(), mask=mask).memory)
    moves = np.asarray(layer.trace_heads(sequences(), mask=mask).moves)[:, :, 0]
    for row, sequence in enumerate(sequences()):
        seen, length = sequence[mask[row]].astype("float64"), mask[row].sum()
        start = (np.zeros(4),) * states
        expected, shares, cells = oracle.tape_rnn(
            seen, start, weights, control, 5, SIZE, length
        )
        np.testing.assert_allclose(outputs[row][mask[row]], expected, atol=1e-5)
        np.testing.assert_allclose(moves[row][mask[row]], shares, atol=1e-5)
        np.testing.assert_allclose(memory[row, -1], cells, atol=1e-5)


def test_length_is_that_of_the_steps_that_count():
    inputs = np.zeros((3, 6, 3), "float32")
    inputs[0, :4, 0] = inputs[1, [0, 2], 1] = 1
    inputs[:, 5, 2] = 1
    mask = np.ones((3, 6), bool)
    mask[0, 0] = False
    for features, lengths in ((2, [3, 2, 0]), (3, [4, 3, 1]), (None, [5, 6, 6])):
        layer = tape_rnn(jumps=True, length_features=features)
        state = layer.trace(inputs, mask=mask)
        np.testing.assert_array_equal(state.length[:, -1, 0], lengths)


@pytest.mark.once
def test_a_length_that_is_given_stays():
    """As where a sequence comes in pieces, and in a cell that is stepped alone."""
    layer = tape_rnn(jumps=True, return_state=True, return_sequences=True)
    whole, *_ = layer(sequences())
    cell = layer.cell
    states = cell.get_initial_state(3)
    assert float(ops.max(cell.unpack(states).length)) == 0
    states = cell.with_length(states, ops.full((3, 1), 6.0))
    first, *between = layer(sequences()[:, :4], initial_state=states)
    second, *_ = layer(sequences()[:, 4:], initial_state=between)
    np.testing.assert_allclose(np.concatenate([first, second], 1), whole, atol=1e-6)
    output, _ = cell(sequences()[:, 0], states)
    np.testing.assert_allclose(output, whole[:, 0], atol=1e-6)


def set_program(layer, moves, word):
    """Weights of a layer whose controller passes on what it sees. Rows of `moves` and
    `word` are for features of the input, then components of the cell under the head."""
    cell = layer.cell
    cell.controller.set_weights([np.eye(len(moves)), np.zeros(len(moves))])
    cell.heads.moves.set_weights([1e3 * np.array(moves), np.zeros(3)])
    cell.heads.word.set_weights([np.array(word), np.zeros(len(word[0]))])


def test_a_tape_copies_by_hand():
    """While a symbol comes in, the head writes it and moves left; while a third feature
    says so, it moves left without a change: the ring comes round to the first symbol,
    which lies as far to the left as the tape has other cells."""
    layer = memnets.TapeRNN(
        2,
        memory_size=5,
        word_size=2,
        writer_sizes=(),
        round_moves=True,
        controller=memnets.cells.FeedforwardCell(5, activation="linear"),
        return_sequences=True,
    )
    layer.build((1, None, 3))
    left, zero, one = [0, 1, 0], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]
    # A symbol is written where the cell is empty, and a cell stays where none comes in.
    set_program(layer, [left, left, left, [0] * 3, [0] * 3], [*one, zero, *one])
    layer.cell.projection.set_weights([np.eye(7)[:, 5:], np.zeros(2)])
    string = np.eye(3)[[0, 1, 1, 0, 0, 2, 2, 2, 2, 2]]
    outputs = np.asarray(layer(string[None].astype("float32")))[0]
    # After five symbols the head is at the first one again; each step shows the next.
    np.testing.assert_allclose(outputs[4:9], string[:5, :2], atol=1e-6)


@pytest.mark.once
def test_moves_are_rounded_outside_of_training():
    layer, soft = tape_rnn(round_moves=True), tape_rnn()
    soft.set_weights(layer.get_weights())
    x = sequences()
    head = np.asarray(layer.trace(x).head)
    assert set(np.unique(head)) == {0.0, 1.0}
    np.testing.assert_allclose(layer(x, training=True), soft(x), atol=1e-6)
    assert np.abs(np.asarray(layer(x) - soft(x))).max() > 0.01


@pytest.mark.once
def test_weights_can_be_used_with_a_longer_tape():
    layer = tape_rnn(memory_size=9, return_sequences=True)
    longer = memnets.TapeRNN(**{**layer.get_config(), "memory_size": 30})
    longer.build((3, None, 3))
    longer.set_weights(layer.get_weights())
    # In four steps the head does not reach what it left at the other end.
    x = sequences(4)
    np.testing.assert_allclose(longer(x), layer(x), atol=1e-6)


@pytest.mark.once
def test_traced_tape_lies_still_under_its_head():
    layer = tape_rnn(round_moves=True, jumps=True)
    trace, state = layer.trace_memory(sequences()), layer.trace(sequences())
    assert isinstance(layer, memnets.TraceableMemory)
    write, read = trace.heads
    assert (write.name, read.name) == ("write head", "read head")
    ((title, moves),) = trace.step_values
    assert title == "moves\nstay,\nleft,\nright,\njump left,\njump right"
    np.testing.assert_array_equal(moves.sum(axis=-1), np.ones((3, 6)))
    words = np.asarray(layer.trace_heads(sequences()).word)[:, :, 0]
    for row in range(3):
        machine = oracle.Machine(5, SIZE)
        for step in range(6):
            assert write.weighting[row, step].argmax() == machine.head
            machine.act(words[row, step], moves[row, step].argmax(), 6)
            assert read.weighting[row, step].argmax() == machine.head
            np.testing.assert_allclose(
                trace.memory[row, step], machine.cells, atol=1e-5
            )
            np.testing.assert_allclose(
                read.vectors[row, step], machine.cells[machine.head], atol=1e-5
            )
    np.testing.assert_allclose(state.memory[:, -1, 0], read.vectors[:, -1], atol=1e-6)


@pytest.mark.once
def test_gradients_are_finite_where_the_tape_is_empty():
    layer = tape_rnn(jumps=True, memory_size=1)
    model = keras.Sequential([keras.Input((4, 3)), layer])
    model.compile("sgd", "mse", jit_compile=False)
    model.train_on_batch(np.zeros((3, 4, 3), "float32"), np.ones((3, 2)))
    assert all(np.isfinite(weight).all() for weight in layer.get_weights())


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.TapeRNN, memnets.TapeCell])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"memory_size": 0},
            "`memory_size` must be a positive integer. Received: memory_size=0",
        ),
        (
            {"word_size": 2.5},
            "`word_size` must be a positive integer. Received: word_size=2.5",
        ),
        (
            {"memory_size": 2**28},
            "`memory_size * word_size` must be an integer of at most 2147483647. "
            "Received: memory_size * word_size=2147483648",
        ),
        (
            {"writer_sizes": 64},
            "`writer_sizes` must be a tuple of positive integers, such as (64, 64). "
            "Received: writer_sizes=64",
        ),
        (
            {"writer_sizes": (64, 0)},
            "`writer_sizes` must be a positive integer. Received: writer_sizes=0",
        ),
        (
            {"length_features": 2},
            "`length_features` must be None where `jumps` is False. "
            "Received: length_features=2",
        ),
        (
            {"jumps": True, "length_features": 0},
            "`length_features` must be a positive integer. Received: length_features=0",
        ),
    ],
)
def test_wrong_argument_is_named(layer_class, changes, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layer_class(2, **changes)


@pytest.mark.once
def test_flag_that_is_none_is_named():
    for name in ("jumps", "round_moves"):
        with pytest.raises(TypeError, match=f"`{name}` must be"):
            memnets.TapeRNN(2, **{name: "yes"})


@pytest.mark.once
def test_length_features_are_features():
    layer = memnets.TapeRNN(2, jumps=True, length_features=4)
    message = (
        "`length_features` must be at most the 3 features of the inputs. "
        "Received: length_features=4"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layer(sequences())


@pytest.mark.once
def test_states_survive_packing():
    cell = tape_rnn(jumps=True).cell
    rng = np.random.default_rng(3)
    states = [rng.standard_normal((2, size)) for size in cell.state_size]
    for part, state in zip(cell.pack(cell.unpack(states)), states, strict=True):
        np.testing.assert_array_equal(ops.convert_to_numpy(part), state)
