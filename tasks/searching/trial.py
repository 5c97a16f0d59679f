"""One trial of a search, and its file."""

import dataclasses
import json
import math
import os
import pathlib
from typing import Any, Self

from ..runs.adoption import adopted_trials
from ..runs.files import RunError
from ..runs.history import History, merit
from ..runs.output_folder import OutputFolder
from ..runs.run import Run

FILE = "trial.json"
# A trial is looked at after so many equal parts of its budget.
PARTS = 10

_NO_TRIAL = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)

RUNNING, COMPLETE, PRUNED, FAILED = "running", "complete", "pruned", "failed"


@dataclasses.dataclass(frozen=True)
class Trial:
    """A trial.

    Attributes:
        number: Its number, from 0.
        settings: The settings that vary, by name.
        state: `"running"`, `"complete"`, `"pruned"` (it was stopped early) or
            `"failed"`.
        losses: The mean loss over the epoch that ended each tenth of the budget.
        score: See `score_of`; None if it is not complete.
        reason: Why it failed.
    """

    number: int
    settings: dict[str, Any]
    state: str = RUNNING
    losses: tuple[float, ...] = ()
    score: float | None = None
    reason: str = ""

    @property
    def seed(self) -> int:
        """The seed of its run. Each trial has another one, so that no setting is chosen
        for one lucky seed."""
        return self.number + 1

    def write(self, folder: pathlib.Path) -> None:
        """Writes its file into its own folder within the folder of all trials.

        Raises:
            RunError: If the folder holds other files than trials.
        """
        from memnets.saving.atomic import atomic_write

        path = trials_folder(folder).reserve(f"{self.name}/{FILE}")
        with atomic_write(path) as unfinished:
            text = json.dumps(dataclasses.asdict(self), indent=1)
            unfinished.write_text(text + "\n", encoding="utf-8")

    def folder(self, folder: pathlib.Path) -> pathlib.Path:
        """Its own folder within the folder of all trials."""
        return folder / self.name

    @property
    def name(self) -> str:
        """Its number as the name of its folder."""
        return f"{self.number:04d}"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Reads the file of a trial.

        Raises:
            RunError: If it is no such file.
        """
        try:
            fields = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
            # JSON has no tuples: a number for each head is one.
            settings = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in fields["settings"].items()
            }
            losses = tuple(fields["losses"])
            return cls(**{**fields, "settings": settings, "losses": losses})
        except _NO_TRIAL as error:
            raise RunError(f"`{path}` is no file of a trial: {error}.") from None


def trials_folder(path: pathlib.Path) -> OutputFolder:
    """The folder of all trials, to write into."""
    return OutputFolder(path, "trials", adopted_trials)


def read_trials(folder: pathlib.Path) -> list[Trial]:
    """All trials of a folder, in their order."""
    # A copy that somebody made lies in a folder of another name.
    named = folder.glob(f"{'[0-9]' * 4}/{FILE}")
    return [Trial.read(path) for path in sorted(named)]


def losses_of(history: History) -> tuple[float, ...]:
    """The loss at the end of each tenth of the budget, as far as the run has come."""
    config, losses = history.config, []
    total = config.trained_sequences
    for part in range(1, PARTS + 1):
        reached = (r["loss"] for r in history if r["sequences"] * PARTS >= total * part)
        loss = next(reached, None)
        if loss is None:
            break
        losses.append(loss)
    return tuple(losses)


def score_of(run: Run, history: History) -> float:
    """How good a run is that has ended; less is better.

    If the task says what success is, a sum: the share of the budget before the epochs
    that were all successes, to the end (1 if the last one was none), and the loss at
    the end as a share of the loss at the beginning. If not: its measure on validation
    data, or the loss.
    """
    task = run.task
    if task.success is not None:
        settled, total = history.settled_at(task), history.config.trained_sequences
        first, last = history.rows[0]["loss"], history.final["loss"]
        share = 1.0 if settled is None else settled / total
        if not math.isfinite(first) or not math.isfinite(last):
            return share + 1.0
        return share + min(1.0, last / first if first > 0 else 0.0)
    if task.recipe.validation_measure and (best := history.best(task)) is not None:
        return -merit(task, best)
    loss = history.final["loss"]
    return loss if math.isfinite(loss) else math.inf
