"""Several draws of the first weights, of which the best start goes on."""

from typing import Any

import keras

from ..contract.task import Task
from ..models.base import ModelConfig
from .kept import Weights, weights_of
from .session import Session


def drawn_weights(task: Task, model: ModelConfig, session: Session) -> list[Weights]:
    """The first weights of every start but the first, drawn as those of the first; none
    if all starts are over."""
    config = session.config
    if len(session.history) >= config.choosing_epochs:
        return []
    return [_first_weights(task, model) for _ in range((config.starts or 1) - 1)]


def _first_weights(task, model):
    network = model.build(task)
    model.begin(network, task)
    return weights_of(network)


class StartChooser(keras.callbacks.Callback):
    """After each start gives the model the first weights of the next one; after the
    last, the state of the best.

    Args:
        session: The training.
        draws: The first weights of every start but the first.
    """

    def __init__(self, session: Session, draws: list[Weights]) -> None:
        super().__init__()
        self.session = session
        self.draws = draws

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        ended, more = divmod(epoch + 1, self.session.config.start_epochs)
        if more or ended > len(self.draws) + 1 or self.model.stop_training:
            return
        self.session.end_start(self.draws[ended - 1 : ended])
