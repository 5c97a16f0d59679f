"""Readers of captions and pictures in files."""
