"""Hostile files that look like models, made to run code or to fill the memory.

`make_corpus` writes one of each kind. A reader must reject them, and the file `CANARY`
beside them must not appear.
"""

import io
import json
import pathlib
import stat
import warnings
import zipfile

import h5py
import keras
import numpy as np
from hostile_configs import make_configs

import memnets
from memnets.saving import archive as keras_archive

CANARY = "canary"
GIB = 2**30
CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"


def make_corpus(folder) -> dict[str, pathlib.Path]:
    """Writes the files into a folder and returns where each kind of them is."""
    folder = pathlib.Path(folder)
    members = _honest_members(folder)
    configs = make_configs(json.loads(members[CONFIG]), folder / CANARY)
    changes = {name: {CONFIG: text} for name, text in configs.items()}
    for name, content in _weights(members[WEIGHTS]).items():
        changes[name] = {WEIGHTS: content}
    kinds = {name: archive(members | change) for name, change in changes.items()}
    paths = {}
    for name, content in {**_archives(members), **kinds}.items():
        path = paths[name] = folder / f"{name.replace(' ', '-')}.keras"
        path.write_bytes(content)
        # Anyone can compute a checksum: it must not make a file trusted.
        if name in list(kinds)[::2]:
            keras_archive.add_checksum(path)
    return paths


def archive(members, **changes):
    """An archive as Keras writes it, of `{name: bytes}` or of `(name, bytes)`.

    Args:
        members: The members.
        **changes: Attributes of the `zipfile.ZipInfo` of the last one.
    """
    stream = io.BytesIO()
    pairs = list(members.items() if isinstance(members, dict) else members)
    with zipfile.ZipFile(stream, "w") as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Duplicate name")
        for index, (name, content) in enumerate(pairs):
            info = zipfile.ZipInfo(name)
            for key, value in changes.items() if index == len(pairs) - 1 else ():
                setattr(info, key, value)
            file.writestr(info, content)
    return stream.getvalue()


def small_model():
    """A small Neural Turing Machine, as a Keras model."""
    inputs = keras.Input((None, 3))
    layer = memnets.NTM(2, memory_size=4, word_size=3, controller_size=5)
    return keras.Model(inputs, keras.layers.Dense(2)(layer(inputs)))


def _honest_members(folder):
    path = folder / "honest.keras"
    small_model().save(path)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    path.unlink()
    return members


def _archives(members):
    """Archives that are wrong themselves."""
    pairs = list(members.items())
    bomb = members | {WEIGHTS: bytes(GIB // 8)}
    link = (stat.S_IFLNK | 0o777) << 16
    return {
        "absolute path": archive(members | {"/tmp/evil": b"evil"}),
        "path to a parent": archive(members | {"../evil": b"evil"}),
        "asset": archive(members | {"assets/layers/vocabulary.txt": b"evil"}),
        "member twice": archive([*pairs, pairs[0]]),
        "member missing": archive(dict(pairs[1:])),
        "symbolic link": archive(
            members | {WEIGHTS: b"/etc/passwd"}, external_attr=link
        ),
        "further symbolic link": archive(members | {"link": b"/"}, external_attr=link),
        "zip bomb": archive(bomb, compress_type=zipfile.ZIP_DEFLATED),
        "bytes in front": b"#!/bin/sh\n" + archive(members),
        "bytes behind": archive(members) + b"evil",
        "comment": archive(members)[:-2] + b"\x04\x00evil",
        "not a zip file": b"evil" * 100,
        "weights of another kind": archive(members | {WEIGHTS: b"evil"}),
    }


def _weights(honest):
    """Files of weights that are wrong."""

    def changed(change):
        stream = io.BytesIO(honest)
        with h5py.File(stream, "r+") as file:
            change(file, file["layers/dense/vars"])
        return stream.getvalue()

    return {name: changed(change) for name, change in _H5_CHANGES.items()}


def _replace_array(**arguments):
    def change(file, group):
        del group["0"]
        group.create_dataset("0", **arguments)

    return change


def _external_link(file, group):
    del group["0"]
    group["0"] = h5py.ExternalLink("/etc/passwd", "/")


def _soft_link(file, group):
    del group["0"]
    group["0"] = h5py.SoftLink("/layers/dense/vars/1")


def _cycle(file, group):
    group["again"] = file["/layers"]


def _same_array(file, group):
    del group["0"]
    group["0"] = group["1"]


def _virtual(file, group):
    del group["0"]
    layout = h5py.VirtualLayout((2, 2), "float32")
    layout[:] = h5py.VirtualSource("/etc/passwd", "0", (2, 2))
    group.create_virtual_dataset("0", layout)


def _named_type(file, group):
    group["type"] = np.dtype("float32")


def _attribute(file, group):
    group.attrs["evil"] = np.zeros(1000)


_H5_CHANGES = {
    "HDF5 compressed bomb": _replace_array(
        data=np.zeros(GIB // 32, "int8"), compression="gzip", chunks=(2**20,)
    ),
    "HDF5 bomb of chunks": _replace_array(shape=(2**40,), dtype="f4", chunks=(2**20,)),
    "HDF5 bomb of a fill value": _replace_array(
        shape=(2**34,), dtype="f4", fillvalue=1.0
    ),
    "HDF5 external file": _replace_array(
        shape=(2, 2), dtype="f4", external=[("/etc/passwd", 0, 16)]
    ),
    "HDF5 text": _replace_array(data=["evil", "evil"], dtype=h5py.string_dtype()),
    "HDF5 external link": _external_link,
    "HDF5 soft link": _soft_link,
    "HDF5 cycle": _cycle,
    "HDF5 array twice": _same_array,
    "HDF5 virtual array": _virtual,
    "HDF5 named type": _named_type,
    "HDF5 attribute": _attribute,
    "HDF5 array missing": lambda file, group: group.pop("0"),
    "HDF5 array too many": lambda file, group: group.create_dataset("2", data=[1.0]),
    "HDF5 array of another shape": _replace_array(data=np.zeros((3, 2), "f4")),
}


def damage(data: bytes, rng) -> bytes:
    """The data with one to three bits flipped, or cut short."""
    if rng.random() < 0.25:
        return data[: rng.integers(len(data))]
    changed = bytearray(data)
    for bit in rng.choice(8 * len(data), rng.integers(1, 4), replace=False):
        changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)
