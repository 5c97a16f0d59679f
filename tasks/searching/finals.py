"""The best trials again, with further seeds: one score may be luck."""

import math
import pathlib
from collections.abc import Iterable, Sequence

from ..comparison.engine import Engine
from ..comparison.progress import OnProgress
from .result import best_of
from .rounds import train_round
from .space import Space
from .trial import RUNNING, Trial, read_trials

# Their seeds are one more. All finalists have the same ones, which no trial has, and
# which are below those that results are reported of.
NUMBERS = range(900, 904)


def finalists_of(trials: Iterable[Trial], count: int) -> list[Trial]:
    """So many complete trials with the smallest scores, the best first."""
    left, found = list(trials), list[Trial]()
    while len(found) < count and (best := best_of(left)):
        found.append(best)
        left.remove(best)
    return found


def train_finals(
    folder: pathlib.Path,
    space: Space,
    finalists: Sequence[Trial],
    engine: Engine,
    on_progress: OnProgress,
) -> dict[int, float]:
    """Trains the settings of each finalist with further seeds.

    Args:
        folder: Where; each finalist has a folder in it.
        space: What is searched.
        finalists: The finalists.
        engine: Where they are trained.
        on_progress: See `train_round`.
    Returns:
        The mean score of each, by the number of the trial; infinite if a run failed.
    """
    means = {}
    for finalist in finalists:
        own = finalist.folder(folder)
        there = {trial.number: trial for trial in read_trials(own)}
        again = [there.get(n) or Trial(n, finalist.settings) for n in NUMBERS]
        going = [trial for trial in again if trial.state == RUNNING]
        for trial in going:
            trial.write(own)
        scores = {trial.number: trial.score for trial in again}
        # They are compared with each other at the end: none is stopped early.
        named = _named(f"finalist {finalist.number}", on_progress)
        for ended in train_round(own, space, (), going, engine, named):
            ended.write(own)
            scores[ended.number] = ended.score
        values = [math.inf if score is None else score for score in scores.values()]
        means[finalist.number] = sum(values) / len(values)
    return means


def _named(what: str, on_progress: OnProgress) -> OnProgress:
    """Progress of runs whose names begin with what they are of: all finalists have
    trials of the same numbers."""

    def on_named(name: str, sequences: int, measure: str) -> None:
        on_progress(f"{what}, {name}", sequences, measure)

    return on_named
