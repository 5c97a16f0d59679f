"""A file that is written at once, with a record by which it is known as ours."""

import contextlib
import hashlib
import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from .files import read_json, write_json
from .output_folder import MARK, Path, RunError


class OutputFile:
    """A file that is written at once, with a record beside it that knows its bytes.

    The record of `vectors.txt` is `vectors.txt.memnets`. A link is followed: the file
    that it names is written, and the record lies beside that.

    Args:
        path: The file, which need not exist.
        kind: What it holds, in words, such as "word vectors".
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = pathlib.Path(os.path.realpath(path))
        self.kind = kind
        self.record = self.path.with_name(f"{self.path.name}{MARK}")

    @property
    def is_new(self) -> bool:
        """Whether no file is there."""
        return not os.path.lexists(self.path)

    @property
    def about(self) -> dict[str, Any] | None:
        """What the record says of the file; None without a record that is ours."""
        try:
            record = read_json(self.record)
        except (FileNotFoundError, RunError):
            return None
        is_known = isinstance(record, dict) and record.get("kind") == self.kind
        return record if is_known and "file" in record else None

    @property
    def is_own(self) -> bool:
        """Whether the file is the one that we wrote, byte by byte."""
        about = self.about
        if about is None:
            return False
        digest = sha256_of(self.path)
        return digest is not None and digest in (about["file"], about.get("replaced"))

    def check(self, argument: str = "out") -> None:
        """Raises RunError if the file, or its record, would replace another one.
        Writes nothing."""
        if not self.path.parent.is_dir() or self.path.is_dir():
            raise RunError(
                f"`{argument}` must be a file in a folder that exists. "
                f"Received: {self.path}"
            )
        if not self.is_new and not self.is_own:
            raise RunError(
                f"`{argument}` must be a new file: memnets did not write "
                f"`{self.path}`, or it was changed since. Choose another, or move it."
            )
        if os.path.lexists(self.record) and self.about is None:
            raise RunError(
                f"`{argument}` must be a file beside which `{self.record.name}` can be "
                f"written. Received: `{self.path}`, where that is another file."
            )

    @contextlib.contextmanager
    def writing(self, about: dict[str, Any]) -> Iterator[pathlib.Path]:
        """Writes the file and its record.

        Args:
            about: What the record says beside the file's kind and SHA-256.
        Yields:
            Path of a temporary file to write to.
        Raises:
            RunError: If another file is there by now.
            OSError: If it cannot be written; the old file is unchanged.
        """
        from memnets.saving.atomic import atomic_write

        with atomic_write(self.path) as unfinished:
            yield unfinished
            self.check()  # another file may have come meanwhile
            # The record comes first and names the old and the new file: whenever this
            # is stopped, it knows the one that is there.
            digests = {"file": sha256_of(unfinished), "replaced": sha256_of(self.path)}
            write_json(self.record, {"kind": self.kind, **digests, **about})


def sha256_of(path: Path) -> str | None:
    """The SHA-256 of a file in hexadecimal digits; None if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def check_not_an_input(
    outputs: Iterable[Path], inputs: Iterable[Path], argument: str = "out"
) -> None:
    """Raises RunError if a file that is to be written is one that is read, whatever
    links or spellings lead there, or lies directly in a folder that is read.

    Args:
        outputs: Files that are to be written or removed.
        inputs: Files and folders that are read.
        argument: What messages call the output.
    """
    read = [pathlib.Path(path) for path in inputs]
    for output in map(pathlib.Path, outputs):
        for path in read:
            if _is_in(output, path):
                raise RunError(
                    f"`{argument}` must not be or replace what is read: `{output}` is "
                    f"an input (`{path}`). Choose another."
                )


def _is_in(output: pathlib.Path, path: pathlib.Path) -> bool:
    with contextlib.suppress(OSError):  # one of them does not exist
        if os.path.samefile(output, path):
            return True
    output, path = (pathlib.Path(os.path.realpath(one)) for one in (output, path))
    return output == path or path.is_dir() and path == output.parent
