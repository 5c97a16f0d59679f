"""Pictures with captions, from the files that a user names."""

import dataclasses
import functools

import numpy as np

from ...checks import shorten
from .caption_corpus import CaptionCorpus, Captioned
from .picture_sources import FeatureFile, PictureFolder, PictureSource

# Heuristic: pictures that a note names.
NAMED = 10


@dataclasses.dataclass(frozen=True)
class Photo:
    """A picture of an evaluation.

    Attributes:
        listed: What the file of captions says of it.
        captions: Its references.
        source: Where it is read from.
    """

    listed: Captioned
    captions: list[str]
    source: PictureSource

    @property
    def picture(self) -> np.ndarray:
        """The picture, or its features, read again each time."""
        return self.source.read(self.listed)


class Photos:
    """Captions and their pictures; both are read when they are first needed.

    Args:
        data: File or folder of captions.
        images: Folder of pictures, if they are pictures.
        image_features: File of features, if they are features.
        size: Width and height of pictures.
    """

    def __init__(
        self, data: str, images: str, image_features: str, *, size: int
    ) -> None:
        self._data, self._images = data, images
        self._image_features, self._size = image_features, size

    @functools.cached_property
    def corpus(self) -> CaptionCorpus:
        """The captions."""
        return CaptionCorpus.read(self._data)

    @functools.cached_property
    def source(self) -> PictureSource:
        """The pictures."""
        if self._image_features:
            return FeatureFile(self._image_features)
        return PictureFolder(self._images, self._size)

    @functools.cached_property
    def unreadable(self) -> tuple[str, ...]:
        """The names of the pictures that cannot be read."""
        return tuple(self.source.unreadable(self.corpus.pictures))

    def of(self, split: str, left_out: tuple[str, ...]) -> list[Captioned]:
        """The pictures of a split, without those of some names.

        Raises:
            ValueError: If there are none.
        """
        listed = [one for one in self.corpus.pictures if one.split == split]
        missing = set(left_out)
        found = [one for one in listed if one.name not in missing]
        if not found:
            why = f"{len(listed)}, none of which can be read" if listed else "none"
            raise ValueError(
                f"`data` must have pictures of the split {split}. "
                f"Received: {why} in {shorten(self._data)}"
            )
        return found

    def notes(self, left_out: tuple[str, ...]) -> list[str]:
        """What there is no use of.

        Args:
            left_out: Names of pictures that cannot be read.
        """
        corpus, notes = self.corpus, []
        total = len(corpus.pictures)
        if left_out:
            named = {*left_out[:NAMED]}
            faults = {
                one.name: self.source.fault(one) or "it can be read now"
                for one in corpus.pictures
                if one.name in named
            }
            names = ", ".join(f"{name} ({fault})" for name, fault in faults.items())
            if len(left_out) > NAMED:
                names += f" and {len(left_out) - NAMED:,} more"
            notes.append(
                f"{len(left_out):,} of {total:,} pictures cannot be read and are left "
                f"out: {names}."
            )
        if unused := sum(not one.split for one in corpus.pictures):
            notes.append(
                f"{unused:,} of {total:,} pictures are in no split or have no caption, "
                "and are left out."
            )
        if blank := corpus.num_blank:
            written = sum(len(one.captions) for one in corpus.pictures)
            notes.append(
                f"{blank:,} of {written + blank:,} captions are blank and left out."
            )
        return notes
