"""Searching for settings: trials, what is tried next, the page of a search."""
