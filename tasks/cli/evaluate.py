"""`memnets evaluate`: a trained model on fresh sequences."""

import dataclasses
import pathlib
from typing import Any

import click

from ..contract.length_ranges import lengths_of
from ..contract.presentation import HasFloors
from ..contract.task import Task
from ..evaluation import evaluate as evaluate_model
from ..evaluation import evaluated_tasks, table_of
from ..length_generalization import LengthTest, as_test
from ..runs.directory import open_run
from ..runs.run import Run
from .command import ListOption, is_range
from .keras_import import import_keras
from .named import altered_task, run_argument, run_groups
from .options_from_fields import ParameterCommand
from .output import json_option, print_json, print_table


@click.command(
    cls=ParameterCommand,
    examples=(
        "memnets evaluate runs/copy",
        "memnets evaluate runs/copy --lengths 20 40 80",
        "memnets evaluate runs/copy --lengths 21-120:9 --figure",
        "memnets evaluate runs/copy --sequences 1000 --json",
    ),
    groups=run_groups,
    hint="Options of the run's task: memnets evaluate RUN --help.",
)
@run_argument
@click.option(
    "--lengths",
    cls=ListOption,
    takes=is_range,
    metavar="LENGTH...",
    help="Lengths to try, one by one: 20 40 80, 41-500, or 41-500:9, every ninth. Of "
    "several, the score is shown too: the mean over those beyond training.",
)
@click.option(
    "--split",
    metavar="NAME",
    help="Split of the data, of a task that has splits: train, validation, test, and "
    "others that a task has [default: mostly validation; of a language model with "
    "another text as --data, all of it].",
)
@click.option(
    "--sequences",
    type=click.IntRange(1),
    help="Sequences of each length [default: the task's own number].",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the sequences.",
)
@click.option(
    "--figure",
    "draws",
    is_flag=True,
    help="Draw what is right by length: figures/evaluation.png in RUN.",
)
@json_option
def evaluate(
    run: pathlib.Path,
    lengths: tuple[str, ...],
    split: str | None,
    sequences: int | None,
    seed: int,
    draws: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Evaluate the model in directory RUN by length.

    Options of the task change it for the evaluation, such as --min-length 20. With
    --json, `evaluated` is then the signature of what was evaluated. The perplexity of
    a character is 2 to the power of the bits per character.
    """
    opened = open_run(run)
    task = altered_task(opened.task, options)
    single = lengths_of(",".join(lengths)) if lengths else None
    evaluated = evaluated_tasks(task, single, split)
    for at in evaluated:
        for note in at.presentation.notes:
            click.echo(note, err=True)
    import_keras()
    results = evaluate_model(
        opened.load_model(),
        task,
        single,
        split=split,
        num_sequences=sequences,
        seed=seed,
        trained=opened.task,
    )
    test = as_test(task, results, opened.task) if single else None
    picture = _drawn(opened, task, test) if draws else None
    if as_json:
        evaluation = [dataclasses.asdict(result) for result in results]
        found: dict[str, Any] = {"signature": _signature(opened, task)}
        if task.signature != opened.task.signature:
            found["evaluated"] = task.signature
        found["evaluation"] = evaluation
        if test is not None:
            found["by_length"] = test.summary
        print_json(found)
    else:
        print_table(table_of(task, results))
        if test is not None:
            click.echo(test.in_words(opened.task))
        if picture is not None:
            click.echo(f"figure: {picture}")
        shown = evaluated[0].presentation
        if isinstance(shown, HasFloors) and len(floors := shown.floors()) > 1:
            click.echo(f"\nbeside the scores of {results[0].size}:")
            print_table(floors)


def _signature(run: Run, task: Task) -> str:
    """The signature of a run, with how texts were written when it was evaluated."""
    return run.signature_with(getattr(task, "decoding", {}))


def _drawn(run: Run, task: Task, test: LengthTest | None) -> pathlib.Path:
    """Draws a test of lengths into the directory of a run."""
    from memnets.saving.atomic import atomic_write

    from ..report.run_figures import draw_lengths

    if test is None:
        raise click.UsageError(
            "`--figure` needs several --lengths, of a task whose answers are right or "
            "wrong."
        )
    path = run.folder.reserve("figures/evaluation.png")
    with atomic_write(path) as unfinished:
        draw_lengths(run.task, test).savefig(unfinished, format="png", dpi=110)
    return path
