"""Tasks with finite data: passes, resuming, splits."""

import dataclasses

import keras
import numpy as np
import pytest

import tasks
from tasks.contract import finite
from tasks.contract.splits import SPLITS
from tasks.runs import TrainingConfig, checkpoint
from tasks.training.data import TaskSequence

SIZES = {"train": 47, "validation": 23, "test": 11}


@dataclasses.dataclass(frozen=True)
class Majority(tasks.FiniteTask):
    """Classifies sequences of three numbers by the sign of their sum."""

    num_steps: int = 3

    name = "majority"
    every_step = False
    input_size = 1
    output_size = 2

    def examples(self, split):
        rng = np.random.default_rng(SPLITS.index(split))
        inputs = rng.normal(size=(SIZES[split], self.num_steps, 1)).astype("float32")
        targets = (inputs.sum(axis=(1, 2)) > 0).astype("int32")
        return tasks.Batch(inputs, targets, np.ones(len(targets), "float32"))

    def loss(self):
        return keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction="mean_with_sample_weight"
        )

    def measures(self):
        return [keras.metrics.SparseCategoricalAccuracy("accuracy")]

    @property
    def success(self):
        return tasks.Success("accuracy", above=0.9)

    def predict(self, outputs):
        return outputs.argmax(axis=-1)

    def errors(self, batch, outputs):
        return {"accuracy": self.predict(outputs) == batch.targets}


TASK = Majority()


def averaging(task):
    """A small model: the mean over the steps, then a layer."""
    inputs = keras.Input((None, 1))
    mean = keras.layers.GlobalAveragePooling1D()(inputs)
    hidden = keras.layers.Dense(4, "tanh")(mean)
    return keras.Model(inputs, keras.layers.Dense(2)(hidden))


class Recorder:
    """A model that records the sequences it is given."""

    def __init__(self):
        self.seen = []

    def predict_on_batch(self, inputs):
        self.seen.extend(inputs[:, :, 0].tolist())
        return np.stack([-inputs.sum(axis=(1, 2)), inputs.sum(axis=(1, 2))], axis=1)


def sequences_of(split):
    return TASK.examples(split).inputs[:, :, 0].tolist()


@pytest.mark.parametrize("batch_size", [1, 5, 16])
def test_each_pass_has_every_example_once(batch_size):
    config = TrainingConfig(sequences=200, batch_size=batch_size)
    data = TaskSequence(TASK, config)
    drawn = []
    for data.epoch in range(config.epochs):
        drawn += [row for i in range(len(data)) for row in data[i][0][:, :, 0].tolist()]
    passes = [drawn[start : start + 47] for start in (0, 47, 94, 141)]
    assert all(sorted(each) == sorted(sequences_of("train")) for each in passes)
    assert passes[0] != passes[1]


def test_other_seeds_give_other_orders():
    first, second = (
        TaskSequence(TASK, TrainingConfig(seed=seed, sequences=160, batch_size=16))
        for seed in (1, 2)
    )
    assert (first[0][0] != second[0][0]).any()


class StopAt(keras.callbacks.Callback):
    """Ctrl-C in the second epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 1:
            raise KeyboardInterrupt


def test_a_run_stopped_within_a_pass_ends_with_the_same_weights(tmp_path):
    # An epoch has 300 sequences: 6 passes and 18 sequences of the next.
    options = {"sequences": 900, "batch_size": 3, "progress": False}
    options |= {"jit_compile": False}
    whole = tasks.train(TASK, averaging, out=tmp_path / "whole", **options)
    options |= {"out": tmp_path / "run", "resume": True}
    stopped = tasks.train(TASK, averaging, callbacks=[StopAt()], **options)
    assert stopped.interrupted and len(stopped.history) == 1
    tasks.train(TASK, averaging, **options)
    one, other = (
        checkpoint.load_last(tmp_path / name / "checkpoints")
        for name in ("whole", "run")
    )
    for value, same in zip(one.values, other.values, strict=True):
        np.testing.assert_array_equal(value, same)
    assert "accuracy" in one.rows[0]
    # The same accuracy in the summary as counted by hand.
    (result,) = tasks.evaluate(whole.model, TASK)
    batch = TASK.examples("validation")
    outputs = whole.model.predict_on_batch(batch.inputs)
    expected = (outputs.argmax(axis=1) == batch.targets).mean()
    assert result.accuracy == pytest.approx(expected)
    assert whole.summary["evaluation"][0]["values"] == result.values


@pytest.mark.parametrize("steps_per_batch", [15, 20_000])
def test_evaluation_has_every_validation_example_once(monkeypatch, steps_per_batch):
    monkeypatch.setattr(finite, "STEPS_PER_BATCH", steps_per_batch)
    model = Recorder()
    (result,) = tasks.evaluate(model, TASK)
    assert model.seen == sequences_of("validation")
    assert (result.size, result.sequences) == ("validation", 23)
    assert result.accuracy == 1.0 and not result.beyond


@pytest.mark.parametrize(("asked", "evaluated"), [(4, 4), (100, 11)])
def test_a_split_is_evaluated_by_name(monkeypatch, asked, evaluated):
    monkeypatch.setattr(finite, "STEPS_PER_BATCH", 15)
    model = Recorder()
    (result,) = tasks.evaluate(model, TASK, split="test", num_sequences=asked)
    assert model.seen == sequences_of("test")[:evaluated]
    assert (result.size, result.sequences) == ("test", evaluated)


@pytest.mark.parametrize(
    ("task", "arguments", "message"),
    [
        (
            TASK,
            {"split": "dev"},
            "`split` must be one of 'train', 'validation', 'test'",
        ),
        (TASK, {"split": "test", "lengths": [3]}, "must not be given together"),
        (TASK, {"lengths": [3]}, "the task majority has no lengths to choose"),
        (tasks.Copy(), {"split": "test"}, "`split` must be None for the task copy"),
    ],
)
def test_wrong_splits_are_named(task, arguments, message):
    with pytest.raises(ValueError, match=message):
        tasks.evaluate(Recorder(), task, **arguments)


def test_sample_draws_from_the_split():
    batch = TASK.on("test").sample(50, rng=1)
    assert all(row in sequences_of("test") for row in batch.inputs[:, :, 0].tolist())
    assert TASK.on("test") == TASK  # the split is not a parameter


def test_a_sequence_is_drawn_as_text():
    batch = TASK.sample(2, rng=1)
    drawn = TASK.presentation.render(batch, np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert [line.split()[0] for line in drawn.splitlines() if line] == [
        *("sequence", "input", "target", "output"),
        *("sequence", "input", "target", "output"),
    ]


def test_an_empty_split_is_named():
    class Empty(Majority):
        def examples(self, split):
            batch = super().examples(split)
            count = 0 if split == "validation" else None
            return tasks.Batch(*(array[:count] for array in batch))

    with pytest.raises(ValueError, match="in the split 'validation'. Received: none"):
        tasks.evaluate(keras.Sequential([keras.layers.Dense(1)]), Empty())
