"""Scheduled sampling: its three curves, and what a decoder reads."""

import math

import keras
import numpy as np
import pytest
from keras import ops
from text_networks import drawn_texts, text_inputs

import memnets
from memnets.seq2seq import ScheduledSampling, SequenceToSequence


@pytest.mark.parametrize("step", [0, 1, 50, 777, 5000])
def test_the_curves_are_those_of_the_paper(step):
    cases = {
        ("linear", 1000.0): 1 - step / 1000,
        ("exponential", 0.999): 0.999**step,
        ("inverse-sigmoid", 200.0): 200 / (200 + math.exp(step / 200)),
    }
    for (kind, k), share in cases.items():
        schedule = ScheduledSampling(kind, k, minimum=0.1)
        assert float(schedule.true_share(step)) == pytest.approx(max(0.1, share), 1e-4)


def test_a_late_step_is_no_overflow():
    assert float(ScheduledSampling("inverse-sigmoid", 10.0).true_share(10**6)) == 0.0


@pytest.mark.parametrize("kind", ["linear", "exponential", "inverse-sigmoid"])
@pytest.mark.parametrize("half", [10, 5000])
def test_half_of_the_tokens_are_true_at_the_step_asked_for(kind, half):
    schedule = ScheduledSampling.with_half_at(kind, half)
    assert float(schedule.true_share(half)) == pytest.approx(0.5, abs=1e-3)


def test_as_many_tokens_are_its_own_as_the_curve_says():
    schedule = ScheduledSampling("linear", 10.0, seed=1)
    tokens = np.full((200, 51), 1, "int32")
    tokens[:, 0], tokens[0, 40:] = 2, 0
    logits = np.zeros((200, 51, 6), "float32")
    logits[:, :-1, 4], logits[:, -1, 5] = 1.0, 1.0  # the last output is read nowhere
    for step in range(12):
        read = np.array(schedule(tokens, logits))
        assert set(np.unique(read)) <= {0, 1, 2, 4}
        assert (read[:, 0] == 2).all()
        assert (read[0, 40:] == 0).all()
        share = (read[1:, 1:] == 1).mean()
        # Six standard deviations of the mean of so many draws.
        bound = 6 * 0.5 / math.sqrt(199 * 50)
        assert share == pytest.approx(max(0.0, 1 - step / 10), abs=bound)
    assert int(schedule.steps) == 12


def _network(**keywords):
    return SequenceToSequence(
        *(9, 8),
        **{
            "encoder": [keras.layers.GRU(5)],
            "decoder": [keras.layers.GRU(6)],
            "embedding_size": 4,
            **keywords,
        },
    )


def test_a_network_reads_its_own_tokens_only_in_training():
    schedule = ScheduledSampling("linear", 1.0, seed=1)
    network = _network(scheduled_sampling=schedule)
    inputs = drawn_texts(np.random.default_rng(1), 3, 7)
    plain = np.array(network(inputs))
    np.testing.assert_allclose(network(inputs, training=False), plain, atol=1e-6)
    assert int(schedule.steps) == 0
    # At first all tokens are true; from step 1 on none is.
    np.testing.assert_allclose(network(inputs, training=True), plain, atol=1e-6)
    own = inputs | {"target": inputs["target"].copy()}
    own["target"][:, 1:] = plain[:, :-1].argmax(-1)
    # A token that is padding was not drawn, see `is_own`.
    trained = np.array(network(inputs, training=True))
    np.testing.assert_allclose(trained, network(own), atol=1e-6)
    assert int(schedule.steps) == 2


def test_the_own_tokens_are_chosen_as_out_of_training():
    """Without the noise that a decoder has in training."""
    network = _network(decoder=[memnets.StackRNN(6, depth=3, noise=20.0)])
    inputs = drawn_texts(np.random.default_rng(1), 3, 7)
    expected, seen = np.array(network(inputs)), []

    def keep(tokens, logits):
        seen.append(np.array(logits))
        return tokens

    network.scheduled_sampling = keep
    trained = np.array(network(inputs, training=True))
    np.testing.assert_allclose(seen[0], expected, atol=1e-6)
    assert np.abs(trained - expected).max() > 1e-3  # the noise has an effect


def test_no_gradient_goes_through_the_choice():
    """The loss with the network's own tokens has the gradient of these as given."""
    inputs = drawn_texts(np.random.default_rng(1), 3, 7)
    networks = [_network(), _network(scheduled_sampling=ScheduledSampling("linear", 1))]
    logits = networks[0](inputs)
    networks[1](inputs)
    for variable, of in zip(
        networks[1].trainable_variables, networks[0].trainable_variables, strict=True
    ):
        variable.assign(of)
    networks[1].scheduled_sampling.steps.assign(5)
    own = inputs | {"target": inputs["target"].copy()}
    own["target"][:, 1:] = np.array(logits)[:, :-1].argmax(-1)
    after = []
    for network, given in zip(networks, (own, inputs), strict=True):
        shapes = text_inputs(7)
        model = keras.Model(shapes, network(shapes))
        model.compile(
            keras.optimizers.SGD(0.1),
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            jit_compile=False,
        )
        model.train_on_batch(given, np.ones((3, 7), "int32"))
        after.append([ops.convert_to_numpy(v) for v in network.trainable_variables])
    for mine, of in zip(*after, strict=True):
        np.testing.assert_allclose(mine, of, atol=1e-6)


def test_a_saved_network_keeps_its_schedule(tmp_path):
    network = _network(scheduled_sampling=ScheduledSampling("exponential", 0.9))
    inputs = text_inputs(7)
    model = keras.Model(inputs, network(inputs))
    network.scheduled_sampling.steps.assign(7)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras").layers[-1]
    schedule = loaded.scheduled_sampling
    assert (schedule.kind, schedule.k, int(schedule.steps)) == ("exponential", 0.9, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cosine",), "`kind` must be one of"),
        (("linear", 0.5), "`k` must be a finite number at least 1"),
        (("exponential", 1.0), "`k` must be a finite number above 0 and below 1"),
        (("inverse-sigmoid", 0.9), "`k` must be a finite number at least 1"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        ScheduledSampling(*arguments)


@pytest.mark.parametrize(
    ("kind", "step"), [("linear", 0.25), ("exponential", 1e-9), ("inverse-sigmoid", 0)]
)
def test_a_half_that_no_schedule_has_is_named(kind, step):
    with pytest.raises(ValueError, match="`step` must be a finite number"):
        ScheduledSampling.with_half_at(kind, step)
