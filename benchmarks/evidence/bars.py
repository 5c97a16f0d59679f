"""What the runs of docs/results.md are judged by.

The bars were set before the runs were made. Each names what a run must reach, and the
page counts the runs that do.
"""

import dataclasses
from collections.abc import Callable

from tasks.comparison.finished_run import FinishedRun


@dataclasses.dataclass(frozen=True)
class Bar:
    """What a run may reach.

    Attributes:
        text: The heading of its column.
        reached: Whether a finished run has reached it.
    """

    text: str
    reached: Callable[[FinishedRun], bool]


def below(text: str, name: str, **bounds: float) -> Bar:
    """A bar that holds if a value is below a bound at each of some sizes.

    Args:
        text: The heading.
        name: The value of the evaluation.
        **bounds: The bound at each size; a size such as `20 x 10` is `at_20_x_10`.
    """
    return Bar(text, lambda run: all(v < b for v, b in _values(run, name, bounds)))


def at_least(text: str, name: str, **bounds: float) -> Bar:
    """The same for a value that must not be smaller than the bound."""
    return Bar(text, lambda run: all(v >= b for v, b in _values(run, name, bounds)))


def _values(run, name, bounds):
    values = {result.size: result.values[name] for result in run.results}
    for size, bound in bounds.items():
        words = size.removeprefix("at_").replace("_to_", "-").replace("_", " ")
        yield values[words], bound


def _kept(run):
    """Whether an epoch is a success, and the last one too."""
    success = run.run.task.success
    return run.solved_at is not None and success.reached(run.history.final)


SOLVED = Bar("solved", lambda run: run.solved_at is not None)
KEPT = Bar("not lost again", _kept)

# By the name of a task, and what is not its own of its parameters.
BARS = {
    "copy": [
        SOLVED,
        KEPT,
        at_least("99% perfect at 40", "perfect", at_40=0.99),
        at_least("95% perfect at 120", "perfect", at_120=0.95),
    ],
    "repeat-copy": [
        below("under 0.1 wrong bits", "bit_errors", at_1_to_10_x_1_to_10=0.1),
        # 1% of the 1,600 bits of the vectors.
        below("under 1% wrong at 20 vectors", "vector_errors", at_20_x_10=16.0),
        below("under 1% wrong at 20 repeats", "vector_errors", at_10_x_20=16.0),
    ],
    "associative-recall": [
        SOLVED,
        below(
            "under 0.5, 1.5, 8 bits at 12, 15, 20",
            "bits",
            at_12=0.5,
            at_15=1.5,
            at_20=8.0,
        ),
    ],
    "dynamic-ngrams": [below("under 134.0 bits", "bits", at_200=134.0)],
    "priority-sort": [
        below("under 10 bits", "bits", at_20=10.0),
        # A tenth of the 24 vectors of 8 bits.
        below("under 10% wrong at 30", "bit_errors", at_30=19.2),
    ],
    "priority-sort,num-outputs=20": [below("under 15 bits", "bits", at_20=15.0)],
}
