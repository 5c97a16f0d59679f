"""TER: edit distance with shifts."""

from .ter import TER

__all__ = ["TER"]
