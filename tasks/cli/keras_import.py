"""Importing Keras without the notices of TensorFlow."""

import logging
import os
import sys

from memnets.importing.registration import without_jax

from .command import BadInput
from .interrupts import STANDARD_ERROR, ending_at_once

# The backends that an extra of the package installs.
EXTRAS = ("jax", "torch")


def import_keras() -> None:
    """Imports Keras without the page of notices that TensorFlow 2.21 prints, or says
    which extra installs the backend.

    TensorFlow writes them to the file descriptor of standard error before it reads any
    setting. Errors are Python exceptions and come through.
    """
    from ..runs.jax_processes import silent_descriptor

    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    try:
        with ending_at_once(), silent_descriptor(STANDARD_ERROR), without_jax():
            import keras  # noqa: F401
    except ModuleNotFoundError as error:
        backend = (error.name or "").partition(".")[0]
        if backend not in EXTRAS:
            raise
        raise BadInput(
            f"The backend {backend} is not installed: pip install "
            f"'memnets[{backend}]'. Received: KERAS_BACKEND={backend}"
        ) from error
    if "tensorflow" not in sys.modules:
        _import_tensorflow_silently()
    # An evaluation calls a model with one shape after another: TensorFlow warns of it.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)


def _import_tensorflow_silently() -> None:
    """On another backend Keras imports TensorFlow later, when it first needs it."""
    from keras.src.utils import module_utils  # Keras has no public name for this

    from ..runs.jax_processes import silent_descriptor

    lazy = module_utils.tensorflow
    initialize = lazy.initialize

    def silently() -> None:
        sys.stderr.flush()
        with ending_at_once(), silent_descriptor(STANDARD_ERROR):
            initialize()

    lazy.initialize = silently
