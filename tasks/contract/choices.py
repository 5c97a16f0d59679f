"""Random choices of single things."""

import random

import numpy as np


def choices_from(generator: np.random.Generator) -> random.Random:
    """A generator of Python's, which draws single numbers many times as fast."""
    return random.Random(int(generator.integers(2**63)))
