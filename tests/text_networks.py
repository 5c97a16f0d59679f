"""Networks on text that several tests share, and what they say of texts."""

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


def outputs_of(model, inputs):
    """Compiled on JAX; on TensorFlow a graph would be traced for a single batch."""
    if keras.backend.backend() == "jax":
        return np.asarray(model.predict_on_batch(inputs))
    return np.asarray(model(inputs))


def text_inputs(steps=None):
    """The Keras inputs of a network from text to text."""
    return {
        name: keras.Input((steps,), dtype="int32", name=name)
        for name in ("source", "target")
    }


def drawn_texts(rng, rows, steps, tokens=8):
    """Sources and what the decoder reads, all of one length."""
    both = rng.integers(1, tokens, (rows, 2, steps)).astype("int32")
    return {"source": both[:, 0], "target": both[:, 1]}


def log_probs_of(model, inputs, texts):
    """The log-probability of each text, which the network reads shifted by one token in
    its row of `inputs`."""
    logits = outputs_of(model, inputs).astype(float)
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return [
        sum(row[step, token] for step, token in enumerate(text))
        for row, text in zip(log_probs, texts, strict=True)
    ]


def written(found, row, rank):
    """A text of a `memnets.decoders.Decoded`, without what fills it up."""
    return found.tokens[row, rank, : found.lengths[row, rank]].tolist()
