"""The command line, one command a file."""


def run() -> None:
    """The program `memnets`. Before anything else is imported it minds Ctrl-C."""
    from .interrupts import end_at_once

    end_at_once()
    from .main import main

    main()
