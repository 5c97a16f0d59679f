"""The random numbers that a backend draws by itself, in an exact resume."""

from typing import Any

import numpy as np

from memnets import backends

from .base import Feature, Training

NAME = "backend_randomness"


class BackendRandomness(Feature):
    """Keeps the state of the generator of the whole process, if the backend has one
    that layers draw from: on PyTorch, dropout does."""

    def __init__(self, training: Training) -> None:
        super().__init__(training)
        self._kept: list[np.ndarray] = []

    def state(self) -> dict[str, Any]:
        state = backends.current().random_state()
        return {NAME: state} if state else {}

    def restore(self, state: dict[str, Any]) -> None:
        self._kept = list(state.get(NAME, []))

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        # Not before: Keras may draw while it builds a model.
        if self._kept:
            backends.current().set_random_state(self._kept)
            self._kept = []
