"""The processor cores of this process."""

import os
from collections.abc import Iterable


def available_cores() -> list[int]:
    """Numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def stay_on(cores: Iterable[int]) -> None:
    """Keeps this process on the given cores, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
