"""METEOR: its alignments, resources and scores."""

from .meteor import METEOR

__all__ = ["METEOR"]
