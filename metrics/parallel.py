"""Work in several processes, for slow metrics and long corpora."""

import collections
import concurrent.futures
import contextlib
import functools
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, TypeVar

import numpy as np

# Items that are handed out before the result of the first of them is there. Heuristic:
# more than workers of a large cluster, and their results still fit in memory.
AHEAD = 256

# Times that an item may be alone in being begun when a process dies. As Dask has it.
ATTEMPTS = 3

# <linux/prctl.h>
PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 0.5  # between two looks at the parent, where the system gives no notice

# Segments in one work item of a process. Heuristic: a second of work or less.
CHUNK = 500

# Frameworks with threads that Python does not count. A fork would copy their locks.
THREADED = ("tensorflow", "jax", "torch")

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Chunk(NamedTuple):
    """Segments that are counted together.

    Attributes:
        start: Number of the first, from 0.
        references: The references of each.
        hypotheses: The texts to score.
    """

    start: int
    references: Sequence[Any]
    hypotheses: Sequence[Any]

    def __str__(self) -> str:
        return f"segment {self.start + 1}"


def statistics_in_processes(
    metric: Any, references: Sequence[Any], hypotheses: Sequence[Any], jobs: int
) -> Iterator[np.ndarray]:
    """Counts the statistics of a corpus in several processes.

    The processes are forks if `start_method` finds that safe. Otherwise they are new
    processes, which take a third of a second to start; a script that starts new
    processes needs `if __name__ == "__main__":`.

    Args:
        metric: A `metrics.Metric`, fitted to the corpus.
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        jobs: Number of processes.
    Yields:
        Arrays `(segments, statistics)`, in the order of the corpus.
    Raises:
        ValueError: If the metric cannot be sent to new processes.
        ChildProcessError: If processes die again and again.
    """
    chunks = [
        _Chunk(
            start, references[start : start + CHUNK], hypotheses[start : start + CHUNK]
        )
        for start in range(0, len(hypotheses), CHUNK)
    ]
    if len(chunks) == 1:
        yield metric.corpus_statistics(references, hypotheses)
        return
    if start_method() == "spawn":
        pickled(metric)
    prepare = functools.partial(_set_metric, metric)
    yield from ordered_map(_statistics, chunks, jobs=max(jobs, 2), prepare=prepare)


def ordered_map(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    prepare: Callable[[], None] | None = None,
) -> Iterator[Result]:
    """Yields the result of each item, in the order of the items.

    If a process of its own dies, what it did is done again by a new one. They end with
    this process, however that ends.

    Args:
        work: The function, which can be pickled.
        items: Its arguments.
        jobs: Number of processes; with 1 it is this one.
        executor: Runs the function in place of processes of its own.
        prepare: Called once in each process of its own, before the function.
    Raises:
        ChildProcessError: If processes die again and again, or the executor fails.
    """
    if executor is None and (jobs == 1 or len(items) == 1):
        yield from map(work, items)
        return
    done = deaths = 0
    while done < len(items):
        opened = (
            contextlib.nullcontext(executor)
            if executor
            else _processes(min(jobs, len(items)), prepare)
        )
        try:
            with opened as pool:
                for result in _results(pool, work, items[done:]):
                    yield result
                    done, deaths = done + 1, 0
        except Exception as error:
            if not _is_of_pool(error, executor):
                raise
            deaths += 1
            if executor is not None or deaths == ATTEMPTS:
                raise ChildProcessError(_why(error, items[done], deaths)) from error


def _why(error: BaseException, item: object, deaths: int) -> str:
    again = f" It was tried {deaths} times." if deaths > 1 else ""
    reason = " ".join(str(error).split()) or type(error).__name__
    return (
        f"A process died, or its executor failed, at `{item}` or one of the next."
        f"{again} The usual reason is that memory ran out. Received: {reason}"
    )


def _is_of_pool(error: BaseException, executor: Executor | None) -> bool:
    """Whether an error comes from what runs the function, not from the function."""
    if isinstance(error, concurrent.futures.BrokenExecutor):
        return True
    # Executors of others have errors of their own.
    return executor is not None and type(error).__module__ != "builtins"


def _processes(jobs: int, prepare: Callable[[], None] | None) -> Executor:
    return concurrent.futures.ProcessPoolExecutor(
        jobs,
        mp_context=multiprocessing.get_context(start_method()),
        initializer=_begin,
        initargs=(os.getpid(), prepare),
    )


def _begin(parent: int, prepare: Callable[[], None] | None) -> None:
    """What a process does first."""
    end_with(parent)
    if prepare is not None:
        prepare()


def end_with(parent: int) -> None:
    """Lets this process be killed when its parent ends, however that ends.

    On Linux the kernel does it; elsewhere a thread looks. Without it, the processes of
    a command that was killed would wait for more work for ever, and a training would go
    on and keep the lock of its directory.

    Args:
        parent: The process that started this one.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_look, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it has ended before
        os._exit(1)


def _look(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)


def _results(pool, work, items) -> Iterator[Any]:
    waiting: collections.deque[concurrent.futures.Future[Any]] = collections.deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) == AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # an error, or nobody wants the others
        for future in waiting:
            future.cancel()


def pickled(metrics: Any) -> bytes:
    """One or more metrics as bytes, for another process.

    Raises:
        ValueError: If they hold a function that has no name in a module.
    """
    try:
        return pickle.dumps(metrics)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            "`metrics` must be such that other processes can have them, with functions "
            f"of modules only. Received: {error}"
        ) from None


def start_method() -> str:
    """Returns "fork" on Linux if there is no other thread, otherwise "spawn".

    A fork copies locks that other threads hold, but not the threads that would release
    them. The threads of NumPy's OpenBLAS are no problem: it stops them before a fork.
    Threads of other extensions are not noticed, except those of the usual frameworks.
    """
    alone = threading.active_count() == 1 and sys.modules.keys().isdisjoint(THREADED)
    return "fork" if sys.platform == "linux" and alone else "spawn"


# The metric of a worker process. It is set once, when the process starts.
_metric: Any = None


def _set_metric(metric: Any) -> None:
    """Stores the metric in a worker process, which so loads its tables only once."""
    global _metric
    _metric = metric
    # Everything that exists here stays, so the garbage collector need not visit it.
    gc.freeze()


def _statistics(chunk: _Chunk) -> np.ndarray:
    return _metric.corpus_statistics(chunk.references, chunk.hypotheses)
