"""Writing models to files that are complete or not there at all."""

import pathlib
import zipfile

import keras

from ..checks import shorten
from . import archive
from .archive import one_line
from .atomic import atomic_write


class SaveError(OSError):
    """A model could not be written; the old file is unchanged."""


def save(model: keras.Model, path: str | pathlib.Path) -> None:
    """Writes a model to a `.keras` file with a checksum, completely or not at all.

    A reader finds the old file or the new one, even if the process is killed. The
    checksum is a SHA-256 in the comment of the archive: `load` detects any change of
    the file, and Keras ignores it.

    Args:
        model: A Keras model that is built.
        path: The file; its name must end in `.keras`. A Keras model that is there is
            replaced, another file is not.
    Raises:
        TypeError: If `model` is not a Keras model.
        ValueError: If it is not built, or `path` has another ending or is a file of
            another kind.
        SaveError: If the file cannot be written; the old file is unchanged.
    Example:
        >>> import memnets
        >>> inputs = keras.Input((None, 3))
        >>> model = keras.Model(inputs, memnets.NTM(2)(inputs))
        >>> path = getfixture("tmp_path") / "model.keras"
        >>> memnets.save(model, path)
        >>> memnets.load(path).output_shape
        (None, 2)
    """
    if not isinstance(model, keras.Model):
        raise TypeError(
            f"`model` must be a Keras model. Received: model={shorten(model)}"
        )
    if not model.built:
        raise ValueError(
            "`model` must be built: call it once. Received: a model without weights."
        )
    path = pathlib.Path(path)
    if path.suffix != ".keras":
        raise ValueError(f"`path` must end in .keras. Received: path={str(path)!r}")
    if path.exists() and not path.is_dir() and not _is_model(path):
        raise ValueError(
            "`path` must be a new file or a Keras model, which is replaced. "
            f"Received: path={str(path)!r}, a file of another kind"
        )
    write_model(model, path)


def _is_model(path: pathlib.Path) -> bool:
    """Whether a file is an archive as Keras writes it, or an empty one."""
    if not path.is_file():  # a pipe, a device
        return False
    if not path.stat().st_size:
        return True
    try:
        with zipfile.ZipFile(path) as archived:
            return {archive.CONFIG, archive.METADATA} <= {*archived.namelist()}
    except zipfile.BadZipFile:
        return False


def write_model(model: keras.Model, path: pathlib.Path) -> None:
    """Writes a model in place of whatever file is at `path`, see `save`.

    Raises:
        SaveError: If the file cannot be written; the old file is unchanged.
    """
    try:
        with atomic_write(path) as unfinished:
            model.save(unfinished)
            archive.make_reproducible(unfinished)
            archive.add_checksum(unfinished)
    except OSError as error:
        raise SaveError(
            f"`{path}` cannot be written: {one_line(error)}. The old file, if any, is "
            "unchanged."
        ) from None
