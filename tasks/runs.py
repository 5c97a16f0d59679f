"""A run directory: what a training run leaves behind, and the checks at opening it."""

import csv
import dataclasses
import importlib.metadata
import json
import pathlib
import platform
import zipfile

from tasks.base import Task
from tasks.models import ModelConfig, get_model
from tasks.registry import get_task
from tasks.training_config import TrainingConfig

FORMAT = 1
COLUMNS = (
    "epoch",
    "sequences",
    "seconds",
    "loss",
    "bits_per_sequence",
    "bit_errors",
)
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

    def write_config(self):
        """Writes `config.json` with every resolved value."""
        config = {
            "format": FORMAT,
            "signature": self.signature,
            "task": {"name": self.task.name, **dataclasses.asdict(self.task)},
            "model": {"name": self.model.name, **dataclasses.asdict(self.model)},
            "training": dataclasses.asdict(self.training),
            "versions": self.versions,
        }
        # NumPy numbers pass for integers and are written as such.
        text = json.dumps(config, indent=2, default=lambda number: number.item())
        self.file("config.json").write_text(text + "\n")

    def write_history(self, history: list[dict]):
        """Writes `history.csv`, a row an epoch."""
        unfinished = self.file("unfinished.csv")
        with open(unfinished, "w", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS)
            writer.writeheader()
            writer.writerows(history)
        unfinished.replace(self.file("history.csv"))

    def read_history(self) -> list[dict]:
        """Reads `history.csv`.

        Raises:
            RunError: If the file is missing, truncated or of another kind.
        """
        path = self.file("history.csv")
        try:
            with open(path, newline="") as stream:
                header, *rows = csv.reader(stream)
            if header != list(COLUMNS):
                raise ValueError(f"its columns are {header}")
            return [dict(zip(COLUMNS, map(float, row), strict=True)) for row in rows]
        except FileNotFoundError:
            raise RunError(f"`{path}` is missing.") from None
        except (ValueError, csv.Error) as error:
            raise RunError(f"`{path}` is not a history: {error}") from None

    def write_summary(self, summary: dict):
        """Writes `summary.json`, which says that the run has ended and how."""
        text = json.dumps(summary, indent=2, default=lambda number: number.item())
        self.file("summary.json").write_text(text + "\n")

    def read_summary(self) -> dict:
        """Reads `summary.json`.

        Raises:
            RunError: If the file is missing, truncated or of another kind.
        """
        path = self.file("summary.json")
        try:
            summary = json.loads(path.read_text())
        except FileNotFoundError:
            raise RunError(f"`{path}` is missing: the run has not ended.") from None
        except ValueError as error:
            raise RunError(f"`{path}` is truncated or not JSON: {error}") from None
        if not isinstance(summary, dict) or not summary.get("lengths"):
            raise RunError(f"`{path}` is not the summary of a run.")
        return summary

    def save_model(self, model):
        """Writes `model.keras`, without the state of the optimizer."""
        import keras

        # A model that was never compiled loads without the classes of this package.
        # Written beside and renamed: whoever stops it leaves the old file whole.
        unfinished = self.file("unfinished.keras")
        keras.Model(model.inputs, model.outputs, name=model.name).save(unfinished)
        unfinished.replace(self.file("model.keras"))

    def load_model(self):
        """Reads `model.keras`.

        Raises:
            RunError: If the file is missing, truncated, corrupted or of another kind.
        """
        path = self.file("model.keras")
        if not path.is_file():
            raise RunError(f"`{path}` is missing: the run has not saved a model.")
        model = load_keras_file(path)
        sizes = self.task.input_size, self.task.target_size
        expected = [(None, None, size) for size in sizes]
        shapes = [getattr(model, f"{side}_shape", None) for side in ("input", "output")]
        if shapes != expected:
            raise RunError(
                f"`{path}` is a model of another task: its inputs and outputs must "
                f"have the shapes {expected}. Received: {shapes}"
            )
        return model


def load_keras_file(path):
    """Reads a model of ours from a `.keras` file.

    Raises:
        RunError: If the file is truncated, corrupted or of another kind.
    """
    import keras

    import memnets  # noqa: F401  registers its classes

    if not zipfile.is_zipfile(path):
        raise RunError(f"`{path}` is truncated or not a Keras model (no zip file).")
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
        if broken:
            raise RunError(f"`{path}` is corrupted: bad checksum in {broken}.")
        return keras.saving.load_model(path, compile=False)
    except RunError:
        raise
    except Exception as error:  # Keras and h5py raise almost anything here
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise RunError(f"`{path}` is not a model that loads: {reason}") from None


def create_run(path, task, model, training, *, force=False) -> Run:
    """Makes the directory of a new run and writes its configuration.

    Raises:
        RunError: If the directory holds anything already, unless `force` is given.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_dir():
        raise RunError(f"`out` must be a directory. Received: `{path}`, a file.")
    if path.is_dir() and any(path.iterdir()) and not force:
        what = "another run" if (path / "config.json").exists() else "other files"
        raise RunError(
            f"`out` must be a new or empty directory: `{path}` holds {what}. "
            "Choose another, or overwrite it with --force (force=True)."
        )
    path.mkdir(parents=True, exist_ok=True)
    for old in (*(path / name for name in FILES), *path.glob("figures/*.png")):
        old.unlink(missing_ok=True)
    run = Run(path, task, model, training, current_versions())
    run.write_config()
    return run


def open_run(path) -> Run:
    """Opens the directory of an earlier run.

    Raises:
        RunError: If there is none, or its `config.json` is truncated or foreign.
    """
    path = pathlib.Path(path)
    config_path = path / "config.json"
    if not config_path.is_file():
        raise RunError(f"`{path}` holds no run: `{config_path}` is missing.")
    try:
        config = json.loads(config_path.read_text())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise RunError(f"`{config_path}` is truncated or not JSON: {error}") from None
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise RunError(
            f"`{config_path}` is not a configuration of this version: "
            f'"format" must be {FORMAT}.'
        )
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
