"""The answers of the tasks of Delétang et al. (2023), found in other ways than the
package finds them: by brute force, as a pupil writes, or by Python itself.

`python tests/language_oracles.py` compares 10,000 strings of each length from 1 to 64,
and 200 of length 500, of every task.
"""

import sys
import time

import numpy as np

# The digits of an expression modulo 5.
DIGITS = "01234"


def even_pairs(string):
    pairs = [string[i : i + 2] for i in range(len(string) - 1)]
    return str((pairs.count("01") + pairs.count("10")) % 2)


def parity_check(string):
    is_odd = False
    for bit in string:
        is_odd ^= bit == "1"
    return str(int(is_odd))


def cycle_navigation(string):
    ring = [0, 1, 2, 3, 4]
    for move in string:
        if move == ">":
            ring = [*ring[1:], ring[0]]
        elif move == "<":
            ring = [ring[-1], *ring[:-1]]
    return str(ring[0])


def python_value(string):
    return str(eval(string) % 5)


def stack_manipulation(string):
    actions = string.lstrip("01")
    stack = string[: len(string) - len(actions)]
    for action in actions:
        stack = stack[:-1] if action == "<" else stack + {"o": "0", "i": "1"}[action]
    return "".join(stack[-1 - i] for i in range(len(stack))) + "$"


def reverse_string(string):
    answer = ""
    for bit in string:
        answer = bit + answer
    return answer


def solve_equation(string):
    if len(string) < 3:
        assert set(string) == {"0"}
        return "0"
    left, right = string.split("=")
    (found,) = (
        digit
        for digit in DIGITS
        if python_value(left.replace("x", digit)) == python_value(right)
    )
    return found


def duplicate_string(string):
    return string + string


def missing_duplicate(string):
    if len(string) == 1:
        assert string == "1"
        return "1"
    assert string.endswith("-") == len(string) % 2
    (found,) = (bit for bit in "01" if _is_twice(string.replace("?", bit)))
    return found


def _is_twice(string):
    bits = string.rstrip("-")
    half = len(bits) // 2
    return bits[:half] == bits[half:]


def odds_first(string):
    places = sorted(range(len(string)), key=lambda place: (place % 2 == 0, place))
    return "".join(string[place] for place in places)


def binary_addition(string):
    """Column by column."""
    first, _, second = string.partition("+")
    carry, bits = 0, ""
    for place in range(len(string) + 1):
        column = carry + sum(int(n[place : place + 1] or 0) for n in (first, second))
        carry, bit = divmod(column, 2)
        bits += str(bit)
    return (bits.rstrip("0") or "0") + "$"


def binary_multiplication(string):
    """By the decimal numbers."""
    if len(string) < 3:
        return "0" * (len(string) - 1) + "$"
    first, second = (int(number[::-1], 2) for number in string.split("*"))
    return f"{first * second:b}"[::-1] + "$"


def compute_sqrt(string):
    """Bit by bit: the largest number whose square is not above the string's."""
    number, root = int(string, 2), 0
    size = (len(string) + 1) // 2
    for place in reversed(range(size)):
        if (root + 2**place) ** 2 <= number:
            root += 2**place
    assert root**2 <= number < (root + 1) ** 2
    return f"{root:0{size}b}"


def bucket_sort(string):
    return "".join(digit * string.count(digit) for digit in DIGITS)


# By the name of a task: the symbols of strings, those of answers, the oracle.
ORACLES = {
    "even-pairs": ("01", "01", even_pairs),
    "modular-arithmetic-simple": ("01234+-*", DIGITS, python_value),
    "parity-check": ("01", "01", parity_check),
    "cycle-navigation": ("<=>", DIGITS, cycle_navigation),
    "stack-manipulation": ("01<oi", "01$", stack_manipulation),
    "reverse-string": ("01", "01", reverse_string),
    "modular-arithmetic": ("01234+-()*", DIGITS, python_value),
    "solve-equation": ("01234+-()x=", DIGITS, solve_equation),
    "duplicate-string": ("01", "01", duplicate_string),
    "missing-duplicate": ("01?-", "01", missing_duplicate),
    "odds-first": ("01", "01", odds_first),
    "binary-addition": ("01+", "01$", binary_addition),
    "binary-multiplication": ("01*", "01$", binary_multiplication),
    "compute-sqrt": ("01", "01", compute_sqrt),
    "bucket-sort": (DIGITS, DIGITS, bucket_sort),
}


def texts(name, batch):
    """The strings and the answers of a batch, with `_` for an empty symbol and a space
    for a step without a symbol."""
    symbols, answers, _ = ORACLES[name]
    return list(
        zip(
            _symbols(f"{symbols}_", batch.inputs),
            _symbols(answers, batch.targets),
            strict=True,
        )
    )


def _symbols(names, rows):
    assert rows.shape[-1] == len(names)
    assert np.isin(rows, (0, 1)).all() and (rows.sum(axis=-1) <= 1).all()
    codes = np.where(rows.any(axis=-1), rows.argmax(axis=-1), -1)
    return ["".join((*names, " ")[code] for code in row) for row in codes.tolist()]


def check(task, length, count, seed=0):
    """Checks fresh strings of one length against the oracle; returns them."""
    batch = task.evaluation.at_length(length).sample(count, seed)
    oracle, strings = ORACLES[task.name][2], []
    for (text, answer), mask in zip(texts(task.name, batch), batch.mask, strict=True):
        string = text.rstrip("_")
        # Of expressions without brackets a symbol less, if the length is even.
        shorter = task.name == "modular-arithmetic-simple" and length % 2 == 0
        assert len(string) == length - shorter
        due = " " * len(string) + oracle(string)
        assert answer == due.ljust(len(answer)), (text, answer)
        assert "".join("x" if counts else " " for counts in mask) == "".join(
            symbol if symbol == " " else "x" for symbol in answer
        )
        strings.append(string)
    return strings


def main():
    from tasks.registry import get_task

    for name in sys.argv[1:] or ORACLES:
        start = time.perf_counter()
        for length in range(1, 65):
            check(get_task(name), length, 10_000)
        check(get_task(name), 500, 200)
        print(f"{name}: as the oracle, {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
