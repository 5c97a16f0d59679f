"""Training a model on a task."""

import contextlib
import dataclasses
import math
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import keras

from ..checks import check_boolean, check_number, shorten
from ..contract.task import Task
from ..models.base import ModelConfig
from ..registry import as_model, as_task
from ..runs.devices import check_alone, check_divides, num_processes, process_index
from ..runs.history import Row
from ..runs.jax_processes import losses_named, wait_for_first
from ..runs.run import Run
from ..runs.training_config import TrainingConfig
from .callbacks import (
    Clock,
    DivergenceAlarm,
    EpochRecorder,
    EpochSetter,
    Interrupt,
    Saver,
    StopWhenDone,
    TrainingDiverged,
)
from .data import TaskSequence
from .guarded import GuardedAdam, GuardedSGD
from .mean_loss import MeanLoss
from .opening import as_begun, check_same_settings, open_directory
from .progress import show_progress
from .session import Session
from .starts import StartChooser, drawn_weights
from .stateful import StateReset, check_layers, stateful_copy
from .summary import summarize
from .tensorflow_left_out import tensorflow_left_out


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
    model: Any
    history: list[Row]
    startup_seconds: float
    solved_at: int | None
    interrupted: bool = False
    run: Run | None = None
    summary: dict | None = None


@losses_named()
def train(
    task: Task | str,
    model: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    resume: bool = False,
    save_seconds: float = 5.0,
    progress: bool = True,
    evaluate: bool = True,
    callbacks: Sequence[Any] = (),
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
    task = as_task(task)
    model_config = as_model(model, task)
    _check_flags(force=force, resume=resume, progress=progress, evaluate=evaluate)
    _check_arguments(out, force, resume, save_seconds, callbacks)
    config = _resolved(task, model_config, out if resume else None, options)
    parts = task, model_config, config
    _check_success(task)
    check_same_settings(parts, resume=resume, saved=out is not None)
    data = TaskSequence(task, config, (process_index(), num_processes()))
    check_divides(data.batch_size)
    with contextlib.ExitStack() as stack:
        stack.enter_context(tensorflow_left_out(task, model_config))
        keras.utils.set_random_seed(int(config.seed))
        network = compiled_model(task, model_config, config)
        if not resume:  # what it reads is checked before anything is written
            model_config.begin(network, task)
        run = last = None
        if out is not None:
            flags = {"force": force, "resume": resume, "evaluate": evaluate}
            run, last = open_directory(stack, out, parts, network, **flags)
        if resume and last is None:
            model_config.begin(network, task)
        session = _session(task, model_config, config, network, last)
        saver = Saver(run, session, save_seconds) if run else None
        progress = progress and process_index() == 0
        shown = stack.enter_context(show_progress(task, config)) if progress else None
        clock = Clock(session.history.rows[-1]["seconds"] if session.history else 0.0)
        draws = drawn_weights(task, model_config, session)
        interrupted = _fit(session, data, clock, draws, [saver, shown, *callbacks])
        if saver:
            saver.save()
        session.finish()
        summary = None
        if run and evaluate and not interrupted and session.history:
            summary = summarize(run, session.history, clock.startup_seconds)
        wait_for_first()
    return TrainingResult(
        task,
        config,
        network,
        session.history.rows,
        clock.startup_seconds,
        session.history.solved_at(task.success),
        interrupted,
        run,
        summary,
    )


def _resolved(task, model, begun, options):
    """The configuration of a run, which goes on with what is in a directory."""
    return as_begun(begun, _config(options)).resolved(task, model)


def _config(options):
    names = [field.name for field in dataclasses.fields(TrainingConfig)]
    for option in options:
        if option not in names:
            raise TypeError(
                f"`{option}` is not an option of training, which are: "
                f"{', '.join(names)}. Parameters of a model go with the model: "
                "tasks.get_model(name, task, **parameters)."
            )
    return TrainingConfig(**options)


def _check_flags(**flags):
    for name, flag in flags.items():
        check_boolean(name, flag)


def _check_arguments(out, force, resume, save_seconds, callbacks):
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


def _session(task, model, config, network, last):
    """The session of a network, or of its stateful copy."""
    if not config.stateful:
        return Session(task, config, network, last)
    copy = stateful_copy(network, config.batch_size)
    return Session(task, config, _compiled(copy, task, model, config), last, network)


def _check_success(task):
    if task.success is None:
        return
    known = ["loss", *(measure.name for measure in task.measures())]
    for measure in task.success.measures:
        if measure not in known:
            raise ValueError(
                f"`success` of the task {task.name} must be of one of its measures, "
                f"which are: {', '.join(known)}. Received: measure={measure!r}"
            )


def _fit(session, data, clock, draws, further):
    """Trains to the end. Returns whether Ctrl-C ended it early."""
    if session.done:
        return False
    saver = further[0]
    interrupt = Interrupt()
    callbacks = [
        EpochSetter(data),
        clock,
        DivergenceAlarm(session),
        *([StateReset()] if session.config.stateful else []),
        EpochRecorder(session, clock),
        StopWhenDone(session),
        *([StartChooser(session, draws)] if draws else []),
        interrupt,
        *filter(None, further),
    ]
    try:
        with interruptible(interrupt):
            session.model.fit(
                data,
                initial_epoch=len(session.history),
                epochs=session.config.epochs,
                callbacks=callbacks,
                shuffle=False,  # the order of the batches is part of the run
                verbose=0,
            )
    except KeyboardInterrupt:
        session.restore()
        return True
    except TrainingDiverged:
        session.restore()
        if saver:
            saver.save()
        raise
    return False


@contextlib.contextmanager
def interruptible(interrupt: Interrupt) -> Iterator[None]:
    """Makes Ctrl-C set a request, which the callback serves between two steps.

    Keras 3.15 discards every exception that is raised while it reads the logs of a
    step. On JAX a process spends most of its time there, so that a plain
    KeyboardInterrupt would usually be lost.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def request(signum, frame):
        interrupt.requested = True

    previous = signal.signal(signal.SIGINT, request)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def compiled_model(task: Task, model: ModelConfig, config: TrainingConfig) -> Any:
    """The Keras model of a run, ready to fit."""
    network = model.build(task)
    if config.stateful:  # before anything is written
        check_alone("stateful")
        check_layers(network)
    return _compiled(network, task, model, config)


def _compiled(network, task, model, config):
    loss = task.loss()
    network.compile(
        optimizer=_optimizer(config),
        loss=loss,
        weighted_metrics=[MeanLoss(loss), *task.measures()],
        # By default Keras uses no XLA on a CPU.
        jit_compile=_compiles(model)
        if config.jit_compile is None
        else config.jit_compile,
        # Several steps a call: on TensorFlow, Keras spends two milliseconds on each.
        steps_per_execution=math.gcd(10, config.steps_per_epoch),
    )
    return network


def _optimizer(config):
    rate: Any = config.learning_rate
    is_cosine = config.schedule == "cosine"
    if is_cosine or config.warmup:
        steps = max(1, config.scheduled_steps - config.warmup)
        rate = keras.optimizers.schedules.CosineDecay(
            0.0 if config.warmup else rate,
            steps,
            alpha=0.0 if is_cosine else 1.0,  # 1: the rate stays
            warmup_target=rate if config.warmup else None,
            warmup_steps=config.warmup,
        )
    kind = {"adam": GuardedAdam, "sgd": GuardedSGD}[config.optimizer]
    return kind(rate, global_clipnorm=config.clip_norm or None)


def _compiles(model):
    """Whether a training step is faster with XLA."""
    if model.xla_on_cpu or keras.backend.backend() != "tensorflow":
        return True
    return bool(keras.distribution.list_devices("gpu"))
