"""Counting steps: was it 99 or 100 steps ago?"""

import dataclasses

import numpy as np

from ..contract.batch_checks import check_sequence
from ..contract.neighbours import Beside
from .base import PADDING, ClassTask, LagTask
from .training import LimitRecipe


@dataclasses.dataclass(frozen=True)
class StepCount(ClassTask, LagTask):
    """One signal in; after the last step, whether it came T or T - 1 steps ago out.

    The signal is a 1, all other steps are 0. It came T steps ago if T - 1 steps follow
    it. Up to T/10 steps stand before it, for both answers alike: a network must count
    the steps after it.

    Args:
        min_steps: T; sequences have T - 1 to T + T/10 steps.
    Raises:
        ValueError: If `min_steps` is out of its range.
    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, section 6, where 99
        against 100 steps is named as a limit, without numbers.
    """

    name = "step-count"
    recipe = Beside(LimitRecipe)

    @property
    def classes(self) -> tuple[str, ...]:  # type: ignore[override]
        """How many steps ago, in the order of the outputs."""
        return (str(self.min_steps - 1), str(self.min_steps))

    @property
    def steps(self) -> tuple[int, int]:
        least, most = super().steps
        return (least - 1, most)

    @property
    def input_size(self) -> int:
        return 1

    def draw_steps(self, rng: np.random.Generator) -> int:
        """The length of a sequence for the later answer; one less for the other."""
        return int(rng.integers(self.min_steps, self.steps[1] + 1))

    def draw_sequence(
        self, steps: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        answer = int(rng.integers(2))
        sequence = np.zeros((steps, 1), np.float32)
        sequence[: 1 - answer] = PADDING  # one step less
        sequence[steps - self.min_steps + 1 - answer] = 1
        return sequence, answer

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        answers = []
        for sequence in self.checked_sequences(inputs):
            (times,) = np.nonzero(sequence[:, 0] == 1)
            ago = len(sequence) - times
            is_one = set(np.unique(sequence)) == {0, 1} and len(ago) == 1
            is_one = is_one and ago[0] in (self.min_steps - 1, self.min_steps)
            message = f"is not one signal of {' or '.join(self.classes)} steps ago"
            check_sequence(self, is_one, message)
            answers.append(int(ago[0] == self.min_steps))
        return self.target_array(answers)

    def text_of(self, sequence: np.ndarray) -> str:
        return "".join("x" if number else "." for number in sequence[:, 0])
