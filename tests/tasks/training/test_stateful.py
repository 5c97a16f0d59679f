"""Training in which each batch goes on from the memory that the batch before left."""

import keras
import numpy as np
import pytest

import memnets
import tasks
from tasks.models.dnc import DNCFeedforward
from tasks.models.ntm import NTMFeedforward
from tasks.runs import devices
from tasks.training.data import TaskSequence
from tasks.training.stateful import stateful_copy, steps_until_end

# See tests/tasks/conftest.py.
IN_GRAPHS = True
TASK = tasks.RepeatBlocks(num_bits=2, max_length=2, max_blocks=2)
BATCH = 3
SHORT = {"batch_size": BATCH, "epoch_steps": 4, "sequences": 24, "curriculum": 0.0}
TINY = DNCFeedforward(memory_size=4, word_size=3, controller_size=5)
OPTIONS = {
    **SHORT,
    "stateful": True,
    "progress": False,
    # On TensorFlow, XLA would take most of the time of such a run.
    "jit_compile": keras.backend.backend() == "jax",
}


def batches(config, epoch):
    """The batches of an epoch, each with the steps of its sequences."""
    data = TaskSequence(TASK, config)
    data.epoch = epoch
    return [data[index] for index in range(len(data))]


def answers_to_streams(network, batches):
    """What a network answers in each batch if the sequences in the same place of all
    batches are one stream, without the padding between them."""
    ends = [[np.flatnonzero(row)[-1] + 1 for row in mask] for *_, mask in batches]
    most = max(len(mask[0]) for *_, mask in batches) * len(batches)
    streams = np.zeros((BATCH, most, TASK.input_size), np.float32)
    for place, stream in enumerate(streams):
        pieces = [
            inputs[place, : end[place]]
            for (inputs, *_), end in zip(batches, ends, strict=True)
        ]
        whole = np.concatenate(pieces)
        stream[: len(whole)] = whole
    answers = keras.ops.convert_to_numpy(network(streams))
    starts = np.cumsum([[0] * BATCH, *ends], axis=0)
    for start, end, (_, targets, mask) in zip(starts[:-1], ends, batches, strict=True):
        outputs = np.zeros(targets.shape, np.float32)
        for place in range(BATCH):
            piece = slice(start[place], start[place] + end[place])
            outputs[place, : end[place]] = answers[place, piece]
        yield outputs, targets, mask


def test_the_steps_of_a_sequence_end_with_the_last_that_counts():
    mask = np.array([[0, 1, 0, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]], np.float32)
    steps = steps_until_end(mask)
    assert steps.dtype == bool
    assert steps.astype(int).tolist() == [
        [1, 1, 1, 1, 0],
        [1, 0, 0, 0, 0],
        [1, 1, 1, 1, 1],
    ]


def test_the_losses_of_epochs_are_those_of_streams():
    """With a learning rate of nearly 0. Each epoch begins with a new memory."""
    result = tasks.train(TASK, TINY, learning_rate=1e-30, **OPTIONS)
    plain = result.config
    data = [
        [(x, y, mask) for (x, _), y, mask in batches(plain, epoch)] for epoch in (0, 1)
    ]
    loss = TASK.loss()
    for row, epoch in zip(result.history, data, strict=True):
        expected = [
            float(loss(targets, outputs, mask))
            for outputs, targets, mask in answers_to_streams(result.model, epoch)
        ]
        assert row["loss"] == pytest.approx(np.mean(expected), rel=1e-5)


def test_the_sequences_are_those_of_any_training():
    config = tasks.TrainingConfig(**{**SHORT, "stateful": True})
    usual = tasks.TrainingConfig(**{**SHORT, "stateful": False})
    for with_steps, batch in zip(batches(config, 1), batches(usual, 1), strict=True):
        (inputs, steps), targets, mask = with_steps
        for found, expected in zip((inputs, targets, mask), batch, strict=True):
            np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(steps, steps_until_end(mask))


def test_the_trained_model_is_not_stateful(tmp_path):
    result = tasks.train(TASK, TINY, out=tmp_path / "run", **OPTIONS)
    (layer,) = [x for x in result.model.layers if isinstance(x, memnets.DNC)]
    assert not layer.stateful
    inputs = TASK.sample(5, 1).inputs  # another batch size
    saved = result.run.load_model()
    np.testing.assert_allclose(saved.predict(inputs, verbose=0), result.model(inputs))
    # It was trained.
    keras.utils.set_random_seed(result.config.seed)
    for new, trained in zip(
        TINY.build(TASK).trainable_variables,
        result.model.trainable_variables,
        strict=True,
    ):
        if "kernel" in new.path:
            assert np.abs(np.array(new) - np.array(trained)).max() > 0


def test_weights_are_averaged_without_the_states():
    options = OPTIONS | {"learning_rate": 0.1, "rollback": False}
    # Along a cosine the rates of 12 sequences are not the first ones of 24.
    options["schedule"] = "constant"
    first, second, mean = (
        tasks.train(TASK, TINY, **options | changed).model.get_weights()
        for changed in ({"sequences": 12}, {}, {"average": 2})
    )
    for one, other, both in zip(first, second, mean, strict=True):
        np.testing.assert_allclose(both, (one + other) / 2, atol=1e-6)


def test_a_copy_has_the_weights_and_goes_on():
    network = NTMFeedforward(memory_size=4, word_size=3, controller_size=5).build(TASK)
    copy = stateful_copy(network, 2)
    inputs, _, mask = TASK.sample(2, 3)
    steps = np.ones(mask.shape, bool)
    first, second = (copy.predict_on_batch([inputs, steps]) for _ in range(2))
    whole = network.predict_on_batch(np.concatenate([inputs, inputs], axis=1))
    np.testing.assert_allclose(
        np.concatenate([first, second], axis=1), whole, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("lstm", {}, "`stateful` must be False for a model with another recurrent"),
        (TINY, {"starts": 2}, "`starts` must be 1 for a training that is stateful"),
        (TINY, {"stateful": 1}, "`stateful` must be True or False"),
    ],
)
def test_what_cannot_be_stateful_is_refused(model, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        tasks.train(TASK, model, **{**OPTIONS, **options})


def test_what_cannot_be_stateful_overwrites_no_run(tmp_path):
    earlier = tasks.train(TASK, TINY, out=tmp_path / "run", **OPTIONS).run
    before = earlier.file("model.keras").read_bytes()
    with pytest.raises(ValueError, match="`stateful` must be False for a model"):
        tasks.train(TASK, "lstm", out=tmp_path / "run", force=True, **OPTIONS)
    assert earlier.file("model.keras").read_bytes() == before


def test_a_task_with_one_answer_is_refused():
    task = tasks.get_task("temporal-order")
    with pytest.raises(ValueError, match="a task with one answer a sequence"):
        tasks.train(task, "ntm-feedforward", **OPTIONS)


def test_batches_that_are_spread_over_devices_are_refused(monkeypatch):
    monkeypatch.setattr(devices, "num_shards", lambda: 3)
    with pytest.raises(ValueError, match=r"Received: stateful=True, 3 devices"):
        tasks.train(TASK, TINY, **OPTIONS)
