"""A network of `keras.applications` that looks at pictures."""

import inspect
from types import ModuleType
from typing import Any

import keras
from keras import ops

from ..checks import shorten
from ..numerics.tensor_checks import Shape, Tensor


@keras.saving.register_keras_serializable("memnets")
class ApplicationCells(keras.layers.Layer):
    """A network of `keras.applications` without its top: pictures as cells of numbers.

    It gets pictures as it was trained with them: its own `preprocess_input` is part of
    the layer. If the layer is not trainable, it runs as in inference.

    Args:
        application: Name of the network, such as "ResNet50".
        weights: File of its weights, those without the top; or "imagenet", which Keras
            downloads; drawn if None. A saved layer does not need the file again.
    Raises:
        ValueError: If there is no such network, or the weights cannot be had.
    Example:
        >>> layer = ApplicationCells("MobileNetV2")
        >>> layer.compute_output_shape((2, 64, 64, 3))
        (2, 2, 2, 1280)
    """

    def __init__(
        self, application: str, weights: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.application = application
        self._module = _module_of(application)
        make = getattr(self._module, application)
        try:
            self.network = make(
                include_top=False, weights=weights, input_shape=(None, None, 3)
            )
        # Keras raises a plain Exception if a download fails.
        except Exception as error:
            raise ValueError(
                f"`weights` must be a file of weights of {application} without its "
                "top, or imagenet, which Keras must be able to download. "
                f"Received: {shorten(weights)} ({' '.join(str(error).split())})"
            ) from error
        # Keras asks each weight by itself.
        self.network.trainable = self.trainable

    def build(self, pictures_shape: Shape) -> None:
        self.built = True

    def call(self, pictures: Tensor, training: bool | None = None) -> Tensor:
        """Cells `(B, H', W', width)` of pictures `(B, H, W, 3)` of numbers from 0 to
        255."""
        values = ops.cast(pictures, self.compute_dtype)
        values = self._module.preprocess_input(values, data_format="channels_last")
        return self.network(values, training=training if self.trainable else False)

    def compute_output_shape(self, pictures_shape: Shape) -> tuple:
        return tuple(self.network.compute_output_shape(tuple(pictures_shape)))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "application": self.application}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "ApplicationCells":
        # A saved layer has its weights beside. A file of a stranger must not make Keras
        # open another one, or download.
        return cls(**{**config, "weights": None})


def _module_of(application: str) -> ModuleType:
    """The module of `keras.applications` that has a network and what prepares its
    pictures."""
    for module in filter(inspect.ismodule, vars(keras.applications).values()):
        known = [name for name in dir(module) if name[0].isupper()]
        if application in known:
            return module
    raise ValueError(
        "`application` must be a network of keras.applications, such as ResNet50 or "
        f"MobileNetV2. Received: {shorten(application)}"
    )
