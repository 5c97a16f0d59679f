"""How a network that writes text searches and samples: options of `translate` and
`caption`."""

import functools
import pathlib
from collections.abc import Callable
from typing import Any

import click

from ..checks import check_choice, check_integer, check_number
from ..runs.directory import open_run
from ..runs.run import Run
from ..text.hypotheses import check_n_best, check_sampling
from ..text.writing_task import WritingTask
from .command import BadInput

# Options of samples, which a search does not take.
OF_SAMPLES = ("temperature", "top_k", "top_p", "seed", "mbr")


def run_of(path: pathlib.Path, kind: type, does: str) -> tuple[Run, Any]:
    """The run in a directory, and its task, which must be of a kind.

    Args:
        path: The directory.
        kind: The class of the task.
        does: What such a task does, for the message.
    Raises:
        RunError: If there is no run.
        BadInput: If its task is of another kind.
    """
    run = open_run(path)
    task = run.task
    if not isinstance(task, kind):
        raise BadInput(
            f"`RUN` must be a run of a task that {does}. Received: a run of {task.name}"
        )
    return run, task


def search_options(written: str) -> Callable[[Callable], Callable]:
    """The options of a search: `--beam`, `--length-penalty` and `--n-best`.

    Args:
        written: What the command writes, such as "Captions of each picture".
    """
    texts = written.partition(" ")[0].lower()
    return _options(
        click.option(
            "--beam",
            "beam_size",
            type=int,
            help="Hypotheses that are kept; 1 is greedy [default: that of the run's "
            "task].",
        ),
        click.option(
            "--length-penalty",
            type=float,
            help=f"Higher for longer {texts} [default: that of the run's task].",
        ),
        click.option(
            "--n-best",
            type=int,
            default=1,
            show_default=True,
            help=f"{written}, one below the other, best first.",
        ),
    )


def _options(*options: Callable) -> Callable[[Callable], Callable]:
    """A decorator of a command that gives it options, listed in this order."""
    return lambda command: functools.reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )


sampling_options = _options(
    click.option(
        "--samples",
        type=int,
        help="Draw so many translations of each line instead of searching.",
    ),
    click.option(
        "--temperature",
        type=float,
        help="Of samples: below 1, probable tokens more often [default: 1].",
    ),
    click.option(
        "--top-k",
        type=int,
        help="Of samples: only the k most probable tokens.",
    ),
    click.option(
        "--top-p",
        type=float,
        help="Of samples: only the fewest tokens with this probability together.",
    ),
    click.option("--seed", type=int, help="Of samples [default: 1]."),
    click.option(
        "--mbr",
        help="Of samples: write only the one with the best mean score of this metric, "
        "such as chrf, against the others.",
    ),
)


def decoding_of(
    task: WritingTask, beam_size: int | None, length_penalty: float | None, n_best: int
) -> dict[str, Any]:
    """Arguments of `Translator` and `Describer`: those of the task where no option was
    given.

    Raises:
        ValueError: If an option is out of its range.
    """
    options = dict(task.decoding)
    if beam_size is not None:
        options["beam_size"] = check_integer("--beam", beam_size, 1, task.output_size)
    if length_penalty is not None:
        options["length_penalty"] = check_number(
            "length_penalty", length_penalty, minimum=0
        )
    check_n_best(n_best, options["beam_size"])
    return {**options, "n_best": n_best}


def check_sampling_options(sampling: dict[str, Any], searching: dict[str, Any]) -> None:
    """Refuses options that do nothing together, and numbers out of their range."""
    for name in OF_SAMPLES:
        if sampling[name] is not None and sampling["samples"] is None:
            raise BadInput(f"`--{name.replace('_', '-')}` needs `--samples`.")
    for option, value in searching.items():
        if sampling["samples"] is not None and value is not None:
            raise BadInput(f"`{option}` is of a search, not of `--samples`.")
    if sampling["mbr"] is not None:
        from ..metrics_package import metrics_package

        check_choice("--mbr", sampling["mbr"], metrics_package().METRICS)
    numbers = {name: v for name, v in sampling.items() if v is not None}
    check_integer("samples", numbers.pop("samples", 1))
    numbers.pop("mbr", None)
    check_sampling(**numbers)
