"""Runs a function on many items in other processes, and gives its results in order."""

import collections
import concurrent.futures
import contextlib
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, TypeVar

from ..metrics_package import metrics_module

# Items that are handed out before the result of the first of them is there. Heuristic:
# more than workers of a large cluster, and their results still fit in memory.
AHEAD = 256

# Times that an item may be alone in being begun when a process dies. As Dask has it.
ATTEMPTS = 3

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[Result]:
    """Yields the result of each item, in the order of the items.

    If a process of its own dies, what it did is done again by a new one.

    Args:
        work: The function, which can be pickled.
        items: Its arguments.
        jobs: Number of processes; with 1 it is this one.
        executor: Runs the function in place of processes of its own.
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
            else _processes(min(jobs, len(items)))
        )
        try:
            with opened as pool:
                for result in _results(pool, work, items[done:]):
                    yield result
                    done, deaths = done + 1, 0
        except Exception as error:
            if type(error).__module__ == "builtins":
                raise  # by the function, not by what runs it
            deaths += 1
            if executor is not None or deaths == ATTEMPTS:
                raise ChildProcessError(_why(error, items[done], deaths)) from error


def _why(error, item, deaths):
    again = f" It was tried {deaths} times." if deaths > 1 else ""
    reason = " ".join(str(error).split()) or type(error).__name__
    return (
        f"A process died, or its executor failed, at `{item}` or one of the next."
        f"{again} The usual reason is that memory ran out. Received: {reason}"
    )


def _processes(jobs: int) -> Executor:
    method = metrics_module("parallel").start_method()
    return concurrent.futures.ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context(method)
    )


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
