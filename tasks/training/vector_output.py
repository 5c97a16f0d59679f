"""The file of word vectors in training, and the folder of their checkpoints."""

import contextlib
import os
import pathlib
import time
from collections.abc import Iterator
from typing import Any

from ..runs import RunError, checkpoint, locked
from ..runs.files import plain, read_json, write_json
from ..runs.output_file import OutputFile, check_not_an_input
from ..runs.output_folder import OutputFolder
from ..vectors.glove import GloVe
from ..vectors.word_vectors import WordVectors

Path = str | os.PathLike[str]
# The settings of a training, in its folder.
CONFIG = "config.json"


class VectorOutput:
    """A file of vectors, and the folder beside it while they are trained, with the
    settings and the last checkpoints.

    Args:
        out: The file of vectors.
        files: The files of text, which must be others.
        save_seconds: Seconds between two checkpoints.
    """

    def __init__(
        self, out: Path, files: list[pathlib.Path], save_seconds: float
    ) -> None:
        self._out = OutputFile(out, "word vectors")
        self._folder = OutputFolder(
            self._out.path.with_name(f"{self._out.path.name}.training"),
            "training of word vectors",
            _adopted,
        )
        self._inputs = files
        self._config = self._folder.path / CONFIG
        self._settings: dict[str, Any] = {}
        self._save_seconds = save_seconds
        self._saved = time.monotonic()

    @property
    def is_finished(self) -> bool:
        """Whether a training has ended here."""
        return self._out.path.is_file() and not self._config.exists()

    def finished(self, settings: dict[str, Any]) -> WordVectors:
        """The vectors of the training that has ended here.

        Args:
            settings: What was asked for, but for the text.
        Raises:
            RunError: If they were trained with other settings.
        """
        vectors = WordVectors.load(self._out.path)
        known = (self._out.about or {}).get("settings", {}) | {"size": vectors.size}
        _check_same(f"`{self._out.path}` holds vectors", known, settings)
        return vectors

    @contextlib.contextmanager
    def locked(self, force: bool, resume: bool) -> Iterator[None]:
        """Locks the folder for this process, in a `with` block. Without a training, it
        is removed after it.

        Raises:
            RunError: If files would be overwritten without `force`, or are not ours; if
                the folder of `out` does not exist, or another process trains here.
        """
        self._check(force, resume)  # what is refused leaves no folder
        with locked(self._folder.path):
            try:
                self._check(force, resume)  # another may have ended meanwhile
                self._folder.claim()
                yield
            finally:
                if not self._config.exists():
                    self._folder.dissolve()

    def _check(self, force: bool, resume: bool) -> None:
        """Refuses files that would be overwritten, unless they may be."""
        out = self._out.path
        if not (resume and self.is_finished):  # which is only read
            self._out.check()
        self._folder.check("out.training")
        check_not_an_input([out, self._out.record], self._inputs)
        if force or resume:
            return
        if self._config.exists():
            raise RunError(
                f"`out` has an interrupted training in `{self._folder.path}`. Continue "
                "it with --resume (resume=True), or start anew with --force "
                "(force=True)."
            )
        if out.exists():
            raise RunError(
                f"`out` must be a new file: `{out}` exists. Choose another, or "
                "overwrite it with --force (force=True)."
            )

    def begin(self, settings: dict[str, Any], *, anew: bool) -> None:
        """Writes the settings, or compares them with those of the training here, which
        is forgotten if `anew`.

        Raises:
            RunError: If they differ, or cannot be read.
        """
        self._settings = plain(settings)
        if anew or not self._config.exists():
            self._folder.clear()
            write_json(self._folder.reserve(CONFIG), settings)
            return
        what = f"`{self._folder.path}` holds a training"
        _check_same(what, read_json(self._config), self._settings)

    def restore(self, glove: GloVe) -> None:
        """Continues with the last checkpoint, if there is one.

        Raises:
            CheckpointError: If all are damaged, or it is one of another training.
        """
        last = checkpoint.load_last(
            self._folder.path / checkpoint.FOLDER, self._settings
        )
        if last is None:
            return
        state, *others = last.values
        is_same = state.shape == glove.state.shape and state.dtype == glove.state.dtype
        if others or not is_same or any("cost" not in row for row in last.rows):
            raise checkpoint.CheckpointError(
                "The checkpoint is of another training: its weights have other shapes."
            )
        glove.state[:] = state
        glove.costs = [row["cost"] for row in last.rows]

    def keep(self, glove: GloVe) -> None:
        """Writes a checkpoint if it is time to."""
        if time.monotonic() - self._saved < self._save_seconds:
            return
        rows = [{"cost": cost} for cost in glove.costs]
        state = checkpoint.Checkpoint(rows, [glove.state], [], run=self._settings)
        checkpoint.save(state, self._folder)
        self._saved = time.monotonic()

    def finish(self, vectors: WordVectors) -> None:
        """Writes the vectors, and removes the file that tells that a training goes on;
        the folder is removed when its lock is released."""
        with self._out.writing({"settings": self._settings}) as unfinished:
            vectors.save(unfinished)
        self._folder.remove(CONFIG)


def _check_same(what: str, known: dict[str, Any], asked: dict[str, Any]) -> None:
    """Raises RunError if settings that are known differ from those asked for."""
    for name, value in asked.items():
        if name in known and known[name] != value:
            raise RunError(
                f"{what} of another {name}: to resume it, {name} must be "
                f"{known[name]!r}. Received: {name}={value!r}"
            )


def _adopted(folder: pathlib.Path) -> list[str] | None:
    """The files of a training that an earlier version has left; None if it is none."""
    with contextlib.suppress(OSError, RunError):
        if {"format", "text", "window"} <= read_json(folder / CONFIG).keys():
            kept = checkpoint.files_of(folder / checkpoint.FOLDER)
            return [CONFIG, *(f"{checkpoint.FOLDER}/{path.name}" for path in kept)]
    return None
