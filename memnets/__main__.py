"""`python -m memnets` is the program `memnets`."""

from .tasks.cli import run

run()
