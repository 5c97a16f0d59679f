"""Keras without TensorFlow, where another backend computes."""

import contextlib
import sys
from collections.abc import Iterator

import keras
from keras.src.utils import module_utils


@contextlib.contextmanager
def tensorflow_left_out(is_own: bool) -> Iterator[None]:
    """Within it, Keras on another backend takes TensorFlow as not installed.

    Keras would import it to set its random seed, and to see whether what it saves is
    of its types: four seconds before a training of some ten. Layers that work with
    TensorFlow on every backend, as those for strings, cannot be made within. So all is
    as ever where TensorFlow is imported.

    Args:
        is_own: Whether the task or the model is the user's own: then all is as ever.
    """
    on_tensorflow = keras.backend.backend() == "tensorflow"
    if is_own or on_tensorflow or "tensorflow" in sys.modules:
        yield
        return
    # Keras has no public name for this.
    module, found = module_utils.tensorflow, module_utils.tensorflow._available
    module._available = False
    try:
        yield
    finally:
        module._available = found
