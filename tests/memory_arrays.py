"""Shapes and random tensors that the tests of the memory mathematics share."""

import numpy as np
import pytest

ROW_AXES = pytest.mark.parametrize("row_axis", [1, 2])
SHAPES = pytest.mark.parametrize(
    ("batch_size", "num_heads", "num_rows", "word_size"),
    [(2, 1, 8, 4), (3, 4, 8, 5), (1, 2, 1, 3), (1, 1, 5, 1)],
)


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def weighting(seed, *shape):
    raw = np.random.default_rng(seed).exponential(size=shape)
    return (raw / raw.sum(axis=-1, keepdims=True)).astype("float32")
