"""Expressions with brackets, modulo 5: how they are drawn, and what their values are.

    expression = digit | -digit | (digit) | (-digit) | (expression operator expression)

An expression of 1 to 4 symbols is one of the first four forms. In a longer one all
lengths of the left part are equally likely.
"""

import operator
from collections.abc import Sequence

import numpy as np

MODULUS = 5
# Codes are places in this string: digits are their own.
SYMBOLS = "01234+-()*"
PLUS, MINUS, OPEN, CLOSE, TIMES = range(MODULUS, len(SYMBOLS))
OPERATIONS = {PLUS: operator.add, MINUS: operator.sub, TIMES: operator.mul}
# Fewest symbols of an expression with two parts.
LEAST_SPLIT = 5


def draw_expressions(
    count: int, length: int, operators: Sequence[int], rng: np.random.Generator
) -> np.ndarray:
    """Expressions of a length as codes, `(count, length)`.

    All parts of one depth are split together, without recursion.

    Args:
        count: Number of expressions.
        length: Symbols of each.
        operators: Codes of the operators, equally likely.
        rng: The generator.
    """
    strings = np.empty((count, length), np.intp)
    rows, starts = np.arange(count), np.zeros(count, np.intp)
    sizes = np.full(count, length)
    while len(rows):
        is_short = sizes < LEAST_SPLIT
        _write_numbers(strings, rows[is_short], starts[is_short], sizes[is_short], rng)
        rows, starts, sizes = rows[~is_short], starts[~is_short], sizes[~is_short]
        # The right part has a symbol or more too.
        left = rng.integers(1, sizes - 3)
        strings[rows, starts] = OPEN
        strings[rows, starts + 1 + left] = rng.choice(operators, len(rows))
        strings[rows, starts + sizes - 1] = CLOSE
        rows = np.concatenate([rows, rows])
        starts = np.concatenate([starts + 1, starts + 2 + left])
        sizes = np.concatenate([left, sizes - 3 - left])
    return strings


def _write_numbers(
    strings: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Writes numbers of 1 to 4 symbols into strings."""
    has_brackets, has_sign = sizes >= 3, sizes % 2 == 0
    signs = starts + has_brackets
    strings[rows[has_brackets], starts[has_brackets]] = OPEN
    strings[rows[has_sign], signs[has_sign]] = MINUS
    strings[rows, signs + has_sign] = rng.integers(MODULUS, size=len(rows))
    strings[rows[has_brackets], (starts + sizes - 1)[has_brackets]] = CLOSE


def value_of(expression: Sequence[int]) -> int | None:
    """The value of an expression of codes, from 0 to 4; None if it is none.

    Within brackets there is one operator at most, outside none, so that none comes
    before another.
    """
    # What stands before each open bracket: a value, its operator, and whether there is
    # an operator between the same brackets.
    outer: list[tuple[int, int, bool]] = []
    value, has_operator, sign = 0, True, 1
    # The operator that waits for its right part; None after a value.
    waiting: int | None = PLUS
    for symbol in expression:
        if waiting is None:
            if symbol == CLOSE and outer:
                inner = value
                value, before, has_operator = outer.pop()
                value = OPERATIONS[before](value, inner) % MODULUS
            elif symbol in OPERATIONS and not has_operator:
                waiting, has_operator = symbol, True
            else:
                return None
        elif symbol < MODULUS:
            value = OPERATIONS[waiting](value, sign * symbol) % MODULUS
            waiting, sign = None, 1
        elif symbol == MINUS and sign == 1:
            sign = -1
        elif symbol == OPEN and sign == 1:
            outer.append((value, waiting, has_operator))
            value, waiting, has_operator = 0, PLUS, False
        else:
            return None
    return value if waiting is None and not outer else None
