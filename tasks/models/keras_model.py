"""Keras models of the user's own, as models to train."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ..checks import shorten
from ..contract.task import Task
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


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
            # Keras numbers its automatic names: another instance is sequential_1.
            name = re.sub(r"_\d+$", "", model.name).replace("_", "-")
            return cls(name, _digest(model), lambda task: model)
        if callable(model) and not isinstance(model, type | keras.layers.Layer):
            name = getattr(model, "__name__", "own").strip("<>").replace("_", "-")
            return cls(name, "", model)
        raise TypeError(
            "`model` must be a model's name, a ModelConfig, a Keras model, or a "
            f"function from a task to a Keras model. Received: model={shorten(model)}"
        )

    def build(self, task: Task) -> "keras.Model":
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

    def layer(self, units: int) -> "keras.layers.Layer":
        raise NotImplementedError("A Keras model of the user's own is built whole.")

    @property
    def is_own(self) -> bool:
        return True

    @property
    def is_drawn(self) -> bool:
        return not self.architecture

    @property
    def label(self) -> str:
        return self.model_name

    @property
    def parameters(self) -> dict:
        return {"model_name": self.model_name, "architecture": self.architecture}

    @property
    def signature(self) -> str:
        return f"{self.model_name}|{self.architecture[:12] or 'function'}"


def _digest(model: "keras.Model") -> str:
    """SHA-256 of a model's configuration, the same for a copy made by the same code."""
    try:
        config = model.get_config()
    except NotImplementedError:
        config = {"class_name": type(model).__qualname__}
    text = json.dumps(config, sort_keys=True, default=repr)
    # Numbers of automatic names and addresses of objects differ between copies.
    text = re.sub(r'_\d+(?=")| at 0x[0-9a-f]+', "", text)
    return hashlib.sha256(text.encode()).hexdigest()


def uncompiled(model: "keras.Model") -> "keras.Model":
    """A model of the same layers that was never compiled: its file loads without the
    classes of this package. A model without known inputs is returned as it is."""
    import keras

    if not getattr(model, "inputs", None):
        return model
    # Lists of one tensor would make Keras warn of arrays that are passed as they are.
    outputs = model.outputs[0] if len(model.outputs) == 1 else model.outputs
    return keras.Model(_inputs_of(model), outputs, name=model.name)


def _inputs_of(model: "keras.Model") -> Any:
    """The input of a model, or several as a list or by name."""
    import keras

    # Keras knows no `input` of a Sequential model that was not called.
    inputs = model.inputs if isinstance(model, keras.Sequential) else model.input
    return inputs[0] if isinstance(inputs, list) and len(inputs) == 1 else inputs


def check_model(model: Any) -> None:
    """Raises TypeError if something is no model, such as the directory of a run."""
    if not callable(getattr(model, "predict_on_batch", None)):
        received = f"Received: model={shorten(model)}"
        raise TypeError(
            f"`model` must be a Keras model. {received}{how_to_load(model)}"
        )


def how_to_load(model: Any) -> str:
    """How the model of a run or of a file is loaded that was given in its place, as the
    end of a message; empty if neither was."""
    if hasattr(model, "load_model"):
        return ". Its `load_model()` gives one."
    if not isinstance(model, str | os.PathLike):
        return ""
    path = os.fspath(model)
    if pathlib.PurePath(os.fsdecode(path)).suffix == ".keras":
        return f". Load it: memnets.load({path!r})"
    return f". Load it: tasks.open_run({path!r}).load_model()"


def with_named_inputs(model: "keras.Model", task: Task) -> "keras.Model":
    """A model as the task calls it. Those of earlier versions that write have one input
    where the task has several; the network in them takes both forms."""
    import keras

    from memnets.seq2seq.encoder_decoder import EncoderDecoder

    inputs = task.inputs()
    is_one = isinstance(inputs, dict) and len(getattr(model, "inputs", None) or ()) == 1
    if not is_one or not isinstance(model.layers[-1], EncoderDecoder):
        return model
    return keras.Model(inputs, model.layers[-1](inputs), name=model.name)


def check_shapes(model: "keras.Model", task: Task, source: str = "`model`") -> None:
    """Checks that a Keras model has the inputs and outputs of a task. A model that does
    not declare them, such as a subclassed one, is called on one sequence.

    Args:
        model: The model.
        task: The task.
        source: What messages call the model.
    Raises:
        ValueError: If the shapes differ.
    """
    inputs = _shapes(task.inputs())
    outputs = (None, *(None,) * task.every_step, task.output_size)
    if getattr(model, "input_shape", None) is not None:
        _check_side("inputs", inputs, _shapes(_inputs_of(model)), task, source)
        _check_side("outputs", outputs, model.output_shape, task, source)
        return
    try:
        received = model(task.sample(1, 0).inputs).shape
    except AttributeError:
        raise ValueError(
            f"{source} must have one output, a tensor, for the task {task.name}. "
            "Received several."
        ) from None
    except (TypeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(
            f"{source} must take inputs of shape {inputs} for the task {task.name}. "
            f"Received an error: {reason}"
        ) from error
    _check_side("outputs", outputs, tuple(received), task, source)


def check_vocabulary(width: int | None, received: int, name: str = "`task`") -> None:
    """Checks that a task has as many tokens as a model knows.

    Args:
        width: Tokens that the model knows; None if that is not known.
        received: Tokens of the task, or of a vocabulary.
        name: What messages call that.
    Raises:
        ValueError: If they differ.
    """
    if width in (None, received):
        return
    raise ValueError(
        f"{name} must have the vocabulary that the model was trained with, of {width} "
        f"tokens. Received: one of {received} tokens. `run.task` has the model's, and "
        "`tasks.altered(run.task, data=...)` keeps it for other data"
    )


def _shapes(tensors: Any) -> Any:
    """The shape of a tensor, or those of several, in a list or by their names."""
    import keras

    return keras.tree.map_structure(lambda tensor: tuple(tensor.shape), tensors)


def _check_side(
    side: str, expected: Any, received: Any, task: Task, source: str
) -> None:
    if not _fits(expected, received):
        raise ValueError(
            f"{source} must have {side} of shape {expected} for the task {task.name}. "
            f"Received: {received}"
        )


def _fits(expected: Any, received: Any) -> bool:
    if isinstance(expected, dict):
        return (
            isinstance(received, dict)
            and set(expected) == set(received)
            and all(_fits(shape, received[name]) for name, shape in expected.items())
        )
    if not isinstance(received, tuple) or len(received) != len(expected):
        return False
    *sizes, width = zip(expected, received, strict=True)
    return width[0] in (None, width[1]) and all(
        size is None or actual in (None, size) for size, actual in sizes
    )
