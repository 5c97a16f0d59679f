"""What `torch.compile` cannot read of Python, and how it gets it all the same."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import keras

Result = TypeVar("Result")


def remembered(function: Callable[..., Result]) -> Callable[..., Result]:
    """As `functools.cache`. `torch.compile` ignores that one and reads the function; it
    can read the dictionary here. What it needs must have been found before.

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


def asked(function: Callable[[], bool]) -> Callable[[], bool]:
    """A function that `torch.compile` asks while it reads its caller, instead of
    reading it too: the program has the answer."""
    if keras.backend.backend() == "torch":
        import torch

        torch.compiler.assume_constant_result(function)
    return function
