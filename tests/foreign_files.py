"""What lies in a folder, to compare before and after something was written there."""

import hashlib
import os
import pathlib


def contents_of(folder):
    """Every entry of a folder by its path: where a link leads, the SHA-256 of a file,
    the mode of both."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        mode = path.lstat().st_mode
        if path.is_symlink():
            found[name] = mode, os.readlink(path)
        elif path.is_file():
            found[name] = mode, hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = mode, ""
    return found


def names_in(folder):
    """The names in a folder, in order."""
    return sorted(path.name for path in pathlib.Path(folder).iterdir())
