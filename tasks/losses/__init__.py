"""Losses and measures that several families use."""
