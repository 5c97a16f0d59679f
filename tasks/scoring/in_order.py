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
        ChildProcessError: If processes die again and again.
    """
    if executor is None and jobs == 1:
        yield from map(work, items)
        return
    done = deaths = 0
    while done < len(items):
        opened = contextlib.nullcontext(executor) if executor else _processes(jobs)
        try:
            with opened as pool:
                for result in _results(pool, work, items[done:]):
                    yield result
                    done, deaths = done + 1, 0
        except concurrent.futures.BrokenExecutor:
            deaths += 1
            if executor is None and deaths < ATTEMPTS:
                continue
            raise ChildProcessError(
                f"A process died at `{items[done]}` or one of the next, and so did "
                f"{deaths - 1} more in its place. The usual reason is that memory ran "
                "out: give fewer processes, or smaller files."
            ) from None


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
