"""What keeps a run from being resumed: other settings than it was begun with."""

import os
import shlex
from typing import Any

from ..contract.parameters import input_paths, parameter_types, text_of
from ..contract.task import Task
from ..models.keras_model import KerasModel
from ..training_options.training_config import BUDGET, TESTED, TrainingConfig
from .files import RunError, plain
from .run import Run


def check_same_texts(path: Any, task: Task, saved: dict[str, Any]) -> None:
    """Raises RunError if a file that the run reads has other contents by now."""
    digest = getattr(task, "digest", None)
    if digest is not None and saved.get("digest") not in (None, "", digest):
        data = getattr(task, "data", None)
        raise RunError(
            f"`{data}` has changed since the run in `{path}` began, or is another "
            f"file: its SHA-256 begins with {digest[:12]}, that of the run with "
            f"{saved['digest'][:12]}."
        )


def check_same_parameters(
    run: Run, before: TrainingConfig, saved: dict[str, dict[str, Any]]
) -> None:
    """Checks that a run is to be resumed with the parameters that it was begun with.

    Args:
        run: The run as it is asked for.
        before: How it was trained so far.
        saved: The parameters of its `task`, `model` and `training` so far, with the
            names of the task and of the model.
    Raises:
        RunError: If some differ that must not; the message says what to give.
    """
    asked = plain(run.config)
    for part in ("task", "model"):
        was, now = saved[part]["name"], asked[part]["name"]
        if was != now:
            raise RunError(
                f"`{run.path}` holds a run of another {part}: to resume it, the {part} "
                f"must be {was}. Received: {now}"
            )
    words = []
    for part, parameters in saved.items():
        owner = getattr(run, part)
        # A Keras model comes from code, without options.
        is_made = isinstance(owner, KerasModel)
        options = {} if is_made else parameter_types(type(owner))
        for name, value in asked[part].items():
            known = parameters.get(name)
            if known == value or _may_differ(run, before, f"{part}.{name}", known):
                continue
            if name not in options:
                raise RunError(
                    f"`{run.path}` holds a run of another {name}: to resume it, {name} "
                    f"must be {known!r}. Received: {name}={value!r}"
                )
            words.append(_as_typed(name, known, options[name]))
    if words:
        raise RunError(
            f"`{run.path}` holds a run of other settings: to resume it, give "
            f"{' '.join(words)} again, or the same values in Python."
        )


def _as_typed(name: str, value: Any, kind: Any) -> str:
    """An option and its value in a command."""
    flag = name.replace("_", "-")
    if value is None and kind is bool:
        return f"neither --{flag} nor --no-{flag}"
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    value = tuple(value) if isinstance(value, list) else value
    return f"--{flag} {shlex.quote(text_of(value))}"


def _may_differ(run: Run, before: TrainingConfig, name: str, saved: Any) -> bool:
    """Whether a parameter of a run may differ when it is resumed: a budget may be
    longer, in epochs of the same length, tests may be others, and a path may be another
    one that leads to the same.

    Args:
        run: The run as it is asked for.
        before: How it was trained so far.
        name: The parameter, as `training.seed`.
        saved: Its value so far.
    """
    part, _, field = name.partition(".")
    now = getattr(getattr(run, part), field)
    if part == "training":
        grows = field != "sequences" or (
            now >= saved
            and before.sequences_per_epoch == run.training.sequences_per_epoch
        )
        # Where it was not given, a run that goes on says what it was.
        is_kept = field == "start_sequences" and now == before.sequences_of_start
        return field in TESTED or (field in BUDGET and grows) or is_kept
    owner = getattr(run, part)
    if field not in input_paths(owner) or not saved or not now:
        return False
    if field == "data" and getattr(owner, "digest", None):
        return True  # which is of what is read there, and was compared
    return os.path.realpath(saved) == os.path.realpath(now)
