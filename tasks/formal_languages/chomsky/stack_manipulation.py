"""A stack and actions on it in; the stack after them out."""

import dataclasses

import numpy as np

from ...contract.batch_checks import check_sequence
from ...contract.neighbours import Beside
from .protocol import END, ContextFreeTask
from .protocol_parts import ContextFreeRecipe

POP = 2


@dataclasses.dataclass(frozen=True)
class StackManipulation(ContextFreeTask):
    """A stack of bits from bottom to top and actions on it in; the stack after them
    from top to bottom, and the end symbol out, as 011o<<< and 10$.

    The actions are < to pop, and o and i to push 0 and 1. To pop from an empty stack
    does nothing. All sizes of the stack from 1 to one less than the length are equally
    likely. A string of one symbol is a stack without actions.

    Args:
        min_length: Fewest bits and actions together.
        max_length: Most bits and actions together.
        computation_steps: Steps before the answer, for each bit and action.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Delétang, Ruoss et al. (2023), arXiv:2207.02098.
    """

    name = "stack-manipulation"
    alphabet = "01<oi"
    answers = f"01{END}"
    recipe = Beside(ContextFreeRecipe, solved_by=("stack",))

    def answer_steps(self, steps: int) -> int:
        return steps + 1

    def draw_strings(
        self, count: int, length: int, rng: np.random.Generator
    ) -> np.ndarray:
        sizes = rng.integers(1, max(2, length), (count, 1))
        bits = rng.integers(2, size=(count, length))
        actions = rng.integers(POP, len(self.alphabet), (count, length))
        return np.where(np.arange(length) < sizes, bits, actions)

    def answer(self, strings: np.ndarray) -> np.ndarray:
        is_action = strings >= POP
        has_stack = not is_action[:, 0].any()
        is_ordered = has_stack and (is_action[:, 1:] >= is_action[:, :-1]).all()
        check_sequence(self, is_ordered, "has no stack before its actions")
        answers = np.full((len(strings), strings.shape[1] + 1), -1)
        for string, answer in zip(strings.tolist(), answers, strict=True):
            stack: list[int] = []
            for symbol in string:
                if symbol < POP:
                    stack.append(symbol)
                elif symbol > POP:
                    stack.append(symbol - POP - 1)
                elif stack:
                    stack.pop()
            answer[: len(stack) + 1] = [*reversed(stack), self.answers.index(END)]
        return answers
