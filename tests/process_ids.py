"""Processes by their number, on Linux."""

import pathlib


def is_alive(pid):
    """Whether a process runs; one that has ended may still be listed."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
