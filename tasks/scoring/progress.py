"""The progress bar of scoring."""

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress_of(
    total: int, unit: str, *, is_long: bool
) -> Iterator[Callable[[str], Callable[[int], None]]]:
    """Yields what starts the bar of a metric, by its name, and gives what advances it.
    There is no bar for short work, nor without a terminal.

    Args:
        total: Number of what is to be done.
        unit: What it is, in the plural.
        is_long: Whether it takes long enough for a bar.
    """
    # There is no standard error in some daemons.
    if not is_long or sys.stderr is None or not sys.stderr.isatty():
        yield lambda name: lambda count: None
        return
    import rich.console
    import rich.progress

    with rich.progress.Progress(
        rich.progress.TextColumn("[bold]{task.description}"),
        rich.progress.BarColumn(),
        rich.progress.MofNCompleteColumn(),
        rich.progress.TextColumn(unit),
        rich.progress.TimeRemainingColumn(),
        console=rich.console.Console(stderr=True),
        transient=True,
        # Its thread would keep the metrics from forking, see `metrics.parallel`.
        auto_refresh=False,
    ) as progress:

        def start(name: str) -> Callable[[int], None]:
            bar = progress.add_task(name, total=total)
            progress.refresh()
            return lambda count: progress.update(bar, advance=count, refresh=True)

        yield start
