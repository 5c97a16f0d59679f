"""Metrics for the training of a Keras model. Only this folder imports Keras."""

from .generation import GenerationMetrics
from .token_bleu import TokenBLEU

__all__ = ["GenerationMetrics", "TokenBLEU"]
