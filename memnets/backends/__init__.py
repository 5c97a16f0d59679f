"""What differs by backend: a file for each, with a subclass of `Backend`."""

import importlib

import keras

from .base import Backend
from .torch_compiling import remembered

__all__ = ["Backend", "current"]

# The class of each backend that needs something else than `Backend` itself.
CLASSES = {
    "jax": "JAX",
    "tensorflow": "TensorFlow",
    "torch": "Torch",
}


def current() -> Backend:
    """The backend that Keras uses in this process."""
    return _backend(keras.backend.backend())


@remembered
def _backend(name: str) -> Backend:
    if name not in CLASSES:
        return Backend()
    module = importlib.import_module(f"{__name__}.{name}")
    return getattr(module, CLASSES[name])()
