"""Files found by names that other systems write differently."""

import functools
import pathlib
import unicodedata
from collections.abc import Callable, Iterable


def _composed(name: str) -> str:
    """A name in one form of Unicode: macOS writes accents apart from their letters."""
    return unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    return _composed(_composed(name).casefold())


def _stem(name: str) -> str:
    return _folded(name).rpartition(".")[0]


# How a name and that of its file are compared, one after the other.
KEYS: tuple[tuple[Callable[[str], str], Callable[[str], str]], ...] = (
    (_composed, _composed),
    (_folded, _folded),
    (_folded, _stem),  # as image_id has it
)


class FileNames:
    """Files in some folders, by their names.

    Args:
        folders: Where files are looked for, one after the other.
    """

    def __init__(self, folders: Iterable[pathlib.Path]) -> None:
        self._folders = list(folders)
        self._listed = functools.cache(_listed)

    def find(self, name: str) -> pathlib.Path:
        """The file of a name, which may have folders in it.

        If there is none of exactly this name, it is that in another form of Unicode,
        else that in other letter case, else that with an ending.

        Returns:
            The file, or where it should be.
        Raises:
            ValueError: If there are several of one of these kinds.
        """
        paths = [folder / name for folder in self._folders]
        for path in paths:
            if path.is_file():
                return path
        *inner, last = name.replace("\\", "/").split("/")
        for own, of_files in KEYS:
            places = self._folders
            for part in inner:
                places = self._matching(places, own(part), own)
            found = self._matching(places, own(last), of_files)
            if len(found) > 1:
                names = " and ".join(path.name for path in found[:2])
                raise ValueError(f"there are several files of this name, {names}")
            if found:
                return found[0]
        return paths[0]

    def _matching(
        self, places: Iterable[pathlib.Path], wanted: str, key: Callable[[str], str]
    ) -> list[pathlib.Path]:
        return [p for place in places for p in self._listed(place, key).get(wanted, ())]


def _listed(
    place: pathlib.Path, key: Callable[[str], str]
) -> dict[str, list[pathlib.Path]]:
    """What lies in a folder, by the key of its name."""
    found: dict[str, list[pathlib.Path]] = {}
    if place.is_dir():
        for path in sorted(place.iterdir()):
            found.setdefault(key(path.name), []).append(path)
    return found
