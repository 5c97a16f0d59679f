"""Options of commands that train many runs."""

import contextlib
from concurrent.futures import Executor

import click

jobs_option = click.option(
    "--jobs", type=click.IntRange(1), default=1, help="Runs at a time on this machine."
)
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Train on the workers of this Dask scheduler, such as tcp://head:8786.",
)


def executor_at(
    scheduler: str | None,
) -> contextlib.AbstractContextManager[Executor | None]:
    """The executor of a scheduler, in a `with` block; None if there is no scheduler."""
    if scheduler is None:
        return contextlib.nullcontext()
    from ..comparison.cluster import executor_of

    return executor_of(scheduler)
