"""Progress of the runs of a comparison: a bar on a terminal or in a notebook, lines
elsewhere."""

import contextlib
import time
from collections.abc import Callable, Iterator

import rich.console
import rich.progress

from ..training.progress import NotebookBar

# Called with the name of a run, the sequences it has seen, and its measure in words.
OnProgress = Callable[[str, int, str], None]

# Heuristic: seconds between two lines of a run where there is no terminal.
LINE_INTERVAL = 10.0


@contextlib.contextmanager
def show_runs(
    count: int, total: int, console: rich.console.Console | None = None
) -> Iterator[OnProgress]:
    """Shows the progress of several runs on standard error, in a `with` block.

    Args:
        count: Number of runs.
        total: Sequences of all of them.
        console: Where to show it instead.
    Yields:
        What `train_all` takes as `on_progress`.
    """
    console = console or rich.console.Console(stderr=True)
    columns = (
        "{task.description}",
        rich.progress.BarColumn(),
        rich.progress.TextColumn("{task.percentage:.0f}%"),
        rich.progress.TimeRemainingColumn(),
    )
    notebook = NotebookBar(console) if console.is_jupyter else None
    seen: dict[str, int] = {}
    printed: dict[str, float] = {}
    with rich.progress.Progress(
        *columns, console=console, disable=not console.is_terminal
    ) as bar:
        row = bar.add_task(f"{count} runs", total=total)

        def on_progress(name: str, sequences: int, measure: str) -> None:
            line = f"{name}: {measure or 'done'}"
            due = time.monotonic() - printed.get(name, -LINE_INTERVAL) >= LINE_INTERVAL
            has_lines = not console.is_terminal and notebook is None
            if has_lines and (due or not measure):
                console.print(line, soft_wrap=True, markup=False, highlight=False)
                printed[name] = time.monotonic()
            seen[name] = sequences
            description = f"{count} runs; {line}"
            bar.update(row, completed=sum(seen.values()), description=description)
            if notebook is not None:
                notebook.show(description, sum(seen.values()), total)

        yield on_progress
