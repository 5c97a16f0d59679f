"""Heads: raw controller output becomes head parameters."""

import keras
import numpy as np
import pytest
import reference
from gradients import gradient
from keras import ops

import memnets
from memnets.ntm.memory import NTMMemory

SIZES = pytest.mark.parametrize(
    ("num_read_heads", "num_write_heads", "word_size", "shift_range"),
    [(1, 1, 4, 1), (3, 2, 5, 2), (1, 1, 1, 0), (2, 1, 3, 3)],
)


def memory(num_read_heads, num_write_heads, word_size, shift_range, **biases):
    return NTMMemory(
        num_read_heads=num_read_heads,
        num_write_heads=num_write_heads,
        word_size=word_size,
        shift_range=shift_range,
        **biases,
    )


def initial_bias(*sizes, gates, shifts):
    """The initial biases of all heads, of those of read and of write heads."""
    names = ("gate_bias", "write_gate_bias", "shift_bias", "write_shift_bias")
    biases = dict(zip(names, (*gates, *shifts), strict=True))
    return memory(*sizes, **biases).initial_bias()


def split(raw, num_read_heads, num_write_heads, word_size, shift_range):
    """All parameters by name."""
    sizes = (num_read_heads, num_write_heads, word_size, shift_range)
    addressing_params, write_params = memory(*sizes).split(raw)
    return {**addressing_params._asdict(), **write_params._asdict()}


def raw_values(batch_size, *sizes):
    rng = np.random.default_rng(0)
    return 2 * rng.standard_normal((batch_size, memory(*sizes).num_raw)).astype(
        "float32"
    )


@SIZES
@pytest.mark.parametrize("name", reference.HeadParameters._fields)
def test_parameters_agree_with_the_paper(
    name, num_read_heads, num_write_heads, word_size, shift_range
):
    sizes = (num_read_heads, num_write_heads, word_size, shift_range)
    raw = raw_values(num_read_heads, *sizes)  # as batch size, 1 to 3
    expected = [
        getattr(reference.head_parameters(example, *sizes), name) for example in raw
    ]
    np.testing.assert_allclose(split(raw, *sizes)[name], expected, atol=1e-5)


def test_size_counts_every_value():
    # Three heads, one of which writes: 3 keys of 4, 3 betas, 3 gates, 3 shifts of 5,
    # 3 gammas, an erase and an add vector of 4.
    assert memory(2, 1, 4, 2).num_raw == 12 + 3 + 3 + 15 + 3 + 4 + 4


@pytest.mark.parametrize("raw_value", [-1e4, -5.0, 0.0, 5.0, 1e4])
@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [
        ("beta", 0, np.inf),
        ("gate", 0, 1),
        ("shift", 0, 1),
        ("gamma", 1, np.inf),
        ("erase", 0, 1),
        ("add", -1, 1),
    ],
)
def test_parameter_stays_in_its_range(name, lowest, highest, raw_value):
    raw = np.full_like(raw_values(2, 1, 1, 4, 1), raw_value)
    parameter = np.asarray(split(raw, 1, 1, 4, 1)[name])
    assert np.all(np.isfinite(parameter))
    assert np.all((parameter >= lowest) & (parameter <= highest))


def test_shift_sums_to_one():
    shift = split(raw_values(2, 2, 1, 4, 2), 2, 1, 4, 2)["shift"]
    np.testing.assert_allclose(ops.sum(shift, axis=-1), np.ones((2, 3)), atol=1e-6)


@pytest.mark.parametrize("raw_value", [-1e4, 1e4])
@pytest.mark.parametrize("name", reference.HeadParameters._fields)
def test_gradient_of_parameter_is_finite(name, raw_value):
    raw = np.full_like(raw_values(1, 1, 1, 4, 1), raw_value)
    coefficients = np.random.default_rng(1).standard_normal((1, 2, 4))

    def projected(raw):
        parameter = split(raw, 1, 1, 4, 1)[name]
        _, num_heads, size = parameter.shape
        factors = ops.cast(coefficients[:, :num_heads, :size], parameter.dtype)
        return ops.sum(ops.multiply(parameter, factors))

    (grad,) = gradient(projected, raw)
    assert np.all(np.isfinite(grad))


@pytest.mark.parametrize("shift_range", [1, 2])
def test_initial_biases_of_the_shifts_advance_heads_or_let_them_stay(shift_range):
    sizes = (2, 1, 4, shift_range)
    raw = initial_bias(*sizes, gates=(0.0, 0.0), shifts=((50.0, -50.0), -50.0))[None]
    shift = split(raw, 2, 1, 4, shift_range)["shift"]
    by = np.array([1, 0, 0])  # rows: the first head advances, the others stay
    expected = np.eye(2 * shift_range + 1)[shift_range + by][None]
    np.testing.assert_allclose(shift, expected, atol=1e-6)


@pytest.mark.parametrize(
    "name", sorted({*reference.HeadParameters._fields} - {"shift"})
)
def test_initial_bias_does_not_change_other_parameters(name):
    bias = initial_bias(2, 1, 4, 1, gates=(0.0, 0.0), shifts=(50.0, -50.0))[None]
    rest = split(np.zeros_like(bias), 2, 1, 4, 1)[name]
    np.testing.assert_array_equal(split(bias, 2, 1, 4, 1)[name], rest)


def test_initial_gate_biases_reach_the_gates_of_their_heads_and_nothing_else():
    bias = initial_bias(2, 1, 4, 1, gates=(-50.0, 50.0), shifts=(0.0, 0.0))[None]
    gates = split(bias, 2, 1, 4, 1)["gate"]
    np.testing.assert_allclose(np.ravel(gates), [0, 0, 1], atol=1e-6)
    assert np.count_nonzero(bias) == 3


@pytest.mark.parametrize("controller", ["feedforward", "lstm"])
def test_untrained_heads_find_their_rows_as_the_biases_say_from_every_seed(controller):
    """Read heads search, write heads advance, whatever the controller puts out."""
    inputs = np.random.default_rng(0).normal(size=(2, 6, 3))
    for seed in (1, 2):
        keras.utils.set_random_seed(seed)
        layer = memnets.NTM(2, memory_size=9, num_read_heads=2, controller=controller)
        layer(inputs)
        hidden = 5.0 * np.random.default_rng(seed).normal(size=(4, 100))
        raw = keras.ops.convert_to_numpy(layer.cell.heads(hidden))
        params = {
            name: keras.ops.convert_to_numpy(value)
            for name, value in split(raw, 2, 1, layer.cell.word_size, 1).items()
        }
        np.testing.assert_allclose(params["beta"], np.log(2.0), rtol=1e-6)
        np.testing.assert_allclose(params["gamma"], 1 + np.log(2.0), rtol=1e-6)
        gates = 1 / (1 + np.exp([-2.0, -2.0, 4.0]))
        np.testing.assert_allclose(
            params["gate"][..., 0], np.tile(gates, (4, 1)), rtol=1e-5
        )
        shift = np.exp([0.0, 0.0, 2.0])
        np.testing.assert_allclose(
            params["shift"], np.tile(shift / shift.sum(), (4, 3, 1)), rtol=1e-5
        )
        # What is looked for and what is written follows the controller.
        for name in ("key", "erase", "add"):
            assert np.ptp(params[name], axis=0).min() > 0


@pytest.mark.parametrize(("write_gate_bias", "written"), [(None, 3.0), (-1.0, -1.0)])
def test_write_gate_bias_is_the_gate_bias_by_default(write_gate_bias, written):
    cell = memnets.NTMCell(
        2,
        memory_size=5,
        word_size=3,
        num_read_heads=2,
        gate_bias=3.0,
        write_gate_bias=write_gate_bias,
        shift_bias=0.0,
    )
    cell.build((None, 2))
    bias = keras.ops.convert_to_numpy(cell.heads.bias)
    assert bias[bias != 0].tolist() == [3.0, 3.0, written]


def test_each_head_may_have_its_own_biases():
    cell = memnets.NTMCell(
        2,
        memory_size=5,
        word_size=3,
        num_read_heads=2,
        num_write_heads=3,
        gate_bias=(-4.0, 2.0),
        write_gate_bias=[1.0, 3.0, 5.0],
        shift_bias=(-7.0, 8.0),
        write_shift_bias=[9.0, -10.0, 11.0],
    )
    cell.build((None, 2))
    bias = keras.ops.convert_to_numpy(cell.heads.bias)
    gates, shifts = [-4.0, 2.0, 1.0, 3.0, 5.0], [7.0, 8.0, 9.0, 10.0, 11.0]
    assert bias[bias != 0].tolist() == [*gates, *shifts]
    copy = memnets.NTMCell.from_config(cell.get_config())
    assert copy.gate_bias == (-4.0, 2.0)
    assert copy.write_gate_bias == (1.0, 3.0, 5.0)
    assert copy.shift_bias == (-7.0, 8.0)
    assert copy.write_shift_bias == (9.0, -10.0, 11.0)


def test_write_shift_bias_is_the_shift_bias_by_default():
    """Also of layers that were saved before write heads had their own."""
    config = memnets.NTMCell(2, shift_bias=0.5).get_config()
    assert config["write_shift_bias"] == 0.5
    del config["write_shift_bias"]
    assert memnets.NTMCell.from_config(config).write_shift_bias == 0.5


@pytest.mark.parametrize(
    ("name", "biases"),
    [
        ("gate_bias", {"gate_bias": (1.0, 2.0, 3.0)}),
        ("write_gate_bias", {"write_gate_bias": (1.0, 2.0)}),
        # That of two read heads cannot be that of one write head.
        ("write_gate_bias", {"gate_bias": (1.0, 2.0), "write_gate_bias": None}),
        ("shift_bias", {"shift_bias": (1.0,)}),
        ("write_shift_bias", {"shift_bias": (1.0, 2.0)}),
    ],
)
def test_as_many_biases_as_heads(name, biases):
    must = (
        f"`{name}` must be (a number, or one for each|given if .* has one number for)"
    )
    with pytest.raises(ValueError, match=must):
        memnets.NTMCell(2, num_read_heads=2, num_write_heads=1, **biases)


def test_initial_bias_without_shifts_is_zero():
    np.testing.assert_array_equal(
        initial_bias(1, 1, 1, 0, gates=(0.0, 0.0), shifts=(50.0, -50.0)),
        np.zeros(2 + 2 + 2 + 2 + 2 + 2),
    )
