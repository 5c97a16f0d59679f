"""The HDF5 file in which Keras keeps weights: plain arrays that are all there."""

import math

import h5py
from h5py import h5d, h5o

from .archive import WEIGHTS, Refusal

MAGIC = b"\x89HDF\r\n\x1a\n"
# Numbers, and what Keras writes bfloat16 and 8-bit floats as.
KINDS = "biuf"
OPAQUE = {"V1", "V2"}
ATTRIBUTES = {"name", "dtype"}


def count_weights(path):
    """Number of values in a file of weights, without those of optimizers.

    Raises:
        Refusal: If there is anything in it that Keras would not write: a link, an array
            that is compressed, stored elsewhere or not at all, values that are no
            numbers.
    """
    with open(path, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise Refusal(f"is not a Keras model: {WEIGHTS} is not HDF5.")
        size = stream.seek(0, 2)
    try:
        with h5py.File(path, "r") as file:
            return _count(file, size)
    except Refusal:
        raise
    except Exception as error:  # h5py raises almost anything here
        reason = " ".join(str(error).split())[:200]
        raise Refusal(f"is damaged or hostile: {WEIGHTS}: {reason}") from None


def _count(file, size):
    seen, stored, count = set(), 0, 0
    groups = [file]
    while groups:
        group = groups.pop()
        _check_once(group, seen)
        for name in group:
            link = group.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                raise Refusal(f"is hostile: a {type(link).__name__} in {WEIGHTS}.")
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
        raise Refusal(f"is hostile: arrays that overlap in {WEIGHTS}.")
    return count


def _check_once(item, seen):
    address = h5o.get_info(item.id).addr
    if address in seen:
        raise Refusal(f"is hostile: {item.name[:60]!r} is linked twice in {WEIGHTS}.")
    seen.add(address)
    for name in item.attrs:
        if name not in ATTRIBUTES or item.attrs.get_id(name).shape != ():
            raise Refusal(f"is hostile: the attribute {name[:60]!r} in {WEIGHTS}.")


def _check_array(array, size):
    """Refuses an array that is not there, number by number, in the file itself."""
    what = f"{array.name[:60]!r} in {WEIGHTS}"
    if not isinstance(array, h5py.Dataset):
        raise Refusal(f"is hostile: {what} is not an array.")
    if array.dtype.kind not in KINDS and array.dtype.str.lstrip("|") not in OPAQUE:
        raise Refusal(f"is hostile: {what} does not hold numbers.")
    properties = array.id.get_create_plist()
    if (
        properties.get_layout() != h5d.CONTIGUOUS
        or properties.get_nfilters()
        or properties.get_external_count()
    ):
        raise Refusal(
            f"is hostile: {what} is compressed, in pieces or in another file."
        )
    needed, start = _num_bytes(array), array.id.get_offset() or 0
    if array.id.get_storage_size() != needed or start + needed > size:
        raise Refusal(f"is hostile: {what} is not all in the file.")


def _num_bytes(array):
    return math.prod(array.shape) * array.dtype.itemsize  # that of h5py overflows
