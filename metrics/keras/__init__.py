"""Metrics inside Keras: the only part of this package that imports Keras."""

from .keras_metrics import GenerationMetrics, TokenBLEU

__all__ = ["GenerationMetrics", "TokenBLEU"]
