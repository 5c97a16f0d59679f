"""The processor cores of this process."""

import os
from collections.abc import Iterable


def stay_on(cores: Iterable[int]) -> None:
    """Keeps this process on the given cores, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
