"""The sum of two numbers."""

import dataclasses
import random
import re

from ...contract.batch_checks import check_sequence
from ...contract.neighbours import Beside
from ...models.recurrent import StackedLSTM
from .curriculum import CurriculumRecipe
from .digits import DigitTask


class AdditionRecipe(CurriculumRecipe):
    """Tuned with 3 digits and the input reversed, see benchmarks/trials.md."""

    models = {StackedLSTM: {"num_layers": 1, "layer_size": 128}}
    training = {
        StackedLSTM: {
            "batch_size": 32,
            "learning_rate": 5e-3,
            "clip_norm": 1.0,
            "sequences": 400_000,
        }
    }


@dataclasses.dataclass(frozen=True)
class Addition(DigitTask):
    """Two numbers in; their sum out.

    The source is "345+678", the answer "1023". Both numbers have the same number of
    digits, as in the paper. A stage is a number of digits.

    Deviation: the paper writes print(345+678). All but the numbers is the same in every
    sequence, and takes half of the steps.

    Args:
        digits: Digits of each number.
        reverse_input: Whether the source is read from its end, as "876+543".
    Raises:
        ValueError: If a parameter is out of its range.
        TypeError: If `reverse_input` is not True or False.
    Reference:
        Zaremba, Sutskever (2014), Learning to Execute, arXiv:1410.4615.
    """

    digits: int = 3

    name = "addition"
    most_digits = 18  # Heuristic: the paper goes up to 9
    symbols = "0123456789+"
    recipe = Beside(AdditionRecipe)

    @property
    def longest_source(self) -> int:
        return 2 * self.digits + 1

    @property
    def longest_answer(self) -> int:
        return self.digits + 1

    def draw_example(self, rng: random.Random) -> tuple[str, str]:
        low, high = 10 ** (self.digits - 1), 10**self.digits - 1
        a, b = rng.randint(low, high), rng.randint(low, high)
        return self.turned(f"{a}+{b}"), str(a + b)

    def answer(self, source: str) -> str:
        found = re.fullmatch(r"([0-9]+)\+([0-9]+)", self.turned(source))
        check_sequence(self, found, f"is not a sum: {source!r}")
        return str(sum(map(int, found.groups()))) if found else ""
