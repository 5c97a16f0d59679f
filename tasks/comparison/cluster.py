"""An executor on a cluster: the workers of a Dask scheduler."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

import click

# Heuristic: a scheduler that is there answers within this.
CONNECT_SECONDS = 10


@contextlib.contextmanager
def executor_of(address: str) -> Iterator[Executor]:
    """The executor of a Dask scheduler, in a `with` block.

    Args:
        address: Its address, such as `tcp://head:8786`.
    Raises:
        ImportError: If Dask is not installed.
        ValueError: If there is no scheduler at the address.
    """
    try:
        import distributed
    except ImportError:
        raise ImportError(
            "`scheduler` needs the package distributed, which is not installed: "
            "pip install 'memnets[cluster]'."
        ) from None
    try:
        client = distributed.Client(
            address, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(
            "`scheduler` must be the address of a Dask scheduler that answers, such as "
            f"tcp://head:8786. Received: {address!r} ({reason})"
        ) from None
    with client:
        if not client.scheduler_info()["workers"]:
            # Without standard error, `print` would take standard output.
            click.echo(f"{address} has no workers yet: waiting for some.", err=True)
        # pure=False: a run that is asked for twice is trained twice.
        yield client.get_executor(pure=False)
