"""CIDEr and CIDEr-D."""

from .cider import CIDEr, CIDErD
from .document_frequency import count_documents

__all__ = ["CIDEr", "CIDErD", "count_documents"]
