"""How a model does at given lengths, within and beyond those of training."""

import dataclasses

import numpy as np

from tasks.base import Task, check_integer

# Chosen. Steps in one batch, so that the memory needed does not depend on the length.
STEPS_PER_BATCH = 20_000
# Chosen. Keeps the sequences of an evaluation apart from those of every training seed.
EVALUATION = 10**9


@dataclasses.dataclass(frozen=True)
class LengthResult:
    """Errors of a model on sequences of one length.

    Attributes:
        length: Length of the sequences, in the task's unit.
        sequences: Number of sequences.
        bit_errors: Wrong bits per sequence.
        perfect: Share of the sequences without a wrong bit, in [0, 1].
    """

    length: int
    sequences: int
    bit_errors: float
    perfect: float


def evaluate(model, task: Task, lengths=None, *, num_sequences=100, seed=0):
    """Counts the errors of a model on fresh sequences of each length.

    Args:
        model: Keras model from inputs `(B, T, input_size)` to logits
            `(B, T, target_size)`.
        task: The task.
        lengths: Lengths to try; the task's `eval_lengths` if `None`.
        num_sequences: Sequences of each length.
        seed: The same seed gives the same sequences.
    Returns:
        List of `LengthResult`, in the order of `lengths`.
    Raises:
        ValueError: If the task has no sequences of a length.
    """
    check_integer("num_sequences", num_sequences)
    check_integer("seed", seed, minimum=0)
    lengths = task.eval_lengths if lengths is None else lengths
    tasks = [(length, task.at_length(length)) for length in lengths]
    return [
        LengthResult(length, num_sequences, *_errors(model, at, num_sequences, seed))
        for length, at in tasks
    ]


def _errors(model, task, num_sequences, seed):
    """Mean wrong bits per sequence, and the share of sequences without one."""
    rng = np.random.default_rng([EVALUATION, seed])
    steps = task.sample(1, 0).mask.shape[1]
    batch_size = min(num_sequences, max(1, STEPS_PER_BATCH // steps))
    wrong = []
    while len(wrong) < num_sequences:
        # Always whole batches: another shape would be compiled anew.
        batch = task.sample(batch_size, rng)
        logits = np.asarray(model.predict_on_batch(batch.inputs))
        differs = ((logits > 0) != (batch.targets > 0.5)).sum(axis=-1)
        wrong.extend((differs * batch.mask).sum(axis=-1))
    wrong = np.array(wrong[:num_sequences])
    return float(wrong.mean()), float((wrong == 0).mean())
