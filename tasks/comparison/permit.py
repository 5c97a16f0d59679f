"""The permit of a run that is trained elsewhere: a file that all machines see.

A worker looks at it before and during the training. If it never sees it, the folder is
not shared; if it is gone or of a later command, nobody waits for the run any more.
"""

import contextlib
import dataclasses
import os
import pathlib
import uuid
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class Permit:
    """A permit.

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
        """Removes the file: runs with this permit are stopped."""
        if self.holds:
            pathlib.Path(self.path).unlink(missing_ok=True)


def issue(path: str | os.PathLike[str]) -> Permit:
    """Writes a permit, in place of an earlier one."""
    from memnets.saving.atomic import atomic_write

    path = pathlib.Path(path).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    permit = Permit(str(path), uuid.uuid4().hex)
    with atomic_write(path) as unfinished:
        unfinished.write_text(permit.text, encoding="utf-8")
    return permit


@contextlib.contextmanager
def permitted(path: str | os.PathLike[str]) -> Iterator[Permit]:
    """A permit that holds within a `with` block."""
    permit = issue(path)
    try:
        yield permit
    finally:
        permit.withdraw()
