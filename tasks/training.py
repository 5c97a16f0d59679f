"""Training a model on a task."""

import contextlib
import dataclasses
import math
import signal
import threading
import time
from typing import Any

import keras
import numpy as np

from tasks.base import Task
from tasks.measures import BitErrors, BitsPerSequence, masked_loss
from tasks.models import ModelConfig, get_model
from tasks.progress import show_progress
from tasks.registry import get_task
from tasks.runs import Run, create_run
from tasks.training_config import TrainingConfig, solved_at


class TrainingDiverged(RuntimeError):
    """The loss or the weights became NaN or infinite."""


@dataclasses.dataclass(frozen=True)
class Training:
    """What came out of `train`.

    Attributes:
        task: The task.
        model: The trained Keras model.
        history: A dictionary for each epoch.
        startup_seconds: Time until the first step was done, most of it compiling.
        interrupted: Whether it was stopped by hand.
        run: The run directory, if there is one.
    """

    task: Task
    model: Any
    history: list[dict]
    startup_seconds: float
    interrupted: bool = False
    run: Run | None = None

    @property
    def solved_at(self) -> int | None:
        """Sequences seen when the task was first solved, if it was."""
        return solved_at(self.history, self.task.success)


def train(
    task: Task | str,
    model: ModelConfig | str = "ntm-lstm",
    *,
    out=None,
    force=False,
    progress=True,
    callbacks=(),
    **options,
) -> Training:
    """Trains a model on a task.

    The seed is set for the whole process, as `keras.utils.set_random_seed` does. Ctrl-C
    ends the training and keeps what was learned up to the last whole epoch.

    Args:
        task: A task or its name.
        model: The parameters of a model or its name.
        out: Directory for the run's files; nothing is written if `None`.
        force: Whether to overwrite an earlier run in `out`.
        progress: Whether to show progress on standard error.
        callbacks: Further Keras callbacks.
        **options: Fields of `TrainingConfig`.
    Returns:
        A `Training`.
    Raises:
        ValueError: If a name is unknown or an option is out of its range.
        RunError: If `out` holds something already.
        TrainingDiverged: If the loss becomes NaN. What was learned up to the last good
            epoch is saved in `out` first.
    Example:
        >>> result = train(tasks.Copy(2, 1, 2), sequences=64, progress=False)
        >>> len(result.history)
        1
    """
    task = get_task(task) if isinstance(task, str) else task
    model_config = get_model(model, task) if isinstance(model, str) else model
    config = TrainingConfig(**options).resolved(task, model_config)
    keras.utils.set_random_seed(int(config.seed))
    network = compiled_model(task, model_config, config)
    run = None
    if out is not None:
        run = create_run(out, task, model_config, config, force=force)
    sequences = TaskSequence(task, config)
    recorder = Recorder(sequences, config)
    interrupted = False
    try:
        with (
            interruptible(recorder),
            show_progress(config) if progress else contextlib.nullcontext() as shown,
        ):
            saver = [Saver(run, recorder)] if run else []
            network.fit(
                sequences,
                epochs=config.epochs,
                callbacks=[recorder, *saver, *([shown] if shown else []), *callbacks],
                shuffle=False,  # or Keras would shuffle the indices
                verbose=0,
            )
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if recorder.good_weights is not None:
            network.set_weights(recorder.good_weights)
        if run is not None:
            run.write_history(recorder.history)
            run.save_model(network)
    return Training(
        task, network, recorder.history, recorder.startup_seconds, interrupted, run
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
        optimizer=keras.optimizers.Adam(
            keras.optimizers.schedules.CosineDecay(
                config.learning_rate, config.epochs * config.steps_per_epoch
            ),
            global_clipnorm=config.clip_norm,
        ),
        loss=masked_loss(),
        weighted_metrics=[BitsPerSequence(), BitErrors()],
        # Keras leaves XLA off on a CPU; with it a step takes a fifth of the time.
        jit_compile=True,
        # On TensorFlow, Keras spends two milliseconds between two calls.
        steps_per_execution=math.gcd(10, config.steps_per_epoch),
    )
    return network


class TaskSequence(keras.utils.PyDataset):
    """Batches of a task, each a pure function of the seed, the epoch and the index."""

    def __init__(self, task, config):
        super().__init__()
        self.task = task
        self.config = config
        self.epoch = 0

    def __len__(self):
        return self.config.steps_per_epoch

    def __getitem__(self, index):
        rng = np.random.default_rng([self.config.seed, self.epoch, index])
        return tuple(self.task.sample(self.config.batch_size, rng))


class Recorder(keras.callbacks.Callback):
    """Keeps the history and the last good weights, and stops a run that is done."""

    def __init__(self, sequences, config):
        super().__init__()
        self.sequences = sequences
        self.config = config
        self.history = []
        self.good_weights = None
        self.startup_seconds = 0.0
        self.interrupted = False
        self.began = self.first_step = time.perf_counter()

    def on_epoch_begin(self, epoch, logs=None):
        # Not in the dataset's own on_epoch_end, which Keras calls once before epoch 0.
        self.sequences.epoch = epoch

    def on_train_begin(self, logs=None):
        self.good_weights = self.model.get_weights()

    def on_train_batch_end(self, batch, logs=None):
        if not self.startup_seconds:
            self.first_step = time.perf_counter()
            self.startup_seconds = self.first_step - self.began
        if self.interrupted:
            raise KeyboardInterrupt

    def on_epoch_end(self, epoch, logs=None):
        weights = self.model.get_weights()
        if not math.isfinite(logs["loss"]) or not all(
            np.isfinite(weight).all() for weight in weights
        ):
            raise TrainingDiverged(
                f"The loss became {logs['loss']} in epoch {epoch + 1}, after "
                f"{epoch * len(self.sequences) * self.config.batch_size} good "
                "sequences. A smaller learning_rate or clip_norm may help."
            )
        self.good_weights = weights
        steps = (epoch + 1) * len(self.sequences)
        self.history.append(
            {
                "epoch": epoch + 1,
                "sequences": steps * self.config.batch_size,
                "seconds": round(time.perf_counter() - self.first_step, 3),
                "loss": float(logs["loss"]),
                "bits_per_sequence": float(logs["bits_per_sequence"]),
                "bit_errors": float(logs["bit_errors"]),
            }
        )
        success = self.sequences.task.success
        if self.config.stop_when_solved and solved_at(self.history, success):
            self.model.stop_training = True


class Saver(keras.callbacks.Callback):
    """Writes model and history every few seconds: what was learned outlives a process
    that is killed, and `memnets watch` has something to draw."""

    # Chosen. Writing takes some 30 ms.
    INTERVAL = 5.0

    def __init__(self, run, recorder):
        super().__init__()
        self.run = run
        self.recorder = recorder
        self.saved = -math.inf

    def on_epoch_end(self, epoch, logs=None):
        if time.monotonic() - self.saved > self.INTERVAL:
            self.run.write_history(self.recorder.history)
            self.run.save_model(self.model)
            self.saved = time.monotonic()
