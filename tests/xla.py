"""Tests with XLA, which PyTorch lacks: there `jit_compile` compiles every step of a
loop, for minutes."""

import keras
import pytest

needs_xla = pytest.mark.only("tensorflow", "jax", reason="PyTorch has no XLA")
ON_AND_OFF = [pytest.param(True, marks=needs_xla), False]
HAS_XLA = keras.backend.backend() != "torch"
