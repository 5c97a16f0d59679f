"""The Keras model of a run, with its loss, measures and optimizer."""

import math
from typing import Any

import keras

from ..contract.task import Task
from ..models.base import ModelConfig
from ..runs.devices import check_alone
from ..runs.training_config import TrainingConfig
from .guarded import GuardedAdam, GuardedSGD
from .mean_loss import MeanLoss
from .stateful import check_layers, stateful_copy


def compiled_model(
    task: Task,
    model: ModelConfig,
    config: TrainingConfig,
    plain: keras.Model | None = None,
) -> keras.Model:
    """A Keras model, ready to fit.

    Args:
        task: The task to train it on.
        model: What to build.
        config: How it is trained.
        plain: The network that it shall be a stateful copy of; a new one if None.
    """
    if plain is not None:
        batch_size = config.sequences_per_epoch // config.steps_per_epoch
        network = stateful_copy(plain, batch_size)
    else:
        network = model.build(task)
        if config.stateful:  # before anything is written
            check_alone("stateful")
            check_layers(network)
    loss = task.loss()
    network.compile(
        optimizer=_optimizer(config),
        loss=loss,
        weighted_metrics=[MeanLoss(loss), *task.measures()],
        # By default Keras uses no XLA on a CPU.
        jit_compile=_compiles(model)
        if config.jit_compile is None
        else config.jit_compile,
        # Several steps a call: on TensorFlow, Keras spends two milliseconds on each.
        steps_per_execution=math.gcd(10, config.steps_per_epoch),
    )
    return network


def _optimizer(config: TrainingConfig) -> keras.optimizers.Optimizer:
    rate: Any = config.learning_rate
    warmup = config.warmup or 0
    is_cosine = config.schedule == "cosine"
    if is_cosine or warmup:
        steps = max(1, config.scheduled_steps - warmup)
        rate = keras.optimizers.schedules.CosineDecay(
            0.0 if warmup else rate,
            steps,
            alpha=0.0 if is_cosine else 1.0,  # 1: the rate stays
            warmup_target=rate if warmup else None,
            warmup_steps=warmup,
        )
    kind = GuardedSGD if config.optimizer == "sgd" else GuardedAdam
    return kind(rate, global_clipnorm=config.clip_norm or None)


def _compiles(model: ModelConfig) -> bool:
    """Whether a training step is faster with XLA."""
    if model.xla_on_cpu or keras.backend.backend() != "tensorflow":
        return True
    return bool(keras.distribution.list_devices("gpu"))
