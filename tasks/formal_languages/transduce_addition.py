"""Binary numbers in; their sum out, the lowest bit first."""

import dataclasses
import re

import numpy as np

from ..contract.batch_checks import check_sequence
from ..contract.neighbours import Beside
from .stack_training import TransduceAdditionRecipe
from .strings import ASK, TransductionTask

PLUS = "+"


@dataclasses.dataclass(frozen=True)
class TransduceAddition(TransductionTask):
    """Two binary numbers in, the highest bit first; their sum out, the lowest bit
    first, as 011+110= and 1001.

    Both numbers have as many bits as the sequence is long, and may begin with zeros;
    the sum has one more. A network that answers from the lowest bit needs to keep one
    carry only.

    Args:
        min_length: Fewest bits of a number.
        max_length: Most bits of a number.
    Raises:
        ValueError: If a parameter is not a positive integer, or `min_length >
            max_length`.
    Reference:
        Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
        Recurrent Nets, arXiv:1503.01007, section 5.
    """

    name = "transduce-addition"
    eval_factors = (1, 2, 3)
    recipe = Beside(TransduceAdditionRecipe)

    @property
    def input_names(self) -> tuple[str, ...]:
        return ("0", "1", PLUS, ASK)

    @property
    def outputs(self) -> tuple[str, ...]:
        return ("0", "1")

    def steps(self, length: int) -> int:
        return 3 * length + 3

    def draw_string(self, length: int, rng: np.random.Generator) -> str:
        bits = rng.integers(2, size=(2, length))
        return PLUS.join("".join(map(str, number)) for number in bits) + ASK

    def transduce(self, source: str) -> str:
        found = re.fullmatch(r"([01]+)\+([01]+)", source)
        is_sum = found is not None and len(found[1]) == len(found[2])
        check_sequence(self, is_sum, f"has no sum of two numbers before {ASK!r}")
        first, second = found.groups() if found else ("0", "0")
        total = int(first, 2) + int(second, 2)
        return format(total, f"0{len(first) + 1}b")[::-1]
