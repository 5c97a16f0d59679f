"""The arguments of the Neural Turing Machine."""

import inspect
import re

import keras
import numpy as np
import pytest
from ntm_layers import N, arguments, unbuilt_ntm

import memnets


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
            "`controller` must be one of 'feedforward', 'lstm', 'simple-rnn', or a "
            "cell such as keras.layers.GRUCell(64). Received: controller='gru'",
        ),
        (
            {"controller": 100},
            "`controller` must be one of 'feedforward', 'lstm', 'simple-rnn', or a "
            "cell such as keras.layers.GRUCell(64). Received: controller=100",
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
            "`cell_clip` must be None for every controller other than 'lstm'. "
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
            "'learned', 'random', 'randomized'. Received: initial_memory='zeros'",
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
def test_wrong_argument_is_named(layer_class, changes, message):
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
        write_shift_bias=(0.5, -1.5, 2.5),
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


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.NTMCell])
def test_a_layer_that_is_not_a_cell_may_not_be_the_controller(layer_class):
    message = (
        "^`controller` must be one of 'feedforward', 'lstm', 'simple-rnn', or a cell "
        r"such as keras.layers.GRUCell\(64\). Received: controller=<Dense.*>$"
    )
    with pytest.raises(ValueError, match=message):
        layer_class(8, controller=keras.layers.Dense(8))


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.NTMCell])
def test_controller_size_is_only_for_named_controllers(layer_class):
    message = "^`controller_size` must be None if `controller` is a cell"
    with pytest.raises(ValueError, match=message):
        layer_class(2, controller=keras.layers.GRUCell(6), controller_size=6)


@pytest.mark.once
@pytest.mark.parametrize("name", ["lstm", "feedforward"])
def test_named_controller_has_100_units_by_default(name):
    assert memnets.NTM(2, controller=name).cell.controller.units == 100


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.NTMCell])
def test_the_earlier_name_of_the_randomized_memory_is_an_error(layer_class):
    with pytest.raises(ValueError, match="'randomized'. Received: .*'redrawn'"):
        layer_class(2, initial_memory="redrawn")


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.NTMCell])
def test_saved_configurations_of_earlier_versions_load(layer_class):
    config = layer_class(2, controller=keras.layers.GRUCell(6)).get_config()
    saved = {**config, "initial_memory": "redrawn", "controller_size": 100}
    layer = layer_class.from_config(saved)
    assert layer.get_config() == {**config, "initial_memory": "randomized"}
    assert saved["initial_memory"] == "redrawn"


@pytest.mark.once
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.NTMCell])
def test_arguments_after_units_are_keyword_only(layer_class):
    with pytest.raises(TypeError, match="positional argument"):
        layer_class(2, 128)


@pytest.mark.once
@pytest.mark.parametrize("name", ["NTM", "DNC", "FastWeights", "StackRNN", "NTMCell"])
def test_units_by_position_and_all_else_by_keyword_is_said(name):
    layer_class = getattr(memnets, name)
    rule = f"{name} must have `units` as its only positional argument"
    for args, kwargs, received in (
        ((8, 32), {}, "Received: 8, 32"),
        ((), {}, "Received: no `units`"),
        ((), {"name": "one"}, "Received: no `units`"),
    ):
        with pytest.raises(TypeError, match=rule) as raised:
            layer_class(*args, **kwargs)
        assert str(raised.value).endswith(received)
    assert layer_class(units=3, name="one").name == "one"


@pytest.mark.once
def test_signature_of_the_layer_lists_the_arguments_of_the_cell():
    layer = inspect.signature(memnets.NTM).parameters
    cell = inspect.signature(memnets.NTMCell).parameters
    own = {"return_sequences", "return_state", "stateful", "gradient_bound"}
    assert set(layer) - set(cell) == own
    assert [layer[name] for name in cell] == list(cell.values())
    for name in set(layer) - {"kwargs"}:
        assert f"\n    {name}: " in inspect.getdoc(memnets.NTM)


@pytest.mark.once
def test_unknown_arguments_are_named():
    with pytest.raises(ValueError, match="wisdom"):
        memnets.NTM(2, wisdom=3)


@pytest.mark.parametrize("name", ["gate_bias", "shift_bias"])
def test_biases_of_read_heads_that_do_not_fit_write_heads_are_named(name):
    biases = {name: (2.0, -2.0), f"write_{name}": None}
    with pytest.raises(ValueError, match=f"`write_{name}` must be given if `{name}`"):
        memnets.NTMCell(3, num_read_heads=2, **biases)


@pytest.mark.once
@pytest.mark.parametrize(
    ("layer_class", "arguments", "message"),
    [
        (memnets.NTM, {"memory_sise": 3}, "Did you mean `memory_size`?"),
        (memnets.DNC, {"go_backward": True}, "Did you mean `go_backwards`?"),
        (
            memnets.NTM,
            {"activation": "relu", "word_size": 3},
            "`activation` belongs to the controller, such as "
            "NTM(..., controller=keras.layers.LSTMCell(100, activation=...)).",
        ),
        (memnets.LRUA, {"dropout": 0.1}, "keras.layers.Dropout before the layer or"),
        (memnets.FastWeights, {"foo": 1}, "FastWeights has no argument `foo`"),
    ],
)
def test_unknown_arguments_are_named_with_those_there_are(
    layer_class, arguments, message
):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        layer_class(4, **arguments)
    assert "return_sequences, return_state, stateful" in str(raised.value)
