"""The task of describing pictures of a few shapes."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..contract.batch_checks import check_draw
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column, Scores
from ..contract.stream import Stream
from ..models.captioner import CaptionerConfig
from ..text.words import Words
from ..text.writing_task import check_decoding
from .base import CaptionEvaluation, CaptioningRecipe, CaptioningTask
from .presentation import ScenePresentation
from .scenes.drawing import draw_picture
from .scenes.grammar import draw_caption, vocabulary
from .scenes.parser import holds
from .scenes.world import SIZE, Scene, draw_scene

# Steps of the longest caption and its end.
WIDTH = 26
# Most objects of a picture, but in the split test-more.
MOST = 4
# References of each picture.
REFERENCES = 5


@dataclasses.dataclass(frozen=True)
class DescribedScene:
    """A picture that was drawn.

    Attributes:
        scene: What is in it.
        picture: `(SIZE, SIZE, 3)`, uint8.
        captions: Its captions.
    """

    scene: Scene
    picture: np.ndarray
    captions: list[str]


class SceneRecipe(CaptioningRecipe):
    """Large batches."""

    validation_measure = "val_true"
    training = {CaptionerConfig: {"batch_size": 64, "epoch_steps": 1000}}


class SceneStream(Stream):
    """Pictures by their number, each with one caption."""

    def batch(self, index: int, size: int, seed: int) -> Batch:
        return self.task._batch(index * size, size, seed)


class SceneEvaluation(CaptionEvaluation):
    """An evaluation on the three splits for testing."""

    eval_sequences = 500

    @property
    def eval_tasks(self) -> tuple[Any, ...]:
        return tuple(map(self.task.on, ("test", "test-unseen", "test-more")))


@dataclasses.dataclass(frozen=True)
class SceneCaptioning(CaptioningTask):
    """Pictures of one to four shapes in, captions out.

    Pictures and captions are drawn without end, see `tasks.captions.scenes`. As the
    scene of a picture is known, a caption can be read and checked: *true* is the share
    of those that are true of their picture. Eight pairs of a color and a shape never
    are in pictures to train on. The split `test` has none of them either, each picture
    of `test-unseen` has one, and `test-more` has five objects in each.

    An evaluation is on these three. Their pictures are drawn from its seed, so that
    results can be measured on pictures that no trial has seen.

    Args:
        beam_size: Hypotheses that are kept when captions are written.
        length_penalty: See `memnets.decoders.beam_search`.
        label_smoothing: Share of the probability of a target that all tokens have.
    Reference:
        Kuhnle, Copestake (2017), ShapeWorld, arXiv:1704.04517, for the idea.
    """

    name = "captioning"
    splits = ("train", "validation", "test", "test-unseen", "test-more")
    presentation = Beside(ScenePresentation)
    evaluation = Beside(SceneEvaluation)
    recipe = Beside(SceneRecipe)
    stream = Beside(SceneStream)

    def __post_init__(self) -> None:
        check_decoding(self)

    # --- the data ---

    @property
    def target_vocabulary(self) -> Words:
        return _vocabulary()

    @property
    def picture_shape(self) -> tuple[int, ...]:
        return (SIZE, SIZE, 3)

    @property
    def width(self) -> int:
        return WIDTH

    def described(self, index: int, seed: int, captions: int) -> DescribedScene:
        """A picture of the split, with captions.

        Args:
            index: The number of the picture.
            seed: Other pictures have another seed.
            captions: How many captions of it are drawn.
        Example:
            >>> task = tasks.SceneCaptioning().on("test-unseen")
            >>> len(task.described(index=0, seed=2001, captions=2).captions)
            2
        """
        rng = np.random.default_rng([seed, self.splits.index(self.split), index])
        count = (
            MOST + 1 if self.split == "test-more" else int(rng.integers(1, MOST + 1))
        )
        scene = draw_scene(rng, count, self.split == "test-unseen")
        texts = [draw_caption(scene, rng) for _ in range(captions)]
        return DescribedScene(scene, draw_picture(scene, rng), texts)

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        return self._batch(0, batch_size, int(generator.integers(2**63)))

    def _batch(self, first: int, size: int, seed: int) -> Batch:
        drawn = [self.described(first + row, seed, 1) for row in range(size)]
        return self.batch_of(
            np.stack([one.picture for one in drawn]),
            [one.captions[0] for one in drawn],
        )

    # --- evaluation ---

    @property
    def columns(self) -> dict[str, Column]:
        return {
            "true": Column("true", ".1%", higher_is_better=True),
            "complete": Column("names all", ".1%", higher_is_better=True),
            "val_true": Column("validation true", ".1%", higher_is_better=True),
            **super().columns,
        }

    def eval_pictures(
        self, count: int, rng: np.random.Generator
    ) -> list[DescribedScene]:
        """Pictures of the split with their references."""
        seed = int(rng.integers(2**63))
        return [self.described(index, seed, REFERENCES) for index in range(count)]

    def other_captions(
        self, drawn: Sequence[Any], rng: np.random.Generator
    ) -> tuple[Sequence[Any], list[str]]:
        return drawn, [draw_caption(one.scene, rng) for one in drawn]

    def is_true(self, one: DescribedScene, caption: str) -> bool:
        return holds(caption, one.scene).true

    def score_captions(self, drawn: Sequence[Any], captions: list[str]) -> Scores:
        """Scores of a caption for each picture."""
        verdicts = [
            holds(caption, one.scene)
            for caption, one in zip(captions, drawn, strict=True)
        ]
        scores = super().score_captions(drawn, captions)
        own = {
            name: float(np.mean([getattr(verdict, name) for verdict in verdicts]))
            for name in ("true", "complete")
        }
        return scores._replace(values=own | scores.values)

    def validation_values(
        self, drawn: Sequence[Any], captions: list[str]
    ) -> dict[str, float]:
        true = [
            self.is_true(one, text) for one, text in zip(drawn, captions, strict=True)
        ]
        values = super().validation_values(drawn, captions)
        return {"val_true": float(np.mean(true))} | values


@functools.cache
def _vocabulary() -> Words:
    return Words(vocabulary())
