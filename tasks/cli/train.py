"""`memnets train`: a model on a task."""

import contextlib
import dataclasses
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..contract.task import Task
from ..evaluation import table_of
from ..length_generalization import saved_test
from ..models.base import ModelConfig
from ..registry import MODELS
from ..runs.devices import alone, process_index
from ..runs.history import History
from ..runs.jax_processes import (
    ProcessLost,
    join_processes,
    losses_named,
    wait_for_first,
)
from ..runs.run import Run
from ..training_options.training_config import TrainingConfig
from ..wording import counted
from .command import Interrupted, reason_of
from .keras_import import import_keras
from .named import (
    ModelOption,
    model_groups,
    model_name,
    model_with,
    named_task,
    task_argument,
    task_groups,
    task_with,
    training_groups,
)
from .options_from_fields import Group, ParameterCommand, given, take
from .output import json_option, print_json, print_table, warnings_in_one_line
from .verdict import verdict

if TYPE_CHECKING:
    from ..training.training import TrainingResult


def _groups(words: dict[str, Any]) -> list[Group]:
    task = named_task(words["task"], words)
    model = model_name(words["task"], words["model"])
    groups = [*training_groups(task, [model]), *task_groups(words["task"])]
    return [*groups, *(model_groups(model, task) if groups[1:] else [])]


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets train copy --out runs/copy",
        "memnets train copy --model ntm-feedforward --max-length 10",
        "memnets train copy --model ntm-lstm --out runs/copy --resume",
        "memnets train reverse-string --model stack --test-lengths 41-500:9",
    ),
    groups=_groups,
    hint="Options of a task and a model: memnets train TASK --model MODEL --help.",
)
@task_argument
@click.option(
    "--model",
    cls=ModelOption,
    help=f"One of {', '.join(MODELS)}, or one that --import registers.",
)
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    help="Directory of the run [default: runs/TASK-MODEL-SEED].",
)
@click.option("--force", is_flag=True, help="Overwrite an earlier run in it.")
@click.option(
    "--resume",
    is_flag=True,
    help="Continue the interrupted run in it, or begin one if there is none; give the "
    "same options again.",
)
@click.option(
    "--save-seconds",
    type=click.FloatRange(0),
    default=5.0,
    show_default=True,
    help="Seconds between two checkpoints.",
)
@click.option(
    "--native/--no-native",
    default=True,
    help="Whether to use the compiled kernel where it runs [default: yes].",
)
@click.option(
    "--distributed",
    is_flag=True,
    help="Train together with other processes that run the same command (JAX only).",
)
@json_option
def train(
    task: str,
    model: str | None,
    out: pathlib.Path | None,
    force: bool,
    resume: bool,
    save_seconds: float,
    native: bool,
    distributed: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a model on TASK, evaluate it and write a report."""
    options = given(options)
    training = TrainingConfig(**take(options, TrainingConfig))
    chosen_task = task_with(task, options, without=tuple(MODELS.values()))
    chosen_model = model_with(model, chosen_task, options)
    default_name = f"{chosen_task.name}-{chosen_model.label}-{training.seed}"
    out = out or pathlib.Path("runs", default_name)
    import_keras()
    with _together() if distributed else contextlib.nullcontext():
        if process_index() == 0:
            for note in chosen_task.presentation.notes:
                click.echo(note, err=True)
        result = _train(
            chosen_task,
            chosen_model,
            native=native,
            out=out,
            force=force,
            resume=resume,
            save_seconds=save_seconds,
            **dataclasses.asdict(training),
        )
        if result.run is not None and result.summary is not None:
            with alone():
                _report(result, result.run, result.summary, as_json)
        wait_for_first()


@contextlib.contextmanager
def _together() -> Iterator[None]:
    """Within it this process is one of several that train together."""
    try:
        join_processes()
        with losses_named():
            yield
    except ProcessLost as error:
        click.echo(f"Error: {error}", err=True)
        sys.stderr.flush()
        # At a usual end JAX would wait for the lost process and print a stack trace.
        os._exit(1)


def _report(
    result: "TrainingResult", run: Run, summary: dict[str, Any], as_json: bool
) -> None:
    from ..report.report import write_report
    from ..training.summary import results_of

    results = results_of(summary)
    try:
        report, _ = write_report(run, results=results)
    except KeyboardInterrupt as error:
        raise Interrupted(
            f"Interrupted. The run is saved in {run.path}, and only its report is "
            f"missing. To draw it: memnets report {run.path}"
        ) from error
    except (OSError, ValueError, MemoryError) as error:
        raise click.ClickException(
            f"{reason_of(error)} The run is saved in {run.path}, and only its report "
            f"is missing. To draw it later: memnets report {run.path}"
        ) from error
    if as_json:
        print_json({"run": str(run.path), "report": str(report), **summary})
        return
    click.echo(_in_words(result))
    click.echo(run.signature)
    print_table(table_of(result.task, results))
    if (test := saved_test(summary)) is not None:
        click.echo(test.in_words(result.task))
    parts = result.task, run.model, result.config
    if text := verdict(*parts, result.solved_at, results):
        click.echo(text)
    click.echo(f"report: {report}")


def _train(
    task: Task, model: ModelConfig, *, native: bool, out: pathlib.Path, **arguments: Any
) -> "TrainingResult":
    """The result of a training that ran to its end."""
    import memnets.native

    from ..training.stopping import TrainingDiverged
    from ..training.training import train

    memnets.native.set_enabled(native)
    try:
        with warnings_in_one_line():
            result = train(task, model, out=out, **arguments)
    except TrainingDiverged as error:
        raise click.ClickException(
            f"{error} The model of that checkpoint is in {out}."
        ) from error
    if result.interrupted:
        raise Interrupted(
            f"Stopped by hand after {counted(len(result.history), 'epoch')}, saved in "
            f"{out}. To draw them: memnets report {out}; to continue: the same command "
            "with --resume."
        )
    return result


def _in_words(result: "TrainingResult") -> str:
    from ..training.progress import shown_measure

    summary, success = result.summary or {}, result.task.success
    text = (
        f"{summary['sequences']:,} sequences in {summary['seconds']:.0f} s "
        f"(and {summary['startup_seconds']:.0f} s to start), "
    )
    if success is not None:
        at = result.solved_at
        text += f"solved after {at:,}" if at else "not solved"
        text += f" ({success} over an epoch), "
    history = History(result.history, result.config)
    best = history.best(result.task) if history.is_stalled(result.task) else None
    if best is not None:
        seen = best["sequences"]
        text += f"ended as nothing was better on validation data after {seen:,}, "
    if history.is_mastered(result.task):
        text += "ended as all of the validation was right, "
    return f"{text}{shown_measure(result.task, summary)} at the end"
