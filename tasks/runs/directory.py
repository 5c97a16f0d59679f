"""Making, resuming and opening run directories, with their checks."""

import contextlib
import dataclasses
import difflib
import functools
import importlib.metadata
import os
import pathlib
import platform
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ..contract.earlier import renamed, upgraded
from ..contract.lookup import NotRegistered
from ..contract.task import Task
from ..models.base import ModelConfig
from ..training_options.training_config import BUDGET, TESTED, TrainingConfig
from .checkpoint import files_of
from .devices import device_kind, num_processes, num_shards
from .files import RunError, plain, read_json
from .other_settings import check_same_parameters, check_same_texts
from .output_file import check_not_an_input
from .run import FORMAT, READABLE_FORMATS, Run
from .saved_config import saved_model, saved_task

Path = str | os.PathLike[str]
# What every run writes.
FILES = ("config.json", "history.csv", "summary.json", "model.keras", "report.html")


def create_run(
    path: Path,
    task: Task,
    model: ModelConfig,
    training: TrainingConfig,
    *,
    force: bool = False,
) -> Run:
    """Makes the directory of a new run and writes its configuration.

    Args:
        path: The directory.
        task, model, training: What is trained, and how.
        force: Whether to remove the files that an earlier run has written there. Other
            files stay.
    Raises:
        RunError: If the directory holds anything but a run, or a run and `force` is
            not given; if a file that the run reads would be removed.
    """
    run = run_here(pathlib.Path(path), task, model, training)
    folder = run.folder
    folder.check()
    if not folder.is_new and not force:
        raise RunError(
            f"`out` must be a new or empty directory: `{path}` holds a run. "
            "Choose another, continue the run with --resume (resume=True), or "
            "overwrite it with --force (force=True)."
        )
    ours = [run.file(name) for name in folder.listed()]
    check_not_an_input(ours, run.inputs)
    if others := {*files_of(run.checkpoints)} - {*ours}:
        raise RunError(
            "`out` must be a directory without checkpoints of another run. Received: "
            f"`{path}`, with `{max(others)}`. Move it elsewhere."
        )
    folder.check_free({*folder.listed(), *FILES})
    folder.claim()
    folder.clear()
    run.write_config()
    return run


def resume_run(
    path: Path, task: Task, model: ModelConfig, training: TrainingConfig
) -> Run:
    """The run in a directory, to continue it; a new one if there is none yet.

    The budget may be longer than before, and files that are read may have moved.

    Raises:
        RunError: If the directory holds other files, or a run of other parameters.
    """
    run = run_here(pathlib.Path(path), task, model, training)
    config_path = run.file("config.json")
    if not config_path.exists():  # new, or stopped before it was written
        return create_run(path, task, model, training)
    config = _read_config(config_path)
    run.folder.check()
    with _valid(config_path):
        # The given classes upgrade them, so that they need not be registered.
        saved = {
            "task": _upgraded(
                renamed(config["task"]),
                task,
                functools.partial(upgraded, type(task)),
            ),
            "model": _upgraded(config["model"], model, model.upgrade),
            "training": dataclasses.asdict(TrainingConfig.saved(config["training"])),
        }
        versions = config["versions"]
        before = TrainingConfig(**saved["training"])
    check_same_texts(path, task, saved["task"])
    check_same_parameters(run, before, saved)
    if versions != run.versions:
        warnings.warn(
            f"`{path}` was begun with other versions, {versions}: it continues, "
            "but its numbers may differ from those of a run that was not stopped.",
            stacklevel=2,
        )
    _warn_of_other_devices(run, config)
    may_differ = (*BUDGET, *TESTED)
    if any(getattr(before, name) != getattr(training, name) for name in may_differ):
        _lengthen(run, before)
    return run


def _lengthen(run: Run, before: TrainingConfig) -> None:
    """Writes the configuration with its other budget, patience or test."""
    if before.sequences != run.training.sequences:
        warnings.warn(
            f"`{run.path}` was begun with a budget of {before.sequences:,} sequences, "
            f"now {run.training.sequences:,}: it continues, but differs from a run "
            "that had this budget from the start. So far the learning rate followed "
            "the shorter budget; from here it follows the longer one.",
            stacklevel=3,
        )
    run.write_config()


def run_here(
    path: pathlib.Path, task: Task, model: ModelConfig, training: TrainingConfig
) -> Run:
    """A run of these versions on the devices that batches are spread over."""
    spread = {"devices": num_shards(), "processes": num_processes()}
    return Run(path, task, model, training, current_versions(), **spread)


def _warn_of_other_devices(run: Run, config: dict[str, Any]) -> None:
    for name in ("devices", "processes"):
        before, now = config.get(name, 1), getattr(run, name)
        if before != now:
            warnings.warn(
                f"`{run.path}` was begun with {name}={before}, now {name}={now}: it "
                "continues, but its numbers are those of a run that was not stopped "
                "only up to rounding, which grows.",
                stacklevel=3,
            )


def _upgraded(
    saved: dict[str, Any],
    kind: Task | ModelConfig,
    upgrade: Callable[[dict[str, Any]], dict[str, Any]],
) -> dict[str, Any]:
    """The saved configuration of a task or model, with the names that `upgrade` gives
    to parameters, and with the defaults of those that are new."""
    parameters = dict(saved)
    name = parameters.pop("name")
    if name == kind.name:
        parameters = {**_defaults_of(kind), **upgrade(parameters)}
    return {"name": name, **parameters}


def _defaults_of(kind: Task | ModelConfig) -> dict[str, Any]:
    """The parameters of a task or model that have a default; what is found in the data
    is empty."""
    return plain(
        {
            field.name: getattr(field.default, "empty", field.default)
            for field in dataclasses.fields(kind)
            if field.name in kind.parameters
            and field.default is not dataclasses.MISSING
        }
    )


def open_run(path: Path) -> Run:
    """Opens the directory of an earlier run.

    Raises:
        RunError: If there is none, its `config.json` is truncated or foreign, or its
            task or model is not registered.
    """
    path = pathlib.Path(path)
    config_path = path / "config.json"
    check_directory(path)
    if not config_path.is_file():
        raise RunError(
            f"`{path}` holds no run: `{config_path}` is missing{nearest_runs(path)}."
        )
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


def check_directory(path: pathlib.Path) -> None:
    """Raises RunError if a path is a file, which may be one in a run."""
    if path.is_file():
        meant = f" Did you mean `{path.parent}`?" if _is_run(path.parent) else ""
        raise RunError(f"`{path}` is a file: give the directory of a run.{meant}")


def nearest_runs(path: Path) -> str:
    """The runs that may have been meant by a folder without one, those beside it with
    names like its own, as the end of a message."""
    path = pathlib.Path(path)
    with contextlib.suppress(OSError):
        beside = [each.name for each in path.parent.iterdir() if _is_run(each)]
        near = difflib.get_close_matches(path.name, beside)
        if near:
            named = " or ".join(f"`{path.parent / name}`" for name in near)
            return f" (did you mean {named}?)"
    return ""


def _is_run(path: pathlib.Path) -> bool:
    return (path / "config.json").is_file()


def _read_config(path: pathlib.Path) -> dict[str, Any]:
    config = read_json(path)
    if not isinstance(config, dict) or config.get("format") not in READABLE_FORMATS:
        raise RunError(
            f"`{path}` is not a configuration of this version: "
            f'"format" must be {FORMAT}.'
        )
    return config


@contextlib.contextmanager
def _valid(path: pathlib.Path) -> Iterator[None]:
    """Raises `RunError` where the values of a configuration do not fit."""
    try:
        yield
    except NotRegistered as error:
        raise RunError(
            f"Give the file that registers {error.what}, as memnets --import FILE, or "
            f"call tasks.register_{error.kind} in Python: `{path}` names {error.what}, "
            f"which is not known here{error.near or '.'}"
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
