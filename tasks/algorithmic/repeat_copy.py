"""The repeat copy task: reproduce a sequence a given number of times."""

import dataclasses
from typing import Any, Self

import numpy as np

from ..contract.batch_checks import (
    LONGEST,
    check_draw,
    check_inputs,
    check_integers,
    check_length,
    check_range,
    check_sequence,
    check_shares,
    find_delimiter,
)
from ..contract.neighbours import Beside
from ..contract.recipe import Settings
from ..contract.sized_task import RangedEvaluation, RangedStream, RangedTask, Rng
from ..contract.success import Success
from ..contract.task import Batch, Column
from ..models.ntm import NTMLSTM, NTMFeedforward
from .base import BitTask, StoringRecipe


class RepeatCopyRecipe(StoringRecipe):
    """Settings of Neural Turing Machines, with bounds beyond the range of training."""

    solved_by = ("ntm-feedforward", "ntm-lstm")

    # Tuned, see docs/recipes.md: with a curriculum, more seeds of the feedforward
    # controller generalise beyond the sizes of training. One LSTM in six learns slowly
    # and is then often wrong beyond them; its loss after 16,000 sequences is larger.
    training = {
        NTMFeedforward: {
            "sequences": 100_000,
            "batch_size": 8,
            "curriculum": 0.5,
        },
        NTMLSTM: {
            "sequences": 100_000,
            "batch_size": 8,
            "starts": 3,
            "start_sequences": 16_000,
        },
    }

    @property
    def models(self) -> Settings:
        """Tuned, see docs/recipes.md.

        - `memory_size`: write heads also advance during the answer. With fewer rows
          they wrapped around and overwrote the vectors.
        - `input_clip`: an input far beyond the range of training made heads attend to
          wrong rows from the first round on. The bound is 1.25 times the largest of
          training: by default, counts of 12 and of 20 look the same. The networks do
          not count that far in any case.
        - `cell_clip` keeps the state of the LSTM in the range of training.
        - `initial_memory="randomized"`: heads cannot learn to depend on fixed rows.
        """
        largest = np.abs(
            self.task._normalised(
                np.array([self.task.min_repeats, self.task.max_repeats])
            )
        )
        ntm = {
            "memory_size": 256,
            "num_read_heads": 2,
            "num_write_heads": 2,
            "input_clip": max(1.0, round(1.25 * float(largest.max()), 2)),
        }
        lstm = {**ntm, "initial_memory": "randomized", "cell_clip": 3.0}
        return {NTMFeedforward: ntm, NTMLSTM: lstm}


class RepeatCopyStream(RangedStream):
    """A share of the sequences in training continues after the end marker."""

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        task = self.task
        inputs, targets, mask = task.sample(batch_size, rng)
        for index in np.flatnonzero(rng.random(batch_size) < task.continue_rate):
            first, end = np.flatnonzero(mask[index])[[0, -1]]
            length = first - 2
            steps = np.arange(end + 1, first + length * task.max_repeats)
            places = (steps - first) % length
            asked = steps[places > 0]
            vectors = inputs[index, places[places > 0], : task.num_bits]
            targets[index, asked, : task.num_bits] = vectors
            mask[index, asked] = 1.0
        return Batch(inputs, targets, mask)


class RepeatEvaluation(RangedEvaluation):
    """An evaluation by the number of vectors, and with twice the repeats."""

    @property
    def eval_tasks(self) -> tuple[Any, ...]:
        repeats = 2 * self.task.max_repeats
        more = (self.task.at_repeats(repeats),) if repeats <= LONGEST else ()
        return super().eval_tasks + more

    def at_length(self, length: int) -> "RepeatCopy":
        """The task with `length` vectors, repeated as often as the most in training."""
        return self.task.at_repeats(self.task.max_repeats, check_length(length))


@dataclasses.dataclass(frozen=True)
class RepeatCopy(RangedTask, BitTask):
    """Binary vectors and a count in; the vectors repeated, then an end marker out.

    Two vectors of 2 bits, twice (`memnets show repeat-copy`):

        input   0 █········      the vectors
                1 ·█·······
                2 ···█·····      the delimiter channel
                3 ··▁······      how often, normalised
        target  0     █·█··      the vectors, and again
                1     ·█·█·
                2     ····█      the end marker

    The network needs a loop within a loop: over the vectors, and over the repeats,
    which it must count. The count comes as one number, normalised to mean 0 and
    variance 1 over 1 to `scale_repeats`: counts beyond training are larger numbers.

    A share of the training sequences continues after the end marker: the answer has
    `max_repeats` rounds in all, whatever the count. A network that cannot count as far
    as it is asked to puts out the marker too early, and has to have learned what comes
    next. The first step of each further round is masked, because a marker may be there.
    `sample` draws no such sequences.

    Deviation: in the paper no sequence continues after the end marker.

    Deviation: the paper does not say how the network knows that its answer is due when
    the normalised count is 0; here there is a delimiter. It comes one step after the
    count: where both were in one step, counts larger than any of training made the
    heads attend to the wrong row at the start of the answer.

    Args:
        num_bits: Width of the vectors.
        min_length: Fewest vectors.
        max_length: Most vectors.
        min_repeats: Fewest repeats.
        max_repeats: Most repeats.
        scale_repeats: The counts are normalised as if drawn from 1 to this.
        continue_rate: Share of the training sequences that continue after the end
            marker. Those of one vector, or of the most repeats, cannot.
    Raises:
        ValueError: If a parameter is not a positive integer, a smallest value exceeds
            the largest, `scale_repeats` is 1, or `continue_rate` is not from 0 to 1.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 4.2.
    """

    num_bits: int = 8
    min_length: int = 1
    max_length: int = 10
    min_repeats: int = 1
    max_repeats: int = 10
    scale_repeats: int = 10
    continue_rate: float = 0.25  # tuned, see docs/recipes.md

    name = "repeat-copy"
    size_names = ("length", "repeats")
    recipe = Beside(RepeatCopyRecipe)
    stream = Beside(RepeatCopyStream)
    evaluation = Beside(RepeatEvaluation)

    def __post_init__(self) -> None:
        check_integers(self, "num_bits", "min_length", "max_length", "min_repeats")
        check_integers(self, "max_repeats")
        check_integers(self, "scale_repeats", minimum=2)
        check_shares(self, "continue_rate")
        for size in ("length", "repeats"):
            check_range(self, f"min_{size}", f"max_{size}")

    @property
    def success(self) -> Success | None:
        # Heuristic: answers are ten times as long as those of copy.
        return Success("bit_errors", 0.1)

    @property
    def input_size(self) -> int:
        return self.num_bits + 2

    @property
    def output_size(self) -> int:
        return self.num_bits + 1

    @property
    def columns(self) -> dict[str, Column]:
        return super().columns | {
            "vector_errors": Column("wrong in vectors"),
            "marker_errors": Column("wrong in end marker"),
        }

    def error_parts(
        self, wrong: np.ndarray, outputs: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The wrong bits in two kinds.

        `marker_errors` are wrong bits of the end marker, and the wrong bits of vectors
        that follow from it: of a step where the network ends too early, with a marker
        and no vector, and of the step where the marker should be. `vector_errors` are
        all others.
        """
        marks, bits = outputs[..., self.num_bits :], outputs[..., : self.num_bits]
        at_end = marks ^ wrong[..., self.num_bits :]
        ended = marks & ~bits.any(axis=-1, keepdims=True)
        vectors = wrong & ~(at_end | ended)
        vectors[..., self.num_bits] = False
        return {"vector_errors": vectors, "marker_errors": wrong & ~vectors}

    @property
    def signature(self) -> str:
        return (
            f"{self.name}|bits:{self.num_bits}|len:{self.min_length}-{self.max_length}"
            f"|repeats:{self.min_repeats}-{self.max_repeats}|scale:{self.scale_repeats}"
            f"|continue:{self.continue_rate}"
        )

    def at_repeats(self, repeats: int, length: int | None = None) -> Self:
        """The task with that many repeats, and the given or else the largest length."""
        repeats = check_length(repeats, "repeats")
        length = self.max_length if length is None else check_length(length)
        return dataclasses.replace(
            self,
            min_length=length,
            max_length=length,
            min_repeats=repeats,
            max_repeats=repeats,
        )

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        lengths = rng.integers(self.min_length, self.max_length + 1, batch_size)
        repeats = rng.integers(self.min_repeats, self.max_repeats + 1, batch_size)
        bits = rng.integers(0, 2, (batch_size, self.max_length, self.num_bits))
        steps = np.arange(self.max_length * (self.max_repeats + 1) + 3)
        inputs = np.zeros((batch_size, len(steps), self.input_size), np.float32)
        present = steps[: self.max_length] < lengths[:, None]
        inputs[:, : self.max_length, : self.num_bits] = bits * present[:, :, None]
        each = np.arange(batch_size)
        inputs[each, lengths, self.num_bits + 1] = self._normalised(repeats)
        inputs[each, lengths + 1, self.num_bits] = 1.0
        last = lengths * (repeats + 1) + 2  # the step of the end marker
        mask = (steps > lengths[:, None] + 1) & (steps <= last[:, None])
        return Batch(inputs, self.solve(inputs), mask.astype(np.float32))

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        inputs = check_inputs(self, inputs)
        targets = np.zeros((*inputs.shape[:2], self.output_size), np.float32)
        for sequence, target in zip(inputs, targets, strict=True):
            length = find_delimiter(self, sequence, self.num_bits) - 1
            check_sequence(self, length >= 0, "has no count before its delimiter")
            repeats = self._count(sequence[length, self.num_bits + 1])
            check_sequence(self, repeats >= 1, "has a count below 1")
            end = length * (repeats + 1) + 2
            check_sequence(self, end < len(sequence), "ends before its answer")
            vectors = sequence[:length, : self.num_bits]
            target[length + 2 : end, : self.num_bits] = np.tile(vectors, (repeats, 1))
            target[end, self.num_bits] = 1.0
        return targets

    # A uniform number from 1 to n has mean (n + 1) / 2 and variance (n^2 - 1) / 12.

    def _normalised(self, repeats: Any) -> Any:
        n = self.scale_repeats
        return (repeats - (n + 1) / 2) / np.sqrt((n**2 - 1) / 12)

    def _count(self, normalised: float) -> int:
        n = self.scale_repeats
        return round(float(normalised) * np.sqrt((n**2 - 1) / 12) + (n + 1) / 2)
