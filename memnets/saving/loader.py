"""Reading models from files that are checked first, without executing anything."""

import contextlib
import json
import math
import os
import pathlib
import re
import warnings
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import keras
import numpy as np
from keras import tree

from ..checks import shorten
from ..recurrent.acceleration import accelerate
from . import archive
from .archive import CONFIG, METADATA, WEIGHTS, InvalidModelFile, one_line
from .atomic import temporary_folder
from .config import read_config, read_json
from .weights import count_weights

# Heuristic: 64 MiB of float32. States of Keras' own layers are not in the file.
MAX_STATES = 2**24


class LoadError(ValueError):
    """A file is missing, damaged, hostile, of a newer version or not a model."""


def load(
    path: str | pathlib.Path, *, custom_objects: dict[str, type] | None = None
) -> keras.Model:
    """Reads a model from a `.keras` file that `save` or Keras has written.

    Nothing in the file is executed. Before Keras reads the file, three things are
    checked: the archive is intact and has the files of Keras only, every class is of
    memnets or known to be harmless, and every weight is in the file. The model is not
    compiled.

    Args:
        path: The file.
        custom_objects: Your own classes in the model, `{name: class}`.
    Returns:
        A Keras model.
    Raises:
        LoadError: If the file cannot be loaded; one line with its name and the reason.
        TypeError: If `path` is no path, or `custom_objects` no dictionary of
            classes.
    """
    if not isinstance(custom_objects, dict | None):
        raise TypeError(
            "`custom_objects` must be a dictionary of classes. "
            f"Received: custom_objects={shorten(custom_objects)}"
        )
    for name, value in (custom_objects or {}).items():
        if not hasattr(value, "__name__"):  # A function may be one too, as in Keras.
            raise TypeError(
                "`custom_objects` must have classes, not what was made of them. "
                f"Received: custom_objects[{name!r}]={shorten(value)}"
            )
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"`path` must be a path. Received: path={shorten(path)}")
    try:
        with temporary_folder() as folder:
            return _load(pathlib.Path(path), folder, custom_objects or {})
    except InvalidModelFile as error:
        raise LoadError(f"`{path}` {error}") from None
    except OSError as error:
        reason = one_line(error)
        raise LoadError(f"`{path}` cannot be read or unpacked: {reason}") from None


def _load(
    path: pathlib.Path, folder: pathlib.Path, custom_objects: dict[str, type]
) -> keras.Model:
    if path.is_dir():
        raise InvalidModelFile("is a directory, not a file.")
    if not path.is_file():
        raise InvalidModelFile("is not a file." if path.exists() else "is missing.")
    archive.unpack(path, folder)
    with _explained_errors(read_json(folder / METADATA)), warnings.catch_warnings():
        # After this warning something else fails, or `dry_run_load` finds too few
        # weights in the file.
        warnings.filterwarnings("ignore", "Skipping nested container")
        config = read_config(folder / CONFIG, custom_objects)
        num_weights = count_weights(folder / WEIGHTS)
        # In a separate thread: a StatelessScope leaves state behind in its thread.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(
                dry_run_load, folder, config, num_weights, custom_objects
            ).result()
        model = _read(folder, config, custom_objects)
        _seed_generators(model, zlib.crc32(json.dumps(config).encode()))
        return model


def _seed_generators(model: keras.Model, seed: int) -> None:
    """Seeds the random generators of a model: Keras does not save their state, and
    draws another one each time that the file is loaded."""
    for number, variable in enumerate(model.non_trainable_variables):
        if variable.path.endswith("seed_generator_state"):
            # On PyTorch it is signed: the same bits.
            variable.assign(np.array([seed, number], "uint32").astype(variable.dtype))


def dry_run_load(
    folder: pathlib.Path,
    config: dict[str, Any],
    num_weights: int,
    custom_objects: dict[str, type],
) -> None:
    """Loads the model without memory for its variables, and counts its weights.

    Args:
        folder: The folder with the unpacked archive.
        config: The configuration of the model.
        num_weights: Number of weights in the file.
        custom_objects: See `load`.
    Raises:
        InvalidModelFile: If the model needs more weights than the file has, or states
            that would fill the memory.
    """
    with keras.StatelessScope(initialize_variables=False):
        model = _read(folder, _without_states(config), custom_objects)
    needed = sum(math.prod(weight.shape) for weight in model.weights)
    if needed > num_weights:
        raise InvalidModelFile(
            f"is hostile or incomplete: its model needs {needed} weights, and it holds "
            f"{num_weights}."
        )
    if _count_states(model) > num_weights + MAX_STATES:
        raise InvalidModelFile(
            "is hostile: the states of its model would fill the memory."
        )


def _read(
    folder: pathlib.Path, config: dict[str, Any], custom_objects: dict[str, type]
) -> keras.Model:
    # Keras reads the configuration that was checked, and nothing else.
    (folder / CONFIG).write_text(json.dumps(config))
    return accelerate(
        keras.saving.load_model(
            folder, custom_objects=custom_objects, compile=False, safe_mode=True
        )
    )


def _without_states(node: Any) -> Any:
    """The configuration with `stateful=False` in every layer."""
    if isinstance(node, dict):
        changed = {name: _without_states(child) for name, child in node.items()}
        return changed | {"stateful": False} if "stateful" in node else changed
    return (
        [_without_states(child) for child in node] if isinstance(node, list) else node
    )


def _count_states(model: keras.Model) -> int:
    """Number of values in the states of recurrent layers with a fixed batch size."""
    count = 0
    for layer in model._flatten_layers():  # Keras has no public way to visit all layers
        if isinstance(layer, keras.layers.RNN):
            batch_size = tree.flatten(layer.get_build_config())[0] or 0
            count += batch_size * sum(tree.flatten(layer.cell.state_size))
    return count


@contextlib.contextmanager
def _explained_errors(metadata: Any) -> Iterator[None]:
    """Turns every error into an `InvalidModelFile`, which says so if the file is of a
    newer version of Keras."""
    saved = metadata.get("keras_version") if isinstance(metadata, dict) else None
    if not isinstance(saved, str) or not re.match(r"\d+\.\d+", saved):
        raise InvalidModelFile(
            f"is not a Keras model: {METADATA} names no version of Keras."
        )
    newer = (
        f" It was saved with Keras {saved[:20]!r}; this is {keras.__version__}."
        if _version(saved) > _version(keras.__version__)
        else ""
    )
    try:
        yield
    except InvalidModelFile as error:
        raise InvalidModelFile(f"{error}{newer}") from None
    except Exception as error:  # Keras raises errors of many types
        reason = one_line(error)
        raise InvalidModelFile(f"is not a model that loads: {reason}{newer}") from None


def _version(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)[:3]]
