"""Progress of the runs of a comparison: a bar on a terminal, else plain lines."""

import contextlib

import rich.console
import rich.progress


@contextlib.contextmanager
def show_runs(plan, console=None):
    """Progress of several runs on standard error, for `tasks.comparison.train_all`."""
    console = console or rich.console.Console(stderr=True)
    total = sum(training.sequences for _, _, training in plan)
    columns = ("{task.description}", rich.progress.BarColumn())
    columns += (rich.progress.TextColumn("{task.percentage:.0f}%"),)
    columns += (rich.progress.TimeRemainingColumn(),)
    seen = {}
    with rich.progress.Progress(*columns, console=console) as bar:
        task = bar.add_task(f"{len(plan)} runs", total=total)

        def on_progress(path, sequences, line):
            if not console.is_terminal:
                console.print(f"{path.name}: {line or 'done'}", soft_wrap=True)
            seen[path] = sequences
            bar.update(
                task,
                completed=sum(seen.values()),
                description=f"{len(plan)} runs; {path.name} {line or 'done'}",
            )

        yield on_progress
