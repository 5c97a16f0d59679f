"""Room in a memory for sequences that are longer than those of training."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..contract.task import Task
from .base import ModelConfig

if TYPE_CHECKING:
    import keras


def room_note(task: Task, model: ModelConfig) -> str | None:
    """What to say of a memory that holds one symbol a place and has too few of them to
    be trained with.

    Args:
        task: The task.
        model: The model.
    Returns:
        A sentence, or None where there are enough places, or neither the task nor the
        model has a number of them.
    """
    name, needed = model.places, task.recipe.places_needed()
    if name is None or needed is None or getattr(model, name) >= needed:
        return None
    return (
        f"`{name}` should be at least {needed}, the symbols of the longest string of "
        f"the training and its validation: the model {model.name} holds one symbol a "
        f"place. Received: {name}={getattr(model, name)}"
    )


def with_room(
    model: "keras.Model", task: Task, lengths: Iterable[int]
) -> "keras.Model":
    """A model whose memories have a place for each symbol of the strings of a test,
    where no weight depends on the number of places.

    A memory that had no room for the strings of its training stays as it is: the
    network learned to do with fewer places.

    Args:
        model: A Keras model. One that is not made of layers stays as it is.
        task: The task that it was trained on.
        lengths: Lengths of the strings.
    Returns:
        The model itself if nothing changes, else a copy with the same weights.
    """
    needed = task.recipe.places_needed(lengths)
    trained = task.recipe.places_needed(task.size[:1])
    # Only a functional model, whose inputs are known, can be made again of its layers.
    layers = model.layers if getattr(model, "inputs", None) else []
    if needed is None or trained is None:
        return model
    known = range(trained, needed)
    if not any(_places(layer) in known for layer in layers):
        return model
    import keras

    def copy(layer: "keras.Operation") -> "keras.Operation":
        if not isinstance(layer, keras.layers.Layer):
            return layer  # an operation has no weights
        config = layer.get_config()
        if _places(layer) in known:
            config[layer.cell.memory.places] = needed
        return type(layer).from_config(config)

    larger = keras.models.clone_model(model, clone_function=copy)
    larger.set_weights(model.get_weights())
    return larger


def _places(layer: "keras.layers.Layer") -> int | None:
    """The places of the memory of a layer; None if it cannot have more of them."""
    memory = getattr(getattr(layer, "cell", None), "memory", None)
    name = getattr(memory, "places", None)
    return None if name is None else getattr(memory, name)
