"""Precision, loops, the largest entries, checks of tensors."""
