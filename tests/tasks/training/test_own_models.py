"""Keras models and tasks of the user's own, and wrong things given to `tasks.train`."""

import dataclasses

import keras
import numpy as np
import pytest

import tasks
from tasks.runs import RunError, checkpoint

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("undrawn")]

# See tests/tasks/conftest.py.
IN_GRAPHS = True

TASK = tasks.Copy(2, 1, 3)
# Without XLA, which needs seconds to compile the smallest model.
OPTIONS = {"sequences": 64, "batch_size": 4, "progress": False, "jit_compile": False}


def dense(task):
    """A small functional model."""
    inputs = task.inputs()
    hidden = keras.layers.Dense(3, "tanh")(inputs)
    return keras.Model(inputs, keras.layers.Dense(task.output_size)(hidden))


class Subclassed(keras.Model):
    """A model that does not declare its shapes."""

    def __init__(self, units):
        super().__init__()
        self.layer = keras.layers.Dense(units)

    def call(self, inputs):
        return self.layer(inputs)


def test_a_model_is_trained_in_place():
    model = dense(TASK)
    before = model.get_weights()
    result = tasks.train(TASK, model, **OPTIONS)
    assert result.model is model
    assert any((a != b).any() for a, b in zip(before, model.get_weights(), strict=True))
    assert result.history[0]["bit_errors"] > 0


def test_a_function_makes_the_same_weights_for_the_same_seed():
    one, other = (tasks.train(TASK, dense, **OPTIONS).model for _ in range(2))
    for weights, same in zip(one.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(weights, same)


def test_a_subclassed_model_is_trained(tmp_path):
    model = Subclassed(TASK.output_size)
    assert tasks.train(TASK, model, **OPTIONS).model is model
    with pytest.raises(TypeError, match="`model` must implement `get_config`"):
        tasks.train(TASK, model, out=tmp_path / "run", **OPTIONS)
    assert not (tmp_path / "run").exists()


@keras.saving.register_keras_serializable("own")
class Saveable(Subclassed):
    def get_config(self):
        return {"units": self.layer.units}


@pytest.mark.once
def test_a_subclassed_model_with_a_configuration_is_saved_and_read_back(tmp_path):
    model = Saveable(TASK.output_size)
    tasks.train(TASK, model, out=tmp_path, **OPTIONS)
    loaded = tasks.open_run(tmp_path).load_model()
    inputs = TASK.sample(2, 1).inputs
    np.testing.assert_array_equal(
        loaded.predict_on_batch(inputs), model.predict_on_batch(inputs)
    )


def test_a_run_of_an_own_model_is_read_back(tmp_path):
    result = tasks.train(TASK, dense(TASK), out=tmp_path, **OPTIONS)
    run = tasks.open_run(tmp_path)
    assert run.model.label == "functional"
    assert run.read_summary()["evaluation"] == result.summary["evaluation"]
    saved, trained = run.load_model().get_weights(), result.model.get_weights()
    for one, other in zip(saved, trained, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="'functional' must be given to train it"):
        tasks.train(TASK, run.model, **OPTIONS)


@dataclasses.dataclass(frozen=True)
class Wrong(tasks.Copy):
    """Copy whose targets or whose mask are the same number everywhere."""

    part: str = "targets"
    number: float = 0.0
    name = "wrong"

    def sample(self, batch_size, rng=None):
        batch = super().sample(batch_size, rng)
        array = np.full_like(getattr(batch, self.part), self.number)
        return batch._replace(**{self.part: array})


@pytest.mark.parametrize(
    ("part", "number", "expected"),
    [
        ("targets", 0.0, "different targets: all that the mask counts are equal"),
        ("targets", 1.0, "different targets: all that the mask counts are equal"),
        ("mask", 0.0, "count some outputs: its mask is 0 everywhere"),
    ],
)
def test_a_task_that_asks_for_nothing_is_warned_of(part, number, expected):
    task = Wrong(2, 1, 3, part=part, number=number)
    with pytest.warns(UserWarning, match=f"`Wrong.sample` .* {expected}.*show wrong"):
        tasks.train(task, dense, **OPTIONS)


class AnyLength(tasks.Stream):
    """The first two batches have the same length, later ones others."""

    def batch(self, index, size, seed):
        length = (2, 2, 1, 3)[index % 4]
        return self.task.evaluation.at_length(length).sample(size, [seed, index])


@dataclasses.dataclass(frozen=True)
class Varied(tasks.Copy):
    name = "varied"
    stream = tasks.Beside(AnyLength)


@pytest.mark.parametrize("steps", [1, 4])
def test_batches_of_an_own_task_may_have_any_lengths(steps):
    options = OPTIONS | {"epoch_steps": steps}
    result = tasks.train(Varied(2, 1, 3), dense, **options)
    assert result.history[-1]["sequences"] == 64


class StopAt(keras.callbacks.Callback):
    """Ctrl-C in the second epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 1:
            raise KeyboardInterrupt


def test_a_pretrained_network_is_trained_further_and_resumed(tmp_path):
    # Two epochs, the second of which is stopped once. A small network would not tell
    # whether the weights are those of the trained one.
    task = tasks.Copy(max_length=2)
    options = {"sequences": 80, "batch_size": 2, "epoch_steps": 20, "progress": False}
    options |= {"evaluate": False, "learning_rate": 1e-5, "jit_compile": False}

    def network():
        return tasks.load_pretrained("copy")

    whole = tasks.train(task, network(), out=tmp_path / "whole", **options)
    assert whole.history[0]["bit_errors"] < 0.05  # chance is 12
    stopped = tasks.train(
        task, network(), out=tmp_path / "run", callbacks=[StopAt()], **options
    )
    assert len(stopped.history) == 1
    tasks.train(task, network(), out=tmp_path / "run", resume=True, **options)
    one, other = (
        checkpoint.load_last(tmp_path / name / "checkpoints")
        for name in ("whole", "run")
    )
    for value, same in zip(one.values, other.values, strict=True):
        np.testing.assert_array_equal(value, same)


@pytest.mark.once
def test_a_model_made_by_the_same_code_resumes_a_run(tmp_path):
    tasks.train(TASK, dense(TASK), out=tmp_path, evaluate=False, **OPTIONS)
    # Keras gives its layers other names.
    tasks.train(TASK, dense(TASK), out=tmp_path, resume=True, **OPTIONS)
    wider = keras.Sequential([keras.Input((None, 3)), keras.layers.Dense(2)])
    with pytest.raises(RunError, match="holds a run of another model_name"):
        tasks.train(TASK, wider, out=tmp_path, resume=True, **OPTIONS)


class Unnamed(tasks.Copy):
    name = None


class Tuple(tasks.Copy):
    def sample(self, batch_size, rng=None):
        return tuple(super().sample(batch_size, rng))


class Lists(tasks.Copy):
    def sample(self, batch_size, rng=None):
        inputs, targets, mask = super().sample(batch_size, rng)
        return tasks.Batch(inputs, targets.tolist(), mask)


class Unequal(tasks.Copy):
    def sample(self, batch_size, rng=None):
        inputs, targets, mask = super().sample(batch_size, rng)
        return tasks.Batch(inputs, targets, mask[1:])


class Narrow(tasks.Copy):
    def sample(self, batch_size, rng=None):
        inputs, targets, mask = super().sample(batch_size, rng)
        return tasks.Batch(inputs[..., 1:], targets, mask)


def sequential(inputs, outputs):
    return keras.Sequential([keras.Input((None, inputs)), keras.layers.Dense(outputs)])


@pytest.mark.once
@pytest.mark.parametrize(
    ("task", "model", "options", "error", "message"),
    [
        (tasks.Copy, "lstm", {}, TypeError, r"`task` must be .* an instance: Copy\(\)"),
        (
            7,
            "lstm",
            {},
            TypeError,
            "`task` must be a Task or its name. Received: task=7",
        ),
        (
            "sort",
            "lstm",
            {},
            ValueError,
            "`task` must be one of .* Received: task='sor",
        ),
        (
            Unnamed(),
            "lstm",
            {},
            TypeError,
            "`task` must have a `name`, a string in its",
        ),
        (
            Tuple(),
            dense,
            {},
            TypeError,
            "`Tuple.sample` must return a tasks.Batch of in",
        ),
        (
            Lists(),
            dense,
            {},
            TypeError,
            "`Lists.sample` must return NumPy arrays, batch",
        ),
        (
            Unequal(),
            dense,
            {},
            ValueError,
            "`Unequal.sample` must return as many inputs",
        ),
        (
            Narrow(),
            dense,
            {},
            ValueError,
            r"`Narrow.sample` must .*\(any, any, 9\)\. Re",
        ),
        (
            TASK,
            "gpt",
            {},
            ValueError,
            "`model` must be one of bahdanau, .* tasks.register_mo",
        ),
        (
            TASK,
            tasks.ModelConfig,
            {},
            TypeError,
            "`model` must be an instance, not a cl",
        ),
        (
            TASK,
            keras.Model,
            {},
            TypeError,
            "`model` must be a model's name, a ModelConf",
        ),
        (
            TASK,
            7,
            {},
            TypeError,
            "`model` must be a model's name, .* Received: model=7",
        ),
        (
            TASK,
            keras.layers.Dense(2),
            {},
            TypeError,
            "`model` must be a model's name, a",
        ),
        (
            TASK,
            lambda task: 7,
            {},
            TypeError,
            "`model` must be a function that returns ",
        ),
        (
            TASK,
            sequential(3, 5),
            {},
            ValueError,
            r"`model` must have outputs of shape \(",
        ),
        (
            TASK,
            sequential(4, 2),
            {},
            ValueError,
            r"`model` must have inputs of shape \(N",
        ),
        (
            TASK,
            Subclassed(5),
            {},
            ValueError,
            r"`model` must have outputs of shape \(Non",
        ),
        (
            TASK,
            dense,
            {"epochs": 3},
            TypeError,
            "`epochs` is not an option of training. Did you mean `passes` or `sequ",
        ),
        (TASK, dense, {"progress": 1}, TypeError, "`progress` must be True or False"),
        (
            TASK,
            dense,
            {"callbacks": 7},
            TypeError,
            "`callbacks` must be a list of Keras",
        ),
    ],
)
def test_wrong_things_are_named_in_one_line(
    tmp_path, task, model, options, error, message
):
    out = tmp_path / "run"
    with pytest.raises(error, match=message) as caught:
        tasks.train(task, model, out=out, **(OPTIONS | options))
    assert "\n" not in str(caught.value)
    assert not out.exists() or not list(out.glob("*.json"))


@pytest.mark.once
@pytest.mark.parametrize(("task", "shape"), [(TASK, "None, None, 3"), (7, "a Task or")])
def test_a_pretrained_network_of_another_size_is_named(task, shape):
    with pytest.raises((TypeError, ValueError), match=shape):
        tasks.train(task, tasks.load_pretrained("copy"), **OPTIONS)


class Unregistered(keras.layers.Layer):
    """A layer that Keras cannot find by name."""

    def call(self, inputs):
        return inputs


def unregistered(task):
    inputs = task.inputs()
    hidden = Unregistered()(inputs)
    return keras.Model(inputs, keras.layers.Dense(task.output_size)(hidden))


def test_a_model_that_cannot_be_loaded_is_named_before_the_training(tmp_path):
    started = []

    class Started(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            started.append(True)

    out = tmp_path / "run"
    with pytest.raises(RunError, match="Unregistered'.*register_keras_serializable"):
        tasks.train(TASK, unregistered, out=out, callbacks=[Started()], **OPTIONS)
    assert not started
    # Without an evaluation of the saved model it can be trained.
    result = tasks.train(
        TASK, unregistered, out=out, force=True, evaluate=False, **OPTIONS
    )
    assert len(result.history) == 1


def test_classes_given_to_load_model_join_the_registered_ones(tmp_path):
    @keras.saving.register_keras_serializable("own")
    class Known(keras.layers.Layer):
        def call(self, inputs):
            return inputs

    def both(task):
        inputs = task.inputs()
        hidden = Unregistered()(Known()(inputs))
        return keras.Model(inputs, keras.layers.Dense(task.output_size)(hidden))

    out = tmp_path / "run"
    result = tasks.train(TASK, both, out=out, evaluate=False, **OPTIONS)
    with pytest.raises(RunError, match="Unregistered"):
        result.run.load_model()
    model = result.run.load_model({"Unregistered": Unregistered})
    assert len(model.layers) == 4


def test_a_run_of_this_package_trusts_no_registered_class(tmp_path, tiny):
    """Another library may have registered what a changed file names."""

    @keras.saving.register_keras_serializable("elsewhere")
    class Elsewhere(keras.layers.Layer):
        def call(self, inputs):
            return inputs

    out = tmp_path / "run"
    run = tasks.train(TASK, tiny, out=out, evaluate=False, **OPTIONS).run
    inputs = TASK.inputs()
    outputs = keras.layers.Dense(TASK.output_size)(Elsewhere()(inputs))
    run.save_model(keras.Model(inputs, outputs))
    with pytest.raises(RunError, match="elsewhere>Elsewhere"):
        run.load_model()


def test_a_model_with_several_outputs_is_named():
    class Several(keras.Model):
        def call(self, inputs):
            return {"one": inputs}

    with pytest.raises(ValueError, match="must have one output, a tensor"):
        tasks.train(TASK, Several(), **OPTIONS)


def test_success_must_be_of_a_measure_of_the_task():
    class Misspelt(tasks.Copy):
        success = tasks.Success("bit_error", below=1.0)

    with pytest.raises(ValueError, match="bit_errors. Received: measure='bit_error'"):
        tasks.train(Misspelt(2, 1, 3), dense, **OPTIONS)
