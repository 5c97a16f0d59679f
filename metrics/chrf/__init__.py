"""chrF and chrF++."""

from .chrf import CHRF, CHRFScore

__all__ = ["CHRF", "CHRFScore"]
