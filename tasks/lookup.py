"""Entries by name, and what to say of a name that is not there."""

from collections.abc import Mapping
from typing import TypeVar

from .checks import shorten
from .contract.parameters import nearest

Entry = TypeVar("Entry")


class NotRegistered(ValueError):
    """There is no task or model of a name.

    Attributes:
        what: What it is, such as "the task 'swap'".
        near: The names that may have been meant, as the end of a message.
    """

    def __init__(self, message: str, what: str, near: str) -> None:
        super().__init__(message)
        self.what, self.near = what, near


def lookup_registered(kind: str, name: str, registry: Mapping[str, Entry]) -> Entry:
    """The task or model of that name.

    Raises:
        NotRegistered: If there is none.
    """
    hint = f", or registered first: tasks.register_{kind}, or memnets --import FILE"
    try:
        return lookup(kind, name, registry, hint)
    except ValueError as error:
        what = f"the {kind} {shorten(name)}"
        raise NotRegistered(str(error), what, nearest(name, registry)) from None


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
        ValueError: If there is no such entry; the message has those that are near, and
            without a hint all that exist.
    """
    if not isinstance(name, str) or name not in registry:
        known = "those of `memnets list`" if hint else ", ".join(sorted(registry))
        received = f"Received: {kind}={shorten(name)}{nearest(name, registry)}"
        raise ValueError(f"`{kind}` must be one of {known}{hint}. {received}")
    return registry[name]
