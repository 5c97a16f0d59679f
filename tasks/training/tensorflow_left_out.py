"""Keras without TensorFlow, where another backend computes."""

import contextlib
import sys
from collections.abc import Iterator

import keras
from keras.src.utils import module_utils

from ..contract.task import Task
from ..models.base import ModelConfig
from ..own_code import is_own


@contextlib.contextmanager
def tensorflow_left_out(task: Task, model: ModelConfig) -> Iterator[None]:
    """Within it, Keras on another backend takes TensorFlow as not installed.

    Keras would import it to set its random seed, and to see whether what it saves is
    of its types: four seconds before a training of some ten. Layers that work with
    TensorFlow on every backend, as those for strings, cannot be made within. So all is
    as ever where the task or the model is the user's own, or TensorFlow is imported.
    """
    on_tensorflow = keras.backend.backend() == "tensorflow"
    has_own_code = is_own(type(task)) or model.is_own
    if on_tensorflow or has_own_code or "tensorflow" in sys.modules:
        yield
        return
    # Keras has no public name for this.
    module, found = module_utils.tensorflow, module_utils.tensorflow._available
    module._available = False
    try:
        yield
    finally:
        module._available = found
