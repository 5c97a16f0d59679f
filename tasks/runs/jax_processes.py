"""Several processes of JAX that train one model together."""

import contextlib
import os
import random
import re
from collections.abc import Callable, Iterator

import numpy as np

from ..checks import check_integer
from .devices import num_processes, process_index
from .files import RunError

# Heuristic: a process that sends no sign of life for so long is taken for dead, and the
# others end. JAX waits for 100 seconds, in which an allocation of a cluster is idle.
HEARTBEAT_SECONDS = 10
LAUNCHED_BY = (
    "KERAS_DISTRIBUTION_JOB_ADDRESSES (host:port of process 0), "
    "KERAS_DISTRIBUTION_NUM_PROCESSES and KERAS_DISTRIBUTION_PROCESS_ID, or start the "
    "processes with srun, mpirun or on Kubernetes"
)


# How messages of XLA begin when a process is lost; it raises ValueError for some.
LOST = re.compile(
    "(ABORTED|CANCELLED|DEADLINE_EXCEEDED|FAILED_PRECONDITION|INTERNAL|UNAVAILABLE|"
    "UNKNOWN): "
)


class ProcessLost(RuntimeError):
    """Another process of the training has ended."""


def join_processes(wait_seconds: int = 300) -> None:
    """Makes this process one of several that train together, on JAX.

    Call it in each process before anything is computed. Batches are then spread over
    all devices of all processes, see `keras.distribution.DataParallel`, and
    `tasks.train` works on them together.

    The address of process 0, the number of processes and the number of this one are
    those of the launcher (SLURM, Open MPI, Kubernetes, Cloud TPU), or in the
    environment variables that `keras.distribution.initialize` reads.

    If a process dies, the others end by themselves within some ten seconds, with a
    status that is not 0; before all have joined, after `wait_seconds`.

    Args:
        wait_seconds: How long to wait for the others at the start. JAX ends this
            process if they have not come by then.
    Raises:
        ValueError: If the backend is not JAX, or it is not known which process this is.
        ProcessLost: If this process cannot join, as where JAX has computed something
            before.
    """
    import keras

    if keras.backend.backend() != "jax":
        raise ValueError(
            "Training by several processes needs the backend jax (KERAS_BACKEND=jax): "
            "`fit` of Keras fails there on TensorFlow, see "
            "https://github.com/keras-team/keras/issues/20585. "
            f"Received: backend {keras.backend.backend()}"
        )
    address, count, index = _from_environment()
    import jax

    # With it, SIGTERM would be noted and ignored.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        # Not `keras.distribution.initialize`, which has no time-out.
        jax.distributed.initialize(
            address,
            count,
            index,
            initialization_timeout=check_integer("wait_seconds", wait_seconds),
            heartbeat_timeout_seconds=HEARTBEAT_SECONDS,
        )
    except ValueError as error:
        raise ValueError(
            f"Several processes need to know each other: set {LAUNCHED_BY}. "
            f"Received: {_one_line(error)}"
        ) from None
    except RuntimeError as error:
        raise ProcessLost(
            f"This process could not join the others: {_one_line(error)}"
        ) from None
    keras.distribution.set_distribution(
        keras.distribution.DataParallel(devices=jax.devices(), auto_shard_dataset=False)
    )
    with silent_descriptor(1):  # gloo prints a line when it connects
        gathered(b"")


def _from_environment() -> tuple[str | None, int | None, int | None]:
    """Address, number of processes and number of this one; None where not given."""
    prefix = "KERAS_DISTRIBUTION"
    addresses = os.environ.get(f"{prefix}_JOB_ADDRESSES")
    numbers: list[int | None] = []
    for name in (f"{prefix}_NUM_PROCESSES", f"{prefix}_PROCESS_ID"):
        text = os.environ.get(name)
        if text is not None and not text.isdecimal():
            raise ValueError(f"`{name}` must be a whole number. Received: {text!r}")
        numbers.append(None if text is None else int(text))
    address = addresses.split(",")[0] if addresses else None
    if address and not address.rpartition(":")[2].isdecimal():
        raise ValueError(
            f"`{prefix}_JOB_ADDRESSES` must be host:port of process 0. "
            f"Received: {addresses!r}"
        )
    return address, numbers[0], numbers[1]


def _one_line(error: Exception) -> str:
    """The first line of a message, without what each caller in JAX put before it."""
    return str(error).strip().splitlines()[0].rpartition("computation: ")[2]


@contextlib.contextmanager
def silent_descriptor(number: int) -> Iterator[None]:
    """Within it what is written to a file descriptor is lost: libraries in C write
    past the streams of Python."""
    saved = os.dup(number)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), number)
        try:
            yield
        finally:
            os.dup2(saved, number)
            os.close(saved)


@contextlib.contextmanager
def losses_named() -> Iterator[None]:
    """Within it an error of JAX that means the loss of a process is a `ProcessLost`."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if num_processes() == 1 or not LOST.match(str(error)):
            raise
        raise ProcessLost(
            "Another process of the training has ended. Start all of them again with "
            f"--resume (resume=True). Process {process_index()} found: "
            f"{_one_line(error)}"
        ) from error


def from_first(make: Callable[[], bytes]) -> bytes:
    """What process 0 makes, in every process. An error there is raised in all.

    Args:
        make: Is called in process 0 only.
    Raises:
        RunError: In the other processes, with the message of process 0.
    """
    if num_processes() == 1:
        return make()
    failure, data = None, b""
    if process_index() == 0:
        before = random.getstate()
        try:
            data = b"+" + make()
        except Exception as error:
            failure, data = error, b"-" + str(error).encode()
        # Keras draws seeds of layers here: those of all processes must stay equal.
        random.setstate(before)
    data = _broadcast(data)
    if failure is not None:
        raise failure
    if data[:1] == b"-":
        raise RunError(f"{data[1:].decode()} (process 0)")
    return data[1:]


def wait_for_first() -> None:
    """Waits until process 0 has come this far too."""
    from_first(bytes)


def any_process(flag: bool) -> bool:
    """Whether a flag is set in any process."""
    return b"+" in gathered(b"+" if flag else b"-")


def _broadcast(data: bytes) -> bytes:
    from jax.experimental import multihost_utils

    size = int(multihost_utils.broadcast_one_to_all(np.int32(len(data))))
    array = np.frombuffer(data or bytes(size), np.uint8)
    return multihost_utils.broadcast_one_to_all(array).tobytes()


def gathered(data: bytes) -> list[bytes]:
    """What every process gives, in the order of their numbers."""
    if num_processes() == 1:
        return [data]
    from jax.experimental import multihost_utils

    sizes = multihost_utils.process_allgather(np.int32(len(data)))
    array = np.zeros(max(1, *sizes), np.uint8)
    array[: len(data)] = np.frombuffer(data, np.uint8)
    arrays = multihost_utils.process_allgather(array)
    return [row[:size].tobytes() for row, size in zip(arrays, sizes, strict=True)]


def check_alike(settings: str) -> None:
    """Raises ValueError if the settings of another process differ from this one's."""
    first, *others = gathered(settings.encode())
    for index, other in enumerate(others, start=1):
        if other != first:
            raise ValueError(
                "All processes must run the same command with the same versions. "
                f"Received: process {index} differs from process 0: "
                f"{_difference(first.decode(), other.decode())}"
            )


def _difference(one: str, other: str) -> str:
    """The first lines that differ."""
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    for left, right in pairs:
        if left != right:
            return f"{right.strip().rstrip(',')} instead of {left.strip().rstrip(',')}"
    return "it has more or fewer settings"
