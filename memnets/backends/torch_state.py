"""The weights of a layer in the `state_dict` of a module of PyTorch.

Keras puts each weight in it several times, with the names of layers, which it numbers:
what one network has saved, another one in the same process could not load.
"""

import re
from typing import Any

import keras

from ..numerics.tensor_checks import Tensor


def give_names(layer: keras.layers.Layer) -> None:
    """Lets a layer have each of its weights once in a `state_dict`, under a name that
    does not depend on what was made before: `cell.heads.kernel`."""
    layer.register_state_dict_post_hook(_shorten)
    layer.register_load_state_dict_pre_hook(_expand)


def names_of(layer: keras.layers.Layer) -> dict[str, str]:
    """By the path of each variable of a layer its name, without numbers of layers;
    equal names are numbered in their order."""
    names: dict[str, str] = {}
    for variable in layer.variables:
        _, *parts = variable.path.split("/")
        name = plain = ".".join(re.sub(r"_\d+$", "", part) for part in parts)
        number = 0
        while name in names.values():
            number += 1
            name = f"{plain}_{number}"
        names[variable.path] = name
    return names


def _shorten(
    layer: keras.layers.Layer, state: dict[str, Tensor], prefix: str, metadata: Any
) -> None:
    paths = {variable.path: variable.value for variable in layer.variables}
    values = {path: state.get(f"{prefix}_torch_params.{path}") for path in paths}
    for key in [key for key in state if key.startswith(prefix)]:
        del state[key]
    for path, name in names_of(layer).items():
        value = values[path]
        state[prefix + name] = paths[path].detach() if value is None else value


def _expand(
    layer: keras.layers.Layer, state: dict[str, Tensor], prefix: str, *_: Any
) -> None:
    values = {
        path: state.pop(prefix + name)
        for path, name in names_of(layer).items()
        if prefix + name in state
    }
    for module_name, module in layer.named_modules():
        inner = f"{prefix}{module_name}." if module_name else prefix
        for path in getattr(module, "_torch_params", {}):
            if path in values:
                state[f"{inner}_torch_params.{path}"] = values[path]
