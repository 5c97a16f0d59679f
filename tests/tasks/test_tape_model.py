"""The network with a tape on tasks, and memories with room for longer strings."""

import warnings

import keras
import numpy as np
import pytest
from click.testing import CliRunner

import memnets
import tasks
from tasks.cli.main import main
from tasks.models.room import room_note, with_room

pytestmark = pytest.mark.once
SMALL = {"word_size": 3, "writer_size": 4, "controller_size": 5}


def small(**changes):
    return tasks.get_model("tape", **{"memory_size": 6, **SMALL, **changes})


@pytest.mark.parametrize("controller", ["simple-rnn", "lstm", "feedforward"])
def test_outputs_are_those_of_the_task(controller):
    task = tasks.Copy(4, 1, 3)
    network = small(controller=controller).build(task)
    batch = task.sample(2, rng=1)
    assert network(batch.inputs).shape == batch.targets.shape
    counted = network.layers[-1].cell
    assert not counted.jumps and counted.length_features is None


def test_a_jump_goes_by_the_symbols_of_the_string():
    task = tasks.DuplicateString(max_length=3)
    model = tasks.get_model("tape", task, jumps=True, **SMALL)
    assert model.signature.startswith("tape|N:6|W:3|jumps|controller:simple-rnn")
    (layer,) = model.build(task).layers[1:]
    batch = task.sample(5, rng=1)
    symbols = batch.inputs[..., :2].sum(axis=(1, 2))
    assert len(set(symbols)) > 1
    state = layer.trace(batch.inputs)
    np.testing.assert_array_equal(state.length[:, 0, 0], symbols)


KINDS = pytest.mark.parametrize(
    ("name", "places"), [("stack", "depth"), ("tape", "memory_size")]
)


@KINDS
def test_a_memory_has_room_for_the_longest_string_of_a_validation(name, places):
    for task in (tasks.ReverseString(), tasks.ModularArithmetic(max_length=20)):
        model = tasks.get_model(name, task)
        at = map(task.evaluation.at_length, range(1, 2 * task.max_length + 1))
        symbols = slice(len(task.alphabet))
        longest = max(int(t.sample(1, rng=1).inputs[..., symbols].sum()) for t in at)
        assert getattr(model, places) == longest
        assert room_note(task, model) is None
        fewer = tasks.get_model(name, task, **{places: longest - 1})
        assert room_note(task, fewer) == (
            f"`{places}` should be at least {longest}, the symbols of the longest "
            f"string of the training and its validation: the model {name} holds one "
            f"symbol a place. Received: {places}={longest - 1}"
        )
    ngrams = tasks.DynamicNGrams()
    assert room_note(ngrams, tasks.get_model(name, **{places: 3})) is None
    assert room_note(tasks.ReverseString(), tasks.get_model("lstm")) is None


@KINDS
def test_a_test_makes_a_memory_larger(name, places):
    """It is then that of a network which always had so many places."""
    task = tasks.ReverseString(max_length=3)
    sizes = {"controller_size": 5}
    if name == "stack":
        sizes["round_actions"] = False  # what lies deep then comes up in part
    small = tasks.get_model(name, task, **sizes).build(task)
    large = tasks.get_model(name, task, **sizes, **{places: 20}).build(task)
    large.set_weights(small.get_weights())
    inputs = task.evaluation.at_length(20).sample(4, rng=1).inputs
    grown = with_room(small, task, [3, 20])
    np.testing.assert_array_equal(grown(inputs), large(inputs))
    assert np.abs(small(inputs) - large(inputs)).max() > 1e-6
    assert with_room(small, task, [6]) is small
    results = [tasks.evaluate(model, task, [3, 20]) for model in (small, large)]
    assert results[0] == results[1]


@KINDS
def test_a_memory_without_room_for_its_training_stays(name, places):
    task = tasks.ReverseString(max_length=6)
    for count, stays in ((5, True), (6, False)):
        network = tasks.get_model(name, task, **{places: count}).build(task)
        assert (with_room(network, task, [3, 20]) is network) == stays


@pytest.mark.parametrize("name", ["ntm-lstm", "lstm"])
def test_a_network_whose_weights_know_its_rows_stays(name):
    task = tasks.ReverseString(max_length=3)
    network = tasks.get_model(name, task).build(task)
    assert with_room(network, task, [500]) is network


def test_a_model_that_is_not_made_of_layers_stays():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.recurrent = memnets.StackRNN(3, depth=2)

        def call(self, inputs):
            return self.recurrent(inputs)

    network = Own()
    assert with_room(network, tasks.ReverseString(), [500]) is network


def test_commands_say_in_a_line_how_many_places_are_needed(tmp_path):
    run = str(tmp_path / "run")
    command = ["train", "reverse-string", "--model", "tape", "--max-length", "3"]
    command += ["--memory-size", "4", "--word-size", "3", "--writer-size", "4"]
    command += ["--controller-size", "5", "--sequences", "32", "--out", run]
    with warnings.catch_warnings():
        # Tests have warnings as errors.
        warnings.filterwarnings("default", category=UserWarning)
        done = CliRunner().invoke(main, [*command, "--no-jit-compile"])
    assert done.exit_code == 0, done.output
    said = [line for line in done.stderr.splitlines() if line.startswith("Warning")]
    assert said == [
        "Warning: `memory_size` should be at least 6, the symbols of the longest "
        "string of the training and its validation: the model tape holds one symbol a "
        "place. Received: memory_size=4"
    ]
    figures = {path.name for path in (tmp_path / "run" / "figures").iterdir()}
    assert {"sequence-37.png", "memory.png", "memory-values.png"} <= figures


@pytest.mark.parametrize("name", ["ntm-feedforward", "ntm-lstm"])
def test_an_ntm_has_a_row_for_each_symbol_and_one_more(name):
    for longest, rows in ((40, 512), (38, 480)):  # strings of up to 500 and 475
        task = tasks.DuplicateString(max_length=longest)
        assert tasks.get_model(name, task).memory_size == rows
    assert tasks.get_model(name, tasks.Copy()).memory_size == 128
