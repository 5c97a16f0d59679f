"""The Keras metric of models of text."""

import math
from typing import Any

import keras

from ..losses.finite_mean import FiniteMean
from ..losses.tensors import Tensor
from ..losses.token_loss import token_nats


@keras.saving.register_keras_serializable("memnets")
class BitsPerCharacter(FiniteMean):
    """Bits of the next character, a mean over the steps of weight 1, without batches
    where it is not finite.

    Example:
        >>> metric = BitsPerCharacter()
        >>> metric.update_state(np.array([[0, 1]]), np.zeros((1, 2, 4)))
        >>> float(metric.result())
        2.0
    """

    def __init__(self, name: str = "bits_per_character", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)

    def values(self, targets: Tensor, outputs: Tensor) -> Tensor:
        return token_nats(targets, outputs) / math.log(2)


@keras.saving.register_keras_serializable("memnets")
class BitsPerToken(BitsPerCharacter):
    """The same of tokens that are pieces of words, or words."""

    def __init__(self, name: str = "bits_per_token", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
