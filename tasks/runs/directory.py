"""Making, resuming and opening run directories, with their checks."""

import contextlib
import dataclasses
import importlib.metadata
import os
import pathlib
import platform
import shutil
import warnings

from ..base import Task
from ..models import ModelConfig
from ..registry import NotRegistered, saved_model, saved_task
from .devices import device_kind, num_processes, num_shards
from .files import RunError, plain, read_json
from .lock import LOCK
from .run import FORMAT, READABLE_FORMATS, Run
from .training_config import TrainingConfig

Path = str | os.PathLike[str]
FILES = (
    "config.json",
    "history.csv",
    "model.keras",
    "summary.json",
    "report.html",
    "watch.html",
)
_NEW_OR_EMPTY = "`out` must be a new or empty directory: `{}` holds"


def create_run(
    path: Path,
    task: Task,
    model: ModelConfig,
    training: TrainingConfig,
    *,
    force: bool = False,
) -> Run:
    """Makes the directory of a new run and writes its configuration.

    Raises:
        RunError: If the directory holds anything but a run, or a run and `force` is
            not given.
    """
    path = pathlib.Path(path)
    check_can_hold_run(path)
    if _contents(path) and not force:
        raise RunError(
            f"{_NEW_OR_EMPTY.format(path)} another run. Choose another, continue the "
            "run with --resume (resume=True), or overwrite it with --force "
            "(force=True)."
        )
    path.mkdir(parents=True, exist_ok=True)
    for old in (*(path / name for name in FILES), *path.glob("figures/*.png")):
        old.unlink(missing_ok=True)
    run = run_here(path, task, model, training)
    shutil.rmtree(run.checkpoints, ignore_errors=True)
    run.write_config()
    return run


def check_can_hold_run(path: Path) -> None:
    """Raises RunError if a path is a file, or a directory that holds other files than
    those of a run. Writes nothing."""
    path = pathlib.Path(path)
    if path.exists() and not path.is_dir():
        raise RunError(f"`out` must be a directory. Received: `{path}`, a file.")
    if _contents(path) and not _holds_run(path):
        raise RunError(f"{_NEW_OR_EMPTY.format(path)} other files. Choose another.")


def _holds_run(path):
    """Whether a directory is that of a run, perhaps a damaged one."""
    if not (path / "config.json").is_file():
        return False
    try:
        config = read_json(path / "config.json")
    except RunError:
        return (path / "history.csv").exists()
    return isinstance(config, dict) and "format" in config


def resume_run(
    path: Path, task: Task, model: ModelConfig, training: TrainingConfig
) -> Run:
    """The run in a directory, to continue it; a new one if there is none yet.

    Raises:
        RunError: If the directory holds other files, or a run of other parameters.
    """
    run = run_here(pathlib.Path(path), task, model, training)
    config_path = run.file("config.json")
    if not config_path.exists():  # new, or stopped before it was written
        return create_run(path, task, model, training)
    config, asked = _read_config(config_path), plain(run.config)
    with _valid(config_path):
        # The given classes upgrade them, so that they need not be registered.
        saved = {
            "task": _upgraded(config["task"], task),
            "model": _upgraded(config["model"], model),
            "training": dataclasses.asdict(TrainingConfig.saved(config["training"])),
        }
        versions = config["versions"]
    for part, parameters in saved.items():
        for name, value in asked[part].items():
            if parameters.get(name) != value:
                raise RunError(
                    f"`{path}` holds a run of another {name}: to resume it, {name} "
                    f"must be {parameters.get(name)!r}. Received: {name}={value!r}"
                )
    if versions != run.versions:
        warnings.warn(
            f"`{path}` was begun with other versions, {versions}: it continues, "
            "but its numbers may differ from those of a run that was not stopped.",
            stacklevel=2,
        )
    _warn_of_other_devices(run, config)
    return run


def run_here(
    path: pathlib.Path, task: Task, model: ModelConfig, training: TrainingConfig
) -> Run:
    """A run of these versions on the devices that batches are spread over."""
    spread = {"devices": num_shards(), "processes": num_processes()}
    return Run(path, task, model, training, current_versions(), **spread)


def _warn_of_other_devices(run, config):
    for name in ("devices", "processes"):
        before, now = config.get(name, 1), getattr(run, name)
        if before != now:
            warnings.warn(
                f"`{run.path}` was begun with {name}={before}, now {name}={now}: it "
                "continues, but its numbers are those of a run that was not stopped "
                "only up to rounding, which grows.",
                stacklevel=3,
            )


def _upgraded(saved, kind):
    """The saved configuration of a task or model, with the names of this version, and
    with the defaults of parameters that are new."""
    parameters = dict(saved)
    name = parameters.pop("name")
    if name == kind.name:
        parameters = {**_defaults_of(kind), **kind.upgrade(parameters)}
    return {"name": name, **parameters}


def _defaults_of(kind):
    """The parameters of a task or model that have a default."""
    return plain(
        {
            field.name: field.default
            for field in dataclasses.fields(kind)
            if field.name in kind.parameters
            and field.default is not dataclasses.MISSING
        }
    )


def _contents(path):
    """The files of a directory, without those that a stopped process leaves behind."""
    from memnets.saving.atomic import is_unfinished

    if not path.is_dir():
        return []
    files = (file for file in path.iterdir() if file.name != LOCK)
    return [file for file in files if not is_unfinished(file)]


def open_run(path: Path) -> Run:
    """Opens the directory of an earlier run.

    Raises:
        RunError: If there is none, its `config.json` is truncated or foreign, or its
            task or model is not registered.
    """
    path = pathlib.Path(path)
    config_path = path / "config.json"
    if not config_path.is_file():
        raise RunError(f"`{path}` holds no run: `{config_path}` is missing.")
    config = _read_config(config_path)
    with _valid(config_path):
        versions = {"memnets": config["versions"]["memnets"], **config["versions"]}
        return Run(
            path,
            saved_task(config["task"]),
            saved_model(config["model"]),
            TrainingConfig.saved(config["training"]),
            versions,
            config.get("devices", 1),
            config.get("processes", 1),
        )


def _read_config(path):
    config = read_json(path)
    if not isinstance(config, dict) or config.get("format") not in READABLE_FORMATS:
        raise RunError(
            f"`{path}` is not a configuration of this version: "
            f'"format" must be {FORMAT}.'
        )
    return config


@contextlib.contextmanager
def _valid(path):
    """Raises `RunError` where the values of a configuration do not fit."""
    try:
        yield
    except NotRegistered as error:
        raise RunError(
            f"`{path}` names a task or model that is not known here: {error}"
        ) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"`{path}` is not a valid configuration: {error}") from None


def current_versions() -> dict[str, str]:
    """Versions of Python, of the libraries, the backend and the kernel in use, and the
    kind of device if it is not a processor: each rounds differently."""
    import keras

    import memnets
    import memnets.native

    backend = keras.backend.backend()
    versions = {
        "memnets": memnets.__version__,
        "python": platform.python_version(),
        "backend": backend,
        "kernel": memnets.native.level(),
    }
    for package in ("keras", "numpy", backend):
        versions[package] = importlib.metadata.version(package)
    device = device_kind()
    if device != "CPU":  # which earlier versions do not name: their runs resume so
        versions["device"] = device
    return versions
