"""The lease of a run that is trained elsewhere: a file that all machines see.

A worker looks at it before and during the training. If it never sees it, the folder is
not shared; if it is gone or of a later command, nobody waits for the run any more.
"""

import contextlib
import dataclasses
import pathlib
import uuid
from collections.abc import Iterator

from ..runs.output_folder import OutputFolder


@dataclasses.dataclass(frozen=True)
class Lease:
    """A lease.

    Args:
        path: Its file, as an absolute path.
        text: What stands in it.
    """

    path: str
    text: str

    @property
    def holds(self) -> bool:
        """Whether the file is there with this text."""
        try:
            return pathlib.Path(self.path).read_text(encoding="utf-8") == self.text
        except OSError:
            return False

    def withdraw(self) -> None:
        """Removes the file: runs with this lease are stopped."""
        if self.holds:
            pathlib.Path(self.path).unlink(missing_ok=True)


def issue(output: OutputFolder, name: str) -> Lease:
    """Writes a lease, in place of an earlier one.

    Args:
        output: The folder that it is written into.
        name: Its name in it.
    """
    from memnets.saving.atomic import atomic_write

    path = output.reserve(name).absolute()
    lease = Lease(str(path), uuid.uuid4().hex)
    with atomic_write(path) as unfinished:
        unfinished.write_text(lease.text, encoding="utf-8")
    return lease


@contextlib.contextmanager
def leased(output: OutputFolder, name: str) -> Iterator[Lease]:
    """A lease that holds within a `with` block, see `issue`."""
    lease = issue(output, name)
    try:
        yield lease
    finally:
        lease.withdraw()
