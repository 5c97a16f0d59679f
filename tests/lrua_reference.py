"""Least recently used access in plain NumPy loops, written from the equations of the
paper. Nothing of the package is imported here.

One example at a time, no batch axis: memory `(N, W)`, weighting `(N,)`, usage `(N,)`.
Several heads are a leading axis `(R, ...)`. All arithmetic is float64.

Reference:
    Santoro, Bartunov, Botvinick, Wierstra, Lillicrap (2016), One-shot Learning with
    Memory-Augmented Neural Networks, arXiv:1605.06065, section 3.
"""

from typing import NamedTuple

import numpy as np
from reference import content_weighting, read, sigmoid, softplus


def update_usage(usage, reads, writes, decay):
    updated = np.zeros(len(usage))
    for i in range(len(usage)):
        updated[i] = decay * usage[i]
        for weighting in (*reads, *writes):
            updated[i] += weighting[i]  # eq. 5
    return updated


def least_used(usage, count):
    """The numbers of the rows that are used least."""
    return sorted(range(len(usage)), key=lambda i: (usage[i], i))[:count]  # eq. 6


def write_weighting(prev_read, row, gate):
    weighting = gate * np.asarray(prev_read, "float64")
    weighting[row] += 1.0 - gate
    return weighting  # eq. 7


def write(memory, weightings, adds, rows):
    memory = np.array(memory, "float64")
    for row in rows:
        memory[row] = 0.0
    for weighting, add in zip(weightings, adds, strict=True):
        for i in range(len(memory)):
            memory[i] += weighting[i] * add  # eq. 8
    return memory


class Options(NamedTuple):
    """The sizes and options of an `LRUACell`."""

    num_heads: int
    word_size: int
    decay: float
    strengths: bool
    separate_add: bool


class LRUAState(NamedTuple):
    """State of one LRUA memory; weightings of reading first, then of writing."""

    controller: tuple
    reads: np.ndarray
    weightings: np.ndarray
    usage: np.ndarray
    memory: np.ndarray


def parameters(raw, options):
    """Squashes one raw vector: keys, gates, vectors to write, key strengths."""
    raw, heads = list(np.asarray(raw, "float64")), options.num_heads

    def take(size):
        return [np.array([raw.pop(0) for _ in range(size)]) for _ in range(heads)]

    keys = [np.tanh(x) for x in take(options.word_size)]
    gates = [float(sigmoid(x[0])) for x in take(1)]
    adds = keys
    if options.separate_add:
        adds = [np.tanh(x) for x in take(options.word_size)]
    betas = [1.0] * heads
    if options.strengths:
        betas = [1.0 + float(softplus(x[0])) for x in take(1)]
    if raw:
        raise ValueError(f"{len(raw)} raw values are left over")
    return keys, gates, adds, betas


def lrua_step(x, state, weights, control, options, norm_epsilon):
    """One step for one example: `(output, state)`."""
    hidden, controller_state = control(
        np.concatenate([x, state.reads.ravel()]), state.controller, weights.controller
    )
    kernel, bias = weights.heads
    keys, gates, adds, betas = parameters(hidden @ kernel + bias, options)
    rows = least_used(state.usage, options.num_heads)
    prev_reads = state.weightings[: options.num_heads]
    writes = [
        write_weighting(*each) for each in zip(prev_reads, rows, gates, strict=True)
    ]
    memory = write(state.memory, writes, adds, rows)
    readings = [
        content_weighting(memory, key, beta, norm_epsilon)  # eqs. 2, 3
        for key, beta in zip(keys, betas, strict=True)
    ]
    reads = np.array([read(memory, weighting) for weighting in readings])  # eq. 4
    usage = update_usage(state.usage, readings, writes, options.decay)
    kernel, bias = weights.projection
    output = np.concatenate([hidden, reads.ravel()]) @ kernel + bias
    return output, LRUAState(
        controller_state, reads, np.array([*readings, *writes]), usage, memory
    )


def lrua_run(sequence, state, *arguments):
    """Runs `lrua_step` over a sequence `(T, features)`: outputs `(T, units)` and the
    list of states."""
    outputs, states = [], []
    for x in sequence:
        output, state = lrua_step(x, state, *arguments)
        outputs.append(output)
        states.append(state)
    return np.array(outputs), states
