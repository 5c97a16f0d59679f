"""A run directory: what a training run leaves behind."""

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

from ..contract.earlier import error_names
from ..contract.parameters import input_paths, inputs_of
from ..contract.task import Task
from ..models.base import ModelConfig
from ..models.keras_model import check_shapes, uncompiled, with_named_inputs
from ..own_code import is_own
from ..training_options.training_config import BUDGET, TESTED, TrainingConfig
from . import checkpoint
from .adoption import adopted_run
from .files import (
    RunError,
    plain,
    read_history,
    read_json,
    with_nan,
    without_nan,
    write_history,
    write_json,
)
from .history import FIRST_COLUMNS, LAST_COLUMNS, History, Row, upgraded
from .output_folder import OutputFolder

if TYPE_CHECKING:
    import keras


# 2: text files have a checksum, histories the number of skipped steps.
# 3: histories say which epochs were rolled back, in the column `taken_back`.
# 4: histories have the measures of their task and the column `rolled_back`, summaries
#    the values of their task.
FORMAT = 4
READABLE_FORMATS = (3, 4)
# The parts of a configuration on which the bytes of a run depend.
PARTS = ("task", "model", "training")
# Heuristic: what a checkpoint says of its run should fit on a page.
LONGEST_VALUE = 200


def run_folder(path: str | os.PathLike[str]) -> OutputFolder:
    """The directory of a run, to write into."""
    return OutputFolder(path, "run", adopted_run)


@dataclasses.dataclass(frozen=True)
class Run:
    """A training run on disk.

    Args:
        path: The directory.
        task: What was trained on.
        model: What was trained.
        training: How.
        versions: Versions of Python and of the libraries, and the backend.
        devices: Number of devices that batches are spread over.
        processes: Number of processes that train together.
    """

    path: pathlib.Path
    task: Task
    model: ModelConfig
    training: TrainingConfig
    versions: dict
    devices: int = 1
    processes: int = 1

    @property
    def signature(self) -> str:
        """One line to quote beside the run's numbers; `config.json` has every value.
        Its sequences are those of whole epochs, which are trained on."""
        training, sequences = self.training, self.training.sequences
        if None not in (sequences, training.batch_size):
            sequences = training.trained_sequences
        return (
            f"{self.task.signature}|model:{self.model.signature}"
            f"|sequences:{sequences}|seed:{training.seed}"
            f"|v:{self.versions['memnets']}"
        )

    def signature_with(self, decoding: dict[str, Any]) -> str:
        """The same line for texts that were written in another way.

        Args:
            decoding: Such as `beam_size`, by name; what is no parameter of the task is
                not part of the line.
        """
        known = self.task.parameters
        used = {name: value for name, value in decoding.items() if name in known}
        task = dataclasses.replace(self.task, **used)
        return dataclasses.replace(self, task=task).signature

    def file(self, name: str) -> pathlib.Path:
        """Path of one of the run's files."""
        return self.path / name

    @functools.cached_property
    def folder(self) -> OutputFolder:
        """The directory, to write into."""
        return run_folder(self.path)

    @property
    def checkpoints(self) -> pathlib.Path:
        """The folder of the checkpoints."""
        return self.path / checkpoint.FOLDER

    @property
    def inputs(self) -> list[str]:
        """The files and folders that its task and its model read."""
        return inputs_of(self.task, self.model)

    @property
    def identity(self) -> dict:
        """What a checkpoint must agree with: task, model and training by name, without
        the budget, which may become longer, what is tested, and the places of files,
        which may move."""
        parts = plain({part: self.config[part] for part in PARTS})
        for part, owner in (("task", self.task), ("model", self.model)):
            for name in input_paths(owner):
                path = parts[part].pop(name)
                if path and not (name == "data" and "digest" in parts[part]):
                    parts[part][name] = os.path.realpath(path)
        for name in (*BUDGET, *TESTED, "start_sequences"):  # a longer budget names it
            del parts["training"][name]
        return {
            f"{part}.{name}": _digest_if_long(value)
            for part, values in parts.items()
            for name, value in values.items()
        }

    @property
    def config(self) -> dict:
        """What `config.json` holds: every resolved value."""
        return {
            "format": FORMAT,
            "signature": self.signature,
            "task": {"name": self.task.name, **self.task.parameters},
            "model": {"name": self.model.name, **self.model.parameters},
            "training": dataclasses.asdict(self.training),
            "versions": self.versions,
            "devices": self.devices,
            "processes": self.processes,
        }

    def write_config(self) -> None:
        """Writes `config.json`."""
        write_json(self.folder.reserve("config.json"), self.config)

    def write_history(self, rows: list[Row]) -> None:
        """Writes `history.csv`, a row an epoch."""
        write_history(self.folder.reserve("history.csv"), rows)

    def read_history(self) -> History:
        """Reads `history.csv`.

        Raises:
            RunError: If the file is missing, truncated or of another kind.
        """
        return History(read_history(self.file("history.csv")), self.training)

    def write_summary(self, summary: dict) -> None:
        """Writes `summary.json`, which says that the run has ended and how. Numbers
        that are not finite are null in it."""
        path = self.folder.reserve("summary.json")
        write_json(path, without_nan(plain(summary)))

    def read_summary(self) -> dict:
        """Reads `summary.json`. A number that was not finite is NaN.

        Raises:
            RunError: If the file is missing, truncated or of another kind.
        """
        path = self.file("summary.json")
        try:
            summary = read_json(path)
        except FileNotFoundError:
            raise RunError(f"`{path}` is missing: the run has not ended.") from None
        summary = _upgraded_summary(summary, error_names(type(self.task)))
        if not isinstance(summary, dict) or not summary.get("evaluation"):
            raise RunError(f"`{path}` is not the summary of a run.")
        # A run that has not solved its task has no number there.
        return {**with_nan(summary), "solved_at": summary.get("solved_at")}

    def save_checkpoint(self, state: checkpoint.Checkpoint) -> None:
        """Writes a checkpoint.

        Raises:
            RunError: If it cannot be written.
        """
        try:
            checkpoint.save(state._replace(run=self.identity), self.folder)
        except OSError as error:
            raise RunError(
                f"`{self.checkpoints}` cannot be written: {error.strerror}. The "
                "earlier checkpoints are unchanged."
            ) from None

    def last_checkpoint(self) -> checkpoint.Checkpoint | None:
        """The last intact checkpoint, None if there is none yet.

        Raises:
            RunError: If all are damaged, or it is one of another run.
        """
        try:
            last = checkpoint.load_last(self.checkpoints, self.identity)
        except checkpoint.CheckpointError as error:
            raise RunError(str(error)) from None
        rows = last.rows if last else []
        for name in (*FIRST_COLUMNS, *LAST_COLUMNS):
            if rows and name not in rows[0]:
                raise RunError(
                    f"`{self.checkpoints}` holds no checkpoint of a run: the history "
                    f"in it has no column {name!r}."
                )
        return last

    def save_model(self, model: "keras.Model") -> None:
        """Writes `model.keras`, without the state of the optimizer.

        Raises:
            RunError: If it cannot be written; the old file stays as it is.
        """
        from memnets.saving.saver import write_model

        try:
            write_model(uncompiled(model), self.folder.reserve("model.keras"))
        except OSError as error:
            raise RunError(str(error)) from None

    def load_model(self, custom_objects: dict | None = None) -> "keras.Model":
        """Reads `model.keras`.

        Args:
            custom_objects: Classes of your own in the model, `{name: class}`. Those
                that are registered with Keras are found without it.
        Raises:
            RunError: If the file is missing, truncated, corrupted or of another kind.
        """
        path = self.file("model.keras")
        if not path.is_file():
            raise RunError(f"`{path}` is missing: the run has not saved a model.")
        import keras

        import memnets

        try:
            # Code of the user's own may have registered the classes of its layers.
            own = self.model.is_own or is_own(type(self.task))
            registered = keras.saving.get_custom_objects() if own else {}
            known = {**registered, **(custom_objects or {})}
            loaded = memnets.load(path, custom_objects=known)
            model = with_named_inputs(loaded, self.task)
            check_shapes(model, self.task, f"`{path}`")
        except ValueError as error:
            raise RunError(str(error)) from None
        return model


def _digest_if_long(value: Any) -> Any:
    """A value, or its SHA-256 in place of one that is long, such as a vocabulary."""
    text = json.dumps(value)
    if len(text) <= LONGEST_VALUE:
        return value
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _upgraded_summary(summary: Any, names: dict[str, str]) -> Any:
    """A summary as this version names its parts; `names` are those of errors."""
    if not isinstance(summary, dict) or not isinstance(summary.get("lengths"), list):
        return summary
    kept = ("length", "size", "beyond", "sequences")
    evaluation = []
    for entry in summary.pop("lengths"):
        values = {key: entry[key] for key in ("bit_errors", "perfect", "bits")}
        for part, errors in entry.get("part_errors", {}).items():
            values[names.get(part, part)] = errors
        if entry.get("best_bits") is not None:
            values["best_bits"] = entry["best_bits"]
        evaluation.append({key: entry[key] for key in kept} | {"values": values})
    return {**upgraded(summary), "evaluation": evaluation}
