"""The Neural Turing Machine in plain NumPy loops, written from the equations of the
paper. Nothing of the package is imported here.

One example at a time, no batch axis: memory `(N, W)`, key `(W,)`, weighting `(N,)`.
Several heads are a leading axis `(H, ...)`. All arithmetic is float64.

The package departs from the paper by two constants, which are arguments here: an
epsilon beside each squared norm of the cosine, and an epsilon beside each weighting
before it is sharpened.

Reference:
    Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401.
"""

from typing import NamedTuple

import numpy as np


def sigmoid(x):
    return np.exp(-np.logaddexp(0.0, -np.asarray(x, "float64")))


def softplus(x):
    return np.logaddexp(0.0, np.asarray(x, "float64"))


def softmax(x):
    exponentials = np.exp(x - np.max(x))
    return exponentials / np.sum(exponentials)


def cosine_similarity(memory, key, norm_epsilon=0.0):
    memory, key = np.asarray(memory, "float64"), np.asarray(key, "float64")
    similarity = np.zeros(len(memory))
    for i, row in enumerate(memory):
        dot, key_square, row_square = 0.0, norm_epsilon, norm_epsilon
        for k, m in zip(key, row, strict=True):
            dot += k * m
            key_square += k * k
            row_square += m * m
        similarity[i] = dot / (np.sqrt(key_square) * np.sqrt(row_square))  # eq. 6
    return similarity


def content_weighting(memory, key, beta, norm_epsilon=0.0):
    similarity = cosine_similarity(memory, key, norm_epsilon)
    return softmax(float(np.squeeze(beta)) * similarity)  # eq. 5


def interpolate(content, prev_weighting, gate):
    gate = float(np.squeeze(gate))
    gated = np.zeros(len(content))
    for i in range(len(content)):
        gated[i] = gate * content[i] + (1.0 - gate) * prev_weighting[i]  # eq. 7
    return gated


def shift(weighting, shift):
    num_rows, shift_range = len(weighting), len(shift) // 2
    # s(d) for every distance d = 0..N-1, of which only those within the range are
    # allowed.
    share = np.zeros(num_rows)
    for offset in range(-shift_range, shift_range + 1):
        share[offset % num_rows] += shift[offset + shift_range]
    shifted = np.zeros(num_rows)
    for i in range(num_rows):
        for j in range(num_rows):
            shifted[i] += weighting[j] * share[(i - j) % num_rows]  # eq. 8
    return shifted


def sharpen(weighting, gamma, sharpen_epsilon=0.0):
    gamma = float(np.squeeze(gamma))
    powers = (np.asarray(weighting, "float64") + sharpen_epsilon) ** gamma
    return powers / np.sum(powers)  # eq. 9


def read(memory, weighting):
    vector = np.zeros(memory.shape[1])
    for i, row in enumerate(memory):
        vector += weighting[i] * row  # eq. 2
    return vector


def write(memory, weightings, erases, adds):
    """All heads erase, then all heads add. Heads are the first axis."""
    memory = np.array(memory, "float64")
    for weighting, erase in zip(weightings, erases, strict=True):
        for i in range(len(memory)):
            memory[i] = memory[i] * (1.0 - weighting[i] * erase)  # eq. 3
    for weighting, add in zip(weightings, adds, strict=True):
        for i in range(len(memory)):
            memory[i] = memory[i] + weighting[i] * add  # eq. 4
    return memory


def each_head(oracle, *arrays, **keywords):
    """Runs an oracle of one head over arrays with leading axes `(B, H)`."""
    batch_size, num_heads = arrays[-1].shape[:2]
    return np.array(
        [
            [
                oracle(*(array[b, h] for array in arrays), **keywords)
                for h in range(num_heads)
            ]
            for b in range(batch_size)
        ]
    )


class HeadParameters(NamedTuple):
    """Parameters of all heads, lists over heads, the read heads first; `erase` and
    `add` have the write heads only."""

    key: list
    beta: list
    gate: list
    shift: list
    gamma: list
    erase: list
    add: list


def head_parameters(raw, num_read_heads, num_write_heads, word_size, shift_range):
    """Squashes one raw vector. It holds all keys, then all betas, and so on."""
    raw = list(np.asarray(raw, "float64"))
    num_heads = num_read_heads + num_write_heads

    def take(heads, size):
        return [np.array([raw.pop(0) for _ in range(size)]) for _ in range(heads)]

    parameters = HeadParameters(
        key=take(num_heads, word_size),
        beta=[softplus(x) for x in take(num_heads, 1)],
        gate=[sigmoid(x) for x in take(num_heads, 1)],
        shift=[softmax(x) for x in take(num_heads, 2 * shift_range + 1)],
        gamma=[1.0 + softplus(x) for x in take(num_heads, 1)],
        erase=[sigmoid(x) for x in take(num_write_heads, word_size)],
        add=[np.tanh(x) for x in take(num_write_heads, word_size)],
    )
    if raw:
        raise ValueError(f"{len(raw)} raw values are left over")
    return parameters


def feedforward_step(x, state, weights):
    """tanh(x W + b). `weights` is `(kernel, bias)`; the state is not read."""
    kernel, bias = weights
    output = np.tanh(x @ kernel + bias)
    return output, (output,)


def logistic_step(x, state, weights):
    """sigmoid(x W + b), else as `feedforward_step`."""
    kernel, bias = weights
    output = sigmoid(x @ kernel + bias)
    return output, (output,)


def lstm_step(x, state, weights, clip=np.inf):
    """One step of an LSTM with the gates in Keras' order: input, forget, candidate,
    output. `weights` is `(kernel, recurrent_kernel, bias)`; the cell is kept within
    `clip`."""
    kernel, recurrent_kernel, bias = weights
    hidden, cell = state
    raw = x @ kernel + hidden @ recurrent_kernel + bias
    i, f, candidate, o = np.split(raw, 4)
    cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(candidate)
    cell = np.minimum(np.maximum(cell, -clip), clip)
    hidden = sigmoid(o) * np.tanh(cell)
    return hidden, (hidden, cell)


class NTMWeights(NamedTuple):
    """Arrays of one NTM: of the controller what its step function takes, `(kernel,
    bias)` of the layer that sets the heads and of the output layer."""

    controller: tuple
    heads: tuple
    projection: tuple


class NTMState(NamedTuple):
    """State of one NTM: arrays of the controller, reads `(R, W)`, weightings `(R +
    write heads, N)`, memory `(N, W)`."""

    controller: tuple
    reads: np.ndarray
    weightings: np.ndarray
    memory: np.ndarray


def ntm_step(x, state, weights, control, shift_range, norm_epsilon, sharpen_epsilon):
    """One step for one example: `(output, state)`. `control` is `feedforward_step` or
    `lstm_step`."""
    num_read_heads, word_size = state.reads.shape
    num_write_heads = len(state.weightings) - num_read_heads
    hidden, controller_state = control(
        np.concatenate([x, state.reads.ravel()]), state.controller, weights.controller
    )
    kernel, bias = weights.heads
    head = head_parameters(
        hidden @ kernel + bias, num_read_heads, num_write_heads, word_size, shift_range
    )
    weightings = []
    for h, prev_weighting in enumerate(state.weightings):
        content = content_weighting(
            state.memory, head.key[h], head.beta[h], norm_epsilon
        )
        gated = interpolate(content, prev_weighting, head.gate[h])
        shifted = shift(gated, head.shift[h])
        weightings.append(sharpen(shifted, head.gamma[h], sharpen_epsilon))
    memory = write(state.memory, weightings[num_read_heads:], head.erase, head.add)
    reads = np.array([read(memory, w) for w in weightings[:num_read_heads]])
    kernel, bias = weights.projection
    output = np.concatenate([hidden, reads.ravel()]) @ kernel + bias
    return output, NTMState(controller_state, reads, np.array(weightings), memory)


def ntm_run(sequence, state, *arguments):
    """Runs `ntm_step` over a sequence `(T, features)`: outputs `(T, units)` and the
    list of states."""
    outputs, states = [], []
    for x in sequence:
        output, state = ntm_step(x, state, *arguments)
        outputs.append(output)
        states.append(state)
    return np.array(outputs), states
