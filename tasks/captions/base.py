"""The contract of the tasks whose models describe pictures."""

import abc
import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column, Scores
from ..contract.recipe import Recipe
from ..contract.splits import NamedSplitEvaluation, SplitTask
from ..text.scored import scored
from ..text.tokens import PAD
from ..text.writing_task import WritingTask, tokens_of
from .pictures import read_picture
from .presentation import CaptionPresentation

if TYPE_CHECKING:
    import keras


class Described(Protocol):
    """A picture of an evaluation."""

    @property
    def picture(self) -> np.ndarray:
        """The picture, or its features."""

    @property
    def captions(self) -> list[str]:
        """Its captions, at least one."""


class CaptioningRecipe(Recipe):
    """The recipe of a task about pictures."""

    compared_models = ("cnn-gru-attention", "cnn-gru", "cnn-ntm-attention")


class CaptionEvaluation(NamedSplitEvaluation):
    """An evaluation of captions that a model writes."""

    def score(
        self, model: "keras.Model", num_sequences: int, rng: np.random.Generator
    ) -> Scores:
        from .describer import Describer

        task = self.task
        drawn = task.eval_pictures(num_sequences, rng)
        written = Describer(model, task, **task.decoding).best_of(drawn)
        scores = task.score_captions(drawn, [one.text for one in written])
        scores.values["unended"] = float(np.mean([not one.ended for one in written]))
        return scores

    def validator(self, model: "keras.Model") -> Callable[[], dict[str, float]]:
        """How good captions of validation pictures are that are written greedily."""
        from .describer import Describer

        task = self.task.on("validation")
        drawn = task.eval_pictures(task.validated, np.random.default_rng(0))
        describer = Describer(model, task, beam_size=1)

        def validate() -> dict[str, float]:
            texts = [one.text for one in describer.best_of(drawn)]
            return task.validation_values(drawn, texts)

        return validate


@dataclasses.dataclass(frozen=True)
class CaptioningTask(WritingTask, SplitTask, abc.ABC):
    """A picture in, a text out.

    The inputs of a batch are `picture`, `(B, *picture_shape)`, and `caption`, tokens
    `(B, width)`: what the decoder reads, which is the start token and the caption.

    Args:
        beam_size: Hypotheses that are kept when captions are written.
        length_penalty: See `memnets.decoders.beam_search`.
        label_smoothing: Share of the probability of a target that all tokens have.
    """

    beam_size: int = 3
    length_penalty: float = 1.0
    label_smoothing: float = 0.1

    recipe = Beside(CaptioningRecipe)
    presentation = Beside(CaptionPresentation)
    evaluation = Beside(CaptionEvaluation)
    metrics: ClassVar[tuple[str, ...]] = ("bleu", "meteor", "cider-d")
    # Those of the metrics that are measured after each epoch.
    validated_metrics: ClassVar[tuple[str, ...]] = ("meteor",)
    # Heuristic: pictures that are described after each epoch.
    validated: ClassVar[int] = 200

    @property
    @abc.abstractmethod
    def picture_shape(self) -> tuple[int, ...]:
        """Shape of a picture, `(H, W, C)`, or of its features, `(cells, width)`."""

    @abc.abstractmethod
    def eval_pictures(self, count: int, rng: np.random.Generator) -> Sequence[Any]:
        """At most so many pictures of the split with their captions: each a
        `Described`."""

    @abc.abstractmethod
    def other_captions(
        self, drawn: Sequence[Any], rng: np.random.Generator
    ) -> tuple[Sequence[Any], list[str]]:
        """Those of the pictures for which there is a caption besides their references,
        and that caption of each: what people get."""

    @property
    @abc.abstractmethod
    def width(self) -> int:
        """Most tokens of a caption, its end included."""

    @property
    def input_size(self) -> int:
        return self.output_size

    def inputs(self) -> "dict[str, keras.KerasTensor]":
        import keras

        # Features of pictures are numbers of any size.
        dtype = "uint8" if len(self.picture_shape) == 3 else "float32"
        return {
            "picture": keras.Input(self.picture_shape, dtype=dtype, name="picture"),
            "caption": keras.Input((None,), dtype="int32", name="caption"),
        }

    def batch_of(self, pictures: np.ndarray, captions: list[str]) -> Batch:
        """Pictures `(B, *picture_shape)` with a caption each as a batch."""
        encode = self.target_vocabulary.encode
        return self.written_batch(pictures, [encode(caption) for caption in captions])

    def written_batch(self, pictures: np.ndarray, tokens: list[list[int]]) -> Batch:
        """Pictures `(B, *picture_shape)` with the tokens of a caption each as a
        batch."""
        read, targets = tokens_of(tokens, self.width)
        mask = (targets != PAD).astype(np.float32)
        return Batch({"picture": pictures, "caption": read}, targets, mask)

    def read_file(self, path: str | os.PathLike[str]) -> tuple[list[str], np.ndarray]:
        """What to call the pictures in a file, and the pictures
        `(n, *picture_shape)`.

        Raises:
            ValueError: If the file has none.
        """
        return [str(path)], read_picture(path, self.picture_shape)[None]

    # --- evaluation ---

    @property
    def smoothing(self) -> float:
        return self.label_smoothing

    @property
    def columns(self) -> dict[str, Column]:
        columns = {
            "cider-d": Column("CIDEr-D", ".3f", higher_is_better=True),
            **super().columns,
        }
        return columns | {
            f"val_{name}": columns[name]._replace(
                label=f"validation {columns[name].label}"
            )
            for name in self.validated_metrics
        }

    def score_captions(self, drawn: Sequence[Any], captions: list[str]) -> Scores:
        """Scores of a caption for each picture."""
        return self.score_texts([one.captions for one in drawn], captions)

    def is_true(self, one: Any, caption: str) -> bool | None:
        """Whether a caption is true of its picture; None if that cannot be known."""
        return None

    def validation_values(
        self, drawn: Sequence[Any], captions: list[str]
    ) -> dict[str, float]:
        """What is measured after each epoch, of a caption for each picture."""
        references, metrics = [one.captions for one in drawn], self._metrics()
        return {
            f"val_{name}": float(scored(metrics[name], references, captions))
            for name in self.validated_metrics
        }
