"""Captions of pictures from files."""
