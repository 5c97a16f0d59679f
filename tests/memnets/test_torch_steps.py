"""Recorded training steps of PyTorch are those of Keras, to the last bit."""

import keras
import numpy as np
import pytest
from keras import ops

import memnets
import tasks
from memnets import backends, seq2seq
from tasks.models.keras_model import KerasModel
from tasks.training.compiled_model import compiled_model

pytestmark = pytest.mark.only("torch", reason="others compile their steps")
BATCH, STEPS, FEATURES, TOKENS = 4, 5, 3, 7
MEMORY = {"memory_size": 4, "word_size": 3, "controller_size": 5}


@pytest.fixture(autouse=True)
def recorded_soon(monkeypatch):
    """The third step of a kind is recorded."""
    monkeypatch.setattr("memnets.backends.torch_steps.RECORDED_AT", 3)


def sequences(count=8, steps=STEPS, seed=0):
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((count * BATCH, steps, FEATURES)).astype("float32")
    return inputs, rng.standard_normal((count * BATCH, steps, 2)).astype("float32")


def above(*layers):
    return keras.Sequential(
        [keras.Input((None, FEATURES)), *layers, keras.layers.Dense(2)]
    )


def programs(model):
    """The kinds of batches that were tried to record: whether they could be."""
    steps = model.train_step.__func__
    return [program is not None for program in steps._programs.values()]


def recording(model):
    """The model, which records its steps."""
    backends.current().record_steps(plain(model), memnets.native.is_available)
    return model


def plain(model):
    """The model with the steps of Keras."""
    return memnets.accelerate(model)


def fit(model, x, y, sample_weight=None, epochs=1):
    history = model.fit(
        x,
        y,
        sample_weight=sample_weight,
        batch_size=BATCH,
        epochs=epochs,
        verbose=0,
        shuffle=False,
    )
    return model, history.history


def trained(make, data, change=plain, epochs=2, loss="mse", **options):
    """A model after training, and its history."""
    keras.utils.set_random_seed(1)
    model = change(make())
    model.compile("adam", loss, **options)
    return fit(model, *data, epochs=epochs)


def assert_same(first, second):
    (model, history), (other, expected) = first, second
    assert history == expected
    for name in ("variables", "metrics_variables"):
        for own, value in zip(getattr(model, name), getattr(other, name), strict=True):
            np.testing.assert_array_equal(own.numpy(), value.numpy(), own.path)
    optimizers = zip(model.optimizer.variables, other.optimizer.variables, strict=True)
    for own, value in optimizers:
        np.testing.assert_array_equal(own.numpy(), value.numpy(), own.path)


LAYERS = {
    "NTM": lambda: memnets.NTM(4, **MEMORY, return_sequences=True),
    "NTM, portable": lambda: memnets.NTM(
        4, **MEMORY, return_sequences=True, dtype="float64"
    ),
    "DNC": lambda: memnets.DNC(4, **MEMORY, return_sequences=True),
    "LRUA": lambda: memnets.LRUA(4, **MEMORY, return_sequences=True),
    "SAM": lambda: memnets.SAM(4, **MEMORY, num_rows_read=2, return_sequences=True),
    "FastWeights": lambda: memnets.FastWeights(4, return_sequences=True),
    "StackRNN": lambda: memnets.StackRNN(4, return_sequences=True),
    "TapeRNN": lambda: memnets.TapeRNN(4, **MEMORY, return_sequences=True),
    "StackedLSTM": lambda: memnets.StackedLSTM(4, layer_sizes=(3, 3)),
    "LSTM": lambda: keras.layers.LSTM(4, return_sequences=True),
    "half precision": lambda: memnets.NTM(
        4, **MEMORY, return_sequences=True, dtype="mixed_bfloat16"
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_recorded_step_is_that_of_keras(name):
    def make():
        return above(LAYERS[name]())

    recorded = trained(make, sequences(), recording)
    assert programs(recorded[0]) == [True]
    assert_same(recorded, trained(make, sequences()))


@pytest.mark.parametrize(
    "noise, is_recorded",
    [
        # PyTorch draws by itself.
        (lambda: keras.layers.Dropout(0.5), True),
        # Keras gives it a seed, a number that Python must know.
        (lambda: keras.layers.GaussianNoise(0.5), False),
    ],
)
def test_each_step_draws_anew(noise, is_recorded):
    def make():
        return above(LAYERS["NTM"](), noise())

    recorded = trained(make, sequences(), recording)
    assert programs(recorded[0]) == [is_recorded]
    assert_same(recorded, trained(make, sequences()))


def test_statistics_metrics_and_sample_weights_are_in_a_recorded_step():
    def make():
        return above(
            keras.layers.BatchNormalization(),
            memnets.NTM(4, **MEMORY, return_sequences=True),
        )

    metrics = {"weighted_metrics": ["mae"]}
    data = (*sequences(), np.random.default_rng(2).uniform(size=(8 * BATCH, STEPS)))
    recorded = trained(make, data, recording, **metrics)
    assert programs(recorded[0]) == [True]
    assert_same(recorded, trained(make, data, **metrics))


def test_batches_of_several_kinds_have_a_step_each():
    def fitted(change):
        model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), change)
        return fit(model, *sequences(steps=STEPS + 1, seed=3))

    recorded = fitted(recording)
    assert programs(recorded[0]) == [True, True]
    assert_same(recorded, fitted(plain))


class Penalised(keras.layers.Dense):
    """Adds to the loss what it puts out."""

    def call(self, inputs):
        outputs = super().call(inputs)
        self.add_loss(ops.mean(outputs**2))
        return outputs


def test_added_losses_count_and_leave_nothing_behind():
    def fitted(change):
        model, history = trained(
            lambda: above(LAYERS["NTM"](), Penalised(3)), sequences(), change
        )
        inputs, targets = sequences(seed=5)
        return model, [history, model.evaluate(inputs, targets, verbose=0)]

    recorded = fitted(recording)
    assert programs(recorded[0]) == [True]
    assert_same(recorded, fitted(plain))


def test_gradients_are_where_pytorch_has_them():
    def gradients(change):
        model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), change)
        return [np.asarray(weight.value.grad) for weight in model.trainable_weights]

    for own, right in zip(gradients(recording), gradients(plain), strict=True):
        np.testing.assert_array_equal(own, right)


@pytest.mark.parametrize("on", ["module", "weight"])
def test_hooks_run_at_each_step(on):
    model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), recording)
    assert programs(model) == [True]
    calls = []
    if on == "module":
        hook = model.layers[-1].register_forward_hook(lambda *given: calls.append(1))
    else:
        weight = model.trainable_weights[0].value
        hook = weight.register_hook(lambda gradient: calls.append(1))
    fit(model, *sequences())
    hook.remove()
    fit(model, *sequences())
    assert len(calls) == 8


@pytest.mark.parametrize(
    "penalty, is_recorded",
    [
        ({"kernel_regularizer": "l2"}, True),
        # It has a tensor of its own, which is no variable.
        ({"activity_regularizer": "l1"}, False),
    ],
)
def test_penalties_are_in_the_loss(penalty, is_recorded):
    def make():
        return above(LAYERS["NTM"](), keras.layers.Dense(3, **penalty))

    recorded = trained(make, sequences(), recording)
    assert programs(recorded[0]) == [is_recorded]
    assert_same(recorded, trained(make, sequences()))


def test_masks_and_named_inputs():
    def make():
        network = seq2seq.SequenceToSequence(
            TOKENS,
            TOKENS,
            [keras.layers.GRU(3)],
            [keras.layers.GRU(4)],
            embedding_size=4,
        )
        inputs = {
            name: keras.Input((None,), dtype="int32", name=name)
            for name in ("source", "target")
        }
        return keras.Model(inputs, network(inputs))

    rng = np.random.default_rng(0)
    source, target = rng.integers(0, TOKENS, (2, 8 * BATCH, STEPS), "int32")
    source[:, 0] = target[:, 0] = 1
    data = {"source": source, "target": target}, target
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    recorded = trained(make, data, recording, loss=loss)
    assert programs(recorded[0]) == [True]
    assert_same(recorded, trained(make, data, loss=loss))


def test_frozen_weights_stay_as_they_are():
    def fitted(change):
        model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), change)
        model.layers[0].trainable = False
        frozen = model.layers[0].get_weights()
        result = fit(model, *sequences(seed=4))
        for own, before in zip(model.layers[0].get_weights(), frozen, strict=True):
            np.testing.assert_array_equal(own, before)
        return result

    recorded = fitted(recording)
    assert programs(recorded[0]) == [True]
    assert_same(recorded, fitted(plain))


def test_a_model_that_is_compiled_again_has_its_new_loss():
    def fitted(change):
        model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), change)
        model.compile(keras.optimizers.SGD(0.1), "mae")
        return fit(model, *sequences())

    assert_same(fitted(recording), fitted(plain))


class Largest(keras.metrics.Metric):
    """A metric that computes in NumPy."""

    def __init__(self):
        super().__init__(name="largest")
        self.number = self.add_weight(shape=(), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        found = ops.convert_to_numpy(y_pred).max()
        self.number.assign(max(float(self.number), float(found)))

    def result(self):
        return self.number.value


class Change(keras.metrics.Metric):
    """By how much the largest output has changed since the last step."""

    def __init__(self):
        super().__init__(name="change")
        self.now = self.add_weight(shape=(), initializer="zeros")
        self.before = self.add_weight(shape=(), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.before.assign(self.now)
        self.now.assign(ops.max(y_pred))

    def result(self):
        return self.now - self.before


@pytest.mark.parametrize("metric, is_recorded", [(Change, True), (Largest, False)])
def test_metrics_are_those_of_keras(metric, is_recorded):
    """One in which a variable gets the old value of another, and one that looks at
    values."""

    def fitted(change):
        return trained(
            lambda: above(LAYERS["NTM"]()), sequences(), change, metrics=[metric()]
        )

    recorded = fitted(recording)
    assert programs(recorded[0]) == [is_recorded]
    assert_same(recorded, fitted(plain))


def test_a_value_that_somebody_else_changes_is_looked_at_each_time():
    def fitted(change):
        weight = keras.Variable(1.0, trainable=False)

        def loss(y_true, y_pred):
            return float(weight) * ops.mean((y_true - y_pred) ** 2)

        model, history = trained(
            lambda: above(LAYERS["NTM"]()), sequences(), change, loss=loss
        )
        weight.assign(3.0)
        return fit(model, *sequences())

    recorded = fitted(recording)
    assert programs(recorded[0]) == [False]
    assert_same(recorded, fitted(plain))


def test_arrays_in_another_order_of_axes_and_arrays_of_numpy():
    def fitted(change):
        def made():
            inputs = keras.Input((STEPS, FEATURES))
            outputs = keras.layers.Dense(2)(keras.layers.Flatten()(inputs))
            return keras.Model(inputs, outputs)

        inputs, targets = sequences()
        model, _ = trained(made, (inputs, targets[:, 0]), change)
        turned = np.asfortranarray(inputs)
        losses = model.train_on_batch(turned[:BATCH], targets[:BATCH, 0])
        model, history = fit(model, turned, targets[:, 0])
        return model, [losses, history]

    assert_same(fitted(recording), fitted(plain))


def test_a_switched_kernel_is_another_step():
    with_kernel, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), recording)
    memnets.native.set_enabled(False)
    try:
        fit(with_kernel, *sequences())
    finally:
        memnets.native.set_enabled(True)
    kinds = 2 if memnets.native.is_available() else 1
    assert programs(with_kernel) == [True] * kinds


def test_few_steps_are_not_recorded(monkeypatch):
    monkeypatch.undo()
    model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), recording, epochs=1)
    assert programs(model) == []


def test_functions_of_a_user_stay_in_the_model_and_in_its_optimizer():
    class Own(keras.Sequential):
        def train_step(self, data):
            return {"loss": 1.0}

    model = Own([keras.Input((None, FEATURES)), keras.layers.Dense(2)])
    assert "train_step" not in vars(recording(model))
    model = above()
    model.train_step = own = lambda data: {"loss": 1.0}
    assert recording(model).train_step is own

    calls = []
    model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), recording)
    optimizer, apply = model.optimizer, type(model.optimizer).apply
    vars(optimizer)["apply"] = lambda *given: (
        calls.append(1),
        apply(optimizer, *given),
    )
    fit(model, *sequences(steps=STEPS + 1))
    assert len(calls) == 8


class OwnCopy(tasks.Copy):
    """A task of a user's own, whose measures nobody knows."""


@pytest.mark.parametrize(
    "task, model, is_recorded",
    [
        (tasks.Copy(2, 1, 2), tasks.get_model("lstm", layer_size=3), True),
        (OwnCopy(2, 1, 2), tasks.get_model("lstm", layer_size=3), False),
        (tasks.Copy(2, 1, 2), KerasModel.of(lambda task: above()), False),
    ],
)
def test_tasks_and_models_of_this_library_are_recorded_and_no_others(
    task, model, is_recorded
):
    config = tasks.TrainingConfig(sequences=16).resolved(task, model)
    network = compiled_model(task, model, config)
    assert ("train_step" in vars(network)) == is_recorded


def test_a_saved_model_is_that_of_keras(tmp_path):
    model, _ = trained(lambda: above(LAYERS["NTM"]()), sequences(), recording)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert "train_step" not in vars(loaded)
    inputs, _ = sequences()
    np.testing.assert_array_equal(model.predict(inputs), loaded.predict(inputs))
