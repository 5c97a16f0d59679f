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
        bits: Cross-entropy in bits per sequence.
        best_bits: Where nobody can know the targets, the same of the best probabilities
            there are, see `Task.exact`; what `bits` is above that is the regret.
    """

    length: int
    sequences: int
    bit_errors: float
    perfect: float
    bits: float
    best_bits: float | None = None


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
        LengthResult(length, num_sequences, **_measure(model, at, num_sequences, seed))
        for length, at in tasks
    ]


def _measure(model, task, num_sequences, seed):
    """The other fields of `LengthResult`."""
    rng = np.random.default_rng([EVALUATION, seed])
    steps = task.sample(1, 0).mask.shape[1]
    batch_size = min(num_sequences, max(1, STEPS_PER_BATCH // steps))
    wrong, bits, best = [], [], []
    while len(wrong) < num_sequences:
        # Always whole batches: another shape would be compiled anew.
        batch = task.sample(batch_size, rng)
        logits = np.asarray(model.predict_on_batch(batch.inputs), float)
        wrong.extend(_per_sequence((logits > 0) != (batch.targets > 0.5), batch))
        bits.extend(_per_sequence(_bits(logits, batch), batch))
        if not task.exact:
            chances = np.asarray(task.solve(batch.inputs), float)
            own_logits = np.log(chances) - np.log1p(-chances)
            best.extend(_per_sequence(_bits(own_logits, batch), batch))
    wrong = np.array(wrong[:num_sequences])
    return {
        "bit_errors": float(wrong.mean()),
        "perfect": float((wrong == 0).mean()),
        "bits": float(np.mean(bits[:num_sequences])),
        "best_bits": None if task.exact else float(np.mean(best[:num_sequences])),
    }


def _bits(logits, batch):
    """Bits that each target costs, -log2 of its probability."""
    return np.logaddexp(0, np.where(batch.targets > 0.5, -logits, logits)) / np.log(2)


def _per_sequence(values, batch):
    return (values.sum(axis=-1) * batch.mask).sum(axis=-1)
