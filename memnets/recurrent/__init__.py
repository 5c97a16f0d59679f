"""Loops over time, and the baselines."""
