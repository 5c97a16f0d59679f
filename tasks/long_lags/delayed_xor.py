"""The delayed XOR problem: neither of two bits tells anything without the other."""

import dataclasses

import numpy as np

from ..contract.batch_checks import check_sequence
from ..contract.neighbours import Beside
from .base import ClassTask, LagTask
from .training import LimitRecipe


@dataclasses.dataclass(frozen=True)
class DelayedXOR(ClassTask, LagTask):
    """Marked bits in; after the last step, the exclusive or of the two that were marked
    out.

    Each step has a random bit, which is 1 or -1, and a mark, which is 1 at two steps
    and 0 at the others: one of the first tenth of the sequence, and one of the tenth
    after its middle. A network that has stored only one of the two bits answers no
    better than one that has stored none.

    Args:
        min_steps: T; sequences have T to T + T/10 steps.
    Raises:
        ValueError: If `min_steps` is out of its range.
    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, section 6, where the
        problem is named as a limit of the truncated gradient, without numbers.
    """

    name = "delayed-xor"
    recipe = Beside(LimitRecipe)
    classes = ("equal", "different")

    @property
    def input_size(self) -> int:
        return 2

    def draw_sequence(
        self, steps: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        sequence = np.zeros((steps, 2), np.float32)
        sequence[:, 0] = rng.choice((-1, 1), steps)
        marked = rng.integers(steps // 10, size=2) + (0, steps // 2)
        sequence[marked, 1] = 1
        first, second = sequence[marked, 0]
        return sequence, int(first != second)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        answers = []
        for sequence in self.checked_sequences(inputs):
            bits, marks = sequence.T
            marked = bits[marks == 1]
            is_one = set(np.abs(bits)) == {1} and set(marks) == {0, 1}
            is_one = is_one and len(marked) == 2
            check_sequence(self, is_one, "does not have bits of which two are marked")
            answers.append(int(marked[0] != marked[1]))
        return self.target_array(answers)

    def text_of(self, sequence: np.ndarray) -> str:
        bits = ("1" if bit > 0 else "0" for bit in sequence[:, 0])
        return "".join(
            f"[{bit}]" if mark else bit
            for bit, mark in zip(bits, sequence[:, 1], strict=True)
        )
