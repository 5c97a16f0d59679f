"""Features of training: callbacks whose state a checkpoint holds by name."""

import keras
import numpy as np
import pytest

import tasks
from tasks.runs.checkpoint import Checkpoint
from tasks.training.backend_randomness import NAME
from tasks.training.base import Feature, Training
from tasks.training.callbacks import FEATURES
from tasks.training.training import compiled_model

TASK = tasks.Copy(2, 1, 2)
MODEL = tasks.get_model("lstm", layer_size=3, num_layers=1)
# Four epochs of one batch.
OPTIONS = {"sequences": 4 * 16, "epoch_steps": 1, "progress": False}


class WeightDecay(Feature):
    """Scales all weights down after each epoch, less each time."""

    def __init__(self, training):
        super().__init__(training)
        self.times = 0

    def state(self):
        return {"decays": [np.array(self.times)]}

    def restore(self, state):
        (times,) = state["decays"]
        self.times = int(times)

    def on_epoch_end(self, epoch, logs=None):
        self.times += 1
        for weight in self.model.trainable_variables:
            weight.assign(weight * self.times / (self.times + 2))


class StopAfter(keras.callbacks.Callback):
    """Fails at the end of an epoch."""

    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1:
            raise RuntimeError


def weights_of(model):
    return np.concatenate([np.ravel(weights) for weights in model.get_weights()])


@pytest.fixture
def training(without_xla):
    config = tasks.TrainingConfig(sequences=64).resolved(TASK, MODEL)
    model = compiled_model(TASK, MODEL, config)
    return Training(TASK, MODEL, config, model, model)


def test_each_name_of_a_state_is_one_of_the_checkpoint_and_of_one_feature(training):
    names = [name for feature in FEATURES for name in feature(training).state()]
    assert len(names) == len(set(names))
    kept_by_session = {"rows", "values", "run", "features"}
    # On PyTorch there is a generator of the whole process too.
    assert {*names} - {NAME} == {*Checkpoint._fields} - kept_by_session


def test_a_feature_that_is_known_acts_and_is_resumed(
    monkeypatch, without_xla, tmp_path
):
    plain = tasks.train(TASK, MODEL, **OPTIONS)
    known = (*FEATURES, WeightDecay)
    monkeypatch.setattr("tasks.training.training.FEATURES", known)
    whole = tasks.train(TASK, MODEL, **OPTIONS)
    ratio = np.abs(weights_of(whole.model)) / np.abs(weights_of(plain.model))
    assert np.median(ratio) < 0.5
    out = {"out": tmp_path / "run", "evaluate": False, "save_seconds": 0.0}
    with pytest.raises(RuntimeError):
        tasks.train(TASK, MODEL, callbacks=[StopAfter()], **out, **OPTIONS)
    parts = tasks.train(TASK, MODEL, resume=True, **out, **OPTIONS)
    assert weights_of(parts.model).tolist() == weights_of(whole.model).tolist()
