"""A plain Keras model with a Neural Turing Machine, trained with `fit`.

The model sees four random bits at each of eight steps, then blank steps, in which it
must repeat what it saw.

    python examples/plain_keras.py --examples 8000
"""

import argparse

import keras
import numpy as np

import memnets

LENGTH, BITS = 8, 4


def make_data(count, seed):
    """Inputs `(count, 17, 5)`, targets `(count, 17, 4)` and weights `(count, 17)`."""
    bits = np.random.default_rng(seed).integers(0, 2, (count, LENGTH, BITS))
    inputs = np.zeros((count, 2 * LENGTH + 1, BITS + 1), "float32")
    inputs[:, :LENGTH, :BITS] = bits
    inputs[:, LENGTH, BITS] = 1.0  # the delimiter: now repeat
    targets = np.zeros((count, 2 * LENGTH + 1, BITS), "float32")
    targets[:, LENGTH + 1 :] = bits
    weights = np.zeros(targets.shape[:2], "float32")
    weights[:, LENGTH + 1 :] = 1.0  # only the answer counts in the loss
    return inputs, targets, weights


def make_model():
    inputs = keras.Input((None, BITS + 1))
    outputs = memnets.NTM(
        BITS, memory_size=32, controller="feedforward", return_sequences=True
    )(inputs)
    model = keras.Model(inputs, outputs)
    model.compile(
        keras.optimizers.Adam(3e-3, global_clipnorm=0.1),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        weighted_metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
    )
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=16_000)
    count = parser.parse_args().examples
    keras.utils.set_random_seed(1)
    model = make_model()
    inputs, targets, weights = make_data(count, seed=1)
    model.fit(inputs, targets, sample_weight=weights, batch_size=16, verbose=2)
    inputs, targets, weights = make_data(200, seed=2)
    loss, accuracy = model.evaluate(inputs, targets, sample_weight=weights, verbose=0)
    print(f"bits repeated correctly, of new sequences: {accuracy:.1%}")
