"""A run directory: what a training run leaves behind, and the checks at opening it."""

import contextlib
import csv
import dataclasses
import importlib.metadata
import io
import json
import pathlib
import platform
import shutil
import warnings

import filelock

from . import checkpoint
from ..base import Task
from ..models import ModelConfig, get_model
from ..registry import get_task
from .checksum import BLANK, is_whole, seal
from .training_config import TrainingConfig

# 2: text files carry a digest, histories the number of steps left out.
# 3: histories say which epochs were taken back.
FORMAT = 3
COLUMNS = (
    "epoch",
    "sequences",
    "seconds",
    "loss",
    "bits_per_sequence",
    "bit_errors",
    "skipped",
    "taken_back",
)
LOCK = ".lock"
FILES = (
    "config.json",
    "history.csv",
    "model.keras",
    "summary.json",
    "report.html",
    "watch.html",
)


class RunError(ValueError):
    """A run directory or one of its files is not what it should be."""


@dataclasses.dataclass(frozen=True)
class Run:
    """A training run on disk.

    Args:
        path: The directory.
        task: What was trained on.
        model: What was trained.
        training: How.
        versions: Versions of Python and of the libraries, and the backend.
    """

    path: pathlib.Path
    task: Task
    model: ModelConfig
    training: TrainingConfig
    versions: dict

    @property
    def signature(self) -> str:
        """One line to quote beside the run's numbers; `config.json` has every value."""
        training = self.training
        return (
            f"{self.task.signature}|model:{self.model.signature}"
            f"|sequences:{training.sequences}|seed:{training.seed}"
            f"|v:{self.versions['memnets']}"
        )

    def file(self, name: str) -> pathlib.Path:
        """Path of one of the run's files."""
        return self.path / name

    @property
    def checkpoints(self) -> pathlib.Path:
        """The folder of the checkpoints."""
        return self.path / "checkpoints"

    @property
    def config(self) -> dict:
        """What `config.json` holds: every resolved value."""
        return {
            "format": FORMAT,
            "signature": self.signature,
            "task": {"name": self.task.name, **dataclasses.asdict(self.task)},
            "model": {"name": self.model.name, **dataclasses.asdict(self.model)},
            "training": dataclasses.asdict(self.training),
            "versions": self.versions,
        }

    def write_config(self):
        """Writes `config.json`."""
        _write_json(self.file("config.json"), self.config)

    def write_history(self, history: list[dict]):
        """Writes `history.csv`, a row an epoch, and below them a digest."""
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)
        text.write(f"# sha256 {BLANK}\n")
        _write_text(self.file("history.csv"), seal(text.getvalue()))

    def read_history(self) -> list[dict]:
        """Reads `history.csv`.

        Raises:
            RunError: If the file is missing, truncated or of another kind.
        """
        path = self.file("history.csv")
        try:
            text = path.read_text()
            header, *rows, _ = csv.reader(text.splitlines())
            if header != list(COLUMNS):
                raise ValueError(f"its columns are {header}")
            if not is_whole(text):
                raise ValueError("it is damaged, its SHA-256 is another")
            return [dict(zip(COLUMNS, map(float, row), strict=True)) for row in rows]
        except FileNotFoundError:
            raise RunError(f"`{path}` is missing.") from None
        except (ValueError, csv.Error) as error:
            raise RunError(f"`{path}` is not a history: {error}") from None

    def write_summary(self, summary: dict):
        """Writes `summary.json`, which says that the run has ended and how."""
        _write_json(self.file("summary.json"), summary)

    def read_summary(self) -> dict:
        """Reads `summary.json`.

        Raises:
            RunError: If the file is missing, truncated or of another kind.
        """
        path = self.file("summary.json")
        try:
            summary = _read_json(path)
        except FileNotFoundError:
            raise RunError(f"`{path}` is missing: the run has not ended.") from None
        if not isinstance(summary, dict) or not summary.get("lengths"):
            raise RunError(f"`{path}` is not the summary of a run.")
        return summary

    def save_checkpoint(self, state: checkpoint.Checkpoint):
        """Writes a checkpoint.

        Raises:
            RunError: If it cannot be written.
        """
        try:
            checkpoint.save(state, self.checkpoints)
        except OSError as error:
            raise RunError(
                f"`{self.checkpoints}` cannot be written: {error.strerror}. What it "
                "holds is as it was."
            ) from None

    def last_checkpoint(self) -> checkpoint.Checkpoint | None:
        """The last good checkpoint, None if there is none yet.

        Raises:
            RunError: If all are damaged.
        """
        try:
            return checkpoint.load_last(self.checkpoints)
        except checkpoint.CheckpointError as error:
            raise RunError(str(error)) from None

    def save_model(self, model):
        """Writes `model.keras`, without the state of the optimizer.

        Raises:
            RunError: If it cannot be written; the old one is as it was.
        """
        import keras

        import memnets

        # A model that was never compiled loads without the classes of this package.
        plain = keras.Model(model.inputs, model.outputs, name=model.name)
        try:
            memnets.save(plain, self.file("model.keras"))
        except OSError as error:
            raise RunError(str(error)) from None

    def load_model(self):
        """Reads `model.keras`.

        Raises:
            RunError: If the file is missing, truncated, corrupted or of another kind.
        """
        path = self.file("model.keras")
        if not path.is_file():
            raise RunError(f"`{path}` is missing: the run has not saved a model.")
        import memnets

        try:
            model = memnets.load(path)
        except memnets.LoadError as error:
            raise RunError(str(error)) from None
        sizes = self.task.input_size, self.task.target_size
        expected = [(None, None, size) for size in sizes]
        shapes = [getattr(model, f"{side}_shape", None) for side in ("input", "output")]
        if shapes != expected:
            raise RunError(
                f"`{path}` is a model of another task: its inputs and outputs must "
                f"have the shapes {expected}. Received: {shapes}"
            )
        return model


@contextlib.contextmanager
def locked(path):
    """Keeps a run directory to this process, in a `with` block; makes it if need be.

    Raises:
        RunError: If another process has it, or it cannot be written.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_dir():
        raise RunError(f"`out` must be a directory. Received: `{path}`, a file.")
    # The system gives the lock back when a process ends, however it ends.
    lock = filelock.FileLock(path / LOCK)
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0.5)  # somebody may only be looking, see `in_use`
    except filelock.Timeout:
        raise RunError(f"`{path}` is in use: another process trains in it.") from None
    except OSError as error:
        raise RunError(f"`{path}` cannot be written: {error.strerror}.") from None
    try:
        yield
    finally:
        lock.release()


def in_use(path) -> bool:
    """Whether a process trains in a run directory, or that cannot be told."""
    lock = pathlib.Path(path) / LOCK
    if not lock.exists():
        return False
    try:
        with filelock.FileLock(lock, timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:  # somebody else's, which may only be read
        return True


def create_run(path, task, model, training, *, force=False) -> Run:
    """Makes the directory of a new run and writes its configuration.

    Raises:
        RunError: If the directory holds anything already, unless `force` is given.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_dir():
        raise RunError(f"`out` must be a directory. Received: `{path}`, a file.")
    if _contents(path) and not force:
        what = "another run" if (path / "config.json").exists() else "other files"
        raise RunError(
            f"`out` must be a new or empty directory: `{path}` holds {what}. Choose "
            "another, go on with the run with --resume (resume=True), or overwrite it "
            "with --force (force=True)."
        )
    path.mkdir(parents=True, exist_ok=True)
    for old in (*(path / name for name in FILES), *path.glob("figures/*.png")):
        old.unlink(missing_ok=True)
    run = Run(path, task, model, training, current_versions())
    shutil.rmtree(run.checkpoints, ignore_errors=True)
    run.write_config()
    return run


def resume_run(path, task, model, training) -> Run:
    """The run in a directory, to go on with; a new one if there is none yet.

    Raises:
        RunError: If the directory holds other files, or a run of other parameters.
    """
    run = Run(pathlib.Path(path), task, model, training, current_versions())
    config_path = run.file("config.json")
    if not config_path.exists():  # or it was stopped before it had written any
        return create_run(path, task, model, training)
    found, asked = _read_config(config_path), _plain(run.config)
    for part in ("task", "model", "training"):
        for name, value in asked[part].items():
            if found[part].get(name) != value:
                raise RunError(
                    f"`{path}` holds a run of another {name}: to resume it, {name} "
                    f"must be {found[part].get(name)!r}. Received: {name}={value!r}"
                )
    if found["versions"] != asked["versions"]:
        warnings.warn(
            f"`{path}` was begun with other versions, {found['versions']}: it goes on, "
            "but its numbers may differ from those of a run in one piece.",
            stacklevel=2,
        )
    return run


def _contents(path):
    """What a directory holds beside what a process that was stopped leaves behind."""
    from memnets.saving.atomic import is_left_behind

    if not path.is_dir():
        return []
    files = (file for file in path.iterdir() if file.name != LOCK)
    return [file for file in files if not is_left_behind(file)]


def open_run(path) -> Run:
    """Opens the directory of an earlier run.

    Raises:
        RunError: If there is none, or its `config.json` is truncated or foreign.
    """
    path = pathlib.Path(path)
    config_path = path / "config.json"
    if not config_path.is_file():
        raise RunError(f"`{path}` holds no run: `{config_path}` is missing.")
    config = _read_config(config_path)
    try:
        task, model = dict(config["task"]), dict(config["model"])
        versions = {"memnets": config["versions"]["memnets"], **config["versions"]}
        return Run(
            path,
            get_task(task.pop("name"), **task),
            get_model(model.pop("name"), **model),
            TrainingConfig(**config["training"]),
            versions,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(
            f"`{config_path}` is not a valid configuration: {error}"
        ) from None


def _read_config(path):
    config = _read_json(path)
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise RunError(
            f"`{path}` is not a configuration of this version: "
            f'"format" must be {FORMAT}.'
        )
    _fill_in(config)
    return config


def _fill_in(config):
    """Parameters that a run of before does not name: it was made without them."""
    task, model = config.get("task"), config.get("model")
    if not isinstance(task, dict) or not isinstance(model, dict):
        return  # refused by who reads it
    for part, name, parameter in (
        (task, "repeat-copy", "go_on"),
        (task, "associative-recall", "alike"),
        (model, "ntm-feedforward", "input_clip"),
        (model, "ntm-lstm", "input_clip"),
        (model, "ntm-lstm", "cell_clip"),
    ):
        if part.get("name") == name and part.get(parameter) is None:
            part[parameter] = 0.0


def _read_json(path):
    try:
        text = path.read_text()
        value = json.loads(text)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise RunError(f"`{path}` cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise RunError(f"`{path}` is truncated or not JSON: {error}") from None
    if not is_whole(text):
        raise RunError(f"`{path}` is damaged: its SHA-256 is another.")
    del value["sha256"]
    return value


def _write_json(path, value):
    text = json.dumps(_plain(value) | {"sha256": BLANK}, indent=2)
    _write_text(path, seal(text + "\n"))


def _plain(value):
    """What JSON makes of a value; NumPy numbers pass for Python's."""
    return json.loads(json.dumps(value, default=lambda number: number.item()))


def _write_text(path, text):
    # Here, as all of memnets it brings Keras with it: reading a run does without.
    from memnets.saving.atomic import whole_file

    try:
        with whole_file(path) as unfinished:
            unfinished.write_text(text)
    except OSError as error:
        raise RunError(f"`{path}` cannot be written: {error.strerror}.") from None


def current_versions() -> dict:
    """Versions of Python, of the libraries, and the backend in use."""
    import keras

    import memnets

    backend = keras.backend.backend()
    versions = {
        "memnets": memnets.__version__,
        "python": platform.python_version(),
        "backend": backend,
    }
    for package in ("keras", "numpy", backend):
        versions[package] = importlib.metadata.version(package)
    return versions
