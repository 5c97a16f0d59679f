"""What a feature of training is: a Keras callback whose state a checkpoint holds."""

from typing import Any

import keras

from ..contract.task import Task
from ..models.base import ModelConfig
from ..training_options.training_config import TrainingConfig
from .session import Session
from .weights import EvaluatedModel


class Training:
    """What the features of a training share.

    Args:
        task: What is trained on.
        model: What is trained.
        config: How.
        network: The Keras model to train.
        trained: The Keras model that is fitted: the same, or a stateful copy of it.
    Attributes:
        session: The model that is fitted, its history, and its last checkpoint.
        evaluated: The model that is evaluated and saved.
    """

    def __init__(
        self,
        task: Task,
        model: ModelConfig,
        config: TrainingConfig,
        network: keras.Model,
        trained: keras.Model,
    ) -> None:
        self.task = task
        self.model = model
        self.config = config
        self.network = network
        self.session = Session(trained, config)
        self.evaluated = EvaluatedModel(trained, network)


class Feature(keras.callbacks.Callback):
    """A feature of training. A subclass is made known in `tasks.training.callbacks`.

    At the end of an epoch, the features act in the order in which they are known. The
    row of the epoch is the last one of `session.history` then, and the state before the
    epoch is `session.checkpoint`. The checkpoint of the epoch is made after all of
    them.

    A feature is there in every training, also of several processes, and looks at
    `training.config` for whether it has anything to do. What depends on the history of
    a resumed run belongs to `on_train_begin`, since features are made before.

    Args:
        training: What the features share.
    """

    def __init__(self, training: Training) -> None:
        super().__init__()
        self.training = training

    def state(self) -> dict[str, Any]:
        """What a resumed training needs of this feature beside the model and the
        history, by name: lists of NumPy arrays, or fields of a
        `tasks.runs.checkpoint.Checkpoint`."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Takes over what `state` gave, which is in the checkpoint by name. One of an
        earlier version may lack it.

        Raises:
            CheckpointError: If they are of another model.
        """
