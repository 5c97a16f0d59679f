"""Saving and loading of models, with a checksum and without executing a file."""

from .saving import LoadError, SaveError, load, save

__all__ = ["LoadError", "SaveError", "load", "save"]
