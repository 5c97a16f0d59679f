"""The page of a search: the best settings, all trials, which setting mattered."""

import collections
import math
import pathlib
from typing import Any

from ..comparison.page import write_comparison
from ..comparison.rate import interval
from ..comparison.table import cell
from ..contract.parameters import text_of
from ..contract.parts import Section
from ..report.page import write_page
from ..runs.adoption import adopted_search
from ..runs.directory import current_versions
from ..runs.output_folder import OutputFolder
from .figures import draw_progress, draw_settings
from .finals import NUMBERS
from .result import Search
from .space import Space
from .trial import COMPLETE, FAILED, PRUNED, Trial

SCORE = {
    True: "The score of a trial, of which less is better, is a sum: the share of the "
    "budget after which every epoch was a success (1 if the last epoch was none), and "
    "the loss at the end as a share of the loss at the beginning. ",
    False: "The score of a trial, of which less is better, is its measure on "
    "validation data with a minus, or without such a measure its loss. ",
}


MEAN = f"mean of {len(NUMBERS)} more seeds"


def search_folder(path: pathlib.Path) -> OutputFolder:
    """The directory of a search, to write into."""
    return OutputFolder(path, "search", adopted_search)


def write_search(result: Search, space: Space) -> pathlib.Path:
    """Writes the page of a search, and that of the runs on fresh seeds.

    Args:
        result: What came out.
        space: What was searched.
    Returns:
        The path of the page.
    """
    task, folder = space.task, result.page.parent
    links, sections = [], []
    if result.runs:
        fresh = result.runs[0].run.path.parent
        page = write_comparison(fresh, result.runs, result.failures)
        links.append(("the runs on fresh seeds", str(page.relative_to(folder))))
    if any(trial.state == COMPLETE for trial in result.trials):
        sections = [
            Section(
                "settings",
                "Which setting mattered",
                "The score of each complete trial. Strokes at the top are trials that "
                "were stopped early; the star is the one that was chosen. A percentage "
                "says how much the setting decided whether a trial was among the best "
                "tenth (PED-ANOVA).",
                draw_settings(space.axes, result),
            ),
            Section(
                "progress",
                "Progress",
                "The score of the complete trials, in the order in which they began.",
                draw_progress(result.trials),
            ),
        ]
    return write_page(
        search_folder(folder),
        result.page.name,
        title=f"Settings with which {space.model.label} learns {task.name}",
        signature=task.signature,
        summary=SCORE[task.success is not None] + summary_of(result),
        sections=sections,
        table=table_of(result),
        versions=current_versions(),
        links=links,
    )


def summary_of(result: Search) -> str:
    """The best settings, and what came of them on fresh seeds, in words."""
    counts = collections.Counter(trial.state for trial in result.trials)
    text = (
        f"{counts[COMPLETE]} trials ran to their end, {counts[PRUNED]} were stopped "
        f"early, {counts[FAILED]} failed."
    )
    if result.best is None:
        return text
    text += f" Best is trial {result.best.number}."
    if result.runs and result.runs[0].run.task.success is not None:
        seeds = len(result.runs) + len(result.failures)
        low, high = interval(result.solved, seeds)
        text += f" On fresh seeds it solved the task in {result.solved} of {seeds} runs"
        text += f" (95% interval of the rate: {low:.0%} to {high:.0%})"
        median = cell([run.solved_at for run in result.runs], ",.0f")
        if result.solved:
            text += f", after {median} sequences"
            text += " (in brackets the worst)" if "(" in median else ""
        text += "."
    return f"{text} To train with its settings: {result.command}"


def table_of(result: Search) -> list[list[str]]:
    """A row a trial, the best first; headings first."""
    trials, means = result.trials, result.means
    names = list(trials[0].settings) if trials else []
    rows = [["trial", "score", *([MEAN] if means else []), *names, "how it ended"]]
    for trial in sorted(
        trials, key=lambda t: (means.get(t.number, math.inf), _rank(t))
    ):
        how = trial.reason or trial.state
        if trial.state == PRUNED:
            how = f"stopped after {len(trial.losses)} tenths"
        values = [_shown(trial.settings[name]) for name in names]
        mean = [_score(means.get(trial.number))] if means else []
        rows.append([str(trial.number), _score(trial.score), *mean, *values, how])
    return rows


def _rank(trial: Trial) -> tuple[bool, float, int, int]:
    is_open = trial.score is None
    return (is_open, trial.score or 0.0, -len(trial.losses), trial.number)


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.4g}"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else text_of(value)
