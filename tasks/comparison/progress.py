"""Progress of the runs of a comparison: a bar on a terminal, lines elsewhere."""

import contextlib
from collections.abc import Iterator, Sequence

import rich.console
import rich.progress

from .plan import Job
from .processes import OnProgress


@contextlib.contextmanager
def show_runs(
    plan: Sequence[Job], console: rich.console.Console | None = None
) -> Iterator[OnProgress]:
    """Shows the progress of several runs on standard error, in a `with` block.

    Yields:
        What `train_all` takes as `on_progress`.
    """
    console = console or rich.console.Console(stderr=True)
    total = sum(job.training.sequences or 0 for job in plan)
    columns = (
        "{task.description}",
        rich.progress.BarColumn(),
        rich.progress.TextColumn("{task.percentage:.0f}%"),
        rich.progress.TimeRemainingColumn(),
    )
    seen: dict[str, int] = {}
    with rich.progress.Progress(
        *columns, console=console, disable=not console.is_terminal
    ) as bar:
        row = bar.add_task(f"{len(plan)} runs", total=total)

        def on_progress(name: str, sequences: int, measure: str) -> None:
            line = f"{name}: {measure or 'done'}"
            if not console.is_terminal:
                console.print(line, soft_wrap=True, markup=False, highlight=False)
            seen[name] = sequences
            description = f"{len(plan)} runs; {line}"
            bar.update(row, completed=sum(seen.values()), description=description)

        yield on_progress
