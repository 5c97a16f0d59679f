"""Formal languages."""
