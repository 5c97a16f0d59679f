"""Perplexity and bits per character."""

from .likelihood import BitsPerCharacter, Perplexity, bits_per_character, perplexity

__all__ = ["BitsPerCharacter", "Perplexity", "bits_per_character", "perplexity"]
