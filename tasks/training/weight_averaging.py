"""The weights that a run keeps: of the last epoch or the best, averaged over some."""

import json
from typing import Any

import numpy as np

from ..runs.checkpoint import check_fit
from ..runs.files import plain
from ..runs.history import Row
from ..runs.jax_processes import from_first
from .base import Feature, Training
from .weights import Weights, variables_of, weights_of


class WeightAveraging(Feature):
    """Averages the weights of the last epochs, validates the mean, and keeps it if the
    epoch is the best, or whenever the last epoch is to be kept."""

    def __init__(self, training: Training) -> None:
        super().__init__(training)
        self._kept: Weights | None = None
        self._recent: tuple[Weights, ...] = ()
        self._validate: Any = None

    def state(self) -> dict[str, Any]:
        return {"kept": self._kept, "recent": self._recent}

    def restore(self, state: dict[str, Any]) -> None:
        self._kept, self._recent = state["kept"], state["recent"]
        for weights in filter(None, (self._kept, *self._recent)):
            check_fit(weights, variables_of(self.training.session.model))

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        task, rows = self.training.task, self.training.session.history.rows
        self._validate = task.evaluation.validator(self.training.evaluated.model)
        measure = task.recipe.validation_measure
        if measure and any(measure not in row for row in rows):
            # An earlier version began it, which did not validate the task.
            self._validate = None

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        mean = self._mean() if self.training.config.average > 1 else None
        row = self.training.session.history.rows[-1]
        if self._validate is not None:
            row.update(json.loads(from_first(lambda: self._validated(mean))))
        if self._is_kept(row):
            self._kept = weights_of(self.model) if mean is None else mean

    def _mean(self) -> Weights:
        """The mean of the weights after this epoch and some before it."""
        # Weights of another start are others.
        before = self.training.session.history.epochs_of_start - 1
        count = min(self.training.config.average - 1, before)
        recent = self._recent[-count:] if count else ()
        self._recent = (*recent, weights_of(self.model))
        return mean_of(self._recent)

    def _validated(self, mean: Weights | None) -> bytes:
        with self.training.evaluated.holding(mean):
            return json.dumps(plain(self._validate())).encode()

    def _is_kept(self, row: Row) -> bool:
        config, history = self.training.config, self.training.session.history
        if config.keep == "best":
            return history.best(self.training.task) is row
        return config.average > 1


def mean_of(recent: tuple[Weights, ...]) -> Weights:
    """The mean of the weights of several epochs; of what is not a number with a
    fraction, such as the state of a random generator, the last."""
    if len(recent) == 1:
        return recent[0]
    return [
        np.mean(values, axis=0, dtype=np.float64).astype(values[-1].dtype)
        if np.issubdtype(values[-1].dtype, np.floating)
        else values[-1]
        for values in zip(*recent, strict=True)
    ]
