"""BLEU."""

from .bleu import BLEU, BLEUScore

__all__ = ["BLEU", "BLEUScore"]
