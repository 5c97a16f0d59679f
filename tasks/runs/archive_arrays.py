"""Reading NumPy arrays from an archive that anybody may have made."""

import io
import math
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

if TYPE_CHECKING:
    import keras

# Booleans, integers, floats, and the types of 8 and 16 bits that NumPy does not know.
KINDS = "biufV"
HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}


def arrays_of(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of an archive that `numpy.savez` wrote, by name.

    No member takes more memory than the archive has bytes for it.

    Args:
        data: The archive.
    Raises:
        ValueError: If it is no such archive; says what is wrong with it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            stored = all(m.compress_type == zipfile.ZIP_STORED for m in members)
            if not stored or sum(m.file_size for m in members) > len(data):
                raise ValueError("its members are larger than the file")
            return {
                member.filename.removesuffix(".npy"): _array(
                    archive.read(member), member.filename
                )
                for member in members
            }
    except ValueError:
        raise
    except Exception as error:  # zipfile raises errors of many types
        raise ValueError(f"its archive is damaged: {error}") from None


def _array(data: bytes, name: str) -> np.ndarray:
    stream = io.BytesIO(data)
    try:
        shape, is_fortran, dtype = HEADERS[npy.read_magic(stream)](stream)
        size = math.prod(shape) * dtype.itemsize
    except Exception:  # NumPy reads the header as Python, which fails in many ways
        raise ValueError(f"its member {name[:60]!r} is no array of NumPy") from None
    begin = stream.tell()
    if dtype.kind not in KINDS or dtype.hasobject or min(shape, default=0) < 0:
        raise ValueError(f"its member {name[:60]!r} is no array of numbers")
    if size != len(data) - begin:
        raise ValueError(
            f"its member {name[:60]!r} must have {size} bytes, as its header says, and "
            f"has {len(data) - begin}"
        )
    order: Any = "F" if is_fortran else "C"
    return np.ndarray(shape, dtype, data, begin, order=order).copy(order="K")


def array_of(variable: "keras.Variable") -> np.ndarray:
    """The value of a variable as an array of its own: on a CPU, what Keras returns may
    share the memory of the variable."""
    import keras

    return np.array(keras.ops.convert_to_numpy(variable.value))
