"""The optimizer of a training, and how its learning rate goes on."""

from typing import Any

import keras

from ..training_options.training_config import TrainingConfig
from .guarded import (
    GuardedAdadelta,
    GuardedAdagrad,
    GuardedAdam,
    GuardedRMSprop,
    GuardedSGD,
)

# Keras' classes, with the numbers of the paper where it gives some.
KINDS: dict[str, tuple[type[keras.optimizers.Optimizer], dict[str, Any]]] = {
    "adam": (GuardedAdam, {}),
    "sgd": (GuardedSGD, {}),
    "momentum": (GuardedSGD, {"momentum": 0.9}),
    "nesterov": (GuardedSGD, {"momentum": 0.9, "nesterov": True}),
    # Graves (2013), Generating Sequences With Recurrent Neural Networks, eqs. 38-45.
    "rmsprop": (
        GuardedRMSprop,
        {"rho": 0.95, "momentum": 0.9, "epsilon": 1e-4, "centered": True},
    ),
    # Duchi, Hazan, Singer (2011), whose sum begins at 0.
    "adagrad": (GuardedAdagrad, {"initial_accumulator_value": 0.0}),
    # Zeiler (2012), ADADELTA, table 1.
    "adadelta": (GuardedAdadelta, {"rho": 0.95, "epsilon": 1e-6}),
}
# A rate that halves stays for ten fifteenths of the steps, then halves after each of
# the next five: Sutskever, Vinyals, Le (2014), section 3.4, whose 7.5 epochs are so.
PARTS = 15
FIRST_HALVING = 10


def optimizer_of(config: TrainingConfig) -> keras.optimizers.Optimizer:
    """The optimizer of a resolved configuration."""
    kind, options = KINDS[str(config.optimizer)]
    return kind(
        learning_rate_of(config),
        global_clipnorm=config.clip_norm or None,
        clipvalue=config.clip_value or None,
        **options,
    )


def learning_rate_of(config: TrainingConfig) -> Any:
    """The learning rate of a resolved configuration: a number, or a schedule of
    Keras."""
    schedules, rate = keras.optimizers.schedules, float(config.learning_rate or 0.0)
    warmup, steps = config.warmup or 0, config.scheduled_steps
    if config.schedule == "halving":
        ends = [steps * part // PARTS for part in range(FIRST_HALVING, PARTS)]
        rates = [rate * 0.5**halvings for halvings in range(len(ends) + 1)]
        return schedules.PiecewiseConstantDecay(ends, rates)
    is_cosine = config.schedule == "cosine"
    if not is_cosine and not warmup:
        return rate
    return schedules.CosineDecay(
        0.0 if warmup else rate,
        max(1, steps - warmup),
        alpha=0.0 if is_cosine else 1.0,  # 1: the rate stays
        warmup_target=rate if warmup else None,
        warmup_steps=warmup,
    )
