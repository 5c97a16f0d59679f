"""Importing Keras without the notices of TensorFlow."""

import logging
import os
import sys

from ..runs.jax_processes import silent_descriptor

STANDARD_ERROR = 2


def import_keras() -> None:
    """Imports Keras without the page of notices that TensorFlow 2.21 prints.

    TensorFlow writes them to the file descriptor of standard error before it reads any
    setting. Errors are Python exceptions and come through.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    with silent_descriptor(STANDARD_ERROR):
        import keras  # noqa: F401
    if "tensorflow" not in sys.modules:
        _import_tensorflow_silently()
    # An evaluation calls a model with one shape after another: TensorFlow warns of it.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)


def _import_tensorflow_silently() -> None:
    """On another backend Keras imports TensorFlow later, when it first needs it."""
    from keras.src.utils import module_utils  # Keras has no public name for this

    lazy = module_utils.tensorflow
    initialize = lazy.initialize

    def silently() -> None:
        sys.stderr.flush()
        with silent_descriptor(STANDARD_ERROR):
            initialize()

    lazy.initialize = silently
