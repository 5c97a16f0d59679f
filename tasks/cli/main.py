"""The command line. Keras is imported inside the commands that need it."""

import contextlib
import dataclasses
import os
import pathlib
import sys

import click

from ..comparison.cores import available_cores
from ..models import MODELS, NTMConfig
from ..registry import TASKS
from ..runs.training_config import TrainingConfig
from ..training.rollback import outcome
from .click_options import BadInput, Command, ListOption, json_option, print_json
from .compare import compare
from .score import score
from .task_options import (
    flag_of,
    given,
    model_with,
    options_of,
    print_table,
    run_argument,
    take,
    task_argument,
    task_with,
)


def _print_results(results):
    from ..evaluation import table_of

    print_table(table_of(results))


def import_keras():
    """Imports Keras without the page of notices that TensorFlow 2.21 greets with.

    They go to the file descriptor of standard error before any setting is read, so that
    is where they are stopped; errors are Python exceptions and come through.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    saved = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            import keras  # noqa: F401
        finally:
            os.dup2(saved, 2)
            os.close(saved)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="memnets")
def main():
    """Train networks with memory on algorithmic tasks, and see what they learned."""


main.add_command(score)
main.add_command(compare)


@main.command("list", cls=Command)
@json_option
def list_command(as_json):
    """List the tasks and the models."""
    kinds = {"tasks": TASKS, "models": MODELS}
    entries = {
        kind: {
            name: cls.__doc__.strip().splitlines()[0] for name, cls in registry.items()
        }
        for kind, registry in kinds.items()
    }
    if as_json:
        print_json(entries)
        return
    for kind, lines in entries.items():
        click.echo(f"{kind}:")
        for name, line in lines.items():
            click.echo(f"  {name:<18} {line}")


@main.command(cls=Command)
@task_argument
@click.option("--seed", type=int, default=None, help="Seed of the sequences.")
@click.option("--count", type=click.IntRange(1), default=1, help="Sequences to show.")
@options_of(*TASKS.values())
@json_option
def show(task, seed, count, as_json, **options):
    """Print sequences of TASK, time from left to right."""
    task = task_with(task, given(options))
    batch = task.sample(count, seed)
    if as_json:
        print_json(
            {"signature": task.signature}
            | {name: array.tolist() for name, array in batch._asdict().items()}
        )
    else:
        click.echo(task.render(batch))


@main.command(cls=Command)
@task_argument
@click.option("--model", default="ntm-lstm", help=f"One of {', '.join(MODELS)}.")
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    help="Directory of the run [default: runs/TASK-MODEL-SEED].",
)
@click.option("--force", is_flag=True, help="Overwrite an earlier run in it.")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the run in it, which was stopped; the other options as then.",
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
@options_of(TrainingConfig, *TASKS.values(), *MODELS.values())
@json_option
def train(task, model, out, force, resume, save_seconds, native, as_json, **options):
    """Train a model on TASK, evaluate it and write a report."""
    options = given(options)
    training = TrainingConfig(**take(options, TrainingConfig))
    task = task_with(task, options, others=MODELS.values())
    model = model_with(model, task, options)
    out = out or pathlib.Path("runs", f"{task.name}-{model.name}-{training.seed}")

    import_keras()
    import memnets.native

    from ..report.report import write_report
    from ..training.training import TrainingDiverged
    from ..training.training import train as run_training

    memnets.native.set_enabled(native)
    if isinstance(model, NTMConfig):
        click.echo(f"Runs on: {memnets.native.status()}", err=True)
    try:
        result = run_training(
            task,
            model,
            out=out,
            force=force,
            resume=resume,
            save_seconds=save_seconds,
            **dataclasses.asdict(training),
        )
    except TrainingDiverged as error:
        raise click.ClickException(
            f"{error} The last good model is in {out}."
        ) from error
    if result.interrupted:
        raise click.ClickException(
            f"Stopped by hand; what was learned in {len(result.history)} epochs is in "
            f"{out}. Draw it with: memnets report {out}; go on with the same command "
            "and --resume."
        )
    # From the saved model: it shows what was kept, and compiles no length for XLA.
    report, results = write_report(result.run)
    last = outcome(result.history)
    summary = {
        "signature": result.run.signature,
        "weights": result.model.count_params(),
        "solved_at": result.solved_at,
        "startup_seconds": result.startup_seconds,
        "cores": len(available_cores()),
        **last,
        "lengths": [dataclasses.asdict(r) for r in results],
    }
    if not result.startup_seconds:
        # It had ended before it was resumed; a summary that is missing is written anew.
        with contextlib.suppress(ValueError):
            before = result.run.read_summary()
            known = before.keys() & {"startup_seconds", "cores"}
            summary |= {key: before[key] for key in known}
    result.run.write_summary(summary)
    if as_json:
        print_json({"run": str(out), "report": str(report), **summary})
        return
    solved = f"solved after {result.solved_at}" if result.solved_at else "not solved"
    click.echo(
        f"{last['sequences']} sequences in {last['seconds']:.0f} s "
        f"(and {summary['startup_seconds']:.0f} s to start), {solved}, "
        f"{last['bit_errors']:.4f} bit errors at the end"
    )
    click.echo(result.run.signature)
    _print_results(results)
    click.echo(f"report: {report}")


@main.command(cls=Command)
@run_argument
@click.option(
    "--lengths", cls=ListOption, type=click.IntRange(1), help="Lengths to try."
)
@click.option(
    "--sequences",
    type=click.IntRange(1),
    help="Sequences of each length [default: the task's own, and ten times as many "
    "where they are of several lengths].",
)
@click.option("--seed", type=int, default=0, help="Seed of the sequences.")
@options_of(*TASKS.values())
@json_option
def evaluate(run, lengths, sequences, seed, as_json, **options):
    """Count the errors of the model in directory RUN by length.

    Options of the task change it for the evaluation: --min-repeats 20 --max-repeats 20.
    """
    run, model = _load(run)
    from ..evaluation import evaluate as count_errors

    options = given(options)
    task = dataclasses.replace(run.task, **take(options, type(run.task)))
    for option in options:
        raise BadInput(f"`{flag_of(option)}` is not an option of the task {task.name}.")
    results = count_errors(
        model,
        task,
        lengths or None,
        num_sequences=sequences,
        seed=seed,
        trained=run.task,
    )
    if as_json:
        print_json(
            {
                "signature": run.signature,
                "lengths": [dataclasses.asdict(r) for r in results],
            }
        )
    else:
        _print_results(results)


@main.command(cls=Command)
@run_argument
@json_option
def report(run, as_json):
    """Draw the run in directory RUN: report.html and figures/*.png."""
    run, model = _load(run)
    from ..report.report import write_report

    path, results = write_report(run, model)
    if as_json:
        print_json(
            {
                "report": str(path),
                "lengths": [dataclasses.asdict(r) for r in results],
            }
        )
    else:
        _print_results(results)
        click.echo(f"report: {path}")


NOBODY = "nothing trains there now: this is the last state"


@main.command(cls=Command)
@run_argument
@click.option(
    "--html", is_flag=True, help="Draw into RUN/watch.html, for a browser to reload."
)
@click.option(
    "--interval",
    type=click.FloatRange(0.1),
    default=1.0,
    help="Seconds between two looks.",
)
def watch(run, html, interval):
    """Redraw a sequence while the model in directory RUN is trained.

    A model that is trained is kept every few seconds; `x` is a wrong bit. It ends when
    nothing trains in RUN (any more). Ctrl-C ends the watching, not the training.
    """
    from ..runs.run import open_run

    run = open_run(run)
    import_keras()
    import rich.console
    import rich.live
    import rich.text

    from ..report.watch import draw_text, frames, task_that_fits, write_html

    console = rich.console.Console()
    title = f"{run.model.name} learns {run.task.name}"
    try:
        if html:
            path = run.file("watch.html")
            click.echo(f"open {path}")
            for model, caption, ended in frames(run, interval=interval):
                task = run.task.at_length(run.task.size[0])
                write_html(model, task, caption, title, path, reload=not ended)
                click.echo(caption)
            click.echo(NOBODY, err=True)
            return
        task = task_that_fits(run.task, console.width, console.height)
        with rich.live.Live(console=console, auto_refresh=False) as live:
            for model, caption, _ in frames(run, interval=interval):
                picture = draw_text(model, task, console.height - 2)
                drawn = f"{title}\n{caption}\n{picture}"
                live.update(rich.text.Text(drawn, no_wrap=True), refresh=True)
        click.echo(NOBODY, err=True)
    except KeyboardInterrupt:
        click.echo("the training goes on", err=True)


def _load(path):
    from ..runs.run import open_run

    run = open_run(path)
    import_keras()
    return run, run.load_model()
