"""Trains memory layers with steps that are far too large, for
`reliability.py`."""

import math

# Of every recurrent layer with a memory.
MODELS = (
    *("ntm-feedforward", "ntm-lstm", "dnc-feedforward", "dnc-lstm"),
    *("sam-feedforward", "sam-lstm", "mann", "stack", "tape", "fast-weights"),
)
FACTOR = 10
SEQUENCES = 1600


def check(count, folder):
    """Trains each model from `count` seeds at ten times its learning rate."""
    import tasks

    task, wrong = tasks.Copy(4, 1, 6), []
    for name in MODELS:
        usual = tasks.TrainingConfig().resolved(task, tasks.get_model(name, task))
        rate = FACTOR * usual.learning_rate
        wrong += [
            f"{name} {seed}"
            for seed in range(1, count + 1)
            if not _stays_finite(task, name, rate, seed)
        ]
    return {
        "tried": f"{count * len(MODELS)} trainings, {count} of each of "
        f"{len(MODELS)} models, of {SEQUENCES:,} sequences",
        "wrong": len(wrong),
        "found": f"steps that were not finite in {len(wrong)} trainings"
        + "".join(f", {one}" for one in wrong),
    }


def _stays_finite(task, name, learning_rate, seed):
    """Whether no step of a training was skipped: such a step has a loss or gradients
    that are not finite."""
    import tasks

    options = {"rollback": False, "progress": False, "evaluate": False}
    options |= {"sequences": SEQUENCES, "learning_rate": learning_rate, "seed": seed}
    try:
        rows = tasks.train(task, name, **options).history
    except tasks.TrainingDiverged:
        return False
    return all(math.isfinite(row["loss"]) and not row["skipped"] for row in rows)
