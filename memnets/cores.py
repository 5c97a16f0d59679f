"""The processor cores that this process may use."""

import os


def available_cores() -> list[int]:
    """Numbers of the cores; all of the machine where the system has no affinity."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
