"""Argument checks that every package shares.

`memnets`, `metrics` and `tasks` each hold this file, because a package must not import
another for it. `tests/test_architecture.py` keeps the three copies equal.
"""

import math
import numbers
import reprlib
from collections.abc import Collection
from typing import Any

MAX_LENGTH = 100  # of a received value in a message, in characters

_short = reprlib.Repr()
_short.maxlevel, _short.maxstring, _short.maxlong, _short.maxother = 20, 200, 200, 200
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxset = MAX_LENGTH
_short.maxarray = _short.maxdeque = _short.maxfrozenset = MAX_LENGTH


def shorten(value: Any) -> str:
    """A received value for a message: one line of at most `MAX_LENGTH` characters."""
    try:
        text = " ".join(_short.repr(value).split())
    except Exception:  # a broken `__repr__`, or an integer of thousands of digits
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 3]}..."


def check_integer(
    name: str, value: Any, minimum: int = 1, maximum: int | None = None
) -> int:
    """Returns `value` as a Python integer.

    Raises:
        ValueError: If it is not an integer from `minimum` to `maximum`.
    """
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if is_integer and minimum <= value and (maximum is None or value <= maximum):
        return int(value)
    kind = {0: "a non-negative integer", 1: "a positive integer"}.get(
        minimum, f"an integer of at least {minimum}"
    )
    if is_integer and value >= minimum:
        kind = f"an integer of at most {maximum}"
    raise ValueError(f"`{name}` must be {kind}. Received: {name}={shorten(value)}")


def check_number(
    name: str,
    value: Any,
    *,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
) -> int | float:
    """Returns a finite real number as one of Python; an integer stays an integer.

    Raises:
        ValueError: If it is not a finite number within the bounds.
    """
    if _is_finite(value) and minimum <= value <= maximum and above < value < below:
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (
            ("at least", minimum),
            ("at most", maximum),
            ("above", above),
            ("below", below),
        )
        if math.isfinite(bound)
    ]
    what = " ".join(["a finite number", " and ".join(bounds)]).strip()
    raise ValueError(f"`{name}` must be {what}. Received: {name}={shorten(value)}")


def _is_finite(value: Any) -> bool:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a float
        return False


def check_boolean(name: str, value: Any) -> bool:
    """Returns `value` as a Python bool; NumPy's is accepted.

    Raises:
        TypeError: If it is neither True nor False.
    """
    # By name, so that this file needs no NumPy: NumPy 1 calls it bool_, NumPy 2 bool.
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(
        f"`{name}` must be True or False. Received: {name}={shorten(value)}"
    )


def unknown_argument(
    owner: str,
    name: str,
    known: Collection[str],
    *,
    others: Collection[str] = (),
    hint: str = "",
) -> str:
    """The message on an argument that a class does not have.

    Args:
        owner: The class.
        name: The argument.
        known: The arguments that it has.
        others: Further ones, which are only named where one may have been meant.
        hint: What to do instead, in place of the nearest name.
    """
    import difflib  # rarely needed

    near = difflib.get_close_matches(name, (*known, *others), n=1)
    if near and not hint:
        hint = f"Did you mean `{near[0]}`?"
    arguments = f"Its arguments: {', '.join(known)}." if known else "It takes none."
    return f"{owner} has no argument `{name}`. {arguments} {hint}".strip()


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Returns `value`.

    Raises:
        ValueError: If it is not one of the strings in `choices`.
    """
    # Check the type first: unhashable values and arrays break `in`.
    if isinstance(value, str) and value in choices:
        return value
    names = ", ".join(repr(choice) for choice in choices)
    raise ValueError(
        f"`{name}` must be one of {names}. Received: {name}={shorten(value)}"
    )
