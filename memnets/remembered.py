"""Results that are found once and then remembered."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


def remembered(function: Callable[..., Result]) -> Callable[..., Result]:
    """As `functools.cache`, also for `torch.compile`: it looks through that cache and
    reads the function itself, but it finds what is in a dictionary.

    Args:
        function: A function of positional arguments that can be hashed.
    """
    results: dict[tuple, Result] = {}

    @functools.wraps(function)
    def call(*args: Any) -> Result:
        if args not in results:
            results[args] = function(*args)
        return results[args]

    return call
