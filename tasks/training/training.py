"""Training a model on a task."""

import contextlib
import dataclasses
import math
import numbers
import signal
import threading
from typing import Any

import keras

from ..base import Task
from ..checks import shorten
from ..models import ModelConfig, get_model
from ..registry import get_task
from ..runs.run import Run, create_run, locked, resume_run
from ..runs.training_config import TrainingConfig
from .data import TaskSequence
from .guarded_adam import GuardedAdam
from .measures import BitErrors, BitsPerSequence, MeanLoss, masked_loss
from .progress import show_progress
from .recorder import Recorder, Saver, TrainingDiverged


@dataclasses.dataclass(frozen=True)
class Training:
    """What came out of `train`.

    Attributes:
        task: The task.
        config: How it was trained.
        model: The trained Keras model.
        history: A dictionary for each epoch.
        startup_seconds: Time until the first step was done, most of it compiling.
        interrupted: Whether it was stopped by hand.
        run: The run directory, if there is one.
    """

    task: Task
    config: TrainingConfig
    model: Any
    history: list[dict]
    startup_seconds: float
    interrupted: bool = False
    run: Run | None = None

    @property
    def solved_at(self) -> int | None:
        """Sequences seen when the task was first solved, if it was."""
        return self.config.solved_at(self.history, self.task.success)


def train(
    task: Task | str,
    model: ModelConfig | str = "ntm-lstm",
    *,
    out=None,
    force=False,
    resume=False,
    save_seconds=5.0,
    progress=True,
    callbacks=(),
    **options,
) -> Training:
    """Trains a model on a task.

    The seed is set for the whole process, as `keras.utils.set_random_seed` does. Ctrl-C
    ends the training and keeps what was learned up to the last whole epoch.

    A run with a directory can be killed at any moment and resumed: it ends with the
    same weights, to the bit, as if it had never been stopped.

    Args:
        task: A task or its name.
        model: The parameters of a model or its name.
        out: Directory for the run's files; nothing is written if `None`.
        force: Whether to overwrite an earlier run in `out`.
        resume: Whether to go on with the run in `out`, which must be of the same task,
            model and options; if there is none yet, it begins.
        save_seconds: Seconds between two checkpoints in `out`, at ends of epochs. There
            is always one at the end.
        progress: Whether to show progress on standard error.
        callbacks: Further Keras callbacks; a state of their own is not resumed.
        **options: Fields of `TrainingConfig`.
    Returns:
        A `Training`.
    Raises:
        ValueError: If a name is unknown or an option is out of its range.
        RunError: If `out` holds something already, is in use by another process, or
            cannot be written.
        TrainingDiverged: If gradients are NaN or infinite for many steps in a row. What
            was learned up to the last good epoch is saved in `out` first.
    Example:
        >>> result = train(tasks.Copy(2, 1, 2), sequences=64, progress=False)
        >>> len(result.history)
        1
    """
    task = get_task(task) if isinstance(task, str) else task
    model_config = get_model(model, task) if isinstance(model, str) else model
    config = TrainingConfig(**options).resolved(task, model_config)
    _check_door(out, force, resume, save_seconds)
    keras.utils.set_random_seed(int(config.seed))
    network = compiled_model(task, model_config, config)
    recorder = Recorder(TaskSequence(task, config), config)
    parts = task, model_config, config
    with contextlib.ExitStack() as stack:
        run = None
        if out is not None:
            stack.enter_context(locked(out))
            run = (
                resume_run(out, *parts)
                if resume
                else create_run(out, *parts, force=force)
            )
        recorder.resume(network, run.last_checkpoint() if run else None)
        saver = Saver(run, recorder, network, save_seconds) if run else None
        shown = stack.enter_context(show_progress(config)) if progress else None
        interrupted = False
        try:
            if not recorder.done:
                _fit(network, recorder, [saver, shown, *callbacks])
        except KeyboardInterrupt:
            interrupted = True
            recorder.restore(network)
        except TrainingDiverged:
            recorder.restore(network)
            if saver:
                saver.save()
            raise
        if saver:
            saver.save()
    return Training(
        task,
        config,
        network,
        recorder.history,
        recorder.startup_seconds,
        interrupted,
        run,
    )


def _check_door(out, force, resume, save_seconds):
    if resume and out is None:
        raise ValueError("`resume` needs `out`, the directory of the run.")
    if resume and force:
        raise ValueError(
            "`resume` goes on with a run that `force` overwrites: give one of them."
        )
    if not isinstance(save_seconds, numbers.Real) or not save_seconds >= 0:
        raise ValueError(
            "`save_seconds` must be a number of at least 0. "
            f"Received: save_seconds={shorten(save_seconds)}"
        )


def _fit(network, recorder, callbacks):
    with interruptible(recorder):
        network.fit(
            recorder.sequences,
            initial_epoch=len(recorder.history),
            epochs=recorder.config.epochs,
            callbacks=[recorder, *filter(None, callbacks)],
            shuffle=False,  # or Keras would shuffle the indices
            verbose=0,
        )


@contextlib.contextmanager
def interruptible(recorder):
    """Lets the recorder raise the KeyboardInterrupt of a Ctrl-C between two steps.

    Keras 3.15 swallows every exception while it reads the logs of a step, which is
    where a process on JAX spends its time: there Ctrl-C would mostly do nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def note(signum, frame):
        recorder.interrupted = True

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def compiled_model(task: Task, model: ModelConfig, config: TrainingConfig):
    """The Keras model of a run, ready to fit."""
    network = model.build(task)
    network.compile(
        optimizer=GuardedAdam(
            keras.optimizers.schedules.CosineDecay(
                config.learning_rate, config.epochs * config.steps_per_epoch
            ),
            global_clipnorm=config.clip_norm,
        ),
        loss=masked_loss(),
        weighted_metrics=[MeanLoss(), BitsPerSequence(), BitErrors()],
        # Keras leaves XLA off on a CPU; with it a step takes a fifth of the time.
        jit_compile=True,
        # On TensorFlow, Keras spends two milliseconds between two calls.
        steps_per_execution=math.gcd(10, config.steps_per_epoch),
    )
    return network
