"""Streaming: one step at a time, with a memory that is kept between the calls.

The trained network for copy gets a vector a call, as it would from a sensor or over a
network, and then repeats them.

    python examples/streaming.py --length 20
"""

import argparse

import keras
import numpy as np

import memnets
from memnets import tasks


def streaming_model(model):
    """The same network for one sequence, one step a call."""
    trained = next(x for x in model.layers if isinstance(x, memnets.NTM))
    layer = memnets.NTM.from_config({**trained.get_config(), "stateful": True})
    step = keras.Input(batch_shape=(1, 1, model.input_shape[-1]))
    streaming = keras.Model(step, layer(step))
    layer.set_weights(trained.get_weights())
    layer.reset_state()  # the initial memory is one of the weights
    return streaming, layer


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=20)
    length = parser.parse_args().length
    model = tasks.load_pretrained("copy")
    streaming, layer = streaming_model(model)

    batch = tasks.Copy().evaluation.at_length(length).sample(1, rng=1)
    steps = [
        keras.ops.convert_to_numpy(streaming(batch.inputs[:, step : step + 1]))
        for step in range(batch.inputs.shape[1])
    ]
    streamed = np.concatenate(steps, axis=1)
    at_once = model.predict(batch.inputs, verbose=0)
    print(
        "largest difference from the sequence at once:", abs(streamed - at_once).max()
    )
    wrong = ((streamed > 0) != (batch.targets > 0.5)).sum(-1)[batch.mask > 0].sum()
    print(f"wrong bits of {length * 8}: {wrong}")
    layer.reset_state()  # before the next sequence
