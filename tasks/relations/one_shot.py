"""One-shot classification: name glyphs that were seen once before."""

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ..contract.batch_checks import (
    check_draw,
    check_inputs,
    check_integers,
    check_length,
    check_sequence,
    check_share,
)
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column, Section
from ..contract.sized_task import Ranges, Rng, SizedEvaluation, between
from ..contract.stream import Stream
from ..contract.success import Success
from ..contract.symbol_presentation import SymbolPresentation
from ..contract.symbol_task import SymbolRecipe, SymbolTask
from ..contract.task import NO_OPTION
from ..models.mann import MANN
from ..models.recurrent import StackedLSTM
from .glyphs import CLASSES, SIDE, Strokes, all_glyphs, images, varied

if TYPE_CHECKING:
    from ..figures.figure import Figure

PIXELS = SIDE * SIDE
# The instances of a class that papers report.
REPORTED = (1, 2, 3, 5, 10)
# Heuristic: solved when so many of the images that can be known are named wrongly.
WRONG_SHARE = 0.03


class OneShotRecipe(SymbolRecipe):
    """Tuned, see docs/recipes.md. Without strengths, a cosine of 1 is hardly more than
    one of 0 among 128 rows."""

    solved_by = ("mann",)
    compared_models = ("mann", "lstm")
    models = {
        MANN: {"strengths": True, "separate_add": True},
        StackedLSTM: {"num_layers": 1, "layer_size": 200},
    }
    training = dict.fromkeys(
        (MANN, StackedLSTM),
        {"learning_rate": 1e-3, "clip_norm": 1.0, "sequences": 160_000},
    )


class OneShotStream(Stream):
    """Classes of the training, and fewer of them in a curriculum."""

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        return self.task._sample(batch_size, rng, "training")

    def easier(self, share: float) -> "OneShot":
        """The task with fewer classes, from two on, and more images of each."""
        task = self.task
        classes = between(2, task.classes, check_share(share))
        instances = task.classes * task.instances // classes
        return dataclasses.replace(task, present=classes, instances=instances)


class OneShotPresentation(SymbolPresentation):
    """Labels as text, and the images as a figure."""

    @property
    def headline(self) -> str:  # type: ignore[override]
        """The share of the second images that are named rightly, if there are any."""
        return "instance_2" if self.task.instances > 1 else "instance_1"

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        from .one_shot_figures import draw_episode

        labels = batch.targets[0].argmax(axis=-1)
        return draw_episode(
            batch.inputs[0, :, :PIXELS].reshape(-1, SIDE, SIDE),
            labels,
            np.asarray(outputs[0]).argmax(axis=-1),
            _instance_numbers(labels),
        )

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        from ..figures.memory_figures import draw_steps

        if not heads:
            return []
        labels = [("label of the image before", batch.inputs[0, :, PIXELS:])]
        text = "What each head writes and reads at which row, image by image."
        figure = draw_steps(labels, heads)
        return [Section("heads", "The memory at work", text, figure)]


class OneShotEvaluation(SizedEvaluation):
    """An evaluation by the number of images of each class."""

    def at_length(self, length: int) -> "OneShot":
        return dataclasses.replace(self.task, instances=check_length(length))

    def is_right(self, values: dict[str, float]) -> bool | None:
        return self.task.success.reached(values)


@dataclasses.dataclass(frozen=True)
class OneShot(SymbolTask):
    """Images of glyphs in, one a step; out comes the name of each glyph's class.

    A sequence has a few classes, each with a label that is drawn for this sequence
    only. The right label of an image comes together with the next image, so that a
    network can only name what it has stored in this sequence:

        input    image 1    image 2    image 3    image 4
                            label of 1 label of 2 label of 3
        target   label of 1 label of 2 label of 3 label of 4

    A class is a glyph of three to five random strokes; its images are turned,
    stretched, shifted and jittered, so that no two are equal. Classes of training and
    of evaluation are disjoint: `sample` draws classes that training never draws. The
    length of a sequence is the number of images of each class. They come in random
    order.

    The first image of a class can only be guessed, among the labels that have not been
    seen. `solve` gives the probabilities of all who know which images are alike.

    With many classes a network learns for a long time only which labels came up. With a
    curriculum the first sequences have two classes, and as many images in all. They
    have the first two labels, and the others are no choice.

    Args:
        num_classes: Classes of a sequence, and labels.
        instances: Images of each class.
        present: Classes of a sequence if they are fewer than the labels; 0 for all.
    Raises:
        ValueError: If a parameter is not a positive integer, there is only one class in
            a sequence, or there are more than there are for evaluation, or than labels.
    Reference:
        Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
        Memory-Augmented Neural Networks, arXiv:1605.06065, section 4.

        Deviation: the paper has handwritten characters, the data set Omniglot.
    """

    num_classes: int = 5
    instances: int = 10
    present: int = dataclasses.field(default=0, metadata=NO_OPTION)

    name = "one-shot"
    exact = False
    recipe = Beside(OneShotRecipe)
    stream = Beside(OneShotStream)
    presentation = Beside(OneShotPresentation)
    evaluation = Beside(OneShotEvaluation)

    def __post_init__(self) -> None:
        check_integers(self, "num_classes", minimum=2)
        check_integers(self, "instances")
        if self.num_classes > CLASSES["evaluation"]:
            raise ValueError(
                f"`num_classes` must be at most {CLASSES['evaluation']}. "
                f"Received: num_classes={self.num_classes}"
            )
        check_integers(self, "present", minimum=0)
        if self.present == 1 or self.present > self.num_classes:
            raise ValueError(
                "`present` must be 0, or from 2 to `num_classes`. Received: "
                f"present={self.present}, num_classes={self.num_classes}"
            )

    @property
    def classes(self) -> int:
        """Classes of a sequence."""
        return self.present or self.num_classes

    @property
    def input_names(self) -> tuple[str, ...]:
        return (*([""] * PIXELS), *self.symbols[0])

    @property
    def symbols(self) -> tuple[tuple[str, ...], ...]:
        return (tuple(map(str, range(self.num_classes))),)

    # --- sizes ---

    @property
    def size_ranges(self) -> Ranges:
        return ((self.instances, self.instances),)

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        return (self.instances, 2 * self.instances)

    # --- the data ---

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        return self._sample(batch_size, rng, "evaluation")

    def _sample(self, batch_size: int, rng: Rng, kind: str) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        classes = np.stack(
            [
                rng.choice(CLASSES[kind], self.classes, replace=False)
                for _ in range(batch_size)
            ]
        )
        # The order of the classes is random, so a label can be its place.
        labels = np.tile(np.arange(self.classes), (batch_size, self.instances))
        labels = rng.permuted(labels, axis=1)
        glyphs = all_glyphs(kind)
        chosen = np.take_along_axis(classes, labels, axis=1)
        seen = varied(Strokes(glyphs.points[chosen], glyphs.drawn[chosen]), rng)
        targets = np.eye(self.num_classes, dtype=np.float32)[labels]
        earlier = np.concatenate([0 * targets[:, :1], targets[:, :-1]], axis=1)
        inputs = np.concatenate([images(seen), earlier], axis=2)
        targets[..., self.classes :] = -1.0  # no choice
        return Batch(inputs, targets, np.ones(labels.shape, np.float32))

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The best probabilities of each label, from the labels that come later: an
        image of a class that was seen has its label, another one each label that has
        not been seen."""
        inputs = check_inputs(self, inputs)
        batch_size, steps, _ = inputs.shape
        chances = np.zeros((batch_size, steps, self.num_classes), np.float32)
        for sequence, chance in zip(inputs, chances, strict=True):
            labels = self.labels_of(sequence)
            seen = np.arange(self.num_classes) >= self.classes
            for label, row in zip(labels, chance, strict=True):
                row[label if seen[label] else ~seen] = 1.0
                seen[label] = True
        return chances / chances.sum(axis=-1, keepdims=True)

    def labels_of(self, inputs: np.ndarray) -> np.ndarray:
        """The label of each image of inputs `(T, input_size)`, `(T,)`. That of the last
        image is the one which is missing.

        Raises:
            ValueError: If they are no sequence of this task.
        """
        told = inputs[1:, PIXELS:]
        is_told = ((told == 1).sum(axis=1) == 1) & ((told != 0).sum(axis=1) == 1)
        check_sequence(self, is_told.all(), "has an image without a label")
        counts = told.sum(axis=0)[: self.classes]
        missing = np.flatnonzero(counts < counts.max())
        check_sequence(
            self,
            len(missing) == 1 and counts.sum() == self.classes * counts.max() - 1,
            "has not as many images of each class",
        )
        return np.append(told.argmax(axis=1), missing[0])

    # --- what it is measured by ---

    @property
    def guessed(self) -> float:
        """The mean number of wrong labels in a sequence of those who know which images
        are alike: first images are guessed."""
        return sum(1 - 1 / left for left in range(1, self.classes + 1))

    @property
    def success(self) -> Success:
        known = self.classes * (self.instances - 1)
        return Success("symbol_errors", self.guessed + WRONG_SHARE * known)

    @property
    def columns(self) -> dict[str, Column]:
        of_instances = {
            f"instance_{number}": Column(
                f"instance {number}", ".1%", higher_is_better=True
            )
            for number in REPORTED
        }
        return {**super().columns, **of_instances}

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence: `instance_1`, `instance_2`, `instance_3`, `instance_5` and
        `instance_10`, the share of the first, second ... images of the classes that are
        named rightly; `symbol_errors` and `bits`, see `SymbolTask`."""
        right = ~self.wrong(batch.targets, outputs)[..., 0]
        labels = batch.targets.argmax(axis=-1)
        numbers = np.stack([_instance_numbers(sequence) for sequence in labels])
        scores = {
            f"instance_{number}": (right & (numbers == number)).sum(axis=1)
            / self.classes
            for number in REPORTED
            if number <= self.instances
        }
        errors = super().errors(batch, outputs)
        del errors["perfect"]  # first images can only be guessed
        return {**scores, **errors}


def _instance_numbers(labels: np.ndarray) -> np.ndarray:
    """For each label, how often it has come up to there: 1 for the first time."""
    return np.array(
        [(labels[: i + 1] == label).sum() for i, label in enumerate(labels)]
    )
