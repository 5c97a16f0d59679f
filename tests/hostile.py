"""Files that pose as models: what someone would send to run code or to fill memory.

`make_corpus` writes one of each kind. Whatever reads them must refuse them, and the
file `CANARY` beside them must not appear.
"""

import copy
import io
import json
import pathlib
import stat
import zipfile

import h5py
import keras
import numpy as np

import memnets
from memnets import keras_archive

CANARY = "canary"
HUGE = 10**9
GIB = 2**30
CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"


def make_corpus(folder) -> dict[str, pathlib.Path]:
    """Writes the files into a folder and returns where each kind of them is."""
    folder = pathlib.Path(folder)
    members = _honest_members(folder)
    kinds = {**_archives(members), **_configs(members, folder), **_weights(members)}
    paths = {}
    for index, (name, content) in enumerate(kinds.items()):
        path = paths[name] = folder / f"{name.replace(' ', '-')}.keras"
        path.write_bytes(content)
        if index % 2 and zipfile.is_zipfile(path):
            # Anyone can compute a seal: it must not be taken for trust.
            keras_archive.seal(path)
    return paths


def archive(members, **changes):
    """An archive as Keras writes it, of `{name: bytes}` or of `(name, bytes)`.

    Args:
        members: The members.
        **changes: Attributes of the `zipfile.ZipInfo` of `model.weights.h5`.
    """
    stream = io.BytesIO()
    pairs = members.items() if isinstance(members, dict) else members
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in pairs:
            info = zipfile.ZipInfo(name)
            for key, value in changes.items() if name == WEIGHTS else ():
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
    """What is wrong with the archive itself."""
    pairs = list(members.items())
    bomb = {**members, WEIGHTS: bytes(GIB // 4)}
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
    }


def _configs(members, folder):
    """What is wrong with the description of the model."""
    honest = json.loads(members[CONFIG])
    kinds = {
        name: json.dumps(change(copy.deepcopy(honest), folder)).encode()
        for name, change in _CHANGES.items()
    }
    kinds["deep JSON"] = b"[" * 10**6
    kinds["deep configuration"] = b'{"class_name":' * 900 + b"1" + b"}" * 900
    kinds["large JSON"] = b"[" + b"0," * 2**23 + b"0]"
    kinds["huge number"] = b"9" * 10**6
    return {name: archive(members | {CONFIG: text}) for name, text in kinds.items()}


def _layer(config, index):
    """The configuration of a layer of the model: 1 is the NTM, 2 the dense layer."""
    return config["config"]["layers"][index]


def _set(index, **values):
    def change(config, folder):
        _layer(config, index)["config"].update(values)
        return config

    return change


def _replace(**entry):
    """Puts another layer in the place of the dense layer."""

    def change(config, folder):
        layer = _layer(config, 2)
        layer.pop("build_config", None)
        layer.update({"registered_name": None, **entry})
        layer["config"] = {"name": "evil", **layer["config"]}
        return config

    return change


def _lambda(config, folder):
    # What it would do when it is called; Keras calls it when it puts the model together.
    path = str(folder / CANARY)
    layer = keras.layers.Lambda(lambda inputs, path=path: open(path, "w") and inputs)
    entry = keras.saving.serialize_keras_object(layer)
    return _replace(**entry)(config, folder)


def _lambda_activation(config, folder):
    layer = keras.layers.Lambda(lambda inputs: inputs)
    code = keras.saving.serialize_keras_object(layer)["config"]["function"]
    return _set(2, activation=code)(config, folder)


def _shell(config, folder):
    command = {"command": f"touch {folder / CANARY}"}
    change = _replace(module="os", class_name="system", config=command)
    return change(config, folder)


def _function(module, name):
    function = {
        "module": module,
        "class_name": "function",
        "config": name,
        "registered_name": name,
    }
    return _set(2, activation=function)


def _stateful(config, folder):
    _layer(config, 0)["config"]["batch_shape"] = [10**7, 5, 3]
    _layer(config, 1).pop("build_config")
    _layer(config, 1)["config"]["stateful"] = True
    return config


def _flood(config, folder):
    """Two thousand layers one behind the other."""
    layer = _layer(config, 2)
    for index in range(2_000):
        entry = {**layer, "name": f"d{index}", "config": {"name": f"d{index}"}}
        config["config"]["layers"].append(entry)
    return config


def _many_cells(config, folder):
    return _set(1, controller_size=[1] * 200_000)(config, folder)


def _nested(config, folder):
    """A model that calls a model ten times that calls a model ten times..."""
    first, second, last = config["config"]["layers"]
    nodes = last["inbound_nodes"] * 10
    for _ in range(9):
        inner = {**config, "name": "inner", "inbound_nodes": nodes}
        layers = [first, second, inner]
        config = {**config, "config": {**config["config"], "layers": layers}}
    return config


def _constants(config, folder):
    """A product of constants that fills the memory where it is computed."""
    operation = {
        "module": "keras.src.ops.numpy",
        "class_name": "Multiply",
        "config": {},
        "inbound_nodes": [{"args": [[[1]] * 10**5, [1] * 10**5], "kwargs": {}}],
    }
    return _replace(**operation)(config, folder)


def _built_huge(config, folder):
    _layer(config, 2)["build_config"] = {"input_shape": [None, HUGE]}
    return config


_CHANGES = {
    "Lambda": _lambda,
    "Lambda as activation": _lambda_activation,
    "shell": _shell,
    "function of a foreign module": _function("os", "system"),
    "function of Python": _function("builtins", "exec"),
    "function of Keras": _function("keras.config", "enable_unsafe_deserialization"),
    "download": _function("keras.utils", "get_file"),
    "foreign class": _replace(module="subprocess", class_name="Popen", config={}),
    "class of another package": _replace(
        module="evil", class_name="Layer", registered_name="evil>Layer", config={}
    ),
    "class of a newer memnets": _replace(
        module="memnets", class_name="DNC", registered_name="memnets>DNC", config={}
    ),
    "SavedModel": _replace(
        module="keras.layers", class_name="TFSMLayer", config={"filepath": "/evil"}
    ),
    "pickle": _replace(
        module="keras.layers", class_name="TorchModuleWrapper", config={"module": "gA=="}
    ),
    "file of words": _replace(
        module="keras.layers",
        class_name="StringLookup",
        config={"vocabulary": "/etc/passwd"},
    ),
    "class without a module": _replace(module=None, class_name="Dense", config={}),
    "huge array": _set(
        2, units={"class_name": "__numpy__", "config": {"value": [""], "dtype": f"S{HUGE}"}}
    ),
    "huge units": _set(1, units=HUGE),
    "huge memory_size": _set(1, memory_size=HUGE),
    "huge word_size": _set(1, word_size=HUGE),
    "huge controller": _set(1, controller_size=HUGE),
    "huge number of heads": _set(1, num_read_heads=HUGE),
    "huge shift_range": _set(1, memory_size=3 * HUGE, shift_range=HUGE),
    "huge adapter": _set(2, lora_rank=HUGE),
    "quantized layer": _set(2, dtype="int8_from_float32"),
    "product of constants": _constants,
    "huge dense layer": _set(2, units=HUGE),
    "huge inputs": _set(0, batch_shape=[None, None, HUGE]),
    "huge batch": _stateful,
    "huge build": _built_huge,
    "beyond 64 bits": _set(2, units=10**40),
    "many layers": _flood,
    "many cells": _many_cells,
    "calls within calls": _nested,
    "no class": lambda config, folder: {"layers": []},
}


def _weights(members):
    """What is wrong with the file of weights."""

    def changed(change):
        stream = io.BytesIO(members[WEIGHTS])
        with h5py.File(stream, "r+") as file:
            change(file, file["layers/dense/vars"])
        return archive(members | {WEIGHTS: stream.getvalue()})

    return {name: changed(change) for name, change in _H5_CHANGES.items()} | {
        "weights of another kind": archive(members | {WEIGHTS: b"evil"}),
    }


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
