"""Checks of arguments at the door."""

import numbers


def integer(name, value, minimum=1):
    """Returns `value` as an `int` of at least `minimum`, or raises `ValueError` that
    names the argument."""
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Integral)
        or value < minimum
    ):
        kind = {0: "a non-negative integer", 1: "a positive integer"}.get(
            minimum, f"an integer of at least {minimum}"
        )
        raise ValueError(f"`{name}` must be {kind}. Received: {name}={value!r}")
    return int(value)


def one_of(name, value, choices):
    """Returns `value`, or raises `ValueError` that names the argument and what it may
    be."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(
            f"`{name}` must be one of {listed}. Received: {name}={value!r}"
        )
    return value
