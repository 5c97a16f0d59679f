"""Picture files."""

import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np


def read_picture(path: Any, shape: Sequence[int]) -> np.ndarray:
    """A picture file as numbers from 0 to 255, uint8.

    Args:
        path: The file, in any form that Pillow reads.
        shape: Height, width and channels; another size is resampled.
    Raises:
        ValueError: If it is no picture, or a damaged one.
    """
    from PIL import Image, ImageOps

    height, width, _ = shape
    try:
        with Image.open(pathlib.Path(path)) as image:
            # A JPEG is decoded at a size not far above, which takes half the time.
            image.draft("RGB", (max(height, width),) * 2)
            # Telephones store pictures as the sensor lies, and say how to turn them.
            picture = _of_8_bits(ImageOps.exif_transpose(image)).convert("RGB")
            if picture.size != (width, height):
                picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    # A damaged file makes Pillow raise OSError, SyntaxError, struct.error and others.
    except Exception as error:
        raise ValueError(
            f"`picture` must be a picture file. Received: {path} ({error})"
        ) from None
    return np.asarray(picture)


def _of_8_bits(image):
    """A picture with channels of 8 bits: Pillow cuts larger numbers, and should scale
    them."""
    from PIL import Image

    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        raise ValueError(f"its numbers have no range that is known: mode {image.mode}")
    return image
