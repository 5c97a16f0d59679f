"""What a training checks and opens before its first step."""

import contextlib
import dataclasses
import json
import os
import pathlib
import warnings
from typing import TYPE_CHECKING, Any

from ..checks import shorten
from ..contract.task import Task
from ..models.base import ModelConfig
from ..models.room import room_note
from ..own_code import is_own
from ..runs import checkpoint
from ..runs.devices import alone, num_processes, own_copy
from ..runs.directory import create_run, resume_run, run_here
from ..runs.files import RunError, plain, read_json
from ..runs.jax_processes import check_alike, from_first
from ..runs.lock import locked
from ..runs.run import Run, run_folder
from ..training_options.training_config import TrainingConfig

if TYPE_CHECKING:
    import keras


# Heuristic: so many sequences of a task of your own show whether it asks for anything.
LOOKED_AT = 64
# Values that go by the budget where they are not given.
BY_BUDGET = ("epoch_steps", "warmup", "starts")

Path = str | os.PathLike[str]
Parts = tuple[Task, ModelConfig, TrainingConfig]


def check_same_settings(parts: Parts, **flags: bool) -> None:
    """Raises ValueError if another process trains something else."""
    if num_processes() == 1:
        return
    settings = run_here(pathlib.Path(), *parts).config | flags
    del settings["signature"]
    # Gradients are summed: a process may have another kernel.
    del settings["versions"]["kernel"]
    check_alike(json.dumps(plain(settings), indent=1))


def resolved(
    given: TrainingConfig, task: Task, model: ModelConfig, begun: Path | None
) -> TrainingConfig:
    """The configuration of a training.

    What is not given is the task's or the model's own. Some of these values go by the
    budget, see `BY_BUDGET`: a run that is resumed with a longer one keeps those that it
    had, and the length of its starts. Before budgets went by the data, other values
    were the usual ones: a run of that time goes on with what it had.

    Args:
        given: What is given.
        task: What is trained on.
        model: What is trained.
        begun: The directory of the run that is resumed, if it is one.
    Raises:
        ValueError: If a value cannot be used, or the task's success has no measure.
    """
    names = task.name, model.name
    saved = from_first(lambda: json.dumps(_begun_with(begun, names)).encode())
    saved = json.loads(saved)
    missing = {n: value for n, value in saved.items() if getattr(given, n) is None}
    try:
        config = dataclasses.replace(given, **missing).resolved(task, model)
    except ValueError:
        # What the run had does not suit what is given, or this is wrong by itself. Else
        # the settings differ, which the run says when it is opened.
        config = given.resolved(task, model)
    known = ["loss", *(measure.name for measure in task.measures())]
    for measure in task.success.measures if task.success else ():
        if measure not in known:
            raise ValueError(
                f"`success` of the task {task.name} must be of one of its measures, "
                f"which are: {', '.join(known)}. Received: measure={measure!r}"
            )
    return config


def warn_of_room(task: Task, model: ModelConfig) -> None:
    """Warns of a memory that has too few places for the training of a task."""
    if note := room_note(task, model):
        warnings.warn(note, stacklevel=5)


def warn_of_equal_targets(task: Task) -> None:
    """Warns of a task of the user's own whose targets are all the same, which a network
    learns without its inputs."""
    if not is_own(type(task)):
        return
    _, targets, mask = task.sample(LOOKED_AT, 0)
    if targets.shape[: mask.ndim] != mask.shape:
        return  # Keras says what is wrong with them
    counted = targets[mask > 0]
    if not len(counted):
        what = "must count some outputs: its mask is 0 everywhere"
    elif (counted == counted[0]).all():
        what = "should draw different targets: all that the mask counts are equal"
    else:
        return
    warnings.warn(
        f"`{type(task).__name__}.sample` {what} in {LOOKED_AT} sequences. "
        f"Look at them with `memnets show {task.name}`.",
        stacklevel=4,
    )


def _begun_with(out: Path | None, names: tuple[str, str]) -> dict[str, Any]:
    """How the run in a directory is trained, as far as that is kept. Whether the
    directory is in order is checked when it is opened.

    Args:
        out: The directory; None if there is none.
        names: Of the task and the model; of a run of others nothing is kept.
    """
    if out is None:
        return {}
    with contextlib.suppress(OSError, TypeError, KeyError, ValueError):
        config = read_json(pathlib.Path(out, "config.json"))
        training = config["training"]
        if "patience" not in training:
            return dataclasses.asdict(TrainingConfig.saved(training))
        if names == (config["task"]["name"], config["model"]["name"]):
            before = TrainingConfig.saved(training)
            kept = {name: getattr(before, name) for name in BY_BUDGET}
            return kept | {"start_sequences": before.sequences_of_start}
    return {}


def open_directory(
    stack: contextlib.ExitStack,
    out: Path | None,
    parts: Parts,
    network: "keras.Model",
    *,
    force: bool,
    resume: bool,
    evaluate: bool,
) -> tuple[Run | None, checkpoint.Checkpoint | None]:
    """Locks and opens a run directory, and reads its last checkpoint.

    The first of several processes does so, and gives the checkpoint to the others.

    Args:
        stack: Holds the lock.
        out: The directory; None for a training without one.
        parts: What is trained, and how.
        network: The Keras model, which must be one that can be saved.
        force, resume, evaluate: See `train`.
    Returns:
        The run, in the first process, and its last checkpoint if it has one.
    """
    if out is None:
        return None, None
    _check_can_be_saved(network)
    task, model, _ = parts
    opened: list[Run] = []
    checkpoints: list[checkpoint.Checkpoint | None] = []

    def begin() -> bytes:
        run_folder(out).check()  # before the lock, which is a file in it
        stack.enter_context(locked(out))
        if evaluate and (model.is_own or is_own(type(task))):
            _check_can_be_loaded(out, parts, own_copy(network))
        if resume:
            opened.append(resume_run(out, *parts))
        else:
            opened.append(create_run(out, *parts, force=force))
        last = opened[0].last_checkpoint()
        checkpoints.append(last)
        # Only the others read it from these bytes.
        if last is None or num_processes() == 1:
            return b""
        return checkpoint.packed(last)

    state = from_first(begin)
    if opened:
        return opened[0], checkpoints[0]
    last = checkpoint.unpacked(state, f"{out}, process 0") if state else None
    return None, last


def _check_can_be_saved(network: "keras.Model") -> None:
    try:
        network.get_config()
    except NotImplementedError:
        raise TypeError(
            "`model` must implement `get_config`, and its layers too, to be saved in "
            f"`out`. Received: model={shorten(network)}"
        ) from None


@alone()
def _check_can_be_loaded(out: Path, parts: Parts, network: "keras.Model") -> None:
    """Finds before the training what would end the evaluation after it, and before
    `force` overwrites an earlier run."""
    from memnets.saving.atomic import temporary_folder

    try:
        with temporary_folder() as folder:
            run = run_here(folder / "run", *parts)
            run.save_model(network)
            run.load_model()
    except RunError as error:
        reason = str(error).replace(str(folder / "run"), str(out))
        raise RunError(
            f"{reason} Layers of your own must be registered with "
            "keras.saving.register_keras_serializable. To train without an evaluation "
            "of the saved model, pass evaluate=False."
        ) from None
