"""How a model does at given lengths, within and beyond those of training."""

import collections
import dataclasses

import numpy as np

from .base import Task
from .checks import check_integer

# Chosen. Steps in one batch, so that the memory needed does not depend on the length.
STEPS_PER_BATCH = 20_000
# Chosen. Keeps the sequences of an evaluation apart from those of every training seed.
EVALUATION = 10**9
# Chosen. Where sequences are of several sizes, as in training, so many times more are
# tried: what a trained network still gets wrong there is rare.
OF_SEVERAL_SIZES = 10


@dataclasses.dataclass(frozen=True)
class LengthResult:
    """Errors of a model on sequences of one size, or of the task's own sizes.

    Attributes:
        length: Length of the longest of the sequences, in the task's unit.
        size: Their `Task.sizes`: the length, for repeat copy as "10 x 20", or "1-20"
            where they are of several.
        beyond: Whether that is larger than any sequence of training.
        sequences: Number of sequences.
        bit_errors: Wrong bits per sequence.
        perfect: Share of the sequences without a wrong bit, in [0, 1].
        bits: Cross-entropy in bits per sequence.
        best_bits: Where nobody can know the targets, the same of the best probabilities
            there are, see `Task.exact`; what `bits` is above that is the regret.
        part_errors: Wrong bits per sequence of each of `Task.error_parts`.
    """

    length: int
    size: str
    beyond: bool
    sequences: int
    bit_errors: float
    perfect: float
    bits: float
    best_bits: float | None = None
    part_errors: dict[str, float] = dataclasses.field(default_factory=dict)


def evaluate(
    model, task: Task, lengths=None, *, num_sequences=None, seed=0, trained=None
):
    """Counts the errors of a model on fresh sequences: of each length that is given, or
    else of the task itself and then of single lengths within and beyond it.

    Args:
        model: Keras model from inputs `(B, T, input_size)` to logits
            `(B, T, target_size)`.
        task: The task.
        lengths: Lengths to try; if `None`, the task's `eval_tasks`.
        num_sequences: Sequences of each length; if `None`, the task's `eval_sequences`,
            and ten times as many of those that are of several lengths.
        seed: The same seed gives the same sequences.
        trained: The task that the model was trained on, if it is another.
    Returns:
        List of `LengthResult`, in the order of `lengths`.
    Raises:
        ValueError: If the task has no sequences of a length.
    """
    if num_sequences is not None:
        check_integer("num_sequences", num_sequences)
    check_integer("seed", seed, minimum=0)
    if lengths is None:
        tasks = list(task.eval_tasks)
    else:
        tasks = [task.at_length(length) for length in lengths]
    return [
        _result(model, at, num_sequences or _enough(at), seed, trained or task)
        for at in tasks
    ]


def _enough(task):
    """Sequences to try unless told otherwise."""
    several = any(least < most for least, most in task.ranges)
    return task.eval_sequences * (OF_SEVERAL_SIZES if several else 1)


def _result(model, task, num_sequences, seed, trained):
    return LengthResult(
        length=task.size[0],
        size=task.sizes,
        beyond=any(a > b for a, b in zip(task.size, trained.size, strict=True)),
        sequences=num_sequences,
        **_measure(model, task, num_sequences, seed),
    )


def _measure(model, task, num_sequences, seed):
    """The other fields of `LengthResult`."""
    rng = np.random.default_rng([EVALUATION, seed])
    steps = task.sample(1, 0).mask.shape[1]
    batch_size = min(num_sequences, max(1, STEPS_PER_BATCH // steps))
    wrong, bits, best = [], [], []
    parts = collections.defaultdict(list)
    while len(wrong) < num_sequences:
        # Always whole batches: another shape would be compiled anew.
        batch = task.sample(batch_size, rng)
        logits = np.asarray(model.predict_on_batch(batch.inputs), float)
        outputs = logits > 0
        errors = outputs != (batch.targets > 0.5)
        wrong.extend(_per_sequence(errors, batch))
        for name, part in task.error_parts(errors, outputs).items():
            parts[name].extend(_per_sequence(part, batch))
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
        "part_errors": {
            name: float(np.mean(values[:num_sequences]))
            for name, values in parts.items()
        },
    }


def _bits(logits, batch):
    """Bits that each target costs, -log2 of its probability."""
    return np.logaddexp(0, np.where(batch.targets > 0.5, -logits, logits)) / np.log(2)


def _per_sequence(values, batch):
    return (values.sum(axis=-1) * batch.mask).sum(axis=-1)


def table_of(results: list[LengthResult]) -> list[list[str]]:
    """Results as cells to print, the headings first."""
    headings = ["size", "wrong bits", "perfect", "bits", "sequences"]
    headings += [f"wrong in {part}" for part in results[0].part_errors]
    if results[0].best_bits is not None:
        headings.append("best possible bits")
    rows = [headings]
    for r in results:
        row = [r.size, f"{r.bit_errors:.3f}", f"{100 * r.perfect:.0f}%"]
        row += [f"{r.bits:.3f}", str(r.sequences)]
        row += [f"{errors:.3f}" for errors in r.part_errors.values()]
        if r.best_bits is not None:
            row.append(f"{r.best_bits:.3f}")
        rows.append(row)
    return rows
