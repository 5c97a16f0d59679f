"""The task of describing pictures that lie in files."""

import dataclasses
import os
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..checks import check_choice, check_integer, shorten
from ..contract.batch_checks import LONGEST, check_draw
from ..contract.corpus_task import CorpusTask, found
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column, Scores
from ..contract.task import INPUT_PATH
from ..metrics_package import metrics_module
from ..text.subwords import Subwords
from ..text.tokens import SavedVocabulary, TokenVocabulary
from ..text.writing_task import check_decoding
from .base import CaptionEvaluation, CaptioningTask
from .files.caption_corpus import Captioned
from .files.caption_words import CaptionWords
from .files.forms import DESCRIBED
from .files.photos import Photo, Photos
from .files.picture_sources import FeatureFile, PictureSource
from .photo_training import PhotoRecipe, PhotoStream
from .presentation import PhotoPresentation

UNITS: dict[str, type[TokenVocabulary]] = {"word": CaptionWords, "piece": Subwords}
# Heuristic: larger pictures are probably a mistake.
LARGEST = 1024
# The scores of COCO's captions, by our names.
SCORES = {
    "bleu": "Bleu_4",
    "meteor": "METEOR",
    "rouge-l": "ROUGE_L",
    "cider-d": "CIDEr",
}


class PhotoEvaluation(CaptionEvaluation):
    """An evaluation on all pictures of a split."""

    @property
    def num_eval_sequences(self) -> int:
        return len(self.task.pictures)


@dataclasses.dataclass(frozen=True)
class PhotoCaptioning(CaptioningTask, CorpusTask):
    """Pictures of your own in, captions out, learned from files.

    Training goes over all captions in passes, each with its picture. Pictures are read
    for each batch, so that memory does not bound their number. An evaluation is on all
    pictures of a split, each with all its captions as references; its scores are those
    of COCO's captions, but that METEOR has no table of paraphrases.

    Args:
        data: File of captions, or a folder with it: a table image,caption, Karpathy's,
            COCO's or Flickr's.
        images: Folder of the pictures.
        image_features: An .npy file in place of pictures: what another network made of
            them, (n, d) or (n, cells, d), in the order of the captions.
        picture_size: Width and height to which pictures are resampled.
        unit: What a token is: word (in lower case, without punctuation) or piece (of
            words, learned from the captions as they are).
        vocabulary_size: Most tokens; the most frequent words.
        max_length: Most tokens of a caption in training.
    Raises:
        ValueError: If a parameter is out of its range; from `load`, or when the files
            are first needed, if one is missing or damaged, or pictures and captions do
            not fit.
    """

    data: str = dataclasses.field(default="", metadata=INPUT_PATH)
    images: str = dataclasses.field(default="", metadata=INPUT_PATH)
    image_features: str = dataclasses.field(default="", metadata=INPUT_PATH)
    picture_size: int = 64
    unit: str = "word"
    vocabulary_size: int = 10_000
    max_length: int = 25
    # Kept by a run, which so knows other files, and can describe without the files.
    digest: str = found("", lambda task: task._photos.corpus.sha256, "vocabulary")
    vocabulary: str = found(SavedVocabulary(), lambda task: task._find_vocabulary())
    longest: int = found(0, lambda task: task._find_longest(), "vocabulary")
    shape: tuple[int, ...] = found(
        (), lambda task: task._photos.source.shape, "vocabulary"
    )
    left_out: tuple[str, ...] = found(
        (), lambda task: task._photos.unreadable, "vocabulary"
    )

    name = "photo-captioning"
    learned = "vocabulary"
    learned_with = ("unit", "vocabulary_size")
    presentation = Beside(PhotoPresentation)
    evaluation = Beside(PhotoEvaluation)
    recipe = Beside(PhotoRecipe)
    stream = Beside(PhotoStream)
    validated = 500
    metrics: ClassVar[tuple[str, ...]] = tuple(SCORES)
    validated_metrics: ClassVar[tuple[str, ...]] = ("meteor", "cider-d")

    def __post_init__(self) -> None:
        self._check_places()
        check_integer("picture_size", self.picture_size, 1, LARGEST)
        check_choice("unit", self.unit, UNITS)
        check_integer("vocabulary_size", self.vocabulary_size, 5)
        check_integer("max_length", self.max_length, 1, LONGEST)
        check_decoding(self)

    def _check_places(self) -> None:
        for name in ("data", "images", "image_features"):
            value = getattr(self, name)
            if not isinstance(value, str | os.PathLike):
                raise ValueError(
                    f"`{name}` must be a path. Received: {name}={shorten(value)}"
                )
            object.__setattr__(self, name, str(value))
        if not self.data:
            raise ValueError(f"`data` must be a file of captions: {DESCRIBED}.")
        if bool(self.images) == bool(self.image_features):
            received = "both" if self.images else "neither"
            raise ValueError(
                "`images`, a folder of pictures, or `image_features`, an .npy file, "
                f"must be given for the captions. Received: {received}"
            )

    def check_files(self) -> None:
        # What is wrong with other splits is known at once, not after the training.
        for split in ("train", "validation"):
            _ = self._photos.of(split, ())
        for split in ("train", "validation"):
            _ = self.on(split).pictures
        check_integer("beam_size", self.beam_size, 1, self.output_size)
        _ = self.longest

    def _find_vocabulary(self) -> SavedVocabulary:
        texts = [text for one in self.pictures for text in one.captions]
        saved = UNITS[self.unit].learn(texts, self.vocabulary_size).saved
        return SavedVocabulary(saved)

    def _find_longest(self) -> int:
        pairs = self._pairs_of(self.max_length)
        if not pairs:
            raise ValueError(
                "`max_length` must be such that captions are left to train on. "
                f"Received: max_length={self.max_length}"
            )
        return max(length for _, _, length in pairs)

    # --- the data ---

    @property
    def pass_sequences(self) -> int:
        return len(self.on("train")._pairs)

    @property
    def picture_shape(self) -> tuple[int, ...]:
        return self.shape

    @property
    def width(self) -> int:
        return self.longest + 1

    @property
    def target_vocabulary(self) -> TokenVocabulary:
        kind, saved = UNITS[self.unit], self.vocabulary
        return self.cache.get((kind, saved), lambda: kind.of(saved))

    @property
    def _photos(self) -> Photos:
        place = self.data, self.images, self.image_features
        return self.cache.get(
            ("photos", *place, self.picture_size),
            lambda: Photos(*place, size=self.picture_size),
        )

    @property
    def _source(self) -> PictureSource:
        source = self._photos.source
        if self.shape not in ((), source.shape):
            name = "picture_size" if self.images else "image_features"
            raise ValueError(
                f"`{name}` must be of the run's shape, {self.shape}. "
                f"Received: {source.shape}"
            )
        return source

    @property
    def pictures(self) -> list[Captioned]:
        """The pictures of the split that can be read.

        Raises:
            ValueError: As the task, if there are none, or if those to train on are not
                those of the run.
        """
        if self.split == "train":
            self.check_is_of_run("captions", self._photos.corpus.sha256)
        return self._photos.of(self.split, self.left_out)

    @property
    def _pairs(self) -> list[tuple[Captioned, str, int]]:
        """Pictures of the split with a caption each and its length, of those captions
        that are not too long. If all of another split than that of the training are,
        they are cut."""
        return self._pairs_of(self.longest)

    def _pairs_of(self, longest: int) -> list[tuple[Captioned, str, int]]:
        encode = self.target_vocabulary.encode

        def find() -> list[tuple[Captioned, str, int]]:
            written = [
                (one, text, length)
                for one in self.pictures
                for text in one.captions
                if (length := len(encode(text)))
            ]
            fit = [pair for pair in written if pair[2] <= longest]
            return fit if fit or self.split == "train" else written

        return self.once(f"pairs {longest}", find)

    def _batch(self, rows: Iterable[int]) -> Batch:
        of_split, source, longest = self._pairs, self._source, self.longest
        pairs = [of_split[row] for row in rows]
        pictures = np.stack([source.read(one) for one, _, _ in pairs])
        encode = self.target_vocabulary.encode
        tokens = [encode(text)[:longest] for _, text, _ in pairs]
        return self.written_batch(pictures, tokens)

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        return self._batch(generator.integers(len(self._pairs), size=batch_size))

    # --- evaluation ---

    @property
    def columns(self) -> dict[str, Column]:
        column = Column("ROUGE-L", ".4f", higher_is_better=True)
        return {**super().columns, "rouge-l": column}

    def score_texts(self, references: list[list[str]], hypotheses: list[str]) -> Scores:
        """Scores of texts, but how many are exactly right: words are written without
        capitals and punctuation."""
        scores = super().score_texts(references, hypotheses)
        del scores.values["exact"]
        return scores

    def _metrics(self) -> dict[str, Any]:
        coco = metrics_module("registry").coco_metrics()
        return {name: coco[SCORES[name]] for name in self.metrics}

    def eval_pictures(self, count: int, rng: np.random.Generator) -> list[Photo]:
        """The first `count` pictures of the split."""
        source = self._source
        return [Photo(one, one.captions, source) for one in self.pictures[:count]]

    def other_captions(
        self, drawn: Sequence[Any], rng: np.random.Generator
    ) -> tuple[Sequence[Any], list[str]]:
        """The first caption of each picture that has several, against the others."""
        several = [one for one in drawn if len(one.captions) > 1]
        left = [dataclasses.replace(one, captions=one.captions[1:]) for one in several]
        return left, [one.captions[0] for one in several]

    def read_file(self, path: str | os.PathLike[str]) -> tuple[list[str], np.ndarray]:
        """What to call the picture in a file, or the rows of a file of features, and
        those."""
        if not self.image_features:
            return super().read_file(path)
        rows = FeatureFile(path).all()
        if rows.shape[1:] != self.picture_shape:
            raise ValueError(
                f"`{path}` must have features of the shape {self.picture_shape}, "
                f"as the run has. Received: {rows.shape[1:]}"
            )
        return [f"{path}[{row}]" for row in range(len(rows))], rows

    @property
    def signature(self) -> str:
        size = "x".join(map(str, self.picture_shape))
        return (
            f"{self.name}|sha256:{self.digest[:12]}|pictures:{size}"
            f"|{self.unit}:{self.output_size}|max:{self.max_length}"
            f"|smoothing:{self.label_smoothing:g}"
            f"|beam:{self.beam_size}|penalty:{self.length_penalty:g}"
        )
