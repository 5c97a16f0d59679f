"""Where the pictures of captions come from: a folder of them, or a file of features."""

import os
import pathlib
from typing import Protocol

import numpy as np

from ...checks import shorten
from ..pictures import PictureError, read_picture
from .caption_corpus import Captioned
from .file_names import FileNames

# Heuristic: numbers that are looked at together, so that memory stays small.
NUMBERS = 10_000_000


class PictureSource(Protocol):
    """Pictures, or what another network made of them."""

    shape: tuple[int, ...]

    def read(self, one: Captioned) -> np.ndarray:
        """The picture, of that shape."""

    def fault(self, one: Captioned) -> str:
        """Why a picture cannot be read; "" if it can."""

    def unreadable(self, pictures: list[Captioned]) -> list[str]:
        """The names of those that cannot be read.

        Args:
            pictures: All pictures of a file of captions.
        Raises:
            ValueError: If none can, or the source does not fit the pictures.
        """


class PictureFolder:
    """A folder of picture files, also in folders of that folder. Names may be written
    differently there, see `FileNames`.

    Args:
        folder: The folder.
        size: Width and height to which pictures are resampled.
    Raises:
        ValueError: If there is no such folder.
    """

    def __init__(self, folder: str, size: int) -> None:
        self.shape: tuple[int, ...] = (size, size, 3)
        self._folder = folder
        if not os.path.isdir(folder):
            raise ValueError(
                f"`images` must be a folder. Received: images={shorten(folder)}"
            )
        inner = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
        self._files = FileNames(map(pathlib.Path, (folder, *inner)))

    def read(self, one: Captioned) -> np.ndarray:
        """The picture `(size, size, 3)`, uint8.

        Raises:
            ValueError: If there is none, or it is damaged.
        """
        try:
            path = self._files.find(one.name)
        except ValueError as error:
            raise PictureError(one.name, str(error)) from None
        return read_picture(path, self.shape)

    def fault(self, one: Captioned) -> str:
        """Why a picture cannot be read: it is missing or damaged; "" if it can."""
        try:
            self.read(one)
        except PictureError as error:
            return error.reason
        return ""

    def unreadable(self, pictures: list[Captioned]) -> list[str]:
        """The names of those in a split that are missing or damaged.

        Raises:
            ValueError: If all are, or two have the same file.
        """
        pictures = [one for one in pictures if one.split]
        faults = {one.name: fault for one in pictures if (fault := self.fault(one))}
        if len(faults) == len(pictures):
            name, fault = next(iter(faults.items()))
            raise ValueError(
                "`images` must be the folder with the pictures of the captions. "
                f"Received: images={shorten(self._folder)}, of whose pictures none can "
                f"be read: {name} ({fault})"
            )
        # One picture under two names may be in two splits.
        names: dict[pathlib.Path, str] = {}
        for one in pictures:
            if one.name not in faults:
                path = self._files.find(one.name)
                if (other := names.setdefault(path, one.name)) != one.name:
                    raise ValueError(
                        "`images` must have a file for each picture of the captions. "
                        f"Received: only {path} for {other} and {one.name}"
                    )
        return list(faults)


class FeatureFile:
    """Features of pictures, in the order of the file of captions.

    Args:
        path: An `.npy` file, `(n, d)` or `(n, cells, d)`; it is not held in memory.
    Raises:
        ValueError: If it is no such file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._rows = features_of(path)
        # Features of a whole picture are one cell.
        self.shape: tuple[int, ...] = (1, *self._rows.shape[1:])[-2:]

    def read(self, one: Captioned) -> np.ndarray:
        """The features `(cells, d)`, float32."""
        return np.asarray(self._rows[one.row], np.float32).reshape(self.shape)

    def fault(self, one: Captioned) -> str:
        """None: "", as a file of features has all pictures."""
        return ""

    def all(self) -> np.ndarray:
        """The features of all pictures, `(n, cells, d)`, float32."""
        return np.asarray(self._rows, np.float32).reshape(-1, *self.shape)

    def unreadable(self, pictures: list[Captioned]) -> list[str]:
        """None, as a file of features has all pictures.

        Raises:
            ValueError: If it has more rows or fewer, or a number that is not finite.
        """
        if len(self._rows) != len(pictures):
            raise ValueError(
                "`image_features` must have a row for each picture of the captions. "
                f"Received: {len(self._rows)} rows and {len(pictures)} pictures"
            )
        size = max(1, NUMBERS // int(np.prod(self.shape)))
        for start in range(0, len(pictures), size):
            with np.errstate(over="ignore"):
                some = np.asarray(self._rows[start : start + size], np.float32)
            if not np.isfinite(some).all():
                row = start + int(np.argwhere(~np.isfinite(some))[0][0])
                raise ValueError(
                    "`image_features` must be finite numbers of float32. "
                    f"Received: another one in row {row} of {shorten(self._path)}"
                )
        return []


def features_of(path: str | os.PathLike[str]) -> np.ndarray:
    """The features in a file, read as they are needed.

    Raises:
        ValueError: If it is no `.npy` file of numbers `(n, d)` or `(n, cells, d)`.
    """
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy raises errors of many types
        raise ValueError(
            f"`image_features` must be an .npy file: {error}. Received: {shorten(path)}"
        ) from None
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "fiu":
        raise ValueError(
            f"`image_features` must be an .npy file of numbers. Received: "
            f"{shorten(path)}"
        )
    if rows.ndim not in (2, 3) or 0 in rows.shape:
        raise ValueError(
            "`image_features` must have the shape (n, d) or (n, cells, d). "
            f"Received: {rows.shape}"
        )
    return rows
