"""The Differentiable Neural Computer against the papers, and its state."""

import keras
import numpy as np
import pytest
import reference
from both_paths import BOTH_PATHS, path
from dnc_layers import (
    EACH_OPTION,
    OPTIONS,
    B,
    F,
    N,
    T,
    W,
    assert_double_precision_is_kept,
    assert_same_state,
    dnc,
    double_precision,
    run_oracle,
    sequences,
    twin,
)

import memnets

# Of float32: five steps against float64.
SINGLE = 1e-4
OF_EVERY_BACKEND = ("many heads, all",)


@pytest.mark.parametrize(
    ("name", "controller", "control"),
    [
        # The states of every step are compared for each on every backend.
        *(
            pytest.param(
                *(name, "feedforward", reference.feedforward_step),
                marks=[] if name in OF_EVERY_BACKEND else pytest.mark.once,
            )
            for name in OPTIONS
        ),
        # Each option is with this one below, in single precision.
        *((n, "lstm", reference.lstm_step) for n in ("plain", "many heads, all")),
    ],
)
def test_outputs_agree_with_the_papers(name, controller, control):
    with double_precision():
        layer = dnc(
            controller=controller,
            initial_memory="random",
            return_sequences=True,
            dtype="float64",
            **OPTIONS[name],
        )
        inputs = sequences().astype("float64")
        expected, _ = run_oracle(layer, control, inputs)
        np.testing.assert_allclose(layer(inputs), expected, atol=1e-6, rtol=0)


def test_double_precision_is_kept():
    assert_double_precision_is_kept(
        dnc, run_oracle, sequences(), **OPTIONS["many heads, all"]
    )


@EACH_OPTION
def test_states_of_every_step_agree_with_the_papers(name):
    with double_precision():
        layer = dnc(
            controller="feedforward",
            initial_memory="random",
            dtype="float64",
            **OPTIONS[name],
        )
        inputs = sequences().astype("float64")
        trace = layer.trace(inputs)
        _, states = run_oracle(layer, reference.feedforward_step, inputs)
        for part in states[0][0]._fields[1:]:
            traced = getattr(trace, part)
            if traced is None:
                assert not layer.cell.links and part in ("precedence", "links")
                continue
            expected = [[getattr(step, part) for step in steps] for steps in states]
            np.testing.assert_allclose(
                traced, expected, atol=1e-6, rtol=0, err_msg=part
            )


@BOTH_PATHS
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[] if n in OF_EVERY_BACKEND else pytest.mark.once)
        for n in OPTIONS
    ],
)
def test_outputs_in_single_precision_agree_with_the_papers(name, compiled):
    layer = dnc(return_sequences=True, **OPTIONS[name])  # its memory begins at zero
    expected, _ = run_oracle(layer, reference.lstm_step, sequences())
    with path(compiled):
        np.testing.assert_allclose(layer(sequences()), expected, atol=SINGLE)


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param({"memory_size": 1}, id="N=1"),
        pytest.param({"word_size": 1}, id="W=1", marks=pytest.mark.once),
        pytest.param(
            {"units": 1, "controller_size": 1}, id="units=1", marks=pytest.mark.once
        ),
    ],
)
@BOTH_PATHS
def test_smallest_sizes_agree_with_the_papers(sizes, compiled):
    layer = dnc(controller="feedforward", return_sequences=True, **sizes)
    inputs = sequences(batch_size=1, time=2)
    expected, _ = run_oracle(layer, reference.feedforward_step, inputs)
    with path(compiled):
        np.testing.assert_allclose(layer(inputs), expected, atol=SINGLE)


@pytest.mark.once
@BOTH_PATHS
def test_inputs_are_clipped_to_the_bound(compiled):
    layer = dnc(input_clip=0.5, return_sequences=True)
    free = twin(layer, input_clip=None)
    clipped = np.clip(sequences(), -0.5, 0.5)
    with path(compiled):
        assert_same_state(layer(sequences()), free(clipped))
    assert_same_state(layer.trace_heads(sequences()), free.trace_heads(clipped))


@pytest.mark.once
def test_invariants_hold_in_a_long_run():
    layer = dnc(**OPTIONS["many heads, all"])
    trace = layer.trace(4 * sequences(time=30))
    tolerance = 1e-5
    for part in ("weightings", "usage", "precedence", "links"):
        values = np.asarray(getattr(trace, part))
        assert np.all(values >= -tolerance) and np.all(values <= 1 + tolerance), part
        if part != "usage":
            assert np.all(values.sum(axis=-1) <= 1 + tolerance), part
    links = np.asarray(trace.links)
    assert np.all(links.sum(axis=-2) <= 1 + tolerance)
    assert np.all(np.diagonal(links, axis1=-2, axis2=-1) == 0)


@pytest.mark.once
def test_unpack_names_the_parts_of_a_state():
    layer = dnc(num_read_heads=2, num_write_heads=3, return_state=True)
    output, *states = layer(sequences())
    state = layer.cell.unpack(states)
    np.testing.assert_array_equal(state.output, output)
    shapes = {
        name: tuple(part.shape)
        for name, part in state._asdict().items()
        if name != "controller"
    }
    assert shapes == {
        "output": (B, 2),
        "reads": (B, 2, W),
        "weightings": (B, 5, N),
        "usage": (B, N),
        "memory": (B, N, W),
        "precedence": (B, 3, N),
        "links": (B, 3, N, N),
    }
    assert [tuple(x.shape) for x in state.controller] == [(B, 5), (B, 5)]


@pytest.mark.once
@EACH_OPTION
def test_pack_undoes_unpack(name):
    layer = dnc(return_state=True, **OPTIONS[name])
    _, *states = layer(sequences())
    assert [tuple(x.shape) for x in states] == [(B, n) for n in layer.cell.state_size]
    again = layer.cell.pack(layer.cell.unpack(states))
    for actual, expected in zip(again, states, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_step_takes_states_as_matrices_too():
    layer = dnc(return_state=True, **OPTIONS["many heads, all"])
    _, *states = layer(sequences())
    layout, inputs = layer.cell.state_layout, sequences()[:, 0]
    matrices = layout.store(states)
    assert (B, *layout.shapes["links"]) in [tuple(part.shape) for part in matrices]
    step = layer.cell
    if keras.backend.backend() == "jax":
        import jax

        step = jax.jit(lambda *arguments: layer.cell(*arguments))
    expected_output, expected = step(inputs, states)
    output, actual = step(inputs, matrices)
    assert layout.are_stored(actual) and not layout.are_stored(expected)
    for values, wanted in zip(
        [output, *layout.flatten(actual)], [expected_output, *expected], strict=True
    ):
        np.testing.assert_allclose(values, wanted, atol=1e-6)


@pytest.mark.once
def test_unpack_of_a_wrong_number_of_states_is_an_error():
    with pytest.raises(ValueError, match="`states` must hold 9 tensors"):
        dnc().cell.unpack([np.zeros((B, 2))])


@pytest.mark.once
def test_state_without_links_has_neither_precedence_nor_links():
    layer = dnc(links=False)
    state = layer.trace(sequences())
    assert state.precedence is None and state.links is None
    assert max(layer.cell.state_size) < N * N


@pytest.mark.once
def test_state_begins_at_zero():
    cell = dnc().cell
    assert all(not np.any(part) for part in cell.get_initial_state(batch_size=B))
    assert not cell.initial.weights


@pytest.mark.once
@pytest.mark.parametrize("mode", ["random", "randomized", "learned"])
def test_memory_may_begin_with_rows_that_differ(mode):
    layer = dnc(initial_memory=mode)
    (memory,) = layer.cell.initial.weights
    state = layer.cell.unpack(layer.cell.get_initial_state(batch_size=B))
    np.testing.assert_array_equal(state.memory, [np.asarray(memory)] * B)
    assert memory.trainable is (mode == "learned")
    trained = layer.cell.unpack(layer.cell.get_initial_state(B, training=True))
    differs = not np.array_equal(trained.memory, state.memory)
    assert differs is (mode == "randomized")


@pytest.mark.once
def test_the_order_of_the_rows_does_not_matter():
    """All rows are equal for a DNC: a memory with its rows in another order, as used
    and as linked as before, gives the same outputs."""
    layer = dnc(return_sequences=True, return_state=True)
    _, *states = layer(sequences())
    state = layer.cell.unpack([np.asarray(part) for part in states])
    order = np.random.default_rng(0).permutation(N)
    moved = state._replace(
        weightings=np.asarray(state.weightings)[..., order],
        usage=np.asarray(state.usage)[..., order],
        memory=np.asarray(state.memory)[:, order],
        precedence=np.asarray(state.precedence)[..., order],
        links=np.asarray(state.links)[..., order, :][..., order],
    )
    inputs = sequences(seed=1)
    expected, *_ = layer(inputs, initial_state=layer.cell.pack(state))
    actual, *_ = layer(inputs, initial_state=layer.cell.pack(moved))
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.once
def test_cell_runs_in_the_rnn_layer_of_keras():
    layer = dnc(return_sequences=True)
    plain = keras.layers.RNN(layer.cell, return_sequences=True)
    np.testing.assert_allclose(plain(sequences()), layer(sequences()), atol=1e-6)


@pytest.mark.once
def test_cell_controls_another_memory():
    inner = memnets.DNCCell(4, memory_size=N, word_size=W, controller_size=5)
    layer = dnc(controller=inner)
    assert tuple(layer(sequences()).shape) == (B, 2)
    assert tuple(layer.trace(sequences()).memory.shape) == (B, T, N, W)


@pytest.mark.once
def test_reset_state_restores_the_initial_memory():
    layer = twin(dnc(initial_memory="random"), stateful=True)
    layer(sequences())
    layer.reset_state()
    assert_same_state(layer.states, layer.cell.get_initial_state(batch_size=B), 0)


@pytest.mark.once
def test_features_of_the_inputs_are_fixed_once_built():
    with pytest.raises(ValueError, match=rf"`sequences` must have the shape .*{F}\)"):
        dnc()(np.zeros((B, T, F + 1)))
