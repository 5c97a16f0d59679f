"""Picture files."""

import os
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL import Image


class PictureError(ValueError):
    """A file that cannot be read as a picture.

    Args:
        path: The file.
        reason: Why it cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(f"`{path}` must be a picture file. Received: {reason}")
        self.reason = reason


def read_picture(path: str | os.PathLike[str], shape: Sequence[int]) -> np.ndarray:
    """A picture file as numbers from 0 to 255, uint8.

    Where a picture is transparent it is white. An animated picture is its first frame,
    a file of several pages its first page.

    Args:
        path: The file, in any form that Pillow reads.
        shape: Height, width and channels; another size is resampled.
    Raises:
        PictureError: If it is no picture, or a damaged one.
    """
    from PIL import Image, ImageOps

    height, width, _ = shape
    try:
        with Image.open(pathlib.Path(path)) as image:
            # A JPEG is decoded at a size not far above, which takes half the time.
            image.draft("RGB", (max(height, width),) * 2)
            # Telephones store pictures as the sensor lies, and say how to turn them.
            picture = _on_white(_of_8_bits(ImageOps.exif_transpose(image)))
            if picture.size != (width, height):
                picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    # A damaged file makes Pillow raise OSError, SyntaxError, struct.error and others.
    except Exception as error:
        raise PictureError(path, _reason(error)) from None
    return np.asarray(picture)


def _reason(error: Exception) -> str:
    """What an error of Pillow or of the system says, without the path."""
    from PIL import UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return "no picture of a known form"
    return getattr(error, "strerror", None) or str(error)


def _of_8_bits(image: "Image.Image") -> "Image.Image":
    """A picture with channels of 8 bits: Pillow cuts larger numbers, and should scale
    them."""
    from PIL import Image

    key = image.info.get("transparency")
    if image.mode.startswith("I;16"):
        values = np.asarray(image)
        grey = (values >> 8).astype(np.uint8)
        alpha = np.where(values == key, 0, 255).astype(np.uint8)
        return Image.merge("LA", [Image.fromarray(grey), Image.fromarray(alpha)])
    if image.mode in ("I", "F"):
        raise ValueError(f"its numbers have no range that is known: mode {image.mode}")
    if image.mode == "RGB" and isinstance(key, tuple) and max(key) > 255:
        # Pillow has cut the colors to 8 bits, and not the one that is transparent.
        image.info["transparency"] = tuple(value >> 8 for value in key)
    return image


def _on_white(image: "Image.Image") -> "Image.Image":
    """A picture in RGB, laid on white where it is transparent."""
    from PIL import Image

    if not image.has_transparency_data:
        return image.convert("RGB")
    picture = image.convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")
