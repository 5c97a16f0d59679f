"""Short trainings without the graphs of TensorFlow."""

import contextlib

import keras
import pytest

from memnets import backends
from tasks.training import compiled_model, training

# Making TensorFlow's graph of a step takes longer than so many steps without one.
FEW_STEPS = 20


@contextlib.contextmanager
def few_steps_without_graphs():
    """On TensorFlow, trainings of a few steps and models that were only loaded or built
    run eagerly within it."""
    if keras.backend.backend() != "tensorflow":
        yield
        return
    make, trainer = compiled_model.compiled_model, keras.src.trainers.trainer.Trainer

    def made(task, model, config, *plain):
        network = make(task, model, config, *plain)
        steps = config.sequences / (config.batch_size or 1)
        network.run_eagerly = not config.jit_compile and steps <= FEW_STEPS
        return network

    def runs_eagerly(model):
        return model._run_eagerly or not model.compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "compiled_model", made)
        eagerly = property(runs_eagerly, trainer.run_eagerly.fset)
        patch.setattr(trainer, "run_eagerly", eagerly)
        # A trace of a memory.
        backend = type(backends.current())
        patch.setattr(backend, "compiled", lambda self, function: function)
        yield
