"""What lies in a folder that is to be written into, and the only way to replace it.

A folder is new, or holds our own work of the same kind, or holds anything else, which
is never touched. Own work is known by the file `.memnets`: its first line names the
kind, and its other lines list every file that was written. A file is replaced or
removed only if it is listed and carries the mark of its kind (see `marks`): whoever
changes one makes it theirs. `OutputFile` does the same for a single file.
"""

import contextlib
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator

from .marks import is_ours, is_shown

Path = str | os.PathLike[str]

MARK = ".memnets"
LOCK = ".lock"
# Given the folder of an earlier version, which has no mark: the files in it that are
# ours, or None if it is not of the kind.
Adopt = Callable[[pathlib.Path], Iterable[str] | None]


class RunError(ValueError):
    """A run directory or one of its files is not what it should be."""


class OutputFolder:
    """A folder that is written into.

    Links in it are followed: of the folders that they name, too, only files that are
    listed are replaced or removed.

    Args:
        path: The folder, which need not exist.
        kind: What it holds, in words, such as "run".
        adopt: Knows the folders of earlier versions.
    """

    def __init__(self, path: Path, kind: str, adopt: Adopt = lambda path: None) -> None:
        self.path = pathlib.Path(path)
        self.kind = kind
        self._adopt = adopt
        self._claimed: int | None = None

    @property
    def is_new(self) -> bool:
        """Whether there is nothing yet: locks, folders without files and what stopped
        processes left do not count."""
        return not any(map(_counts, _entries(self.path)))

    @property
    def is_own(self) -> bool:
        """Whether it holds our own work of this kind."""
        return self._written() is not None

    def check(self, argument: str = "out") -> None:
        """Raises RunError if the folder can neither be made nor be continued: it is a
        file, or holds what is not our own work of this kind. Writes nothing."""
        if self.path.exists() and not self.path.is_dir():
            raise RunError(
                f"`{argument}` must be a directory. Received: `{self.path}`, a file."
            )
        if self.is_new or self.is_own:
            return
        other = _kind_of(self.path)
        what = f"a {other}" if other else "other files"
        raise RunError(
            f"`{argument}` must be a new or empty directory: `{self.path}` holds "
            f"{what}. Choose another."
        )

    def claim(self) -> None:
        """Makes the folder and marks it, once. Temporary folders of processes that were
        killed are removed.

        Raises:
            RunError: If it holds anything else, or cannot be written; if it was moved
                or replaced since it was claimed.
        """
        if self._claimed is not None:
            if self._claimed != _inode(self.path / MARK):
                raise RunError(
                    f"`{self.path}` was moved or replaced while it was written into."
                )
            return
        from memnets.saving.atomic import sweep_temporary_folders

        sweep_temporary_folders()
        if _kind_of(self.path) != self.kind:
            self._mark()
        self._claimed = _inode(self.path / MARK)

    def _mark(self) -> None:
        self.check()
        lines = [f"memnets {self.kind}", *(f"+ {name}" for name in self.listed())]
        from memnets.saving.atomic import atomic_write

        with _named(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            with atomic_write(self.path / MARK) as unfinished:
                unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def check_free(self, names: Iterable[str]) -> None:
        """Raises RunError if a file is in the way of one of some names: it was not
        written by us, or somebody has changed it."""
        for name in names:
            path = self.path / name
            if os.path.lexists(path) and not self._is_as_written(name):
                raise RunError(
                    f"`{path}` is in the way: memnets did not write it, or it was "
                    "changed since, and is not replaced. Move it elsewhere."
                )

    def reserve(self, name: str) -> pathlib.Path:
        """Lists a file that is about to be written, also if it is listed already.

        Args:
            name: Its path within the folder, with `/` between the parts.
        Returns:
            Its path.
        Raises:
            RunError: If a file is there that we did not write, or the folder cannot be
                written.
        """
        path = self.path / name
        self.check_free([name])
        self.claim()
        if name not in self.listed():
            self._log("+", name)  # before it is there: a stopped process leaves no gap
        with _named(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def remove(self, name: str) -> None:
        """Removes a file if it is listed and as we wrote it."""
        if name in self.listed():
            if self._is_as_written(name):
                with _named(self.path / name):
                    (self.path / name).unlink()
            self._log("-", name)

    def clear(self) -> None:
        """Removes every file that is listed and as we wrote it; the folder stays ours.

        The first that was written is removed last: it says what the folder is of.
        """
        for name in reversed(self.listed()):
            self.remove(name)

    def dissolve(self) -> None:
        """Removes what we wrote, the mark too, and the folders that are empty then."""
        if not self.is_own and not self.is_new:
            return
        names = self.listed()
        self.clear()
        for name in (MARK, LOCK):
            if not _counts(self.path / name):
                (self.path / name).unlink(missing_ok=True)
        inner = {(self.path / name).parent for name in names}
        for folder in sorted({*inner, self.path}, reverse=True):
            with contextlib.suppress(OSError):  # others' files are in it
                folder.rmdir()

    def listed(self) -> list[str]:
        """The files that we wrote and did not remove, by their paths within it."""
        return list(self._written() or ())

    def _is_as_written(self, name: str) -> bool:
        """Whether a file is listed and nobody has changed it."""
        path, listed = self.path / name, self.listed()
        pages = [self.path / one for one in listed if one.endswith(".html")]
        return name in listed and (is_ours(path) or is_shown(path, pages))

    def _written(self) -> dict[str, None] | None:
        """The listed files, in their order; None if the folder is not ours."""
        mark = self.path / MARK
        if _kind_of(self.path) is None:
            adopted = self._adopt(self.path) if self.path.is_dir() else None
            return None if adopted is None else dict.fromkeys(adopted)
        with _named(mark, "read"):
            first, *lines = mark.read_text(encoding="utf-8").split("\n")
        if first != f"memnets {self.kind}":
            return None
        names: dict[str, None] = {}
        for line in lines:
            sign, _, name = line.partition(" ")
            if sign == "+" and _is_inside(name):
                names[name] = None
            elif sign == "-":
                names.pop(name, None)
        return names

    def _log(self, sign: str, name: str) -> None:
        if not _is_inside(name) or "\n" in name:
            raise ValueError(f"`name` must be a path in the folder. Received: {name!r}")
        with _named(self.path / MARK), open(self.path / MARK, "ab") as mark:
            # It begins a line of its own: the one before may have been cut short.
            mark.write(f"\n{sign} {name}\n".encode())
            mark.flush()
            os.fsync(mark.fileno())


def _entries(folder: pathlib.Path) -> list[pathlib.Path]:
    if not folder.is_dir():
        return []
    with _named(folder, "read"):
        return list(folder.iterdir())


def _counts(entry: pathlib.Path) -> bool:
    """Whether an entry makes a folder one that is in use."""
    from memnets.saving.atomic import is_unfinished

    if entry.name == MARK:
        return _kind_of(entry.parent) is None and os.path.lexists(entry)
    if entry.name == LOCK:
        return entry.is_symlink() or entry.is_file() and entry.stat().st_size > 0
    if is_unfinished(entry):
        return False
    # A link to a folder on another disk may be there before anything is written.
    return not entry.is_dir() or bool(_entries(entry))


def _kind_of(folder: pathlib.Path) -> str | None:
    """What the mark of a folder says that it holds, or None."""
    if (folder / MARK).is_symlink():
        return None
    with contextlib.suppress(OSError, ValueError):
        first = (folder / MARK).read_text(encoding="utf-8").split("\n")[0]
        program, _, kind = first.partition(" ")
        if program == "memnets" and kind:
            return kind
    return None


def _inode(path: pathlib.Path) -> int | None:
    with contextlib.suppress(OSError):
        return path.stat().st_ino
    return None


def _is_inside(name: str) -> bool:
    """Whether the name of a listing stays in its folder: a listing may be a
    stranger's."""
    parts = name.split("/")
    return all(part not in ("", ".", "..") for part in parts) and "\\" not in name


@contextlib.contextmanager
def _named(path: pathlib.Path, deed: str = "written") -> Iterator[None]:
    """Names the path in an error of the system."""
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise RunError(f"`{path}` cannot be {deed}: {reason}.") from None
