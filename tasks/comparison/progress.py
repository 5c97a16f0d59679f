"""Progress of the runs of a comparison: a bar on a terminal or in a notebook, lines
elsewhere."""

import contextlib
import math
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
    counts = _Counts(count, total)
    printed: dict[str, tuple[float, str]] = {}
    with rich.progress.Progress(
        *columns, console=console, disable=not console.is_terminal
    ) as bar:
        row = bar.add_task(f"{count} runs", total=total)

        def on_progress(name: str, sequences: int, measure: str) -> None:
            counts.take(name, sequences)
            line = f"{name} ({counts.place(name)}): {measure or 'done'}"
            shown, last = printed.get(name, (-math.inf, ""))
            due = time.monotonic() - shown >= LINE_INTERVAL and last != line
            has_lines = not console.is_terminal and notebook is None
            if has_lines and (due or not measure):
                text = line + counts.left()
                console.print(text, soft_wrap=True, markup=False, highlight=False)
                printed[name] = time.monotonic(), line
            bar.update(row, completed=counts.done, description=line)
            if notebook is not None:
                notebook.show(line + counts.left(), counts.done, total)

        yield on_progress


class _Counts:
    """The sequences of several runs, and how long the rest of them may take.

    Args:
        count: Number of runs.
        total: Sequences of all of them.
    """

    def __init__(self, count: int, total: int) -> None:
        self._count = count
        self._total = total
        self._seen: dict[str, int] = {}
        # What runs had at their first report may be of an earlier time.
        self._earlier = 0
        self._began = time.monotonic()

    @property
    def done(self) -> int:
        """Sequences of all runs so far."""
        return sum(self._seen.values())

    def take(self, name: str, sequences: int) -> None:
        """Takes the sequences that a run has seen."""
        if not self._seen:
            self._began = time.monotonic()
        if name not in self._seen:
            self._earlier += sequences
        self._seen[name] = sequences

    def place(self, name: str) -> str:
        """Which of all runs one is, in the order of their first reports."""
        return f"run {list(self._seen).index(name) + 1} of {self._count}"

    def left(self) -> str:
        """How long the rest takes if it is as fast as what was seen; empty if nothing
        is known or left."""
        counted, left = self.done - self._earlier, self._total - self.done
        if counted <= 0 or left <= 0:
            return ""
        seconds = left * (time.monotonic() - self._began) / counted
        return f", about {seconds:.0f} s left in all"
