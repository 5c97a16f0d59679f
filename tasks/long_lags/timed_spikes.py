"""Timed spikes: each spike is answered by another one after a fixed interval."""

import dataclasses

import numpy as np

from ..algorithmic.base import BitRecipe, BitTask
from ..contract.batch_checks import (
    LONGEST,
    check_draw,
    check_inputs,
    check_integers,
    check_length,
    check_sequence,
    check_share,
)
from ..contract.neighbours import Beside
from ..contract.sized_task import Ranges, Rng, SizedEvaluation, between
from ..contract.stream import Stream
from ..contract.task import Batch
from ..models.recurrent_cells import PeepholeLSTM
from .training import NAMES, in_batches


class TimedSpikesRecipe(BitRecipe):
    """Not tuned."""

    compared_models = (PeepholeLSTM.name, *NAMES)
    training = in_batches()


class TimedSpikesStream(Stream):
    """Fewer spikes in a curriculum."""

    def easier(self, share: float) -> "TimedSpikes":
        spikes = between(1, self.task.spikes, check_share(share))
        return self.task.evaluation.at_length(spikes)


class TimedSpikesEvaluation(SizedEvaluation):
    """An evaluation by the number of spikes."""

    def at_length(self, length: int) -> "TimedSpikes":
        return dataclasses.replace(self.task, spikes=check_length(length))


@dataclasses.dataclass(frozen=True)
class TimedSpikes(BitTask):
    """Spikes in; a spike so many steps after each of them out.

    With an interval of 3 and two spikes, time from left to right:

        input   ·█·····█····
        target  ····█·····█·

    A spike comes 1 to `wait` steps after the answer to the one before, so that only one
    interval is measured at a time. Nothing else comes in: a network must count steps by
    itself.

    Deviation: the networks of Gers et al. tell distances between spikes, or generate a
    stream of spikes by themselves. Here each spike of the input begins an interval, and
    the answer to it is such a spike of the network.

    Args:
        interval: Steps from a spike to its answer.
        wait: Most steps from an answer to the next spike.
        spikes: Number of spikes in a sequence of `spikes * (interval + wait)` steps.
    Raises:
        ValueError: If a parameter is not a positive integer.
    Reference:
        Gers, Schraudolph, Schmidhuber (2002), Learning Precise Timing with LSTM
        Recurrent Networks, JMLR 3.
    """

    interval: int = 30
    wait: int = 10
    spikes: int = 3

    name = "timed-spikes"
    evaluation = Beside(TimedSpikesEvaluation)
    recipe = Beside(TimedSpikesRecipe)
    stream = Beside(TimedSpikesStream)

    def __post_init__(self) -> None:
        check_integers(self, "interval", "wait", "spikes")

    @property
    def input_size(self) -> int:
        return 1

    @property
    def output_size(self) -> int:
        return 1

    @property
    def size_ranges(self) -> Ranges:
        return ((self.spikes, self.spikes),)

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        lengths = (self.spikes, 2 * self.spikes, 10 * self.spikes)
        return tuple(length for length in lengths if length <= LONGEST)

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        waits = rng.integers(1, self.wait + 1, (batch_size, self.spikes))
        # The first waits for no answer.
        times = np.cumsum(waits + self.interval, axis=1) - self.interval - 1
        steps = self.spikes * (self.interval + self.wait)
        inputs = np.zeros((batch_size, steps, 1), np.float32)
        inputs[np.arange(batch_size)[:, None], times, 0] = 1
        mask = np.ones((batch_size, steps), np.float32)
        return Batch(inputs, self.solve(inputs), mask)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        targets = np.zeros(inputs.shape, np.float32)
        for sequence, target in zip(inputs[..., 0], targets[..., 0], strict=True):
            times = np.flatnonzero(sequence)
            is_one = (np.diff(times) > self.interval).all()
            check_sequence(self, is_one, "has a spike before the answer to another")
            answers = times + self.interval
            target[answers[answers < len(target)]] = 1
        return targets
