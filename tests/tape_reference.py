"""A network with a tape in plain Python, written from the paper. Nothing of the package
is imported here.

The tape lies still: the head moves over it. Each way in which the head may have moved
has a probability.

Reference:
    Delétang, Ruoss et al. (2023), Neural Networks and the Chomsky Hierarchy,
    arXiv:2207.02098, appendix.
"""

import itertools
from typing import NamedTuple

import numpy as np
from reference import softmax


class Machine:
    """A tape of N cells on a ring, and a head that does one thing at a time."""

    def __init__(self, size, word_size):
        self.cells = [[0.0] * word_size for _ in range(size)]
        self.head = 0

    def act(self, word, move, length=0):
        """Writes a word under the head, then moves: `move` is the place in stay, left,
        right, jump left, jump right."""
        self.cells[self.head] = list(word)
        step = [0, -1, 1, -length, length][move]
        self.head = (self.head + step) % len(self.cells)

    def from_head(self):
        """The cells `(N, W)`, that under the head first, then those right of it."""
        size = len(self.cells)
        return np.array([self.cells[(self.head + i) % size] for i in range(size)])


def expected(size, words, probabilities, length=0):
    """The mean cells `(N, W)` from the head on, and the probability of each place of
    the head, over all ways to move: words `(T, W)`, probabilities `(T, A)`."""
    cells, head = np.zeros((size, len(words[0]))), np.zeros(size)
    choices = range(len(probabilities[0]))
    for drawn in itertools.product(choices, repeat=len(words)):
        machine, weight = Machine(size, len(words[0])), 1.0
        for word, shares, move in zip(words, probabilities, drawn, strict=True):
            weight *= shares[move]
            machine.act(word, move, length)
        cells += weight * machine.from_head()
        head[machine.head] += weight
    return cells, head


class TapeWeights(NamedTuple):
    """What the controller's step takes, `(kernel, bias)` of the moves and the outputs,
    and a list of such for the word."""

    controller: tuple
    moves: tuple
    writer: list
    projection: tuple


def simple_rnn_step(x, state, weights):
    kernel, recurrent, bias = weights
    hidden = np.tanh(x @ kernel + state[0] @ recurrent + bias)
    return hidden, (hidden,)


def tape_rnn(sequence, state, weights, control, size, word_size, length=0):
    """Outputs `(T, units)`, moves `(T, A)` and the cells `(N, W)` after the last step,
    from the head on."""
    cells, outputs, all_moves = np.zeros((size, word_size)), [], []
    for x in sequence:
        seen = np.concatenate([x, cells[0]])
        hidden, state = control(seen, state, weights.controller)
        word = hidden
        for index, (kernel, bias) in enumerate(weights.writer):
            word = word @ kernel + bias
            if index < len(weights.writer) - 1:
                word = np.maximum(word, 0)
        kernel, bias = weights.moves
        moves = softmax(hidden @ kernel + bias)
        written = np.array([word, *cells[1:]])
        cells = np.zeros_like(written)
        # Where the head moves right by one, what is read at row i was at row i + 1.
        steps = [0, -1, 1, -length, length][: len(moves)]
        for share, step in zip(moves, steps, strict=True):
            for row in range(size):
                cells[row] += share * written[(row + step) % size]
        kernel, bias = weights.projection
        outputs.append(np.concatenate([hidden, cells[0]]) @ kernel + bias)
        all_moves.append(moves)
    return np.array(outputs), np.array(all_moves), cells
