"""Keras models of the user's own, as models to train."""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Any, ClassVar

from .base import Task
from .checks import shorten
from .models import ModelConfig


@dataclasses.dataclass(frozen=True)
class KerasModel(ModelConfig):
    """A Keras model of the user's own: an instance, or a function that makes one.

    A run keeps the digest of an instance's architecture, to recognise it when the run
    is resumed. What is read back from a run has neither instance nor function: it
    names the model, and its weights are in `model.keras`.

    Args:
        model_name: Name of the model, for signatures and run directories.
        architecture: SHA-256 of an instance's configuration; empty for a function.
    """

    model_name: str = "own"
    architecture: str = ""
    make: Callable[[Task], Any] | None = dataclasses.field(
        default=None, compare=False, repr=False
    )

    name: ClassVar[str] = "keras"

    @classmethod
    def of(cls, model: Any) -> "KerasModel":
        """The configuration of a Keras model, or of a function `task -> model`.

        Raises:
            TypeError: If it is neither.
        """
        import keras

        if isinstance(model, keras.Model):
            text = json.dumps(model.get_config(), sort_keys=True, default=repr)
            digest = hashlib.sha256(text.encode()).hexdigest()
            return cls(model.name.replace("_", "-"), digest, lambda task: model)
        if callable(model) and not isinstance(model, type):
            name = getattr(model, "__name__", "own").strip("<>").replace("_", "-")
            return cls(name, "", model)
        raise TypeError(
            "`model` must be a model's name, a ModelConfig, a Keras model, or a "
            f"function from a task to a Keras model. Received: model={shorten(model)}"
        )

    def build(self, task: Task) -> Any:
        import keras

        if self.make is None:
            raise ValueError(
                f"The Keras model {self.model_name!r} must be given to train it: its "
                "run keeps the weights, not the function that made it."
            )
        model = self.make(task)
        if not isinstance(model, keras.Model):
            raise TypeError(
                "`model` must be a function that returns a Keras model. "
                f"Received: {shorten(model)}"
            )
        check_shapes(model, task)
        return model

    def layer(self, units: int) -> Any:
        raise NotImplementedError("A Keras model of the user's own is built whole.")

    @property
    def label(self) -> str:
        return self.model_name

    @property
    def parameters(self) -> dict:
        return {"model_name": self.model_name, "architecture": self.architecture}

    @property
    def signature(self) -> str:
        return f"{self.model_name}|{self.architecture[:12] or 'function'}"


def check_shapes(model: Any, task: Task, source: str = "`model`") -> None:
    """Raises `ValueError` unless a Keras model has the inputs and outputs of a task.

    Args:
        source: What messages call the model.
    """
    for side, expected in (("input", task.input_shape), ("output", task.output_shape)):
        received = getattr(model, f"{side}_shape", None)
        wanted = (None, *expected)
        if not isinstance(received, tuple) or len(received) != len(wanted):
            fits = False
        else:
            fits = all(
                size in (None, actual) or (actual is None and place < len(wanted) - 1)
                for place, (size, actual) in enumerate(
                    zip(wanted, received, strict=True)
                )
            )
        if not fits:
            raise ValueError(
                f"{source} must have {side}s of shape {wanted} for the task "
                f"{task.name}. Received: {received}"
            )
