"""Folders of earlier versions, which have no listing: what in them is ours.

Each kind of file carries a mark by which it is recognised, whatever its name: a
checksum of our own form, the first bytes of a checkpoint, the style of a page. A
picture is ours if a page of ours shows it, byte by byte.
"""

import base64
import contextlib
import json
import pathlib
from collections.abc import Iterable

from .checkpoint import HEADER
from .checksum import is_intact
from .files import read_json
from .output_folder import MARK, RunError

# What the pages of every version have in their style.
STYLE = "max-width: 75rem; margin: 2rem auto;"
# Of a model that `memnets.save` wrote, at the end of the archive.
CHECKSUM_OF_MODEL = b"memnets-sha256:"
OF_RUN = ("config.json", "history.csv", "summary.json", "model.keras")
OF_SEARCH = {"task", "model", "training", "vary"}
OF_TRIAL = {"number", "settings", "state", "losses", "score"}


def adopted_run(folder: pathlib.Path) -> Iterable[str] | None:
    """The files of a run of an earlier version; None if the folder holds no run."""
    if not _holds_run(folder):
        return None
    names = [*OF_RUN, "report.html", "watch.html"]
    names += [_within(folder, path) for path in folder.glob("checkpoints/*.checkpoint")]
    return _ours(folder, names, pages=("report.html",))


def adopted_comparison(folder: pathlib.Path) -> Iterable[str] | None:
    """The same of a comparison: its page and pictures, but not its runs."""
    if not _is_ours(folder / "index.html") and not _holds_only_runs(folder):
        return None
    return _ours(folder, ["index.html"], pages=("index.html",))


def adopted_search(folder: pathlib.Path) -> Iterable[str] | None:
    """The same of a search: its own files, but not its trials and its runs."""
    if not _has_keys(folder / "search.json", OF_SEARCH):
        return None
    return ["search.json", *_ours(folder, ["index.html"], pages=("index.html",))]


def adopted_trials(folder: pathlib.Path) -> Iterable[str] | None:
    """The same of the trials of a search."""
    trials = [path for path in folder.glob("*/trial.json") if _has_keys(path, OF_TRIAL)]
    return [_within(folder, path) for path in trials] or None


def _has_keys(path, keys):
    """Whether a file is a JSON object that has at least these keys."""
    with contextlib.suppress(OSError, ValueError):
        value = json.loads(path.read_text(encoding="utf-8"))
        return isinstance(value, dict) and value.keys() >= keys
    return False


def _holds_run(folder):
    with contextlib.suppress(OSError, RunError):
        config = read_json(folder / "config.json")
        parts = {"format", "task", "model", "training", "versions"}
        return isinstance(config, dict) and config.keys() >= parts
    return False


def _holds_only_runs(folder):
    """Whether there is nothing but runs, as in a comparison without its page yet."""
    entries = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return bool(entries) and all(
        (path / MARK).is_file() or _holds_run(path) for path in entries
    )


def _ours(folder, names, pages):
    """Those of some files that carry a mark, and the pictures that pages show."""
    found = [name for name in names if _is_ours(folder / name)]
    shown = "".join(
        (folder / name).read_text(encoding="utf-8") for name in pages if name in found
    )
    pictures = [
        _within(folder, path)
        for path in folder.glob("figures/*.png")
        if base64.b64encode(path.read_bytes()).decode() in shown
    ]
    return found + pictures


def _within(folder, path):
    return path.relative_to(folder).as_posix()


def _is_ours(path):
    """Whether a file carries the mark of its kind."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.suffix in (".json", ".csv"):
            return is_intact(path.read_text(encoding="utf-8"))
        if path.suffix == ".html":
            return STYLE in path.read_text(encoding="utf-8")
        data = path.read_bytes()
        if path.suffix == ".checkpoint":
            return data.startswith(HEADER)
        return CHECKSUM_OF_MODEL in data[-200:]
    return False
