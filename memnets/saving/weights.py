"""The HDF5 file in which Keras stores weights: plain arrays that are complete."""

import math
import pathlib

import h5py
from h5py import h5d, h5o

from .archive import WEIGHTS, InvalidModelFile

MAGIC = b"\x89HDF\r\n\x1a\n"
# Numbers, and the types as which Keras writes bfloat16 and 8-bit floats.
KINDS = "biuf"
OPAQUE = {"V1", "V2"}
ATTRIBUTES = {"name", "dtype"}


def count_weights(path: pathlib.Path) -> int:
    """Number of values in a file of weights, without those of optimizers.

    Raises:
        InvalidModelFile: If the file has anything that Keras would not write: a link,
            values that are not numbers, an array that is compressed, incomplete or in
            another file.
    """
    with open(path, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise InvalidModelFile(f"is not a Keras model: {WEIGHTS} is not HDF5.")
        size = stream.seek(0, 2)
    try:
        with h5py.File(path, "r") as file:
            return _count(file, size)
    except InvalidModelFile:
        raise
    except Exception as error:  # h5py raises errors of many types
        reason = " ".join(str(error).split())[:200]
        raise InvalidModelFile(f"is damaged or hostile: {WEIGHTS}: {reason}") from None


def _count(file: h5py.File, size: int) -> int:
    seen: set[int] = set()
    stored = count = 0
    groups = [file]
    while groups:
        group = groups.pop()
        _check_once(group, seen)
        for name in group:
            link = group.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                raise InvalidModelFile(
                    f"is hostile: a {type(link).__name__} in {WEIGHTS}."
                )
            child = group[name]
            if isinstance(child, h5py.Group):
                groups.append(child)
                continue
            _check_once(child, seen)
            _check_array(child, size)
            stored += _num_bytes(child)
            if "optimizer" not in child.name.split("/"):
                count += math.prod(child.shape)
    if stored > size:
        raise InvalidModelFile(f"is hostile: arrays that overlap in {WEIGHTS}.")
    return count


def _check_once(item: h5py.Group | h5py.Dataset, seen: set[int]) -> None:
    address = h5o.get_info(item.id).addr
    if address in seen:
        raise InvalidModelFile(
            f"is hostile: {item.name[:60]!r} is linked twice in {WEIGHTS}."
        )
    seen.add(address)
    for name in item.attrs:
        if name not in ATTRIBUTES or item.attrs.get_id(name).shape != ():
            raise InvalidModelFile(
                f"is hostile: the attribute {name[:60]!r} in {WEIGHTS}."
            )


def _check_array(array: h5py.Dataset, size: int) -> None:
    """Rejects an array that is not stored completely in the file itself."""
    what = f"{array.name[:60]!r} in {WEIGHTS}"
    if not isinstance(array, h5py.Dataset):
        raise InvalidModelFile(f"is hostile: {what} is not an array.")
    if array.dtype.kind not in KINDS and array.dtype.str.lstrip("|") not in OPAQUE:
        raise InvalidModelFile(f"is hostile: {what} does not hold numbers.")
    properties = array.id.get_create_plist()
    if (
        properties.get_layout() != h5d.CONTIGUOUS
        or properties.get_nfilters()
        or properties.get_external_count()
    ):
        raise InvalidModelFile(
            f"is hostile: {what} is compressed, in pieces or in another file."
        )
    needed, start = _num_bytes(array), array.id.get_offset() or 0
    if array.id.get_storage_size() != needed or start + needed > size:
        raise InvalidModelFile(f"is hostile: {what} is not all in the file.")


def _num_bytes(array: h5py.Dataset) -> int:
    return math.prod(array.shape) * array.dtype.itemsize  # the nbytes of h5py overflows
