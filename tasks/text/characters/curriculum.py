"""Character tasks with the curricula of learning to execute."""

import abc
import dataclasses
import random
import zlib
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...checks import check_choice
from ...contract.batch_checks import check_draw, check_share
from ...contract.neighbours import Beside
from ...contract.splits import SPLITS, SplitEvaluation, SplitTask
from ...contract.stream import FULL_SIZE, Stream, choices_from
from ...contract.task import Batch
from .base import CharacterEvaluation, CharacterRecipe, CharacterTask

if TYPE_CHECKING:
    pass

STRATEGIES = ("baseline", "naive", "mix", "combined")
# The strategies whose sequences grow.
SCHEDULED = ("naive", "combined")


class CurriculumRecipe(CharacterRecipe):
    """Sequences of some strategies grow."""

    @property
    def curriculum(self) -> float:
        # Tuned with addition, see benchmarks/trials.md.
        return 0.3 if self.task.strategy in SCHEDULED else 0.0


class CurriculumStream(Stream):
    """Stages in the order of a strategy."""

    def easier(self, share: float) -> Any:
        """The stage at `share` of the schedule.

        Raises:
            ValueError: If the strategy has no schedule.
        """
        check_share(share)
        if self.task.strategy not in SCHEDULED:
            raise ValueError(
                "`curriculum` must be 0 for a strategy without a schedule. "
                f"Received: strategy={self.task.strategy!r}"
            )
        stages = self.task.stages
        stage = stages[min(int(share * len(stages)), len(stages) - 1)]
        return stage.on(self.task.split)

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        """Draws a batch as the strategy does after its schedule."""
        task = self.task
        mixed = {"mix": 1.0, "combined": FULL_SIZE}.get(task.strategy, 0.0)
        if not mixed:
            return task.sample(batch_size, rng)
        batch_size, generator = check_draw(batch_size, rng)
        choices = choices_from(generator)
        stages = [stage.on(task.split) for stage in task.stages]

        def draw() -> tuple[str, str]:
            any_stage = choices.random() < mixed
            return (choices.choice(stages) if any_stage else task).draw_text(choices)

        return task.batch_of(draw() for _ in range(batch_size))


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

    recipe = Beside(CurriculumRecipe)
    stream = Beside(CurriculumStream)

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

    def staged(self, share: float, rng: np.random.Generator) -> Self:
        if self.strategy == "combined" and rng.random() < FULL_SIZE:
            return dataclasses.replace(self, strategy="mix").on(self.split)
        return self.stream.easier(share)


def split_of(source: str) -> str:
    """The split of a source: the same everywhere, because it depends on nothing but
    the text. The paper takes a hash modulo 3 as well."""
    return SPLITS[zlib.crc32(source.encode()) % len(SPLITS)]
