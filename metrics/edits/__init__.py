"""Metrics that count edits: error rates, TER, exact match."""
