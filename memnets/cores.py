"""The processor cores that this process may use, and the threads it is told to."""

import os
import re


def available_cores() -> list[int]:
    """Numbers of the cores; all of the machine where the system has no affinity."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def threads_named(variable: str) -> int:
    """The number of threads in a variable of the environment; 0 if it is not set, or is
    no positive integer: the backends ignore it then too."""
    text = os.environ.get(variable, "")
    return int(text) if re.fullmatch(r"\s*\+?0*[1-9][0-9]{0,8}\s*", text) else 0
