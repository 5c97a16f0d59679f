"""Picture files of every kind that Pillow reads, as numbers."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from tasks.captions.pictures import PictureError, read_picture

SIZE = 8
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def read(path):
    """The colors at a corner and in the middle."""
    picture = read_picture(path, (SIZE, SIZE, 3))
    assert picture.shape == (SIZE, SIZE, 3) and picture.dtype == np.uint8
    return tuple(picture[0, 0].tolist()), tuple(picture[4, 4].tolist())


def square(mode, ground, color):
    """A square in the middle of a picture."""
    image = Image.new(mode, (SIZE, SIZE), ground)
    image.paste(color, (2, 2, 6, 6))
    return image


def black_palette():
    image = square("P", 0, 1)
    image.putpalette([*BLACK, *BLACK])
    return image


def save(image, path, **options):
    image.save(path, **options)
    return path


# A black square on nothing, whose hidden colors are black too, or nearly.
CUT_OUTS = {
    "RGBA": (square("RGBA", (0, 0, 0, 0), (0, 0, 0, 255)), "a.png", {}),
    "LA": (square("LA", (0, 0), (0, 255)), "a.png", {}),
    "palette": (black_palette(), "a.png", {"transparency": 0}),
    "palette of alphas": (black_palette(), "a.png", {"transparency": b"\0\xff"}),
    "GIF": (black_palette(), "a.gif", {"transparency": 0}),
    "grey key": (square("L", 7, 0), "a.png", {"transparency": 7}),
    "color key": (square("RGB", (1, 2, 3), 0), "a.png", {"transparency": (1, 2, 3)}),
    "WebP": (square("RGBA", 0, (0, 0, 0, 255)), "a.webp", {"lossless": True}),
    "TIFF": (square("RGBA", (0, 0, 0, 0), (0, 0, 0, 255)), "a.tif", {}),
}


@pytest.mark.parametrize(("image", "name", "options"), CUT_OUTS.values(), ids=CUT_OUTS)
def test_a_black_shape_on_nothing_lies_on_white(tmp_path, image, name, options):
    assert read(save(image, tmp_path / name, **options)) == (WHITE, BLACK)


def test_what_is_half_transparent_is_half_white(tmp_path):
    image = square("RGBA", (0, 0, 0, 128), (200, 0, 0, 255))
    corner, middle = read(save(image, tmp_path / "a.png"))
    assert corner == (127, 127, 127) and middle == (200, 0, 0)


def test_transparent_pixels_do_not_darken_what_is_resampled(tmp_path):
    image = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    save(image, tmp_path / "a.png")
    assert (read_picture(tmp_path / "a.png", (SIZE, SIZE, 3)) == 255).all()


def png(path, color_type, pixels, transparent):
    """A PNG of 16 bits a number, which Pillow does not write.

    Args:
        path: The file.
        color_type: 0 for grey, 2 for RGB.
        pixels: `(H, W, channels)`.
        transparent: The color that is transparent.
    """
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 16, color_type, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)
    key = struct.pack(f">{len(transparent)}H", *transparent)
    parts = (b"IHDR", header), (b"tRNS", key), (b"IDAT", zlib.compress(rows))
    data = b"".join(
        struct.pack(">I", len(body)) + kind + body
        + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in (*parts, (b"IEND", b""))
    )  # fmt: skip
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)
    return path


@pytest.mark.parametrize(("color_type", "key"), [(0, (9000,)), (2, (1000, 2000, 3000))])
def test_a_transparent_color_of_16_bits_is_found(tmp_path, color_type, key):
    pixels = np.full((SIZE, SIZE, len(key)), 40_000)
    pixels[0, 0] = key
    corner, middle = read(png(tmp_path / "a.png", color_type, pixels, key))
    assert corner == WHITE and middle == (40_000 >> 8,) * 3


OTHERS = {
    "1 bit": (square("1", 0, 1), "a.png", BLACK, WHITE),
    "1 bit in TIFF": (square("1", 0, 1), "a.tif", BLACK, WHITE),
    "CMYK": (square("CMYK", 0, (0, 0, 0, 255)), "a.tif", WHITE, BLACK),
    "16 bits": (
        Image.fromarray(np.full((SIZE, SIZE), 40_000, np.uint16)),
        "a.png",
        (40_000 >> 8,) * 3,
        (40_000 >> 8,) * 3,
    ),
}


@pytest.mark.parametrize(("image", "name", "corner", "middle"), OTHERS.values())
def test_other_kinds_have_the_colors_that_one_sees(
    tmp_path, image, name, corner, middle
):
    assert read(save(image, tmp_path / name)) == (corner, middle)


@pytest.mark.parametrize("name", ["a.gif", "a.png", "a.webp"])
def test_an_animated_picture_is_its_first_frame(tmp_path, name):
    frames = [Image.new("RGB", (SIZE, SIZE), color) for color in ("red", "blue")]
    options = {"lossless": True} if name == "a.webp" else {}
    frames[0].save(tmp_path / name, save_all=True, append_images=frames[1:], **options)
    assert read(tmp_path / name)[1] == (255, 0, 0)


@pytest.mark.parametrize("mode", ["I", "F"])
def test_numbers_of_no_known_range_are_refused(tmp_path, mode):
    path = save(Image.new(mode, (SIZE, SIZE)), tmp_path / "a.tif")
    with pytest.raises(PictureError, match=f"no range that is known: mode {mode}"):
        read(path)
