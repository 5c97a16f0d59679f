"""Which weights a run keeps: of the last epoch, of the best, averaged."""

import dataclasses

import keras
import numpy as np
import pytest

import tasks
from tasks.models.keras_model import KerasModel
from tasks.runs import checkpoint
from tasks.runs.output_folder import OutputFolder
from tasks.training.training import compiled_model
from tasks.training.weight_averaging import mean_of
from tasks.training.weights import EvaluatedModel, weights_of
from tasks.training_options.training_config import TrainingConfig

# The third epoch is the best one; the fifth is as good, but later.
SCORES = (0.1, 0.2, 0.4, 0.3, 0.4)


class Validation(tasks.Copy.recipe):
    validation_measure = "val_score"


class Listed(tasks.Evaluation):
    """Validation whose score is that of a list."""

    def validator(self, model):
        def validate():
            type(self.task).seen.append(last_weights(model))
            return {"val_score": next(type(self.task).scores)}

        return validate


@dataclasses.dataclass(frozen=True)
class Validated(tasks.Copy):
    """Copy with validation, whose score is that of a list; `seen` has the weights that
    were validated."""

    recipe = tasks.Beside(Validation)
    evaluation = tasks.Beside(Listed)
    scores = iter(())
    seen = []


def last_weights(model):
    return np.array(model.trainable_variables[-1].value)


def dense(task):
    """A small model, of which the last weights are trained: the others see only zeros
    where copies are written."""
    inputs = task.inputs()
    return keras.Model(inputs, keras.layers.Dense(task.output_size)(inputs))


class Recorder(keras.callbacks.Callback):
    """The weights at the end of each epoch."""

    def __init__(self):
        super().__init__()
        self.weights = []

    def on_epoch_end(self, epoch, logs=None):
        self.weights.append(last_weights(self.model))


@pytest.fixture
def task(registries, without_xla):
    from tasks import registry

    registry.TASKS["copy"] = Validated  # so that a run finds it
    Validated.scores, Validated.seen = iter(SCORES), []
    return Validated(2, 1, 2)


OPTIONS = {"sequences": 5 * 16, "epoch_steps": 1, "progress": False}


@pytest.mark.parametrize(
    ("options", "epochs"),
    [
        ({}, [3]),
        ({"keep": "last"}, [5]),
        ({"average": 2}, [2, 3]),
        ({"average": 3, "keep": "last"}, [3, 4, 5]),
        ({"average": 9}, [1, 2, 3]),
        ({"average": 9, "keep": "last"}, [1, 2, 3, 4, 5]),
    ],
)
def test_a_run_keeps_the_mean_of_the_epochs_up_to_the_best(
    task, tmp_path, options, epochs
):
    recorder = Recorder()
    result = tasks.train(
        task,
        dense,
        out=tmp_path / "run",
        evaluate=False,
        callbacks=[recorder],
        **OPTIONS,
        **options,
    )
    # Each epoch has other weights.
    assert np.all(np.diff(recorder.weights, axis=0))
    mean = np.mean([recorder.weights[epoch - 1] for epoch in epochs], axis=0)
    np.testing.assert_allclose(last_weights(result.model), mean, atol=1e-7)
    np.testing.assert_allclose(last_weights(result.run.load_model()), mean, atol=1e-7)
    assert [row["val_score"] for row in result.history] == list(SCORES)
    # What is validated is what would be kept.
    size = options.get("average", 1)
    for epoch, seen in enumerate(task.seen, 1):
        last = recorder.weights[max(0, epoch - size) : epoch]
        np.testing.assert_allclose(seen, np.mean(last, axis=0), atol=1e-7)


def test_a_resumed_run_keeps_the_same_weights(task, tmp_path):
    def train(out, **more):
        options = {**OPTIONS, "average": 2, "evaluate": False, **more}
        return tasks.train(task, dense, out=out, **options)

    whole = train(tmp_path / "whole")
    Validated.scores = iter(SCORES)

    class Stop(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 3:  # after the best one
                raise RuntimeError

    with pytest.raises(RuntimeError):
        train(tmp_path / "parts", callbacks=[Stop()], save_seconds=0.0)
    parts = train(tmp_path / "parts", resume=True)
    assert last_weights(parts.model).tolist() == last_weights(whole.model).tolist()
    for of_whole, of_parts in zip(
        whole.run.last_checkpoint().kept, parts.run.last_checkpoint().kept, strict=True
    ):
        assert of_whole.tolist() == of_parts.tolist()


def test_the_best_needs_a_measure_on_validation_data():
    with pytest.raises(
        ValueError, match="`keep` must be 'last' for a task that is not"
    ):
        tasks.train(tasks.Copy(2, 1, 2), keep="best", sequences=16)
    with pytest.raises(ValueError, match="`average` must be a positive integer"):
        TrainingConfig(average=0)


def test_a_checkpoint_gives_back_what_is_kept(tmp_path):
    values = [np.arange(3.0), np.array(4, np.int32)]
    more = values, (values, values[:1])
    checkpoint.save(
        checkpoint.Checkpoint([{"epoch": 1}], values, values, *more),
        OutputFolder(tmp_path, "run"),
    )
    loaded = checkpoint.load_last(tmp_path / checkpoint.FOLDER)
    assert [value.tolist() for value in loaded.kept] == [[0, 1, 2], 4]
    assert [len(weights) for weights in loaded.recent] == [2, 1]
    assert loaded.recent[1][0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("schedule", ["cosine", "constant"])
def test_the_learning_rate_rises_first(schedule):
    model = tasks.get_model("lstm", layer_size=3, num_layers=1)
    task = tasks.Copy(2, 1, 2)
    config = TrainingConfig(
        sequences=16 * 100,
        epoch_steps=10,
        learning_rate=0.5,
        warmup=20,
        schedule=schedule,
    )
    optimizer = compiled_model(task, model, config.resolved(task, model)).optimizer
    steps, rates = np.arange(0, 101, 5), []
    for step in steps:
        optimizer.iterations.assign(step)
        rates.append(float(optimizer.learning_rate))
    cosine = 0.5 * (1 + np.cos(np.pi * (steps - 20) / 80))
    after = 0.5 * (cosine if schedule == "cosine" else np.ones(len(steps)))
    expected = np.where(steps < 20, 0.5 * steps / 20, after)
    np.testing.assert_allclose(rates, expected, atol=1e-6)


def test_short_trainings_warm_up_for_a_tenth():
    model = tasks.get_model("gru-attention")
    assert TrainingConfig().resolved(tasks.Copy(), model).warmup == model.warmup == 200
    config = TrainingConfig(sequences=16 * 300)
    assert config.resolved(tasks.Copy(), model).warmup == 30


def test_a_model_has_its_own_weights_again_after_it_was_saved(without_xla):
    task = tasks.Copy(2, 1, 2)
    config = TrainingConfig(sequences=160).resolved(task, tasks.get_model("lstm"))
    model = compiled_model(task, KerasModel.of(dense), config)
    before, recent = last_weights(model), (weights_of(model),)
    model.trainable_variables[-1].assign(before + 2.0)
    mean = mean_of((*recent, weights_of(model)))
    evaluated = EvaluatedModel(model, model)
    with evaluated.holding(mean) as held:
        assert held is model
        np.testing.assert_allclose(last_weights(model), before + 1.0, rtol=1e-6)
    np.testing.assert_array_equal(last_weights(model), before + 2.0)
    with evaluated.holding(None):
        np.testing.assert_array_equal(last_weights(model), before + 2.0)
    evaluated.finish(mean)
    np.testing.assert_allclose(last_weights(model), before + 1.0, rtol=1e-6)
