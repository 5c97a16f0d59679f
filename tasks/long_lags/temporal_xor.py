"""Elman's temporal XOR: every third bit follows from the two before it."""

import dataclasses

import numpy as np

from ..algorithmic.base import BitRecipe, BitTask
from ..algorithmic.presentation import BitsPresentation
from ..contract.batch_checks import (
    LONGEST,
    check_draw,
    check_inputs,
    check_integers,
    check_length,
    check_share,
)
from ..contract.neighbours import Beside
from ..contract.sized_task import Ranges, Rng, SizedEvaluation, between
from ..contract.stream import Stream
from ..contract.success import Success
from ..contract.task import Batch
from ..models.recurrent import SimpleRNN
from .training import NAMES, NETWORKS

# The best probability of a bit that is certain: 1 would cost infinitely if it failed.
SURE = 1 - 1e-12


class TemporalXORRecipe(BitRecipe):
    """Tuned, see docs/recipes.md."""

    solved_by = ("simple-rnn",)
    compared_models = NAMES
    models = {SimpleRNN: {"units": 4}}
    training = {
        **{network: {"batch_size": 32} for network in NETWORKS},
        # Large steps for long: four units soon know the third bits, and learn last
        # that they know nothing of the others. Four draws in ten never learn it, which
        # their losses tell early.
        SimpleRNN: {
            "batch_size": 32,
            "learning_rate": 5e-2,
            "clip_norm": 0.1,
            "sequences": 640_000,
            "starts": 8,
        },
    }


class TemporalXORStream(Stream):
    """Fewer triples in a curriculum."""

    def easier(self, share: float) -> "TemporalXOR":
        segments = between(1, self.task.segments, check_share(share))
        return self.task.evaluation.at_length(segments)


class XOREvaluation(SizedEvaluation):
    """An evaluation by the number of triples."""

    def at_length(self, length: int) -> "TemporalXOR":
        return dataclasses.replace(self.task, segments=check_length(length))


@dataclasses.dataclass(frozen=True)
class TemporalXOR(BitTask):
    """A stream of bits in; the next bit out.

    Every third bit is the exclusive or of the two bits before it, which are fair coins.
    Nothing tells where a triple begins but its place: a third of the bits can be
    predicted, two cannot. The network must know where it is and remember one bit.

    Args:
        segments: Number of triples in a sequence.
    Raises:
        ValueError: If `segments` is not a positive integer.
    Reference:
        Elman (1990), Finding Structure in Time.
    """

    segments: int = 20

    name = "temporal-xor"
    exact = False
    presentation = Beside(BitsPresentation)
    evaluation = Beside(XOREvaluation)
    recipe = Beside(TemporalXORRecipe)
    stream = Beside(TemporalXORStream)

    def __post_init__(self) -> None:
        check_integers(self, "segments")

    @property
    def success(self) -> Success | None:
        """Within 1% of the best: the coins cost a bit each, the third bits nothing."""
        return Success("bits_per_sequence", 1.01 * (2 * self.segments - 1))

    @property
    def input_size(self) -> int:
        return 1

    @property
    def output_size(self) -> int:
        return 1

    @property
    def size_ranges(self) -> Ranges:
        return ((self.segments, self.segments),)

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        lengths = (self.segments, 2 * self.segments, 10 * self.segments)
        return tuple(length for length in lengths if length <= LONGEST)

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        bits = rng.integers(2, size=(batch_size, self.segments, 3))
        bits[..., 2] = bits[..., 0] ^ bits[..., 1]
        stream = bits.reshape(batch_size, -1, 1).astype(np.float32)
        inputs, targets = stream[:, :-1], stream[:, 1:]
        return Batch(inputs, targets, np.ones(inputs.shape[:2], np.float32))

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The probability that the next bit is 1: a half, or as good as certain."""
        bits = check_inputs(self, inputs)[..., 0] > 0.5
        chances = np.full(bits.shape, 0.5)
        # After the second bit of a triple comes its third.
        third = bits[:, 1::3] != bits[:, 0::3][:, : bits[:, 1::3].shape[1]]
        chances[:, 1::3] = np.where(third, SURE, 1 - SURE)
        return chances[..., None]

    def error_parts(
        self, wrong: np.ndarray, outputs: np.ndarray
    ) -> dict[str, np.ndarray]:
        """`third_bits`: wrong bits that could be known; `coins`: the others."""
        known = np.zeros(wrong.shape[1], bool)
        known[1::3] = True
        known = known[None, :, None]
        return {"third_bits": wrong & known, "coins": wrong & ~known}
