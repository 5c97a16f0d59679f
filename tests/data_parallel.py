"""One training step of NTMs and a DNC on one and on two virtual devices of JAX.

Run by `tests/memnets/test_data_parallel.py`, in a process whose JAX has two devices.
Prints for each case the largest difference between the weights after the step.
"""

import json
import sys

import jax
import keras
import numpy as np

import memnets

LEARNED = {
    "initial_memory": "learned",
    "initial_weightings": "learned",
    "initial_reads": "learned",
}
CASES = {
    "feedforward, randomized memory": (
        memnets.NTM,
        {"controller": "feedforward", "initial_memory": "randomized"},
    ),
    # One device knows neither all errors nor the whole gradient.
    "lstm, learned states, gradients bounded": (
        memnets.NTM,
        {"controller": "lstm", "gradient_bound": 0.1, **LEARNED},
    ),
    "dnc, learned memory": (memnets.DNC, {"initial_memory": "learned"}),
}
BATCH, STEPS = 6, 5


def weights_after_a_step(layer_class, arguments, inputs, targets):
    """The weights after a step of gradient descent with a learning rate of 1, so that
    they differ as the gradients do."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input(inputs.shape[1:]),
            keras.layers.Masking(),
            layer_class(
                2,
                **{"memory_size": 8, "word_size": 4, "controller_size": 5},
                return_sequences=True,
                **arguments,
            ),
        ]
    )
    model.compile(keras.optimizers.SGD(1.0), "mse", jit_compile=True)
    model.train_on_batch(inputs, targets)
    return model.get_weights()


def main(cases):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((BATCH, STEPS, 3)).astype("float32")
    targets = rng.standard_normal((BATCH, STEPS, 2)).astype("float32")
    for sequence, length in enumerate((5, 2, 4, 3, 5, 1)):
        inputs[sequence, length:] = 0  # masked
    differences = {}
    for case in cases:
        keras.distribution.set_distribution(None)
        alone = weights_after_a_step(*CASES[case], inputs, targets)
        spread = keras.distribution.DataParallel(devices=jax.devices("cpu"))
        keras.distribution.set_distribution(spread)
        together = weights_after_a_step(*CASES[case], inputs, targets)
        differences[case] = max(
            float(np.abs(one - two).max())
            for one, two in zip(alone, together, strict=True)
        )
    print(json.dumps(differences))


if __name__ == "__main__":
    main(sys.argv[1:] or CASES)
