"""Errors for arguments that a class or a function does not have."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .checks import shorten, unknown_argument


def naming_arguments(constructor: Callable[..., None]) -> Callable[..., None]:
    """A constructor, with an error for an unknown argument that names the known."""
    _, *parameters = inspect.signature(constructor).parameters.values()
    known = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
    takes_all = len(known) < len(parameters)

    @functools.wraps(constructor)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in known and not takes_all:
                raise TypeError(unknown_argument(type(self).__name__, name, known))
        constructor(self, *args, **kwargs)

    return init


def check_takes(name: str, function: Any, arguments: tuple[str, ...]) -> None:
    """Checks that an argument is a function that can be called with so many arguments.

    Args:
        name: The argument.
        function: Its value.
        arguments: What the arguments of the function are, for the message.
    Raises:
        TypeError: If it is not.
    """
    if not callable(function):
        raise TypeError(
            f"`{name}` must be a function. Received: {name}={shorten(function)}"
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some of C have none
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise TypeError(
            f"`{name}` must be a function that is called as "
            f"`{name}({', '.join(arguments)})`. Received one that takes {signature}"
        ) from None
