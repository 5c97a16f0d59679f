"""How often a decoder reads its own tokens in training."""

import math
from typing import Any

import keras
from keras import ops

from ..checks import check_choice, check_number
from ..numerics.tensor_checks import Shape, Tensor

KINDS = ("linear", "exponential", "inverse-sigmoid")
# Where half of the tokens can be replaced: there `k` is in its range.
HALF_STEPS: dict[str, dict[str, float]] = {
    "linear": {"minimum": 0.5},
    "exponential": {"minimum": 1e-3, "maximum": 1e15},
    "inverse-sigmoid": {"above": 0},
}


@keras.saving.register_keras_serializable("memnets")
class ScheduledSampling(keras.layers.Layer):
    """Replaces some tokens that a decoder reads in training by those that it would have
    written itself, more of them as the training goes on.

    At step i of the training a token stays the true one with probability e(i), where

        linear            e(i) = max(minimum, 1 - i / k)
        exponential       e(i) = max(minimum, k^i), with k < 1
        inverse-sigmoid   e(i) = max(minimum, k / (k + exp(i / k))), with k >= 1

    In the paper the linear one is k - c i, where k is 1 and c is 1 / k here.

    Deviation: the tokens of the network come from a pass with all true tokens, not from
    the steps before, so that the recurrence is computed twice, not step by step. They
    are the most probable ones.

    Args:
        kind: linear, exponential or inverse-sigmoid.
        k: As above.
        minimum: The least share of true tokens.
        seed: Seed of the choice.
    Raises:
        ValueError: If an argument is out of its range.
    Reference:
        Bengio, Vinyals, Jaitly, Shazeer (2015), Scheduled Sampling for Sequence
        Prediction with Recurrent Neural Networks, section 2.4.
    Example:
        >>> schedule = ScheduledSampling("linear", k=1000)
        >>> float(schedule.true_share(250))
        0.75
    """

    def __init__(
        self,
        kind: str = "inverse-sigmoid",
        k: float = 1000.0,
        *,
        minimum: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.kind = check_choice("kind", kind, KINDS)
        if kind == "exponential":
            self.k = check_number("k", k, above=0, below=1)
        else:
            self.k = check_number("k", k, minimum=1)
        self.minimum = check_number("minimum", minimum, minimum=0, maximum=1)
        self.seed = seed
        self._generator = keras.random.SeedGenerator(seed)
        self.steps = self.add_weight(
            shape=(), dtype="int32", initializer="zeros", trainable=False, name="steps"
        )
        self.built = True

    @classmethod
    def with_half_at(cls, kind: str, step: float) -> "ScheduledSampling":
        """The schedule that replaces half of the tokens at a step of the training.

        Args:
            kind: linear, exponential or inverse-sigmoid.
            step: The step.
        Raises:
            ValueError: If the step is out of the range of the kind.
        """
        check_choice("kind", kind, KINDS)
        check_number("step", step, **HALF_STEPS[kind])
        if kind == "linear":
            return cls(kind, 2.0 * step)
        if kind == "exponential":
            return cls(kind, 0.5 ** (1.0 / step))
        # k / (k + exp(i / k)) is 1/2 at i = k log k.
        low, high = 1.0, step + 3.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if middle * math.log(middle) < step else (low, middle)
            )
        return cls(kind, high)

    def true_share(self, step: int | Tensor) -> Tensor:
        """The share e(i) of true tokens at a step of the training, from 0."""
        i = ops.cast(step, "float32")
        if self.kind == "linear":
            share = 1.0 - i / self.k
        elif self.kind == "exponential":
            share = ops.exp(i * math.log(self.k))
        else:
            # The same as k / (k + exp(i / k)), which overflows.
            share = ops.sigmoid(math.log(self.k) - i / self.k)
        return ops.maximum(share, self.minimum)

    def call(self, tokens: Tensor, logits: Tensor) -> Tensor:
        """What the decoder reads instead, at the next step of the training.

        Args:
            tokens: What it would read, `(B, T)`: the start token and the target.
            logits: Its outputs for them, `(B, T, tokens)`.
        Returns:
            Tokens `(B, T)`. The first one of each row and the padding stay.
        """
        own = ops.cast(ops.argmax(logits[:, :-1], axis=-1), tokens.dtype)
        own = ops.concatenate([tokens[:, :1], own], axis=1)
        drawn = keras.random.uniform(ops.shape(tokens), seed=self._generator)
        is_own = (drawn >= self.true_share(self.steps)) & (tokens != 0)
        self.steps.assign(self.steps + 1)
        return ops.where(is_own, own, tokens)

    def compute_output_shape(self, tokens_shape: Shape, logits_shape: Shape) -> tuple:
        return tuple(tokens_shape)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "kind": self.kind,
            "k": self.k,
            "minimum": self.minimum,
            "seed": self.seed,
        }
