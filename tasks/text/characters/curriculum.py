"""Character tasks with the curricula of learning to execute."""

import abc
import dataclasses
import random
import zlib
from typing import Self

import numpy as np

from ...checks import check_choice
from ...contract.batch_checks import check_draw, check_share
from ...contract.choices import choices_from
from ...contract.neighbours import Beside
from ...contract.splits import SPLITS, SplitEvaluation, SplitTask
from ...contract.task import FULL_SIZE, Batch
from .base import CharacterEvaluation, CharacterTask

STRATEGIES = ("baseline", "naive", "mix", "combined")
# The strategies whose sequences grow.
SCHEDULED = ("naive", "combined")


class CurriculumEvaluation(CharacterEvaluation, SplitEvaluation):
    """An evaluation at the difficulty of the task."""

    @property
    def sizes(self) -> str:
        split, numbers = self.task.split, super().sizes
        return numbers if split == "train" else f"{numbers} {split}"


@dataclasses.dataclass(frozen=True)
class CurriculumTask(CharacterTask, SplitTask):
    """A character task of growing difficulty, which is learned by one of four
    strategies:

    - baseline: all sequences have the difficulty of the task.
    - naive: one stage after the other, from the easiest to that of the task.
    - mix: each sequence is of any stage.
    - combined: as naive, but one sequence in five is of any stage.

    Evaluation has the difficulty of the task, whatever the strategy.

    Deviation: the paper moves on at an accuracy of 95%. Here every stage has the same
    share of the budget's part that `curriculum` names, because the data is a function
    of seed, epoch and index only, so that a resumed run sees the same.

    Args:
        strategy: One of the four.
    """

    strategy: str = dataclasses.field(default="combined", kw_only=True)

    evaluation = Beside(CurriculumEvaluation)

    def __post_init__(self) -> None:
        check_choice("strategy", self.strategy, STRATEGIES)

    @property
    @abc.abstractmethod
    def stages(self) -> tuple[Self, ...]:
        """The task in every difficulty, from the easiest to its own, each with the
        strategy "baseline"."""

    @abc.abstractmethod
    def draw_example(self, rng: random.Random) -> tuple[str, str]:
        """A source and its answer, of any split."""

    def draw_text(self, rng: random.Random) -> tuple[str, str]:
        while True:
            source, answer = self.draw_example(rng)
            if split_of(source) == self.split:
                return source, answer

    # --- training ---

    @property
    def curriculum(self) -> float:
        # Tuned with addition, see benchmarks/trials.md.
        return 0.3 if self.strategy in SCHEDULED else 0.0

    def easier(self, share: float) -> Self:
        """The stage at `share` of the schedule.

        Raises:
            ValueError: If the strategy has no schedule.
        """
        check_share(share)
        if self.strategy not in SCHEDULED:
            raise ValueError(
                "`curriculum` must be 0 for a strategy without a schedule. "
                f"Received: strategy={self.strategy!r}"
            )
        stages = self.stages
        stage = stages[min(int(share * len(stages)), len(stages) - 1)]
        return stage.on(self.split)

    def at_stage(self, share: float, rng: np.random.Generator) -> Self:
        if share >= 1:
            return self
        if self.strategy == "combined" and rng.random() < FULL_SIZE:
            return dataclasses.replace(self, strategy="mix").on(self.split)
        return self.easier(share)

    def sample_for_training(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        """Draws a batch as the strategy does after its schedule."""
        mixed = {"mix": 1.0, "combined": FULL_SIZE}.get(self.strategy, 0.0)
        if not mixed:
            return self.sample(batch_size, rng)
        batch_size, generator = check_draw(batch_size, rng)
        choices = choices_from(generator)
        stages = [stage.on(self.split) for stage in self.stages]

        def draw():
            any_stage = choices.random() < mixed
            return (choices.choice(stages) if any_stage else self).draw_text(choices)

        return self.batch_of(draw() for _ in range(batch_size))


def split_of(source: str) -> str:
    """The split of a source: the same everywhere, because it depends on nothing but
    the text. The paper takes a hash modulo 3 as well."""
    return SPLITS[zlib.crc32(source.encode()) % len(SPLITS)]
