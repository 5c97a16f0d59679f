"""Options of commands that use several processes or machines."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

import click

from .command import BadInput

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs at a time on this machine.",
)
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Train on the workers of this Dask scheduler, such as tcp://head:8786.",
)


@contextlib.contextmanager
def executor_at(scheduler: str | None) -> Iterator[Executor | None]:
    """The executor of a scheduler, in a `with` block; None if there is no scheduler.

    Raises:
        BadInput: If Dask is not installed, or there is no scheduler at the address.
    """
    if scheduler is None:
        yield None
        return
    from ..comparison.cluster import executor_of

    with contextlib.ExitStack() as stack:
        try:
            executor = stack.enter_context(executor_of(scheduler))
        except (ImportError, ValueError) as error:
            message = str(error).replace("`scheduler`", "`--scheduler`")
            raise BadInput(message) from error
        yield executor
