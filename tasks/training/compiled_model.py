"""The Keras model of a run, with its loss, measures and optimizer."""

import math

import keras

import memnets
from memnets import backends

from ..contract.task import Task
from ..models.base import ModelConfig
from ..own_code import is_own
from ..runs.devices import check_alone
from ..training_options.training_config import TrainingConfig
from .mean_loss import MeanLoss
from .optimizers import optimizer_of
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
        network = _built(task, model)
        if config.stateful:  # before anything is written
            check_alone("stateful")
            check_layers(network)
    loss = task.loss()
    memnets.accelerate(network)
    if not is_own(type(task)) and not model.is_own:
        # Code of a user's own may do in Python what must be done at each step.
        backends.current().record_steps(network, memnets.native.is_available)
    network.compile(
        optimizer=optimizer_of(config),
        loss=loss,
        weighted_metrics=[MeanLoss(loss), *task.measures()],
        # By default Keras uses no XLA on a CPU.
        jit_compile=_compiles(model)
        if config.jit_compile is None
        else config.jit_compile,
        # Several steps a call: on TensorFlow, Keras spends two milliseconds on each.
        steps_per_execution=math.gcd(10, config.steps_per_epoch)
        if backends.current().has_xla
        else 1,
    )
    return network


def _built(task: Task, model: ModelConfig) -> keras.Model:
    """A new network; of a model that is not for the task, the error names others."""
    try:
        return model.build(task)
    except ValueError as error:
        if not str(error).startswith("`task` must"):
            raise
        suited = ", ".join(task.recipe.compared_models)
        raise ValueError(f"{error}. Models to begin with: {suited}") from error


def _compiles(model: ModelConfig) -> bool:
    """Whether a training step is faster with XLA."""
    backend = backends.current()
    in_kernel = model.uses_kernel and memnets.native.is_available()
    return backend.has_xla and (
        in_kernel or model.xla_on_cpu or backend.trains_faster_with_xla()
    )
