"""The parameters of a task, a model or a training: names, types, values from text."""

import dataclasses
import types
import typing
from typing import Any

# The types that an option of the command line can have.
SIMPLE_TYPES = (int, float, str, bool)
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


def parameter_types(owner: Any) -> dict[str, type]:
    """The fields of a dataclass with their types, `float` for `float | None`.

    Only fields that are numbers, texts or flags. Empty if `owner` is no dataclass.
    """
    if not dataclasses.is_dataclass(owner):
        return {}
    hints = typing.get_type_hints(owner)
    found = {field.name: _plain(hints[field.name]) for field in _fields(owner)}
    return {name: kind for name, kind in found.items() if kind in SIMPLE_TYPES}


def _fields(owner):
    return [field for field in dataclasses.fields(owner) if field.init]


def _plain(annotation):
    """The type itself of an annotation such as `float | None`."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation
    kinds = [k for k in typing.get_args(annotation) if k is not type(None)]
    return kinds[0] if len(kinds) == 1 else None


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
    """Converts a text to the type of a field of a dataclass.

    Raises:
        ValueError: If there is no such field, or the text is not of its type.
    """
    kinds = parameter_types(owner)
    field = name.replace("-", "_")
    if field not in kinds:
        known = ", ".join(kinds) or "none"
        raise ValueError(
            f"`{name}` is not a parameter of the model, which are: {known}."
        )
    kind = kinds[field]
    try:
        return FLAGS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise ValueError(
            f"`{name}` must be of type {kind.__name__}. Received: {text!r}"
        ) from None
