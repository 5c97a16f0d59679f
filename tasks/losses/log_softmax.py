"""Log-probabilities of what a network puts out."""

import numpy as np


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log-probabilities of logits along the last axis, in float64; those of logits that
    are not all numbers are -inf."""
    logits = np.asarray(logits, float)
    with np.errstate(invalid="ignore"):
        shifted = logits - logits.max(axis=-1, keepdims=True)
        values = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return np.where(np.isnan(values), -np.inf, values)
