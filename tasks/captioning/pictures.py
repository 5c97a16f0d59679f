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
    from PIL import Image, UnidentifiedImageError

    height, width, _ = shape
    try:
        with Image.open(pathlib.Path(path)) as image:
            picture = image.convert("RGB")
            if picture.size != (width, height):
                picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(
            f"`picture` must be a picture file. Received: {path} ({error})"
        ) from None
    return np.asarray(picture)
