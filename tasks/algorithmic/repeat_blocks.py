"""The repeat blocks task: copy one block of vectors after another."""

import dataclasses

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
from ..models.dnc import DNCFeedforward
from .base import BitRecipe, BitTask


class RepeatBlocksRecipe(BitRecipe):
    """Tuned, see docs/recipes.md. Fewer rows than a sequence has vectors: a network
    that does not free rows has errors in training already."""

    compared_models = ("dnc-feedforward", "ntm-feedforward", "lstm")
    models = {
        DNCFeedforward: {
            "memory_size": 8,
            "deallocate": True,
            "masks": True,
            "sharpen_links": True,
        }
    }
    training = {
        DNCFeedforward: {
            "learning_rate": 5e-3,
            "sequences": 192_000,
            "stateful": True,
        }
    }


@dataclasses.dataclass(frozen=True)
class RepeatBlocks(RangedTask, BitTask):
    """Several copies in a row: vectors in, after a delimiter the same vectors out, then
    the next block.

    Blocks of 2 vectors and of 1, of 2 bits (`memnets show repeat-blocks`):

        input   0 █····█··      the vectors of each block
                1 ·█···█··
                2 ··█···█·      a delimiter ends a block
        target  0    █·  █      the block, after its delimiter
                1    ·█  █

    The length of a sequence is its number of blocks. All blocks together have more
    vectors than a small memory has rows: a network must free the rows of what it has
    answered. One that does is not limited to the number of blocks of its training.

    Args:
        num_bits: Width of the vectors.
        min_length: Fewest vectors of a block.
        max_length: Most vectors of a block.
        min_blocks: Fewest blocks.
        max_blocks: Most blocks.
    Raises:
        ValueError: If a parameter is not a positive integer, or a smallest value
            exceeds the largest.
    Reference:
        Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network
        with Dynamic External Memory, Nature 538, Extended Data Figure 2, "Dynamic
        memory allocation".
    """

    num_bits: int = 8
    min_length: int = 1
    max_length: int = 6
    min_blocks: int = 1
    max_blocks: int = 4

    name = "repeat-blocks"
    size_names = ("blocks", "length")
    eval_factors = (1, 5, 25)
    recipe = Beside(RepeatBlocksRecipe)

    def __post_init__(self) -> None:
        check_integers(self, *(field.name for field in dataclasses.fields(self)))
        for size in ("length", "blocks"):
            check_range(self, f"min_{size}", f"max_{size}")

    @property
    def input_size(self) -> int:
        return self.num_bits + 1

    @property
    def output_size(self) -> int:
        return self.num_bits

    @property
    def signature(self) -> str:
        return (
            f"{self.name}|bits:{self.num_bits}|len:{self.min_length}-"
            f"{self.max_length}|blocks:{self.min_blocks}-{self.max_blocks}"
        )

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        shape = (batch_size, self.max_blocks)
        lengths = rng.integers(self.min_length, self.max_length + 1, shape)
        counts = rng.integers(self.min_blocks, self.max_blocks + 1, batch_size)
        steps = self.max_blocks * (2 * self.max_length + 1)
        inputs = np.zeros((batch_size, steps, self.input_size), np.float32)
        mask = np.zeros((batch_size, steps), np.float32)
        for sequence, shown, own, count in zip(
            inputs, mask, lengths, counts, strict=True
        ):
            start = 0
            for length in own[:count]:
                end = start + length
                vectors = rng.integers(0, 2, (length, self.num_bits))
                sequence[start:end, : self.num_bits] = vectors
                sequence[end, self.num_bits] = 1.0
                shown[end + 1 : end + 1 + length] = 1.0
                start = end + 1 + length
        return Batch(inputs, self.solve(inputs), mask)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        targets = np.zeros((*inputs.shape[:2], self.output_size), np.float32)
        for sequence, target in zip(inputs, targets, strict=True):
            ends = np.flatnonzero(sequence[:, self.num_bits])
            check_sequence(self, len(ends), "has no delimiter")
            start = 0
            for end in ends:
                after = 2 * int(end) + 1 - start
                check_sequence(self, end >= start, "asks for a block during an answer")
                check_sequence(self, after <= len(sequence), "ends before its answer")
                target[end + 1 : after] = sequence[start:end, : self.num_bits]
                start = after
        return targets
