"""Several draws of the first weights, of which the best start goes on."""

import math
from typing import Any

from ..runs.checkpoint import check_fit, state_of, values_of
from .base import Feature, Training
from .weights import Weights, restore_but, weights_of


class Restarts(Feature):
    """After each start gives the model the first weights of the next one; after the
    last, the state of the best."""

    def __init__(self, training: Training) -> None:
        super().__init__(training)
        model = training.session.model
        # Moments and counts before the first step, with which every start begins.
        self._optimizer = values_of(model)[len(model.variables) :]
        # The first weights of every start but the first; none if all starts are over.
        self._draws: list[Weights] = []
        # The state after the best start so far, until the last start is over.
        self._best: Weights | None = None

    def state(self) -> dict[str, Any]:
        return {"best_start": self._best}

    def restore(self, state: dict[str, Any]) -> None:
        self._best = state["best_start"]
        if self._best is not None:
            check_fit(self._best, state_of(self.training.session.model))

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        config = self.training.config
        if len(self.training.session.history) < config.choosing_epochs:
            # As the weights of the first start were drawn, in one go.
            self._draws = [
                self._first_weights() for _ in range((config.starts or 1) - 1)
            ]

    def _first_weights(self) -> Weights:
        network = self.training.model.build(self.training.task)
        self.training.model.begin(network, self.training.task)
        return weights_of(network)

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        if not self._draws or self.model.stop_training:
            return
        ended, more = divmod(epoch + 1, self.training.config.start_epochs)
        if more or ended > len(self._draws) + 1:
            return
        if self._best is None or self._has_improved():
            self._best = values_of(self.model)
        if ended > len(self._draws):
            values, self._best = self._best, None
        else:
            values = [*self._draws[ended - 1], *self._optimizer]
        # The history counts the skipped steps of all starts.
        restore_but((self.model.optimizer.skipped,), values, self.model)

    def _has_improved(self) -> bool:
        """Whether the start that has ended is better than all before it."""
        epochs, rows = self.training.config.start_epochs, self.training.session.history
        *before, last = [row["loss"] for row in rows.rows[epochs - 1 :: epochs]]
        return last < min(filter(math.isfinite, before), default=math.inf)
