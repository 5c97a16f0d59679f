"""The contract of tasks with pairs of vectors, one of which asks for the other."""

import dataclasses
import math
from typing import ClassVar

import numpy as np

from ..contract.batch_checks import (
    check_draw,
    check_inputs,
    check_integers,
    check_range,
    check_sequence,
)
from ..contract.neighbours import Beside
from ..contract.sized_task import RangedTask, Rng
from ..contract.task import Batch
from .base import BitRecipe, BitTask


class VectorPairRecipe(BitRecipe):
    """The recipe of a task with pairs of vectors."""

    compared_models = ("dnc-lstm", "ntm-lstm", "lstm")


@dataclasses.dataclass(frozen=True)
class PairTask(RangedTask, BitTask):
    """Pairs of vectors in, one pair a step; then rounds of questions in random order.

    A question is one vector of a pair, and a mark that says which vector it is. One
    step later, while the input is blank, the other vector of the pair is due. The
    length of a sequence is its number of pairs.

    Within a sequence all first vectors differ, and so do all second ones, if there are
    enough vectors of `num_bits` bits.

    Args:
        num_bits: Width of each vector of a pair.
        min_pairs: Fewest pairs.
        max_pairs: Most pairs.
    """

    num_bits: int = 8
    min_pairs: int = 2
    max_pairs: int = 8

    size_names = ("pairs",)
    eval_factors = (1, 2, 4)
    recipe = Beside(VectorPairRecipe)
    # In each round every pair is asked for by this vector, the first or the second.
    rounds: ClassVar[tuple[int, ...]]

    def __post_init__(self) -> None:
        check_integers(self, *(field.name for field in dataclasses.fields(self)))
        check_range(self, "min_pairs", "max_pairs")

    @property
    def input_size(self) -> int:
        return 2 * self.num_bits + len(self.rounds)

    @property
    def output_size(self) -> int:
        return self.num_bits

    @property
    def signature(self) -> str:
        sizes = f"bits:{self.num_bits}|pairs:{self.min_pairs}-{self.max_pairs}"
        return f"{self.name}|{sizes}"

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        counts = rng.integers(self.min_pairs, self.max_pairs + 1, batch_size)
        steps = (1 + 2 * len(self.rounds)) * self.max_pairs
        inputs = np.zeros((batch_size, steps, self.input_size), np.float32)
        mask = np.zeros((batch_size, steps), np.float32)
        for sequence, shown, count in zip(inputs, mask, counts, strict=True):
            pairs = np.stack([_distinct(count, self.num_bits, rng) for _ in range(2)])
            for half, vectors in enumerate(pairs):
                sequence[:count, self._channels(half)] = vectors
            for turn, half in enumerate(self.rounds):
                start = count * (1 + 2 * turn)
                asked = sequence[start : start + 2 * count : 2]
                asked[:, self._channels(half)] = rng.permutation(pairs[half])
                asked[:, 2 * self.num_bits + turn] = 1.0
                shown[start + 1 : start + 2 * count : 2] = 1.0
        return Batch(inputs, self.solve(inputs), mask)

    def _channels(self, half: int) -> slice:
        """The channels of the first or the second vectors."""
        return slice(half * self.num_bits, (half + 1) * self.num_bits)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """If a vector is in the list twice, the first of its pairs counts."""
        inputs = check_inputs(self, inputs)
        targets = np.zeros((*inputs.shape[:2], self.output_size), np.float32)
        for sequence, target in zip(inputs, targets, strict=True):
            marks = sequence[:, 2 * self.num_bits :]
            asked = np.flatnonzero(marks.any(axis=1))
            check_sequence(self, len(asked), "has no question")
            listed = sequence[: asked[0]]
            for step in asked:
                is_mark = np.count_nonzero(marks[step]) == 1 and marks[step].max() == 1
                check_sequence(self, is_mark, "has a question with other marks")
                is_due = step + 1 < len(sequence) and not sequence[step + 1].any()
                check_sequence(self, is_due, "has not the blank step of an answer")
                half = self.rounds[int(marks[step].argmax())]
                known, other = (listed[:, self._channels(h)] for h in (half, 1 - half))
                question = sequence[step, self._channels(half)]
                found = np.flatnonzero((known == question).all(axis=1))
                check_sequence(self, len(found), "asks for what is not in its list")
                target[step + 1] = other[found[0]]
        return targets


def _distinct(count: int, num_bits: int, rng: np.random.Generator) -> np.ndarray:
    """Random vectors `(count, num_bits)`, all different if there are enough."""
    if math.log2(count) > num_bits:
        return rng.integers(0, 2, (count, num_bits))
    drawn: dict[bytes, np.ndarray] = {}
    while len(drawn) < count:
        vector = rng.integers(0, 2, num_bits)
        drawn[vector.tobytes()] = vector
    return np.stack(list(drawn.values()))
