"""Importing Keras without the notices of TensorFlow."""

import logging
import os
import sys


def import_keras() -> None:
    """Imports Keras without the page of notices that TensorFlow 2.21 prints.

    TensorFlow writes them to the file descriptor of standard error before it reads any
    setting, so that the descriptor is redirected. Errors are Python exceptions and come
    through.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    saved = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            import keras  # noqa: F401
        finally:
            os.dup2(saved, 2)
            os.close(saved)
    # An evaluation calls a model with one shape after another: TensorFlow warns of it.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
