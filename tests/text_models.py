"""Networks on text that several tests share."""

import keras
import numpy as np


def random_network(task, *layers):
    """An untrained network for a task, far from even probabilities."""
    layers = layers or (keras.layers.GRU(6, return_sequences=True),)
    inputs = keras.Input((None,), dtype="int32")
    hidden = task.features(inputs)
    for layer in layers:
        hidden = layer(hidden)
    outputs = keras.layers.Dense(task.output_size)(hidden)
    model = keras.Model(inputs, outputs)
    rng = np.random.default_rng(1)
    for weight in model.trainable_weights:
        weight.assign(rng.normal(size=weight.shape))
    return model
