"""The task of describing pictures of a few shapes."""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from ..batch_checks import check_draw
from ..metrics_package import metrics_package
from ..parts import Batch, Column, Scores, Section
from ..scenes.drawing import draw_picture
from ..scenes.grammar import draw_caption, vocabulary
from ..scenes.parser import holds
from ..scenes.world import SIZE, Scene, draw_scene
from ..splits import SplitTask
from ..text.words import Words
from ..text.writing_task import check_decoding
from .base import CaptioningTask

# Names of the models that look at a picture and write.
CAPTION_MODELS = (
    *("cnn-gru", "cnn-lstm", "cnn-gru-attention", "cnn-lstm-attention"),
    *("cnn-ntm", "cnn-ntm-attention"),
)
# Steps of the longest caption and its end.
WIDTH = 26
# Most objects of a picture, but in the split test-more.
MOST = 4
# References of each picture.
REFERENCES = 5
# Heuristic: pictures that are described after each epoch.
VALIDATED = 200


@dataclasses.dataclass(frozen=True)
class Described:
    """A picture that was drawn.

    Attributes:
        scene: What is in it.
        picture: `(SIZE, SIZE, 3)`, uint8.
        captions: Its captions.
    """

    scene: Scene
    picture: np.ndarray
    captions: list[str]


@dataclasses.dataclass(frozen=True)
class SceneCaptioning(CaptioningTask, SplitTask):
    """Pictures of one to four shapes in, captions out.

    Pictures and captions are drawn without end, see `tasks.scenes`. As the scene of a
    picture is known, a caption can be read and checked: *true* is the share of those
    that are true of their picture. Eight pairs of a color and a shape never are in
    pictures to train on. The split `test` has none of them either, each picture of
    `test-unseen` has one, and `test-more` has five objects in each.

    An evaluation is on these three. Their pictures are drawn from its seed, so that
    results can be measured on pictures that no trial has seen.

    Args:
        beam_size: Hypotheses that are kept when captions are written.
        length_penalty: See `memnets.decoders.beam_search`.
        label_smoothing: Share of the probability of a target that all tokens have.
    Reference:
        Kuhnle, Copestake (2017), ShapeWorld, arXiv:1704.04517, for the idea.
    """

    beam_size: int = 3
    length_penalty: float = 1.0
    label_smoothing: float = 0.0

    name = "captioning"
    splits = ("train", "validation", "test", "test-unseen", "test-more")
    headline = "true"
    validation_measure = "val_true"
    eval_sequences = 500
    compared_models = ("cnn-gru", "cnn-gru-attention", "cnn-ntm-attention")
    metrics: ClassVar[tuple[str, ...]] = ("bleu", "meteor", "cider-d")
    training_parameters: ClassVar[dict[str, dict]] = dict.fromkeys(  # type: ignore[assignment]
        CAPTION_MODELS, {"batch_size": 64, "epoch_steps": 500}
    )

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

    def described(self, index: int, seed: int, captions: int) -> Described:
        """Picture number `index` of the split."""
        rng = np.random.default_rng([seed, self.splits.index(self.split), index])
        count = (
            MOST + 1 if self.split == "test-more" else int(rng.integers(1, MOST + 1))
        )
        scene = draw_scene(rng, count, self.split == "test-unseen")
        texts = [draw_caption(scene, rng) for _ in range(captions)]
        return Described(scene, draw_picture(scene, rng), texts)

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        return self._batch(0, batch_size, int(generator.integers(2**63)))

    def training_batch(self, index: int, size: int, seed: int) -> Batch:
        return self._batch(index * size, size, seed)

    def _batch(self, first, size, seed):
        drawn = [self.described(first + row, seed, 1) for row in range(size)]
        return self.batch_of(
            np.stack([one.picture for one in drawn]),
            [one.captions[0] for one in drawn],
        )

    # --- evaluation ---

    @property
    def smoothing(self) -> float:
        return self.label_smoothing

    @property
    def decoding(self) -> dict[str, Any]:
        """Arguments of `Describer` in evaluations."""
        return {"beam_size": self.beam_size, "length_penalty": self.length_penalty}

    @property
    def sizes(self) -> str:
        return self.split

    @property
    def eval_tasks(self) -> tuple["SceneCaptioning", ...]:
        return tuple(map(self.on, ("test", "test-unseen", "test-more")))

    @property
    def columns(self) -> dict[str, Column]:
        columns = {
            "true": Column("true", ".1%", higher_is_better=True),
            "complete": Column("names all", ".1%", higher_is_better=True),
            "cider-d": Column("CIDEr-D", ".3f", higher_is_better=True),
            **super().columns,
        }
        for name in ("true", "meteor"):
            label = f"validation {columns[name].label}"
            columns[f"val_{name}"] = columns[name]._replace(label=label)
        return columns

    def eval_pictures(self, count: int, rng: np.random.Generator) -> list[Described]:
        """Pictures of the split with their references."""
        seed = int(rng.integers(2**63))
        return [self.described(index, seed, REFERENCES) for index in range(count)]

    def score(self, model: Any, num_sequences: int, rng: np.random.Generator) -> Scores:
        from .describer import Describer

        drawn = self.eval_pictures(num_sequences, rng)
        pictures = np.stack([one.picture for one in drawn])
        written = Describer(model, self, **self.decoding).describe(pictures)
        scores = self.score_captions(drawn, [best[0].text for best in written])
        scores.values["unended"] = float(np.mean([not b[0].ended for b in written]))
        return scores

    def score_captions(self, drawn: list[Described], captions: list[str]) -> Scores:
        """Scores of a caption for each picture."""
        verdicts = [
            holds(caption, one.scene)
            for caption, one in zip(captions, drawn, strict=True)
        ]
        scores = self.score_texts([one.captions for one in drawn], captions)
        own = {
            name: float(np.mean([getattr(verdict, name) for verdict in verdicts]))
            for name in ("true", "complete")
        }
        return scores._replace(values=own | scores.values)

    def validator(self, model: Any) -> Callable[[], dict[str, float]]:
        """How many captions of validation pictures, written greedily, are true, and
        their METEOR."""
        from .describer import Describer

        task = self.on("validation")
        drawn = task.eval_pictures(VALIDATED, np.random.default_rng(0))
        pictures = np.stack([one.picture for one in drawn])
        references = [one.captions for one in drawn]
        meteor = metrics_package().get("meteor")
        describer = Describer(model, task, beam_size=1)

        def validate() -> dict[str, float]:
            texts = [best[0].text for best in describer.describe(pictures)]
            true = [holds(t, o.scene).true for t, o in zip(texts, drawn, strict=True)]
            score = float(meteor.corpus_score(references, texts))
            return {"val_true": float(np.mean(true)), "val_meteor": score}

        return validate

    # --- pictures ---

    def model_sections(self, model: Any) -> Iterable[Section]:
        """Pictures with their captions, and what lies beside the scores."""
        from .report import sections

        return sections(self, model)


@functools.cache
def _vocabulary():
    return Words(vocabulary())
