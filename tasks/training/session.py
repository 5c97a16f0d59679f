"""The state of a training between two epochs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..runs import checkpoint
from ..runs.history import History
from ..training_options.training_config import TrainingConfig

if TYPE_CHECKING:
    import keras


class Session:
    """A model in training, its history, and the checkpoint of its last epoch.

    Args:
        model: The compiled Keras model.
        config: How it is trained.
    """

    def __init__(self, model: "keras.Model", config: TrainingConfig) -> None:
        model.optimizer.build(model.trainable_variables)
        values = checkpoint.values_of(model)
        self.model = model
        self.history = History([], config)
        self.checkpoint = checkpoint.Checkpoint([], values, values)

    def resume(
        self, last: checkpoint.Checkpoint | None, features: Iterable[Any]
    ) -> None:
        """Continues from a checkpoint.

        Args:
            last: The checkpoint; None for a training that begins.
            features: Each has a `restore`, which takes what its `state` gave.
        Raises:
            CheckpointError: If it is one of another model.
        """
        if last is None:
            return
        checkpoint.check_fit(last.values, checkpoint.state_of(self.model))
        for feature in features:
            feature.restore({**last._asdict(), **last.features})
        self.checkpoint = last
        self.restore()

    def end_epoch(self, features: Iterable[Any]) -> None:
        """Makes the checkpoint of an epoch: the state of the model, the history, and
        what the features give by name."""
        state: dict[str, Any] = {"rollback_values": []}
        for feature in features:
            state |= feature.state()
        fields = {
            n: state.pop(n) for n in [*state] if n in checkpoint.Checkpoint._fields
        }
        self.checkpoint = checkpoint.Checkpoint(
            rows=[*self.history.rows],
            values=checkpoint.values_of(self.model),
            features=state,
            **fields,
        )

    def restore(self) -> None:
        """Restores the model and the history of the checkpoint."""
        checkpoint.restore(self.checkpoint.values, self.model)
        self.history.rows[:] = self.checkpoint.rows
