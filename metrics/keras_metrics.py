"""`TokenBLEU` and `GenerationMetrics` for Keras. Importing this module imports Keras.

The package has them too, as `metrics.TokenBLEU` and `metrics.GenerationMetrics`.
"""

from .keras import GenerationMetrics, TokenBLEU

__all__ = ["GenerationMetrics", "TokenBLEU"]
