"""`memnets watch`: a sequence, redrawn while a model is trained."""

import pathlib
import time
from typing import TYPE_CHECKING

import click

from ..contract.task import Task
from ..runs.directory import check_directory, nearest_runs, open_run
from ..runs.run import Run
from .command import Command
from .keras_import import import_keras
from .named import run_argument

if TYPE_CHECKING:
    import keras

ENDED = "the training has ended: this is the last state"
STOPPED = "no process trains there now: this is the last state"


@click.command(
    cls=Command,
    examples=(
        "memnets watch runs/copy",
        "memnets watch runs/copy --html",
    ),
)
@run_argument
@click.option(
    "--html", is_flag=True, help="Draw into RUN/watch.html, for a browser to reload."
)
@click.option(
    "--wait",
    type=click.FloatRange(0),
    default=30.0,
    show_default=True,
    help="Seconds to wait for a run that is about to start.",
)
@click.option(
    "--interval",
    type=click.FloatRange(0.1),
    default=1.0,
    show_default=True,
    help="Seconds between two looks.",
)
def watch(run: pathlib.Path, html: bool, wait: float, interval: float) -> None:
    """Redraw a sequence while the model in RUN is trained.

    The picture follows the saved model, which training replaces every few seconds. A
    column is a step. `x` marks a wrong output. Above is how it learns, where there is
    room, an epoch a block. Below, each numbered line is a row of
    the memory: `W` where a write head attends to it, `R` a read head, `X` both, and in
    small letters where less than half of the attention goes there. The command ends
    when no process trains in RUN. Ctrl-C ends the watching, not the training.
    """
    try:
        _wait_for(run, wait, interval)
        opened = open_run(run)
        import_keras()
        from ..report.watch import is_finished

        (_watch_html if html else _watch_text)(opened, interval)
        click.echo(ENDED if is_finished(opened) else STOPPED, err=True)
    except KeyboardInterrupt:
        click.echo("the training goes on", err=True)


def _wait_for(run: pathlib.Path, seconds: float, interval: float) -> None:
    """Waits until a training has begun to write its run, but no longer than that."""
    check_directory(run)
    end = time.monotonic() + seconds
    if seconds and not (run / "config.json").exists():
        near = nearest_runs(run)
        click.echo(
            f"waits {seconds:g} seconds for a run to start in {run}{near}", err=True
        )
    while not (run / "config.json").exists() and time.monotonic() < end:
        time.sleep(min(interval, seconds))


def _title(run: Run) -> str:
    return f"{run.model.label} learns {run.task.name}"


def _watch_html(run: Run, interval: float) -> None:
    from ..report.watch import WATCH, frames, write_html

    click.echo(f"open {run.file(WATCH)}")
    task = _largest(run.task)
    for model, caption, ended in frames(run, interval=interval):
        write_html(model, task, caption, _title(run), run.folder, reload=not ended)
        click.echo(caption)


def _largest(task: Task) -> Task:
    """The task with sequences of its largest size, if it has sizes to choose."""
    try:
        return task.evaluation.at_length(task.size[0])
    except ValueError:
        return task


def _watch_text(run: Run, interval: float) -> None:
    import rich.console
    import rich.live
    import rich.text

    from ..report.watch import draw_curve, draw_text, frames, task_that_fits

    console = rich.console.Console()
    task = task_that_fits(run.task, console.width, console.height)
    states = frames(run, interval=interval)

    def page(model: "keras.Model", caption: str) -> str:
        picture, head = draw_text(model, task, console.height - 2), [_title(run)]
        curve = draw_curve(run, console.width)
        if curve and len(picture.splitlines()) < console.height - 2:
            head.append(curve)
        return "\n".join([*head, caption, picture])

    if not console.is_terminal:
        for model, caption, _ in states:
            click.echo(page(model, caption))
        return
    with rich.live.Live(console=console, auto_refresh=False) as live:
        for model, caption, _ in states:
            text = rich.text.Text(page(model, caption), no_wrap=True)
            live.update(text, refresh=True)
