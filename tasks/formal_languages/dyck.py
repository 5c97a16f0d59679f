"""Brackets in; the bracket that closes the innermost open one out."""

import dataclasses

import numpy as np

from ..checks import check_integer
from ..contract.batch_checks import LONGEST, check_integers, check_sequence
from ..contract.symbol_presentation import BLANK
from .strings import StringTask

OPENING, CLOSING = "([{<", ")]}>"
# The answer where no bracket is open.
NONE = "."


@dataclasses.dataclass(frozen=True)
class Dyck(StringTask):
    """Brackets in, such as ([](; at each step the bracket out that closes the innermost
    open one, and a full stop where none is open.

    A sequence is the beginning of a word of the Dyck language: each closing bracket
    fits the innermost open one, and some brackets may stay open. At each step a fair
    coin decides whether a bracket is opened or closed, unless none are open, or
    `max_depth` are.

    Args:
        min_length: Fewest brackets.
        max_length: Most brackets.
        kinds: Kinds of brackets, from 1 to 4.
        max_depth: Most brackets that are open at a time.
    Raises:
        ValueError: If a parameter is not a positive integer, `min_length >
            max_length`, or there are more than 4 kinds.
    """

    min_length: int = 2
    max_length: int = 40
    kinds: int = 2
    max_depth: int = 8

    name = "dyck"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("kinds", self.kinds, 1, len(OPENING))
        check_integers(self, "max_depth")

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(OPENING[: self.kinds] + CLOSING[: self.kinds])

    @property
    def outputs(self) -> tuple[str, ...]:
        return (*CLOSING[: self.kinds], NONE)

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        # 500 steps, in multiples of the default.
        lengths = (self.max_length, 4 * self.max_length, 25 * self.max_length // 2)
        return tuple(length for length in lengths if length <= LONGEST)

    def steps(self, length: int) -> int:
        return length

    def draw_string(self, length: int, rng: np.random.Generator) -> str:
        string: list[str] = []
        still_open: list[int] = []
        kinds, coins = rng.integers(self.kinds, size=length), rng.random(length) < 0.5
        for kind, coin in zip(kinds, coins, strict=True):
            if not still_open or (coin and len(still_open) < self.max_depth):
                still_open.append(kind)
                string.append(OPENING[kind])
            else:
                string.append(CLOSING[still_open.pop()])
        return "".join(string)

    def answer(self, string: str) -> str:
        due, still_open = [], []
        word = string.rstrip(BLANK)
        for bracket in word:
            if bracket in OPENING:
                still_open.append(CLOSING[OPENING.index(bracket)])
            else:
                is_due = bool(still_open) and still_open.pop() == bracket
                check_sequence(self, is_due, "has a bracket that closes none")
            due.append(still_open[-1] if still_open else NONE)
        check_sequence(self, due, "is empty")
        return "".join(due).ljust(len(string), BLANK)
