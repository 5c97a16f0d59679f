"""The memories of a model at work on one sequence."""

from typing import Any

import numpy as np


def trace_memories(model: Any, inputs: np.ndarray) -> list[Any]:
    """Traces every layer of a Keras model that has a memory to look at.

    Args:
        model: A functional or sequential Keras model.
        inputs: Its inputs, `(B, ...)`.
    Returns:
        A `memnets.MemoryTrace` for each layer that follows the protocol
        `memnets.TraceableMemory`.
    """
    traces = []
    for layer in getattr(model, "layers", []):
        if hasattr(layer, "trace_memory"):
            traces.append(layer.trace_memory(_inputs_of(layer, model, inputs)))
    return traces


def heads_of(traces: list[Any]) -> list[Any]:
    """The heads of all memories."""
    return [head for trace in traces for head in trace.heads]


def _inputs_of(layer, model, inputs):
    """What a layer sees of the inputs of its model."""
    if layer.input is model.inputs[0]:
        return inputs
    import keras

    return keras.Model(model.inputs, layer.input).predict_on_batch(inputs)
