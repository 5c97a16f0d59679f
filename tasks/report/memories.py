"""The memories of a model at work on one sequence."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import keras

    from memnets import HeadTrace, MemoryTrace


def trace_memories(model: "keras.Model", inputs: np.ndarray) -> "list[MemoryTrace]":
    """Traces every layer of a Keras model that has a memory to look at.

    Args:
        model: A functional or sequential Keras model.
        inputs: Its inputs, `(B, ...)`.
    Returns:
        A `memnets.MemoryTrace` for each layer that follows the protocol
        `memnets.TraceableMemory`. Of a layer with a mask it is that of the first
        sequence: NaN at the steps that are masked, where the memory stays as it was.
    """
    return [
        _trace(layer, _inputs_of(layer, model, inputs))
        for layer in getattr(model, "layers", [])
        if hasattr(layer, "trace_memory")
    ]


def heads_of(traces: "list[MemoryTrace]") -> "list[HeadTrace]":
    """The heads of all memories."""
    return [head for trace in traces for head in trace.heads]


def _inputs_of(
    layer: "keras.layers.Layer", model: "keras.Model", inputs: np.ndarray
) -> Any:
    """What a layer sees of the inputs of its model: an array, or several."""
    if layer.input is model.inputs[0]:
        return inputs
    import keras

    first, *others = model.inputs
    # Of a list of one input, Keras would warn where it runs eagerly.
    before = keras.Model(model.inputs if others else first, layer.input)
    return before.predict_on_batch(inputs)


def _trace(layer: "keras.layers.Layer", seen: Any) -> "MemoryTrace":
    if not isinstance(seen, list) or seen[-1].dtype != bool:
        return layer.trace_memory(seen)
    sequences, masks = seen  # Keras puts a mask beside what it is of
    # The protocol has no masks: the layer is traced on the other steps alone.
    mask = masks[0]
    trace = layer.trace_memory(sequences[:1, mask])
    return _with_masked_steps(
        trace, mask[::-1] if getattr(layer, "go_backwards", False) else mask
    )


def _with_masked_steps(trace: "MemoryTrace", mask: np.ndarray) -> "MemoryTrace":
    """The trace of the steps that are not masked as one of all steps.

    Args:
        trace: A `memnets.MemoryTrace` of one sequence.
        mask: `(T,)`, in the order of processing.
    """
    latest = np.cumsum(mask) - 1  # -1 before the first step
    steps = np.where(mask, latest, -1)

    def at(places: np.ndarray, values: np.ndarray) -> np.ndarray:
        blank = np.full_like(values[:, :1], np.nan)
        return np.concatenate([values, blank], axis=1)[:, places]  # -1 is the blank

    return trace._replace(
        heads=[
            head._replace(
                vectors=at(steps, head.vectors), weighting=at(steps, head.weighting)
            )
            for head in trace.heads
        ],
        memory=at(latest, trace.memory),
        row_values=tuple((name, at(steps, v)) for name, v in trace.row_values),
        step_values=tuple((name, at(steps, v)) for name, v in trace.step_values),
    )
