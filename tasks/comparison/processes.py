"""Trains one run in a process of its own, here or on a worker of a cluster."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from .lease import Lease

# By name: `-m` could not run it where this package is loaded as `memnets.tasks`.
START = "import importlib, sys; sys.exit(importlib.import_module(sys.argv[1]).main())"
LOOK_SECONDS = 0.1  # between two looks at the output of a process
# Heuristic: between two looks at a lease, which may lie on another machine.
LEASE_SECONDS = 2.0

# Called with each object that a process has written.
OnLine = Callable[[dict], None]


def train_apart(asked: dict, on_line: OnLine = lambda line: None) -> dict:
    """Trains a run in a process of its own, and waits for its end.

    Importable and picklable without Keras, so that an executor can call it anywhere.

    Args:
        asked: A job of `worker`, and under `"lease"` the fields of a `Lease` or None.
        on_line: Called with the progress.
    Returns:
        `{"done": True}`; `{"error": why}` if this run cannot be trained here, and
        `{"unfit": why}` if none can; `{"stopped": host}` if its lease does not hold.
    """
    lease = Lease(**asked["lease"]) if asked["lease"] else None
    if lease and not lease.holds:
        return {"stopped": socket.gethostname()}
    with _started({**asked, "parent": os.getpid()}) as (process, output, errors):
        last: dict[str, Any] = {}
        for last in _lines(process, output, lease):
            on_line(last)
        if process.returncode == 0 and "done" in last:
            return last
        if lease and not lease.holds:
            return {"stopped": socket.gethostname()}
        if "unfit" in last:
            return last
        return {"error": last.get("error") or _end_of(errors, process)}


@contextlib.contextmanager
def _started(asked: dict) -> Iterator[tuple[subprocess.Popen, IO, IO]]:
    """The process of a job, what it writes, and its standard error."""
    # -P: not the `tasks` of whatever folder this is.
    command = [sys.executable, "-P", "-c", START, f"{__package__}.worker"]
    from memnets.saving.atomic import temporary_folder

    with (
        temporary_folder() as folder,
        open(folder / "output", "wb") as output,
        open(folder / "output", encoding="utf-8", errors="replace") as written,
        tempfile.TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(
            command,
            text=True,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            env=os.environ | asked["environment"],
        ) as process,
    ):
        try:
            _send(process, asked)
            yield process, written, errors
        finally:
            process.kill()


def _send(process: subprocess.Popen, asked: dict[str, Any]) -> None:
    # It may have ended already: its standard error then says why.
    stdin = cast(IO[str], process.stdin)  # a pipe
    with contextlib.suppress(BrokenPipeError), stdin:
        json.dump(asked, stdin)


def _lines(
    process: subprocess.Popen, output: IO[str], lease: Lease | None
) -> Iterator[dict[str, Any]]:
    """The objects that a process writes until it ends or its lease does."""
    looked, part = time.monotonic(), ""
    while True:
        ended = process.poll() is not None
        *lines, part = (part + output.read()).split("\n")
        for line in lines:
            with contextlib.suppress(ValueError):  # killed while it wrote
                yield json.loads(line)
        if ended:
            return
        if lease and time.monotonic() - looked >= LEASE_SECONDS:
            looked = time.monotonic()
            if not lease.holds:
                process.kill()
        time.sleep(LOOK_SECONDS)


def _end_of(errors: IO[str], process: subprocess.Popen) -> str:
    """The last line of standard error, or the signal that killed it."""
    if process.returncode < 0:
        number = -process.returncode
        return f"it was killed by signal {number}, {signal.Signals(number).name}"
    errors.seek(0)
    printed = [line.strip() for line in errors if line.strip()]
    return printed[-1] if printed else f"exit status {process.returncode}"
