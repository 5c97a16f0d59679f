"""TER, the translation edit rate: edit distance with shifts of words."""

from .ter import TER

__all__ = ["TER"]
