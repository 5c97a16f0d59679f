"""Entries by name, and what to say of a name that is not there."""

from collections.abc import Mapping
from typing import TypeVar

from ..checks import shorten
from .parameters import nearest

Entry = TypeVar("Entry")


class NotRegistered(ValueError):
    """There is no task or model of a name.

    Attributes:
        kind: "task" or "model".
        what: What it is, such as "the task 'swap'".
        near: The names that may have been meant, as the end of a message.
    """

    def __init__(self, message: str, kind: str, name: str, near: str) -> None:
        super().__init__(message)
        self.kind, self.what, self.near = kind, f"the {kind} {shorten(name)}", near


def lookup_registered(kind: str, name: str, registry: Mapping[str, Entry]) -> Entry:
    """The task or model of that name.

    Raises:
        NotRegistered: If there is none.
    """
    hint = f", or registered first: tasks.register_{kind}, or memnets --import FILE"
    try:
        return lookup(kind, name, registry, hint)
    except ValueError as error:
        near = nearest(name, registry)
        raise NotRegistered(str(error), kind, name, near) from None


def lookup(
    kind: str, name: str, registry: Mapping[str, Entry], hint: str = ""
) -> Entry:
    """The entry of that name.

    Args:
        kind: Name of the argument.
        name: The name to look up.
        registry: The entries by name.
        hint: What else the name of a task or a model can be, for the message.
    Raises:
        ValueError: If there is no such entry; the message lists those that exist, or
            with a hint those that are near, if some are.
    """
    if not isinstance(name, str) or name not in registry:
        near, known = nearest(name, registry), ", ".join(sorted(registry))
        known = "those of `memnets list`" if near and hint else known
        received = f"Received: {kind}={shorten(name)}{near}"
        raise ValueError(f"`{kind}` must be one of {known}{hint}. {received}")
    return registry[name]
