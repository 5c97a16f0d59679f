"""Trained networks for five algorithmic tasks, those of manifest.json."""

import hashlib
import json
import pathlib
from typing import TYPE_CHECKING

from ..contract.lookup import lookup
from ..models.keras_model import uncompiled

if TYPE_CHECKING:
    import keras


FOLDER = pathlib.Path(__file__).parent


def manifest() -> dict:
    """For each task: file, SHA-256, the command that made it, seed and versions."""
    return json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def load_pretrained(task: str) -> "keras.Model":
    """Loads the trained Keras model of a task, from inputs `(B, T, input_size)` to
    logits `(B, T, output_size)`. `tasks.train` can train it further.

    Args:
        task: Name of the task, with its default parameters.
    Raises:
        ValueError: If the task has none, or its file does not match the manifest.
    Example:
        >>> model = load_pretrained("copy")
        >>> result, = tasks.evaluate(model, tasks.Copy(), [40], num_sequences=10)
        >>> result.bit_errors
        0.0
    """
    import memnets

    entry = lookup("task", task, manifest())
    path = FOLDER / entry["file"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != entry["sha256"]:
        raise ValueError(
            f"`{path}` must have the SHA-256 {entry['sha256']}. Received: {digest}"
        )
    return uncompiled(memnets.load(path))
