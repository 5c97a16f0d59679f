"""Names that the examples in docstrings use."""

import pytest


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    import keras
    import numpy as np

    import tasks

    doctest_namespace.update(keras=keras, np=np, ops=keras.ops, tasks=tasks)
