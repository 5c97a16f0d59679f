"""`python -m memnets` is the program `memnets`."""

from .tasks.cli import run

if __name__ == "__main__":
    run()
