"""A sparse access memory in plain NumPy loops, written from the equations of the paper.
Nothing of the package is imported here.

One example at a time, no batch axis: memory `(N, W)`, usage `(N,)`. Weightings are
dense, `(N,)`, with zeros for the rows that are not among the few. Several heads are a
leading axis `(R, ...)`. All arithmetic is float64.

Reference:
    Rae et al. (2016), Scaling Memory-Augmented Neural Networks with Sparse Reads and
    Writes, arXiv:1610.09027, section 3.
"""

from typing import NamedTuple

import numpy as np
from reference import cosine_similarity, read, sigmoid, softplus

THRESHOLD = 0.005  # delta, section 3.2


def nearest(memory, key, count, norm_epsilon):
    """The numbers of the rows of largest cosine, the nearest first."""
    cosines = cosine_similarity(memory, key, norm_epsilon)
    return sorted(range(len(memory)), key=lambda i: (-cosines[i], i))[:count]


def sparse_weighting(memory, key, beta, count, norm_epsilon):
    cosines = cosine_similarity(memory, key, norm_epsilon)
    weighting = np.zeros(len(memory))
    for i in nearest(memory, key, count, norm_epsilon):
        weighting[i] = np.exp(beta * cosines[i])
    return weighting / weighting.sum()  # eq. 2 over K rows


def least_recent(usage, count):
    """The numbers of the rows that were not accessed for the most steps."""
    return sorted(range(len(usage)), key=lambda i: (-usage[i], i))[:count]  # eq. 6


def write_weighting(prev_read, row, gate, write_gate):
    weighting = gate * np.asarray(prev_read, "float64")
    weighting[row] += 1.0 - gate
    return write_gate * weighting  # eq. 5


def write(memory, weightings, adds, rows):
    memory = np.array(memory, "float64")
    for row in rows:
        memory[row] = 0.0
    for weighting, add in zip(weightings, adds, strict=True):
        for i in range(len(memory)):
            memory[i] += weighting[i] * add  # eq. 3
    return memory


def update_usage(usage, reads, writes):
    """Steps since the last access to each row."""
    updated = np.array(usage, "float64") + 1
    for i in range(len(updated)):
        if sum(weighting[i] for weighting in (*reads, *writes)) > THRESHOLD:
            updated[i] = 0
    return updated


class Options(NamedTuple):
    """The sizes of a `SAMCell`."""

    num_heads: int
    num_rows_read: int
    word_size: int


class SAMState(NamedTuple):
    """State of one sparse access memory; weightings of reading first, then of
    writing."""

    controller: tuple
    reads: np.ndarray
    weightings: np.ndarray
    usage: np.ndarray
    memory: np.ndarray


def parameters(raw, options):
    """Squashes one raw vector: keys, strengths, vectors to write, gates, write
    gates."""
    raw = list(np.asarray(raw, "float64"))

    def take(size):
        return [
            np.array([raw.pop(0) for _ in range(size)])
            for _ in range(options.num_heads)
        ]

    keys = take(options.word_size)
    betas = [1.0 + float(softplus(x[0])) for x in take(1)]
    adds = take(options.word_size)
    gates = [float(sigmoid(x[0])) for x in take(1)]
    write_gates = [float(sigmoid(x[0])) for x in take(1)]
    if raw:
        raise ValueError(f"{len(raw)} raw values are left over")
    return keys, betas, adds, gates, write_gates


def sam_step(x, state, weights, control, options, norm_epsilon):
    """One step for one example: `(output, state)`."""
    hidden, controller_state = control(
        np.concatenate([x, state.reads.ravel()]), state.controller, weights.controller
    )
    kernel, bias = weights.heads
    keys, betas, adds, gates, write_gates = parameters(hidden @ kernel + bias, options)
    rows = least_recent(state.usage, options.num_heads)
    prev_reads = state.weightings[: options.num_heads]
    writes = [
        write_weighting(*each)
        for each in zip(prev_reads, rows, gates, write_gates, strict=True)
    ]
    memory = write(state.memory, writes, adds, rows)
    readings = [
        sparse_weighting(memory, key, beta, options.num_rows_read, norm_epsilon)
        for key, beta in zip(keys, betas, strict=True)
    ]
    reads = np.array([read(memory, weighting) for weighting in readings])  # eq. 4
    usage = update_usage(state.usage, readings, writes)
    kernel, bias = weights.projection
    output = np.concatenate([hidden, reads.ravel()]) @ kernel + bias
    return output, SAMState(
        controller_state, reads, np.array([*readings, *writes]), usage, memory
    )


def sam_run(sequence, state, *arguments):
    """Runs `sam_step` over a sequence `(T, features)`: outputs `(T, units)` and the
    list of states."""
    outputs, states = [], []
    for x in sequence:
        output, state = sam_step(x, state, *arguments)
        outputs.append(output)
        states.append(state)
    return np.array(outputs), states
