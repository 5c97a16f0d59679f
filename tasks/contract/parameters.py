"""The parameters of a task, a model or a training: names, types, values from text."""

import dataclasses
import difflib
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..checks import unknown_argument

Made = TypeVar("Made")


def numbers(text: str) -> float | tuple[float, ...]:
    """One number, or several as in `-4/2`.

    Raises:
        ValueError: If one of them is not a number.
    """
    found = tuple(map(float, text.split("/")))
    return found if len(found) > 1 else found[0]


def text_of(value: Any) -> str:
    """A value as `value_from_text` reads it."""
    if value is None:
        return NONE
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


# What reads an option of the command line.
READERS = (int, float, str, bool, numbers)
FLAGS = {"true": True, "yes": True, "false": False, "no": False}
# What stands for None in a text, of a parameter that may be None.
NONE = "none"


def parameter_types(owner: Any) -> dict[str, Callable[[str], Any]]:
    """The fields of a dataclass with what reads them from text: their types, `float`
    for `float | None`, or `numbers` where there may be several.

    Only fields that are numbers, texts or flags, without those whose metadata says that
    they are no `"option"`. Empty if `owner` is no dataclass.
    """
    if not dataclasses.is_dataclass(owner):
        return {}
    hints = _hints(owner)
    found = {field.name: _plain(hints[field.name]) for field in _fields(owner)}
    return {name: kind for name, kind in found.items() if kind in READERS}


def _hints(owner: Any) -> dict[str, Any]:
    """The annotations of a class, or of that of an instance."""
    return _read_hints(owner if isinstance(owner, type) else type(owner))


# Each option of a class asks for them: the help of a command has all of them.
_read_hints = functools.cache(typing.get_type_hints)


def _fields(owner: Any) -> list[dataclasses.Field]:
    return [
        field
        for field in dataclasses.fields(owner)
        if field.init and field.metadata.get("option", True)
    ]


def inputs_of(*owners: Any) -> list[str]:
    """The files and folders that tasks and models read."""
    return [
        getattr(owner, name)
        for owner in owners
        for name in input_paths(owner)
        if getattr(owner, name)
    ]


def input_paths(owner: Any) -> list[str]:
    """The fields of a dataclass that name what is read."""
    if not dataclasses.is_dataclass(owner):
        return []
    fields = dataclasses.fields(owner)
    return [field.name for field in fields if field.metadata.get("is_input")]


def _plain(annotation: Any) -> Any:
    """The type itself of an annotation such as `float | None`."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation
    kinds = [k for k in typing.get_args(annotation) if k is not type(None)]
    if kinds == [float, tuple[float, ...]]:
        return numbers
    return kinds[0] if len(kinds) == 1 else None


def optional_parameters(owner: Any) -> set[str]:
    """The fields of `parameter_types` that may be None."""
    names = parameter_types(owner)
    hints = _hints(owner) if names else {}
    return {name for name in names if type(None) in typing.get_args(hints[name])}


def required_parameters(owner: Any) -> list[str]:
    """The fields of a dataclass that have no default."""
    if not dataclasses.is_dataclass(owner):
        return []
    missing = dataclasses.MISSING
    return [
        field.name
        for field in _fields(owner)
        if field.default is missing and field.default_factory is missing
    ]


def value_from_text(owner: Any, name: str, text: str) -> Any:
    """Converts a text to the type of a field of a dataclass; `none` to None, if the
    field may be None.

    Raises:
        ValueError: If there is no such field, or the text is not of its type.
    """
    kinds = parameter_types(owner)
    field = name.replace("-", "_")
    if field not in kinds:
        known = [each.replace("_", "-") for each in kinds]
        model = getattr(owner, "name", "The model")
        raise ValueError(unknown_argument(model, name.replace("_", "-"), known))
    if text == NONE and field in optional_parameters(owner):
        return None
    kind = kinds[field]
    try:
        return FLAGS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise ValueError(
            f"`{name}` must be of type {kind.__name__}. Received: {text!r}"
        ) from None


def made(kind: Callable[..., Made], name: str, parameters: dict[str, Any]) -> Made:
    """What a class of that name makes of parameters.

    Raises:
        TypeError: If it has no such parameter; the message names those that it has.
    """
    known = inspect.signature(kind).parameters
    takes_any = any(each.kind == each.VAR_KEYWORD for each in known.values())
    for parameter in parameters:
        if parameter not in known and not takes_any:
            hint, splits = "", getattr(kind, "splits", None)
            if parameter == "split" and splits:
                hint = f"Another split: get_task({name!r}).on({splits[-1]!r})"
            raise TypeError(unknown_argument(name, parameter, known, hint=hint))
    return kind(**parameters)


def nearest(name: Any, known: Iterable[str]) -> str:
    """The names that may have been meant by another, as the end of a message."""
    if not isinstance(name, str) or not name:
        return ""
    names, word = sorted(known), name.lower()
    near = [each for each in names if each.startswith(word)]
    # The same words in another order.
    near = near or [e for e in names if sorted(e.split("-")) == sorted(word.split("-"))]
    near = near or difflib.get_close_matches(word, names)
    return f". Did you mean {' or '.join(near)}?" if near else ""
