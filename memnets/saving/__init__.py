"""Saving and loading of models, with a checksum and without executing a file."""

from .loader import LoadError, load
from .saver import SaveError, save

__all__ = ["LoadError", "SaveError", "load", "save"]
