"""What comes out of a search."""

import dataclasses
import pathlib
from collections.abc import Iterable

from ..comparison.finished_run import FailedRun, FinishedRun
from .trial import COMPLETE, Trial


@dataclasses.dataclass(frozen=True)
class Search:
    """What came out of `search`.

    Attributes:
        trials: All trials, in the order in which they began.
        means: The mean score of each finalist over further seeds, by the number of the
            trial; empty if there was no choice.
        best: The trial that was chosen: the finalist with the smallest mean. None if no
            trial was complete.
        command: The command that trains with its settings.
        runs: The finished runs with its settings on fresh seeds.
        failures: Those that failed, with the reason of each.
        importances: By name of a setting, how much it decided whether a trial was among
            the best, as shares of 1; empty after few trials.
        page: The page of the search.
    """

    trials: list[Trial]
    means: dict[int, float]
    best: Trial | None
    command: str
    runs: list[FinishedRun]
    failures: list[FailedRun]
    importances: dict[str, float]
    page: pathlib.Path

    @property
    def solved(self) -> int:
        """How many of the fresh runs solved the task."""
        return sum(run.solved_at is not None for run in self.runs)


def best_of(trials: Iterable[Trial]) -> Trial | None:
    """The complete trial with the smallest score, None if there is none."""
    complete = [trial for trial in trials if trial.state == COMPLETE]
    return min(complete, key=lambda trial: trial.score or 0.0, default=None)
