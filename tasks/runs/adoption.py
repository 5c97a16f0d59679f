"""Folders of earlier versions, which have no listing: what in them is ours.

Files are recognised by their marks. A picture is ours if a page of ours shows it, byte
by byte.
"""

import contextlib
import pathlib
from collections.abc import Iterable

from .checkpoint import files_of
from .files import read_json
from .marks import is_ours, is_shown
from .output_folder import MARK, RunError

OF_RUN = ("config.json", "history.csv", "summary.json", "model.keras")


def adopted_run(folder: pathlib.Path) -> Iterable[str] | None:
    """The files of a run of an earlier version; None if the folder holds no run."""
    if not _holds_run(folder):
        return None
    names = [*OF_RUN, "report.html", "watch.html"]
    names += [_within(folder, path) for path in files_of(folder / "checkpoints")]
    return _ours(folder, names, pages=("report.html",))


def adopted_comparison(folder: pathlib.Path) -> Iterable[str] | None:
    """The same of a comparison: its page and pictures, but not its runs."""
    if not _holds_only_runs(folder):
        return None
    return _ours(folder, ["index.html", ".permit"], pages=("index.html",))


def adopted_search(folder: pathlib.Path) -> Iterable[str] | None:
    """The same of a search: its own files, but not its trials and its runs."""
    if not is_ours(folder / "search.json"):
        return None
    return _ours(folder, ["search.json", "index.html"], pages=("index.html",))


def adopted_trials(folder: pathlib.Path) -> Iterable[str] | None:
    """The same of the trials of a search."""
    trials = [path for path in folder.glob("*/trial.json") if is_ours(path)]
    permits = [path for path in folder.glob("*/.permit") if is_ours(path)]
    return [_within(folder, path) for path in trials + permits] if trials else None


def _holds_run(folder: pathlib.Path) -> bool:
    with contextlib.suppress(OSError, RunError):
        config = read_json(folder / "config.json")
        parts = {"format", "task", "model", "training", "versions"}
        return isinstance(config, dict) and config.keys() >= parts
    return False


def _holds_only_runs(folder: pathlib.Path) -> bool:
    """Whether there are runs, and nothing else but the page of a comparison."""
    entries = [path for path in folder.iterdir() if not path.name.startswith(".")]
    runs = [path for path in entries if (path / MARK).is_file() or _holds_run(path)]
    others = {path.name for path in entries} - {path.name for path in runs}
    has_page = is_ours(folder / "index.html")
    return bool(runs) and others <= ({"index.html", "figures"} if has_page else set())


def _ours(
    folder: pathlib.Path, names: Iterable[str], pages: Iterable[str]
) -> list[str]:
    """Those of some files that carry a mark, and the pictures that pages show."""
    found = [name for name in names if is_ours(folder / name)]
    shown = [folder / name for name in pages]
    pictures = [path for path in folder.glob("figures/*.png") if is_shown(path, shown)]
    return found + [_within(folder, path) for path in pictures]


def _within(folder: pathlib.Path, path: pathlib.Path) -> str:
    return path.relative_to(folder).as_posix()
