"""Everything that a training run needs to resume exactly, in one file."""

import hashlib
import io
import json
import os
import pathlib
import re
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks import shorten
from .archive_arrays import array_of, arrays_of
from .history import rows_of
from .marks import HEADER
from .output_folder import OutputFolder

if TYPE_CHECKING:
    import keras


# A file is one line, `HEADER` and the SHA-256 of the rest, then an archive of NumPy
# arrays.
# One more than the last, which is used if the last is damaged.
NUM_KEPT = 2
# Their folder within that of what is trained.
FOLDER = "checkpoints"

Path = str | os.PathLike[str]


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged or of another run."""


class Checkpoint(NamedTuple):
    """A training run at the end of an epoch.

    Attributes:
        rows: The rows of the history so far.
        values: NumPy arrays, in the order of `state_of`.
        rollback_values: The same from before the best recent epoch, which a roll-back
            restores; none of a training that is never rolled back.
        kept: The weights that the run keeps as its model; None if they are those in
            `values`.
        recent: The weights after the last epochs, of a run that averages some.
        best_start: The state after the best start so far, of a run that has several
            and has not chosen yet.
        run: What is trained, and how, by which a checkpoint of another run is known;
            None in one of an earlier version.
        features: States of further features of training, lists of NumPy arrays by name.
    """

    rows: list[dict]
    values: list[np.ndarray]
    rollback_values: list[np.ndarray]
    kept: list[np.ndarray] | None = None
    recent: tuple[list[np.ndarray], ...] = ()
    best_start: list[np.ndarray] | None = None
    run: dict | None = None
    features: Mapping[str, list[Any]] = MappingProxyType({})


def state_of(model: "keras.Model") -> list["keras.Variable"]:
    """Every variable that training changes: weights, states of random generators,
    moments and counts of the optimizer."""
    return [*model.variables, *model.optimizer.variables]


def values_of(model: "keras.Model") -> list[np.ndarray]:
    """Copies of what `state_of` lists, as NumPy arrays."""
    return [array_of(variable) for variable in state_of(model)]


def restore(values: list[np.ndarray], model: "keras.Model") -> None:
    """Sets the variables of a model to what `values_of` returned.

    Raises:
        CheckpointError: If it is the state of another model.
    """
    variables = state_of(model)
    check_fit(values, variables)
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)


def check_fit(values: list[np.ndarray], variables: list["keras.Variable"]) -> None:
    """Raises CheckpointError if arrays are not values of variables."""
    shapes = [tuple(variable.shape) for variable in variables]
    if shapes != [value.shape for value in values]:
        raise CheckpointError(
            "The checkpoint is of another model: its weights have other shapes."
        )
    for variable, value in zip(variables, values, strict=True):
        # A file has only the size of 8 and 16 bit types that NumPy does not know.
        kinds = "V" if variable.dtype.startswith(("bfloat", "float8")) else ""
        if value.dtype.kind not in kinds + variable.dtype[0]:
            raise CheckpointError(
                "The checkpoint is of another model: its weights have other types. "
                f"Received: {value.dtype} for {variable.dtype}"
            )


def packed(checkpoint: Checkpoint) -> bytes:
    """A checkpoint as the bytes of a file, with their SHA-256."""
    archive = io.BytesIO()
    members: dict[str, Any] = {
        "history": _text(checkpoint.rows),
        **({} if checkpoint.run is None else {"run": _text(checkpoint.run)}),
        **_named("value", checkpoint.values),
        **_named("safe", checkpoint.rollback_values),
        **_named("kept", checkpoint.kept or []),
        **_named("start", checkpoint.best_start or []),
        **{
            key: value
            for epoch, weights in enumerate(checkpoint.recent)
            for key, value in _named(f"recent-{epoch}", weights).items()
        },
    }
    if checkpoint.features:
        members["features"] = _text([*checkpoint.features])
    for name, arrays in checkpoint.features.items():
        members |= _named(f"feature-{name}", arrays)
    # `Any`: a member's name could be that of an argument of `savez`.
    np.savez(archive, **members)
    data = archive.getvalue()
    return HEADER + hashlib.sha256(data).hexdigest().encode() + b"\n" + data


def save(checkpoint: Checkpoint, output: OutputFolder) -> None:
    """Writes a checkpoint, and removes those before it but for the last.

    Args:
        checkpoint: The checkpoint.
        output: The folder of what is trained; the file lies in `checkpoints` there.
    Raises:
        RunError: If another file is in the way.
        OSError: If it cannot be written; those that are there stay as they are.
    """
    from memnets.saving.atomic import atomic_write

    path = output.reserve(f"{FOLDER}/{len(checkpoint.rows):06}.checkpoint")
    with atomic_write(path) as unfinished:
        unfinished.write_bytes(packed(checkpoint))
    for old in files_of(path.parent)[:-NUM_KEPT]:
        output.remove(f"{FOLDER}/{old.name}")


def _text(value: list | dict) -> np.ndarray:
    """What JSON can hold, as an array."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _named(name: str, arrays: list[np.ndarray]) -> dict[str, Any]:
    return {f"{name}-{n}": array for n, array in enumerate(arrays)}


def _arrays(archive: dict[str, np.ndarray], name: str) -> list[np.ndarray]:
    """What `_named` named, in its order."""
    arrays: list[np.ndarray] = []
    while (key := f"{name}-{len(arrays)}") in archive:
        arrays.append(archive[key])
    return arrays


def files_of(folder: Path) -> list[pathlib.Path]:
    """The checkpoints in a folder, the last at the end."""
    named = pathlib.Path(folder).glob("*.checkpoint")
    return sorted(path for path in named if re.fullmatch(r"\d+", path.stem))


def load(path: Path) -> Checkpoint:
    """Reads a checkpoint.

    Raises:
        CheckpointError: If the file is missing, damaged or of another kind.
    """
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise CheckpointError(f"`{path}` cannot be read: {error.strerror}") from None
    return unpacked(data, path)


def unpacked(data: bytes, path: Path) -> Checkpoint:
    """The checkpoint that `packed` made bytes of.

    Args:
        data: The bytes.
        path: What messages call them.
    Raises:
        CheckpointError: If they are damaged or of another kind.
    """
    header, _, data = data.partition(b"\n")
    if header != HEADER + hashlib.sha256(data).hexdigest().encode():
        raise CheckpointError(f"`{path}` is damaged: its SHA-256 does not match.")
    try:
        arrays = arrays_of(data)
        if "history" not in arrays:
            raise ValueError("it has no history")
        rows = rows_of(arrays["history"].tobytes())
        run = _run(arrays)
        values = _arrays(arrays, "value")
        rollback_values = _arrays(arrays, "safe")
        if not values or len(rollback_values) not in (0, len(values)):
            raise ValueError("weights are missing")
        kept = _arrays(arrays, "kept") or None
        recent: list[list[np.ndarray]] = []
        while weights := _arrays(arrays, f"recent-{len(recent)}"):
            recent.append(weights)
        best_start = _arrays(arrays, "start") or None
        features = {name: _arrays(arrays, f"feature-{name}") for name in _names(arrays)}
    except ValueError as error:
        raise CheckpointError(f"`{path}` is not a checkpoint: {error}") from None
    return Checkpoint(
        rows, values, rollback_values, kept, tuple(recent), best_start, run, features
    )


def _names(arrays: dict[str, np.ndarray]) -> list[str]:
    """The names of further features.

    Raises:
        ValueError: If they are no list of text.
    """
    try:
        names = json.loads(arrays["features"].tobytes()) if "features" in arrays else []
    except RecursionError:
        raise ValueError("its features are nested too deeply") from None
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ValueError("its features must be a list of names")
    return names


def _run(arrays: dict[str, np.ndarray]) -> dict | None:
    """What a checkpoint says of its run; None if it is of an earlier version.

    Raises:
        ValueError: If it is no JSON object.
    """
    if "run" not in arrays:
        return None
    try:
        run = json.loads(arrays["run"].tobytes())
    except RecursionError:
        raise ValueError("its run is nested too deeply") from None
    if not isinstance(run, dict):
        raise ValueError("its run must be a JSON object")
    return run


def load_last(folder: Path, run: dict | None = None) -> Checkpoint | None:
    """Reads the last intact checkpoint of a folder; None if the folder has none.

    If the last one is damaged, a warning names it, and the one before it is used.

    Args:
        folder: The folder.
        run: What is trained, and how, as `Checkpoint.run` has it; anything if None.
    Raises:
        CheckpointError: If all are damaged, or it is one of another run.
    """
    files = files_of(folder)
    for path in reversed(files):
        try:
            found = load(path)
            break
        except CheckpointError as error:
            failure = error
            warnings.warn(f"{error} The one before is used.", stacklevel=2)
    else:
        if files:
            raise CheckpointError(f"{failure} There is no intact one before it.")
        return None
    if run is not None:
        _check_is_of(run, found, path)
    return found


def _check_is_of(run: dict, found: Checkpoint, path: Path) -> None:
    """Raises CheckpointError if a checkpoint is one of another run."""
    if found.run is None:
        warnings.warn(
            f"`{path}` is of an earlier version and does not say of which run: it is "
            "taken for one of this run.",
            stacklevel=3,
        )
        return
    for name in sorted(run.keys() & found.run.keys()):  # a version may name others
        if found.run[name] != run[name]:
            raise CheckpointError(
                f"`{path}` is a checkpoint of another run, with {name}="
                f"{shorten(found.run[name])}. This run has {name}={shorten(run[name])}"
            )
