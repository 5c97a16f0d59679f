"""The command line. Keras is imported inside the commands that need it."""

import dataclasses
import os
import pathlib
import re
import sys
import typing

import click

from tasks.click_options import (
    BadInput,
    Command,
    ListOption,
    json_option,
    print_json,
)
from tasks.cores import available_cores
from tasks.models import MODELS, NTMConfig, get_model
from tasks.registry import TASKS, get_task
from tasks.score import score
from tasks.training_config import TrainingConfig


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


def _flag(name):
    return "--" + name.replace("_", "-")


def _plain(annotation):
    """The type itself of an annotation such as `float | None`."""
    return next(iter(typing.get_args(annotation)), annotation)


def options_of(*classes, without=()):
    """Adds the fields of dataclasses as options, with the help of their docstrings."""

    def decorate(function):
        fields = {
            field.name: (field, cls)
            for cls in classes
            for field in dataclasses.fields(cls)
            if field.name not in without
        }
        for name, (field, cls) in reversed(fields.items()):
            flag = _flag(name)
            function = click.option(
                f"{flag}/--no-{flag[2:]}" if field.type is bool else flag,
                type=_plain(field.type),
                default=None,
                help=_help(cls, name) + _defaults(classes, name),
            )(function)
        return function

    return decorate


def _help(cls, name):
    """What the docstring of a class or of its base says of a field."""
    for base in cls.__mro__:
        pattern = rf"^ +{name}: (.+?)(?=\n +\w+: |\n +\w+:\n|\Z)"
        if found := re.search(pattern, base.__doc__ or "", re.S | re.M):
            return " ".join(found.group(1).split())
    return ""


def _defaults(classes, name):
    """The default in brackets, or the defaults by name where classes differ."""
    defaults = {
        cls.name if hasattr(cls, "name") else "": field.default
        for cls in classes
        for field in dataclasses.fields(cls)
        if field.name == name
    }
    if len(set(defaults.values())) == 1:
        default = next(iter(defaults.values()))
        return "" if default is None else f" [default: {default}]"
    listed = ", ".join(f"{value} for {key}" for key, value in defaults.items())
    return f" [default: {listed}]"


def _print_results(results):
    from tasks.evaluation import table_of

    _print_table(table_of(results))


def _print_table(cells):
    """Prints rows of cells, the headings first."""
    import rich.console
    import rich.table

    headings, *rows = cells
    table = rich.table.Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    rich.console.Console().print(table)


task_argument = click.argument("task", metavar="TASK")
run_argument = click.argument(
    "run", metavar="RUN", type=click.Path(path_type=pathlib.Path)
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="memnets")
def main():
    """Train networks with memory on algorithmic tasks, and see what they learned."""


main.add_command(score)


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
    task = _task(task, _set(options))
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
    options = _set(options)
    training = TrainingConfig(**_take(options, TrainingConfig))
    task = _task(task, options, others=MODELS.values())
    model = _model(model, task, options)
    out = out or pathlib.Path("runs", f"{task.name}-{model.name}-{training.seed}")

    import_keras()
    import memnets.native
    from tasks.report import write_report
    from tasks.training import TrainingDiverged
    from tasks.training import train as run_training

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
    last = result.history[-1]
    summary = {
        "signature": result.run.signature,
        "weights": result.model.count_params(),
        "solved_at": result.solved_at,
        "startup_seconds": result.startup_seconds,
        "cores": len(available_cores()),
        **last,
        "lengths": [dataclasses.asdict(r) for r in results],
    }
    result.run.write_summary(summary)
    if as_json:
        print_json({"run": str(out), "report": str(report), **summary})
        return
    solved = f"solved after {result.solved_at}" if result.solved_at else "not solved"
    click.echo(
        f"{last['sequences']} sequences in {last['seconds']:.0f} s "
        f"(and {result.startup_seconds:.0f} s to start), {solved}, "
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
    "--sequences", type=click.IntRange(1), default=100, help="Sequences of each length."
)
@click.option("--seed", type=int, default=0, help="Seed of the sequences.")
@options_of(*TASKS.values())
@json_option
def evaluate(run, lengths, sequences, seed, as_json, **options):
    """Count the errors of the model in directory RUN by length.

    Options of the task change it for the evaluation: --min-repeats 20 --max-repeats 20.
    """
    run, model = _load(run)
    from tasks.evaluation import evaluate as count_errors

    options = _set(options)
    task = dataclasses.replace(run.task, **_take(options, type(run.task)))
    for option in options:
        raise BadInput(f"`{_flag(option)}` is not an option of the task {task.name}.")
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
@task_argument
@click.option(
    "--models",
    cls=ListOption,
    type=click.Choice(list(MODELS)),
    help="Models to train [default: all].",
)
@click.option("--seeds", default="1", show_default=True, help="As 1-10, or 1,2,5.")
@click.option("--quick", is_flag=True, help="An eighth of each model's sequences.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Runs at a time.")
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    help="Directory of the comparison [default: runs/compare-TASK, or with --quick "
    "runs/compare-TASK-quick].",
)
@options_of(TrainingConfig, *TASKS.values(), without=("seed",))
@json_option
def compare(task, models, seeds, quick, jobs, out, as_json, **options):
    """Train several models on TASK, on the same sequences, and write one page.

    Runs that are there already are not repeated: what was interrupted goes on.
    """
    options = _set(options)
    training = _take(options, TrainingConfig)
    task = _task(task, options)
    out = out or pathlib.Path("runs", f"compare-{task.name}{'-quick' * quick}")
    plan = []
    for seed in _seeds(seeds):
        for name in dict.fromkeys(models or MODELS):
            model = get_model(name, task)
            config = TrainingConfig(**{**training, "seed": seed}).resolved(task, model)
            if quick:
                sequences = max(1, config.sequences // 8)
                config = dataclasses.replace(config, sequences=sequences)
            plan.append((task, model, config))

    from tasks.comparison import table_of, train_all
    from tasks.comparison_page import write_comparison
    from tasks.comparison_progress import show_runs

    with show_runs(plan) as on_progress:
        runs, failures = train_all(plan, out, jobs=jobs, on_progress=on_progress)
    for failure in failures:
        click.echo(f"Error: {failure}", err=True)
    if not runs:
        raise click.exceptions.Exit(1)
    page = write_comparison(out, runs)
    table = table_of(runs)
    if as_json:
        headings, *rows = table
        print_json(
            {
                "page": str(page),
                "table": [dict(zip(headings, row, strict=True)) for row in rows],
                "runs": [{"run": str(r.run.path), **r.summary} for r in runs],
            }
        )
    else:
        # A column a model: there are more numbers than models.
        _print_table([list(column) for column in zip(*table, strict=True)])
        click.echo(f"page: {page}")
    if failures:
        raise click.exceptions.Exit(1)


def _seeds(text):
    """The seeds that `1-3,7` names."""
    seeds = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if not found or (found[2] and int(found[2]) < int(found[1])):
            raise BadInput(f"`--seeds` must be as 1-10 or 1,2,5. Received: {text!r}")
        seeds += range(int(found[1]), int(found[2] or found[1]) + 1)
    return list(dict.fromkeys(seeds))


@main.command(cls=Command)
@run_argument
@json_option
def report(run, as_json):
    """Draw the run in directory RUN: report.html and figures/*.png."""
    run, model = _load(run)
    from tasks.report import write_report

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

    A model that is trained is kept every few seconds; `x` is a wrong bit. Ctrl-C ends
    the watching, not the training.
    """
    from tasks.runs import open_run

    run = open_run(run)
    import_keras()
    import rich.console
    import rich.live
    import rich.text

    from tasks.watch import draw_text, frames, task_that_fits, write_html

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
            return
        task = task_that_fits(run.task, console.width, console.height)
        with rich.live.Live(console=console, auto_refresh=False) as live:
            for model, caption, _ in frames(run, interval=interval):
                picture = draw_text(model, task, console.height - 2)
                drawn = f"{title}\n{caption}\n{picture}"
                live.update(rich.text.Text(drawn, no_wrap=True), refresh=True)
    except KeyboardInterrupt:
        click.echo("the training goes on", err=True)


def _load(path):
    from tasks.runs import open_run

    run = open_run(path)
    import_keras()
    return run, run.load_model()


def _set(options):
    return {name: value for name, value in options.items() if value is not None}


def _take(options, *classes):
    """Removes and returns the options that are fields of the classes."""
    names = {field.name for cls in classes for field in dataclasses.fields(cls)}
    return {name: options.pop(name) for name in list(options) if name in names}


def _task(name, options, others=()):
    """The task, with its options; those of `others` are left in `options`."""
    task = get_task(name)
    parameters = _take(options, type(task))
    known = {field.name for cls in others for field in dataclasses.fields(cls)}
    for option in options:
        if option not in known:
            raise BadInput(f"`{_flag(option)}` is not an option of the task {name}.")
    return get_task(name, **parameters)


def _model(name, task, options):
    model = get_model(name)
    parameters = _take(options, type(model))
    for option in options:
        raise BadInput(f"`{_flag(option)}` is not an option of the model {name}.")
    return get_model(name, task, **parameters)
