"""Training a model on a task."""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Any

import keras

from memnets import backends

from ..checks import check_boolean, check_number, shorten
from ..contract.task import Task
from ..models.base import ModelConfig
from ..own_code import is_own
from ..registry import as_model, as_task
from ..runs.devices import check_divides, num_processes, process_index
from ..runs.history import Row
from ..runs.jax_processes import losses_named, wait_for_first
from ..runs.run import Run
from ..training_options.training_config import MEANT, TrainingConfig
from ..wording import counted
from .base import Feature, Training
from .callbacks import FEATURES
from .compiled_model import compiled_model
from .data import TaskSequence
from .epoch_callbacks import EpochRecorder, EpochSetter, Saver
from .interrupt import Interrupt
from .progress import display
from .run_setup import (
    Parts,
    check_same_settings,
    open_directory,
    resolved,
    warn_of_equal_targets,
    warn_of_room,
)
from .stopping import TrainingDiverged
from .summary import summarize
from .tensorflow_left_out import tensorflow_left_out
from .training_progress import TrainingProgress, opening_of


@dataclasses.dataclass(frozen=True)
class TrainingResult:
    """The result of `train`.

    Attributes:
        task: The task.
        config: How the model was trained.
        model: The trained Keras model.
        history: A dictionary for each epoch, see `tasks.runs.History`.
        startup_seconds: Time until the first step was done, most of it compiling.
        solved_at: Sequences seen when the task was first solved, if it was.
        interrupted: Whether it was stopped by hand.
        run: The run directory, if there is one.
        summary: What `summary.json` of the run holds, if the run has ended.
    """

    task: Task
    config: TrainingConfig
    model: keras.Model
    history: list[Row]
    startup_seconds: float
    solved_at: int | None
    interrupted: bool = False
    run: Run | None = None
    summary: dict | None = None

    def __repr__(self) -> str:
        trained = self.history[-1]["sequences"] if self.history else 0
        solved = f"solved after {self.solved_at:,}" if self.solved_at else "not solved"
        return (
            f"<TrainingResult {self.task.name}: {trained:,} sequences in "
            f"{counted(len(self.history), 'epoch')}, {solved}>"
        )


@losses_named()
def train(
    task: Task | str,
    model: str | ModelConfig | keras.Model | Callable[[Task], Any] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    resume: bool = False,
    save_seconds: float = 5.0,
    progress: bool = True,
    evaluate: bool = True,
    callbacks: Sequence[keras.callbacks.Callback] = (),
    **options: Any,
) -> TrainingResult:
    """Trains a model on a task.

    The seed is set for the whole process, with `keras.utils.set_random_seed`. Ctrl-C
    ends the training and keeps the weights of the last complete epoch.

    A run with a directory can be killed at any moment and resumed. It ends with exactly
    the same weights as a run that was not stopped.

    After `join_processes`, several processes train the model together, if each calls
    this with the same arguments. Process 0 alone shows progress and writes files: `run`
    and `summary` of the result are None in the others.

    Args:
        task: A task or its name.
        model: What to train: the name of a model, a `ModelConfig`, a Keras model of
            your own, which is trained in place, or a function that makes one from the
            task. Its outputs are those that the task's loss takes. If None, the first
            of the task's `compared_models`.
        out: Directory for the run's files; nothing is written if `None`.
        force: Whether to overwrite an earlier run in `out`.
        resume: Whether to continue the run in `out`, which must be of the same task,
            model and options; if there is none yet, it begins.
        save_seconds: Seconds between two checkpoints in `out`, at ends of epochs. There
            is always one at the end.
        progress: Whether to show progress on standard error.
        evaluate: Whether to evaluate the model at the end of a run with a directory and
            write `summary.json`.
        callbacks: Further Keras callbacks; their own state is not resumed.
        **options: Fields of `TrainingConfig`.
    Returns:
        A `TrainingResult`.
    Raises:
        TypeError: If the task or the model is of another kind, or there is no such
            option.
        ValueError: If a name is unknown or an option is out of its range.
        RunError: If `out` holds something already, is in use by another process, or
            cannot be written.
        TrainingDiverged: If gradients are NaN or infinite in many consecutive steps.
            The last checkpoint is saved in `out` first.
        ProcessLost: If another process that trains the model too has ended.
    Example:
        >>> model = tasks.get_model("lstm", num_layers=1, layer_size=8)
        >>> options = {"sequences": 64, "jit_compile": False, "progress": False}
        >>> result = train(tasks.Copy(2, 1, 2), model, **options)
        >>> len(result.history)
        1
    """
    # Check the arguments
    task = as_task(task)
    model_config = as_model(model, task)
    flags = {"force": force, "resume": resume, "evaluate": evaluate}
    _check_arguments(out, save_seconds, callbacks, progress=progress, **flags)
    config = resolved(_config(options), task, model_config, out if resume else None)
    parts = task, model_config, config
    check_same_settings(parts, resume=resume, saved=out is not None)
    data = TaskSequence(task, config, (process_index(), num_processes()))
    check_divides(data.batch_size)

    with contextlib.ExitStack() as stack:
        # Build the model, and resume
        training, features, run = _begun(stack, parts, out, **flags)

        # Fit
        recorder = EpochRecorder(training)
        saver = Saver(training, features, run, save_seconds)
        screen = display(progress and process_index() == 0)
        kernel = model_config.uses_kernel
        opening = opening_of(task, training.session.history, uses_kernel=kernel)
        progressing = TrainingProgress(task, config, screen, opening)
        shown = stack.enter_context(progressing)
        in_order = [recorder, *features, saver, shown, *callbacks]
        interrupted = _fit(training, data, in_order, saver)

        # Evaluate
        history, startup = training.session.history, recorder.startup_seconds
        summary = None
        if run and evaluate and history and not interrupted:
            try:
                summary = summarize(run, history, startup)
            except KeyboardInterrupt:  # the trained model is saved
                interrupted = True
        wait_for_first()

    network, rows = training.network, history.rows
    solved_at = history.solved_at(task)
    return TrainingResult(
        task, config, network, rows, startup, solved_at, interrupted, run, summary
    )


def _begun(
    stack: contextlib.ExitStack,
    parts: Parts,
    out: str | os.PathLike[str] | None,
    **flags: bool,
) -> tuple[Training, list[Feature], Run | None]:
    """A training before its first step, or where the run in a directory stopped."""
    # Build the model
    task, model, config = parts
    warn_of_equal_targets(task)
    warn_of_room(task, model)
    own_code = is_own(type(task)) or model.is_own
    stack.enter_context(tensorflow_left_out(own_code))
    keras.utils.set_random_seed(int(config.seed))
    network = compiled_model(*parts)
    if not flags["resume"]:  # what it reads is checked before anything is written
        model.begin(network, task)

    # Open the run
    run, last = open_directory(stack, out, parts, network, **flags)
    if flags["resume"] and last is None:
        model.begin(network, task)

    # Resume
    trained = compiled_model(*parts, network) if config.stateful else network
    training = Training(*parts, network, trained)
    features = [feature(training) for feature in FEATURES]
    training.session.resume(last, features)
    return training, features, run


def _config(options: dict[str, Any]) -> TrainingConfig:
    names = [field.name for field in dataclasses.fields(TrainingConfig)]
    for option in options:
        if option not in names:
            meant = " or ".join(f"`{name}`" for name in MEANT.get(option, ()))
            hint = f" Did you mean {meant}?" if meant else ""
            raise TypeError(
                f"`{option}` is not an option of training.{hint} All are: "
                f"{', '.join(names)}. Parameters of a model go with the model: "
                "tasks.get_model(name, task, **parameters)."
            )
    return TrainingConfig(**options)


def _check_arguments(
    out: str | os.PathLike[str] | None,
    save_seconds: float,
    callbacks: Sequence[keras.callbacks.Callback],
    *,
    force: bool,
    resume: bool,
    **flags: bool,
) -> None:
    for name, flag in {"force": force, "resume": resume, **flags}.items():
        check_boolean(name, flag)
    if out is not None and (not isinstance(out, str | os.PathLike) or out == ""):
        raise TypeError(f"`out` must be a path. Received: out={shorten(out)}")
    if resume and out is None:
        raise ValueError("`resume` needs `out`, the directory of the run.")
    if resume and force:
        raise ValueError(
            "`resume` continues a run that `force` overwrites: give one of them."
        )
    check_number("save_seconds", save_seconds, minimum=0)
    is_sequence = isinstance(callbacks, Sequence)
    if not is_sequence or not all(
        isinstance(callback, keras.callbacks.Callback) for callback in callbacks
    ):
        raise TypeError(
            "`callbacks` must be a list of Keras callbacks. "
            f"Received: callbacks={shorten(callbacks)}"
        )


def _fit(
    training: Training,
    data: TaskSequence,
    callbacks: list[keras.callbacks.Callback],
    saver: Saver,
) -> bool:
    """Trains to the end, and gives the network the weights that the run keeps. Returns
    whether Ctrl-C ended it early."""
    session, interrupted = training.session, False
    try:
        with Interrupt() as interrupt:
            if not session.history.is_over(training.task):
                session.model.fit(
                    backends.current().fit_data(data, data.other_lengths()),
                    initial_epoch=len(session.history),
                    epochs=training.config.epochs,
                    # An epoch that has ended is kept before Ctrl-C is served.
                    callbacks=[EpochSetter(data), *callbacks, interrupt],
                    shuffle=False,  # the order of the batches is part of the run
                    verbose=0,
                )
    except KeyboardInterrupt:
        session.restore()
        interrupted = True
    except TrainingDiverged:
        session.restore()
        saver.save()
        raise
    saver.save()
    training.evaluated.finish(session.checkpoint.kept)
    return interrupted
