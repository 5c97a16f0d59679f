"""The temporal order problem: in which order did X and Y come?"""

import dataclasses
import itertools
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..checks import check_integer
from ..contract.batch_checks import check_sequence
from ..contract.neighbours import Beside
from ..contract.recipe import Settings
from ..models.recurrent import LSTM1997
from .base import ClassTask, one_hot
from .training import AnswerRecipe, block_for_each, in_batches, online

SYMBOLS = "abcdXYEB"
# First and last step of each of the symbols that matter, of 100.
PLACES = {2: ((10, 20), (50, 60)), 3: ((10, 20), (33, 43), (66, 76))}
CLASS_NAMES = {2: "QRSU", 3: "QRSUVABC"}


class TemporalOrderRecipe(AnswerRecipe):
    """Settings of the networks; the LSTM of 1997 has those of the paper."""

    solved_by = ("long-memory-lstm",)

    @property
    def models(self) -> Settings:
        return {**super().models, **block_for_each(self.task.marks)}

    @property
    def training(self) -> Settings:
        has_two = self.task.marks == 2
        classic = online(0.5, 100_000) if has_two else online(0.1, 1_000_000)
        return {**in_batches(), LSTM1997: classic}


@dataclasses.dataclass(frozen=True)
class TemporalOrder(ClassTask):
    """Symbols in; the class of the order of the Xs and Ys among them out.

    A sequence begins with E, ends with B, and holds random symbols of a, b, c, d but
    for two or three, which are X or Y: XX is class Q, XY is R, YX is S, YY is U, and
    so on for three. It has 100 to 110 steps.

    Args:
        marks: 2 or 3, the number of Xs and Ys.
    Raises:
        ValueError: If `marks` is another number.
    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, experiments 6a and 6b.
    """

    marks: int = 2

    name = "temporal-order"
    recipe = Beside(TemporalOrderRecipe)
    steps: ClassVar[tuple[int, int]] = (100, 110)

    def __post_init__(self) -> None:
        super().__post_init__()
        marks = check_integer("marks", self.marks, minimum=2, maximum=3)
        object.__setattr__(self, "marks", marks)

    @property
    def classes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the classes, in the order of the outputs."""
        return tuple(CLASS_NAMES[self.marks])

    @property
    def input_size(self) -> int:
        return len(SYMBOLS)

    def draw_sequence(
        self, steps: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        symbols = rng.integers(4, size=steps)
        marks = rng.integers(2, size=self.marks)
        for mark, (first, last) in zip(marks, PLACES[self.marks], strict=True):
            symbols[rng.integers(first, last + 1)] = SYMBOLS.index("X") + mark
        symbols[[0, -1]] = SYMBOLS.index("E"), SYMBOLS.index("B")
        return one_hot(symbols, self.input_size), _number(marks)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        answers = []
        for text in map(self.text_of, self.checked_sequences(inputs)):
            order = [c for c in text if c in "XY"]
            is_one = text[:1] == "E" and text[-1:] == "B" and len(order) == self.marks
            check_sequence(self, is_one, f"is not E..B with {self.marks} of X and Y")
            orders = list(itertools.product("XY", repeat=self.marks))
            answers.append(orders.index(tuple(order)))
        return self.target_array(answers)

    def text_of(self, sequence: np.ndarray) -> str:
        return "".join(SYMBOLS[i] for i in sequence.argmax(axis=1))


def _number(bits: Iterable[int]) -> int:
    return int("".join(map(str, bits)), 2)
