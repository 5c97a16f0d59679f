"""Descriptions of models, `config.json`, that would run code or fill the memory."""

import copy
import json

import keras

HUGE = 10**9


def make_configs(honest, canary) -> dict[str, bytes]:
    """One configuration of each kind.

    Args:
        honest: The description of `hostile.small_model`.
        canary: Path of the file that is made where code in a description is run.
    """
    kinds = {
        name: json.dumps(change(copy.deepcopy(honest), canary)).encode()
        for name, change in _CHANGES.items()
    }
    kinds["deep JSON"] = b"[" * 10**6
    kinds["deep configuration"] = b'{"class_name":' * 900 + b"1" + b"}" * 900
    kinds["large JSON"] = b"[" + b"0," * 2**23 + b"0]"
    kinds["huge number"] = b"9" * 10**6
    return kinds


def _layer(config, index):
    """The configuration of a layer of the model: 1 is the NTM, 2 the dense layer."""
    return config["config"]["layers"][index]


def _set(index, **values):
    def change(config, canary):
        _layer(config, index)["config"].update(values)
        return config

    return change


def _replace(**entry):
    """Puts another layer in the place of the dense layer."""

    def change(config, canary):
        layer = _layer(config, 2)
        layer.pop("build_config", None)
        layer.update({"registered_name": None, **entry})
        layer["config"] = {"name": "evil", **layer["config"]}
        return config

    return change


def _evil_layer(canary):
    # Keras calls it when it builds the model.
    code = f"lambda inputs: __import__('os').mknod({str(canary)!r}) or inputs"
    evil = eval(code)
    return keras.saving.serialize_keras_object(keras.layers.Lambda(evil))


def _lambda(config, canary):
    return _replace(**_evil_layer(canary))(config, canary)


def _lambda_activation(config, canary):
    code = _evil_layer(canary)["config"]["function"]["config"]["code"]
    activation = {"class_name": "__lambda__", "config": {"value": [code, None, None]}}
    return _set(2, activation=activation)(config, canary)


def _shell(config, canary):
    command = {"command": f"touch {canary}"}
    change = _replace(module="os", class_name="system", config=command)
    return change(config, canary)


def _function(module, name, registered_name=None):
    function = {
        "module": module,
        "class_name": "function",
        "config": name,
        "registered_name": registered_name or name,
    }
    return _set(2, activation=function)


def _stateful(config, canary):
    _layer(config, 0)["config"]["batch_shape"] = [10**7, 5, 3]
    _layer(config, 1).pop("build_config")
    _layer(config, 1)["config"]["stateful"] = True
    return config


def _flood(config, canary):
    """Two thousand layers in a row."""
    layer = _layer(config, 2)
    for index in range(2_000):
        entry = {**layer, "name": f"d{index}", "config": {"name": f"d{index}"}}
        config["config"]["layers"].append(entry)
    return config


def _many_cells(config, canary):
    return _set(1, controller_size=[1] * 200_000)(config, canary)


def _nested(config, canary):
    """A model that calls a model ten times that calls a model ten times..."""
    first, second, last = config["config"]["layers"]
    nodes = last["inbound_nodes"] * 10
    for _ in range(9):
        inner = {**config, "name": "inner", "inbound_nodes": nodes}
        layers = [first, second, inner]
        config = {**config, "config": {**config["config"], "layers": layers}}
    return config


def _constants(config, canary):
    """A product of constants that fills the memory where it is computed."""
    operation = {
        "module": "keras.src.ops.numpy",
        "class_name": "Multiply",
        "config": {},
        "inbound_nodes": [{"args": [[[1]] * 10**5, [1] * 10**5], "kwargs": {}}],
    }
    return _replace(**operation)(config, canary)


def _built_huge(config, canary):
    _layer(config, 2)["build_config"] = {"input_shape": [None, HUGE]}
    return config


_CHANGES = {
    "Lambda": _lambda,
    "Lambda as activation": _lambda_activation,
    "shell": _shell,
    "function of a foreign module": _function("os", "system"),
    "function of Python": _function("builtins", "exec"),
    "function under the name of ours": _function("builtins", "exec", "memnets>NTM"),
    "function of Keras": _function("keras.config", "enable_unsafe_deserialization"),
    "download": _function("keras.utils", "get_file"),
    "foreign class": _replace(module="subprocess", class_name="Popen", config={}),
    "class of another package": _replace(
        module="evil", class_name="Layer", registered_name="evil>Layer", config={}
    ),
    "class of a newer memnets": _replace(
        module="memnets",
        class_name="Abacus",
        registered_name="memnets>Abacus",
        config={},
    ),
    "SavedModel": _replace(
        module="keras.layers", class_name="TFSMLayer", config={"filepath": "/evil"}
    ),
    "pickle": _replace(
        module="keras.layers",
        class_name="TorchModuleWrapper",
        config={"module": "gA=="},
    ),
    "file of words": _replace(
        module="keras.layers",
        class_name="StringLookup",
        config={"vocabulary": "/etc/passwd"},
    ),
    "class without a module": _replace(module=None, class_name="Dense", config={}),
    "huge array": _set(
        2,
        units={
            "class_name": "__numpy__",
            "config": {"value": [""], "dtype": f"S{HUGE}"},
        },
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
    "no class": lambda config, canary: {"layers": []},
}
