"""The copy task: store a sequence, then reproduce it."""

import dataclasses
import math

import numpy as np

from ..contract.batch_checks import (
    check_draw,
    check_inputs,
    check_integers,
    check_range,
    check_sequence,
    check_shares,
    find_delimiter,
)
from ..contract.neighbours import Beside
from ..contract.recipe import Settings
from ..contract.sized_task import RangedStream, RangedTask, Rng
from ..contract.task import Batch
from ..models.dnc import DNCLSTM, DNCFeedforward
from ..models.ntm import NTMLSTM
from .base import BitTask, StoringRecipe

# Up to this length an NTM with an LSTM has a smaller one.
SHORT = 15


class CopyRecipe(StoringRecipe):
    """Tuned, see docs/recipes.md. A DNC writes a row at every step, those of the answer
    too. With fewer rows than steps it overwrites what it has not read. With an LSTM
    of 100 units, short sequences were copied late or never."""

    solved_by = ("ntm-feedforward", "ntm-lstm", "dnc-feedforward")

    @property
    def models(self) -> Settings:
        longest = max(self.task.eval_factors) * self.task.max_length
        rows = 2 * longest + 16
        randomized = {"memory_size": rows, "initial_memory": "randomized"}
        settings: dict[type, dict] = {
            DNCFeedforward: randomized,
            DNCLSTM: {"memory_size": rows},
        }
        if self.task.max_length <= SHORT:
            # As many rows as the longest test has vectors, and some.
            rows = 8 * math.ceil((longest + 4) / 8)
            settings[NTMLSTM] = {"memory_size": rows, "controller_size": 32}
        return settings


class CopyStream(RangedStream):
    """More vectors are blank in training."""

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        task = self.task
        inputs, _, mask = task.sample(batch_size, rng)
        blank = rng.random((batch_size, task.max_length)) < task.blank_rate
        inputs[:, : task.max_length, : task.num_bits][blank] = 0.0
        return Batch(inputs, task.solve(inputs), mask)


@dataclasses.dataclass(frozen=True)
class Copy(RangedTask, BitTask):
    """Binary vectors in; after a delimiter the same vectors out.

    A sequence of length 3 with 2 bits, time from left to right (`memnets show copy`):

        input   0 █·█·········       the vectors
                1 ·██·········
                2 ···█········       the delimiter channel
        target  0     █·█            the answer starts one step after the delimiter
                1     ·██

    Only the answer counts in the loss. The vectors cannot be compressed, so the network
    must store each of them, and a longer sequence than any in training needs the
    algorithm rather than a memory of examples. Sequences of different lengths share a
    batch: each starts at step 0, and the rest is blank.

    Args:
        num_bits: Width of the vectors.
        min_length: Shortest sequence.
        max_length: Longest sequence; every batch is padded to `2 * max_length + 1`
            steps.
        blank_rate: Share of the vectors that are blank in training, beside those that
            are so by chance.
    Raises:
        ValueError: If a parameter is not a positive integer, `min_length >
            max_length`, or `blank_rate` is not from 0 to 1.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 4.1.
    """

    num_bits: int = 8
    min_length: int = 1
    max_length: int = 20
    # Deviation: one vector in 256 is blank by chance and looks like a step of the
    # answer. Networks that had seen few took some of them for one.
    blank_rate: float = 0.05  # tuned, see docs/recipes.md

    name = "copy"
    eval_factors = (1, 2, 4, 6)
    recipe = Beside(CopyRecipe)
    stream = Beside(CopyStream)

    def __post_init__(self) -> None:
        check_integers(self, "num_bits", "min_length", "max_length")
        check_range(self, "min_length", "max_length")
        check_shares(self, "blank_rate")

    @property
    def input_size(self) -> int:
        return self.num_bits + 1

    @property
    def output_size(self) -> int:
        return self.num_bits

    @property
    def signature(self) -> str:
        return (
            f"{self.name}|bits:{self.num_bits}|len:{self.min_length}-{self.max_length}"
            f"|blank:{self.blank_rate}"
        )

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        lengths = rng.integers(self.min_length, self.max_length + 1, batch_size)
        # Draw all bits, then mask them, so that the bits of a sequence do not depend on
        # the lengths of the others.
        bits = rng.integers(0, 2, (batch_size, self.max_length, self.num_bits)).astype(
            np.float32
        )
        steps = np.arange(2 * self.max_length + 1)
        inputs = np.zeros((batch_size, len(steps), self.input_size), np.float32)
        present = steps[: self.max_length] < lengths[:, None]
        inputs[:, : self.max_length, : self.num_bits] = bits * present[:, :, None]
        inputs[np.arange(batch_size), lengths, self.num_bits] = 1.0
        mask = (steps > lengths[:, None]) & (steps <= 2 * lengths[:, None])
        return Batch(inputs, self.solve(inputs), mask.astype(np.float32))

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        targets = np.zeros((*inputs.shape[:2], self.output_size), np.float32)
        for sequence, target in zip(inputs, targets, strict=True):
            length = find_delimiter(self, sequence, self.num_bits)
            check_sequence(self, 2 * length < len(sequence), "ends before its answer")
            target[length + 1 : 2 * length + 1] = sequence[:length, : self.num_bits]
        return targets
