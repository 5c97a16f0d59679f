"""How a network that writes text searches: options of `translate` and `caption`."""

from typing import Any

import click

from ..checks import check_integer, check_number
from ..text.hypotheses import check_n_best
from ..text.writing_task import WritingTask

beam_option = click.option(
    "--beam",
    type=int,
    help="Hypotheses that are kept; 1 is greedy [default: that of the run's task].",
)


def decoding_of(
    task: WritingTask, beam: int | None, length_penalty: float | None, n_best: int
) -> dict[str, Any]:
    """Arguments of `Translator` and `Describer`: those of the task where no option was
    given.

    Raises:
        ValueError: If an option is out of its range.
    """
    options = dict(task.decoding)
    if beam is not None:
        options["beam_size"] = check_integer("beam_size", beam, 1, task.output_size)
    if length_penalty is not None:
        options["length_penalty"] = check_number(
            "length_penalty", length_penalty, minimum=0
        )
    check_n_best(n_best, options["beam_size"])
    return {**options, "n_best": n_best}
