"""Random guessing of weights."""

import numpy as np
import pytest

import tasks
from tasks import guess_weights

EASY = tasks.get_task("two-sequence", min_steps=10, outputs="sigmoid")


def test_guessing_solves_the_two_sequence_problem():
    """As Schmidhuber and Hochreiter found; the network that it leaves is right."""
    model = tasks.get_model("simple-rnn", units=1)
    guessed = guess_weights(EASY, model, seed=4, num_sequences=64)
    assert guessed.solved and 1 < guessed.guesses < 1_000
    assert guessed.sequences >= 64 + 32 * (guessed.guesses - 1)
    batch = EASY.sample(500, 99)
    outputs = np.asarray(guessed.model.predict_on_batch(batch.inputs))
    assert EASY.errors(batch, outputs)["wrong"].mean() < 0.05


def test_guessing_gives_up():
    guessed = guess_weights("adding", "simple-rnn", max_guesses=2)
    assert not guessed.solved and guessed.guesses == 2 and guessed.sequences == 64


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight_range": 0}, "`weight_range` must be a finite number above 0"),
        ({"max_guesses": 0}, "`max_guesses` must be a positive integer"),
        ({"num_sequences": -1}, "`num_sequences` must be a positive integer"),
        ({"seed": -1}, "`seed` must be a non-negative integer"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        guess_weights(EASY, "simple-rnn", **options)


def test_other_tasks_are_refused():
    with pytest.raises(TypeError, match="`task` must have one answer a sequence"):
        guess_weights("copy", "simple-rnn")
