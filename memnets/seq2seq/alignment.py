"""Which positions of a source the memory of a Neural Turing Machine leads back to."""

from typing import Any

import keras
import numpy as np
from keras import ops

from ..cells.states import cell_step, flat_initial_state, packed_states
from ..checks import shorten
from ..numerics.tensor_checks import Tensor
from .sequence_to_sequence import PAD, SequenceToSequence


def memory_alignment(
    network: SequenceToSequence, sources: Tensor, targets: Tensor
) -> np.ndarray:
    """How much of what each step of the decoder reads lies where each step of the
    encoder has written:

        A[i, j] = sum over n of w_read(i, n) w_write(j, n)

    with the weightings w over the rows n of the memory, the mean over the heads. It
    knows nothing of what was written over.

    Args:
        network: A network whose encoder and decoder are Neural Turing Machines, or
            other memories with weightings; of several layers the last ones.
        sources: Tokens `(B, S)` without padding.
        targets: What the decoder reads, tokens `(B, T)`, the start token first.
    Returns:
        `(B, T, S)`, numbers from 0 to 1: steps of the decoder, positions of the source.
    Raises:
        ValueError: If encoder or decoder has no memory, or there is padding.
    """
    layers = network.encoder[-1], network.decoder[-1]
    if not all(map(_has_weightings, layers)):
        raise ValueError(
            "`network` must have Neural Turing Machines, or other memories with "
            "weightings, that read in one direction and write. Received: "
            f"{[type(layer).__name__ for layer in layers]}"
        )
    sources, targets = np.asarray(sources), np.asarray(targets)
    if (sources == PAD).any():
        raise ValueError(
            f"`sources` must be without padding. Received: sources={shorten(sources)}"
        )
    encoded = network.encode(sources, False)
    if network.reverse_source:
        sources = sources[:, ::-1]
    outputs = network.source_embedding(sources)
    for layer in network.encoder[:-1]:
        outputs = layer(outputs)[0]
    states = flat_initial_state(layers[0].cell, len(sources), network.compute_dtype)
    written = _weightings(layers[0].cell, outputs, states, read=False)
    outputs = network._embedded(targets, encoded, False)
    for layer, states in zip(network.decoder[:-1], encoded.states, strict=False):
        begin = packed_states(layer.cell, states)
        outputs = layer(outputs, initial_state=begin, training=False)[0]
    read = _weightings(layers[1].cell, outputs, encoded.states[-1], read=True)
    if network.reverse_source:
        written = written[:, ::-1]
    # The mean over heads may be taken first, as the product is linear in each.
    return read.mean(2) @ written.mean(2).swapaxes(1, 2)


def _has_weightings(layer: keras.layers.Layer) -> bool:
    layout = getattr(getattr(layer, "cell", None), "state_layout", None)
    return layout is not None and "weightings" in layout.shapes


def _weightings(cell: Any, inputs: Tensor, states: list, *, read: bool) -> np.ndarray:
    """The weightings of the read or the write heads, `(B, T, heads, N)`."""
    steps = []
    for position in range(inputs.shape[1]):
        _, states = cell_step(cell, inputs[:, position], states)
        weightings = ops.convert_to_numpy(cell.unpack(states).weightings)
        count = cell.num_read_heads
        steps.append(weightings[:, :count] if read else weightings[:, count:])
    return np.stack(steps, axis=1)
