"""Checks of arguments at the door."""

import math
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


def number(name, value):
    """Returns `value` as a finite `float`, or raises `ValueError` naming it."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value):
        raise ValueError(
            f"`{name}` must be a finite number. Received: {name}={value!r}"
        )
    return float(value)


def one_of(name, value, choices):
    """Returns `value`, or raises `ValueError` naming it and what it may be."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(
            f"`{name}` must be one of {listed}. Received: {name}={value!r}"
        )
    return value
