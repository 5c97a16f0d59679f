"""Trains memory layers with steps that are far too large, for
benchmarks/reliability.py."""

import math

# Every layer with a memory that learns the task.
MODELS = (
    *("ntm-feedforward", "ntm-lstm", "dnc-feedforward", "dnc-lstm"),
    *("sam-feedforward", "sam-lstm", "mann", "stack", "fast-weights"),
)
FACTOR = 10
SEQUENCES = 1600


def check(count, folder):
    """Trains each model from `count` seeds at ten times its learning rate. A step that
    was skipped had a loss or gradients that were not finite."""
    import tasks

    task, wrong = tasks.Copy(4, 1, 6), []
    options = {"rollback": False, "progress": False, "evaluate": False}
    for name in MODELS:
        usual = tasks.TrainingConfig().resolved(task, tasks.get_model(name, task))
        rate = FACTOR * usual.learning_rate
        for seed in range(1, count + 1):
            rows = tasks.train(
                task,
                name,
                learning_rate=rate,
                sequences=SEQUENCES,
                seed=seed,
                **options,
            ).history
            losses_are_finite = all(math.isfinite(row["loss"]) for row in rows)
            if not losses_are_finite or sum(row["skipped"] for row in rows):
                wrong.append(f"{name} {seed}")
    return {
        "tried": f"{count * len(MODELS)} trainings, {count} of each of "
        f"{len(MODELS)} models, of {SEQUENCES:,} sequences",
        "wrong": len(wrong),
        "found": f"a step that was not finite in {', '.join(wrong) or 'none'}",
    }
