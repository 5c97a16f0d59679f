"""Random guessing of weights: a task that it solves says nothing about learning."""

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ..checks import check_integer, check_number, shorten
from ..contract.task import Task
from ..long_lags.base import AnswerTask
from ..models.base import ModelConfig
from ..registry import as_model, as_task

if TYPE_CHECKING:
    import keras

# A guess is tried on so many sequences first, because nearly all fail at once.
FIRST = 32


@dataclasses.dataclass(frozen=True)
class Guessed:
    """What guessing came to.

    Attributes:
        task: The task.
        model: The Keras model, with the weights of the last guess.
        guesses: Number of guesses.
        sequences: Number of sequences that they were tried on.
        solved: Whether the last guess was right on all of its sequences.
    """

    task: AnswerTask
    model: "keras.Model"
    guesses: int
    sequences: int
    solved: bool


def guess_weights(
    task: Task | str,
    model: str | ModelConfig,
    *,
    seed: int = 1,
    weight_range: float = 10.0,
    max_guesses: int = 1_000,
    num_sequences: int = 256,
) -> Guessed:
    """Draws all weights of a model at random, again and again, until it is right.

    Args:
        task: A task with one answer a sequence, or its name.
        model: The name of a model, or a `ModelConfig`.
        seed: Seed of the weights and of the sequences.
        weight_range: Weights are drawn between minus and plus this number.
        max_guesses: When to give up.
        num_sequences: So many fresh sequences must all be answered rightly.
    Returns:
        A `Guessed`.
    Raises:
        TypeError: If the task has another kind of answers.
        ValueError: If a name is unknown or a number is out of its range.
    Reference:
        Schmidhuber, Hochreiter (1996), Guessing can outperform many long time lag
        algorithms.
    """
    task = as_task(task)
    if not isinstance(task, AnswerTask):
        raise TypeError(
            "`task` must have one answer a sequence: it is no AnswerTask. "
            f"Received: task={shorten(task)}"
        )
    check_number("weight_range", weight_range, above=0)
    check_integer("max_guesses", max_guesses)
    check_integer("num_sequences", num_sequences)
    rng = np.random.default_rng(check_integer("seed", seed, minimum=0))
    network = as_model(model, task).build(task)
    guesses, sequences, right = 0, 0, False
    while not right and guesses < max_guesses:
        guesses += 1
        for weight in network.weights:
            drawn = rng.uniform(-weight_range, weight_range, weight.shape)
            weight.assign(drawn.astype(weight.dtype))
        right, seen = _is_right(task, network, num_sequences, rng)
        sequences += seen
    return Guessed(task, network, guesses, sequences, right)


def _is_right(
    task: AnswerTask,
    network: "keras.Model",
    num_sequences: int,
    rng: np.random.Generator,
) -> tuple[bool, int]:
    """Whether all of the sequences are answered rightly, and how many were tried."""
    seen = 0
    while seen < num_sequences:
        # Batches of one size: another would be compiled again.
        batch = task.sample(FIRST, rng)
        outputs = np.asarray(network.predict_on_batch(batch.inputs))
        seen += FIRST
        if not np.isfinite(outputs).all() or task.errors(batch, outputs)["wrong"].any():
            return False, seen
    return True, seen
