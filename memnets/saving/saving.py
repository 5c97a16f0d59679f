"""Saving and loading of models: files that are whole, and refused when they are not."""

import contextlib
import json
import math
import pathlib
import re
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

import keras
from keras import tree

from .. import checks
from . import archive as keras_archive
from .archive import CONFIG, METADATA, WEIGHTS, Refusal
from .atomic import atomic_write
from .config import read_config, read_json
from .weights import count_weights

# Chosen: 64 MiB of float32. States of Keras' own layers are not in the file.
MAX_STATES = 2**24


class SaveError(OSError):
    """A model could not be written; the file that was there is as it was."""


class LoadError(ValueError):
    """A file is missing, damaged, hostile, newer or of another kind."""


def save(model, path):
    """Writes a model to a `.keras` file, whole or not at all, and seals it.

    Whoever reads the file finds the old or the new one, also after the process was
    killed. The seal is a SHA-256 in the comment of the archive: `load` finds any change
    to the file, and Keras does not mind.

    Args:
        model: A Keras model that is built.
        path: Where to; it must end in `.keras`.
    Raises:
        TypeError: If `model` is not a Keras model.
        ValueError: If it is not built, or `path` ends otherwise.
        SaveError: If the file cannot be written; the old one is as it was.
    Example:
        >>> import memnets
        >>> inputs = keras.Input((None, 3))
        >>> model = keras.Model(inputs, memnets.NTM(2)(inputs))
        >>> path = getfixture("tmp_path") / "model.keras"
        >>> memnets.save(model, path)
        >>> memnets.load(path).output_shape
        (None, 2)
    """
    if not isinstance(model, keras.Model):
        raise TypeError(
            f"`model` must be a Keras model. Received: model={checks.shorten(model)}"
        )
    if not model.built:
        raise ValueError(
            "`model` must be built: call it once. Received: a model without weights."
        )
    if pathlib.Path(path).suffix != ".keras":
        raise ValueError(f"`path` must end in .keras. Received: path={str(path)!r}")
    try:
        with atomic_write(path) as unfinished:
            model.save(unfinished)
            keras_archive.seal(unfinished)
    except OSError as error:
        raise SaveError(
            f"`{path}` cannot be written: {_in_a_line(error)}. What was there is as it "
            "was."
        ) from None


def load(path, *, custom_objects=None):
    """Reads a model from a `.keras` file of `save` or of Keras.

    Nothing in the file is executed. It is refused before Keras reads it unless every
    byte is what Keras or the seal has put there, every class is one of ours or known to
    be harmless, and every weight is in the file. The model is not compiled.

    Args:
        path: The file.
        custom_objects: Your own classes in the model, `{name: class}`.
    Returns:
        A Keras model.
    Raises:
        LoadError: In a line, the file and what is wrong with it.
    """
    if not isinstance(custom_objects, dict | None):
        raise TypeError(
            "`custom_objects` must be a dictionary of classes. "
            f"Received: custom_objects={checks.shorten(custom_objects)}"
        )
    try:
        with tempfile.TemporaryDirectory(prefix="memnets-") as folder:
            return _load(pathlib.Path(path), pathlib.Path(folder), custom_objects or {})
    except Refusal as refusal:
        raise LoadError(f"`{path}` {refusal}") from None
    except OSError as error:
        reason = _in_a_line(error)
        raise LoadError(f"`{path}` cannot be read or unpacked: {reason}") from None


def _load(path, folder, custom_objects):
    if path.is_dir():
        raise Refusal("is a directory, not a file.")
    if not path.is_file():
        raise Refusal("is not a file." if path.exists() else "is missing.")
    keras_archive.unpack(path, folder)
    with _refusals(read_json(folder / METADATA)), warnings.catch_warnings():
        # Either something else fails then, or `_rehearse` counts too few weights.
        warnings.filterwarnings("ignore", "Skipping nested container")
        config = read_config(folder / CONFIG, custom_objects)
        num_weights = count_weights(folder / WEIGHTS)
        # In a thread of its own: what Keras remembers of variables without memory, it
        # remembers by thread.
        with ThreadPoolExecutor(1) as thread:
            rehearsal = (_rehearse, folder, config, num_weights, custom_objects)
            thread.submit(*rehearsal).result()
        return _read(folder, config, custom_objects)


def _rehearse(folder, config, num_weights, custom_objects):
    """Loads the model where variables take no memory, and counts what it needs.

    Raises:
        Refusal: If that is more than there is in the file, or it does not load.
    """
    with keras.StatelessScope(initialize_variables=False):
        model = _read(folder, _without_states(config), custom_objects)
    needed = sum(math.prod(weight.shape) for weight in model.weights)
    if needed > num_weights:
        raise Refusal(
            f"is hostile or incomplete: its model needs {needed} weights, and it holds "
            f"{num_weights}."
        )
    if _count_states(model) > num_weights + MAX_STATES:
        raise Refusal("is hostile: the states of its model would fill the memory.")


def _read(folder, config, custom_objects):
    # Written anew: Keras sees what was checked and nothing else.
    (folder / CONFIG).write_text(json.dumps(config))
    return keras.saving.load_model(
        folder, custom_objects=custom_objects, compile=False, safe_mode=True
    )


def _without_states(node):
    """A configuration whose layers keep no state from batch to batch."""
    if isinstance(node, dict):
        kept = {name: _without_states(child) for name, child in node.items()}
        return kept | {"stateful": False} if "stateful" in node else kept
    return (
        [_without_states(child) for child in node] if isinstance(node, list) else node
    )


def _count_states(model):
    """Number of values that recurrent layers would keep, if the batch size is set."""
    count = 0
    for layer in model._flatten_layers():  # Keras has no public name for all of them
        if isinstance(layer, keras.layers.RNN):
            batch_size = tree.flatten(layer.get_build_config())[0] or 0
            count += batch_size * sum(tree.flatten(layer.cell.state_size))
    return count


@contextlib.contextmanager
def _refusals(metadata):
    """Turns errors into refusals, which say so if the file is newer than Keras here."""
    saved = metadata.get("keras_version") if isinstance(metadata, dict) else None
    if not isinstance(saved, str) or not re.match(r"\d+\.\d+", saved):
        raise Refusal(f"is not a Keras model: {METADATA} names no version of Keras.")
    newer = (
        f" It was saved with Keras {saved[:20]!r}; this is {keras.__version__}."
        if _version(saved) > _version(keras.__version__)
        else ""
    )
    try:
        yield
    except Refusal as refusal:
        raise Refusal(f"{refusal}{newer}") from None
    except Exception as error:  # Keras raises almost anything
        reason = _in_a_line(error)
        raise Refusal(f"is not a model that loads: {reason}{newer}") from None


def _version(text):
    return [int(part) for part in re.findall(r"\d+", text)[:3]]


def _in_a_line(error):
    """What is wrong, without what Keras writes around it."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    for introduction in ("Example error message for ", "Exception encountered: "):
        text = text.partition(introduction)[2] or text
    text = re.sub(r"\x1b\[\d*m", "", text.partition("List of objects that")[0])
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:240]
