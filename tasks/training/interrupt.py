"""Ctrl-C during a training."""

import signal
import threading
import types
from typing import Self

import keras

from ..runs.devices import num_processes
from ..runs.jax_processes import any_process


class Interrupt(keras.callbacks.Callback):
    """Raises the KeyboardInterrupt of a Ctrl-C between two steps; if several processes
    train together, at the end of the epoch, so that all stop at the same step.

    Within a `with` block, Ctrl-C only sets a request. Keras 3.15 discards every
    exception that is raised while it reads the logs of a step. On JAX a process spends
    most of its time there, so that a plain KeyboardInterrupt would usually be lost.
    """

    def __init__(self) -> None:
        super().__init__()
        self.requested = False
        # Only the main thread may set handlers.
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Self:
        if self._is_main:
            self._previous = signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._previous)

    def _request(self, signum: int, frame: types.FrameType | None) -> None:
        self.requested = True

    def on_train_batch_end(
        self, batch: int, logs: dict[str, float] | None = None
    ) -> None:
        if self.requested and num_processes() == 1:
            raise KeyboardInterrupt

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        if any_process(self.requested):
            raise KeyboardInterrupt
