"""A tape with hard addressing, trained by REINFORCE: copy short sequences.

python examples/hard_addressing.py

Two heads stand on one row of a tape each. In every step each goes back, stays or goes
on by one row; which, is drawn. A draw has no gradient. REINFORCE makes moves more
probable after which the loss is smaller than expected (Williams, 1992; of Neural Turing
Machines: Zaremba, Sutskever, 2015, arXiv:1505.00521). What is expected, the baseline,
is learned too. All else has an ordinary gradient.
"""

import argparse

import keras
import numpy as np
from keras import ops

from memnets import tasks

BITS, BATCH = 4, 32
MOVES = (-1, 0, 1)
HEADS = 2  # one reads, one writes
ENTROPY_BONUS = 0.05  # keeps the moves from being certain too soon
OTHERS = 2  # outputs of a step beside the answer: log-probability and baseline


class TapeCell(keras.layers.Layer):
    """One step. The inputs end with the random numbers that the moves are drawn by.

    Returns the raw answer, the log-probability of the moves that were drawn, and the
    loss that is expected from here on.
    """

    def __init__(self, units, rows=32, width=16, hidden=64, **kwargs):
        super().__init__(**kwargs)
        self.rows, self.width = rows, width
        self.controller = keras.layers.Dense(hidden, "tanh")
        self.moves = keras.layers.Dense(HEADS * len(MOVES))
        self.writing = keras.layers.Dense(width, "tanh")
        self.answer = keras.layers.Dense(units)
        self.baseline = keras.layers.Dense(1)
        # What was read, the tape, and where each head stands.
        self.state_size = [width, rows * width, rows, rows]

    def build(self, input_shape):
        features = input_shape[-1] - HEADS * len(MOVES)
        hidden = self.controller.units
        self.controller.build((None, features + self.width))
        for layer in (self.moves, self.writing, self.baseline):
            layer.build((None, hidden))
        self.answer.build((None, hidden + self.width))

    def get_initial_state(self, batch_size):
        read, tape = (ops.zeros((batch_size, size)) for size in self.state_size[:2])
        first = ops.one_hot(ops.zeros((batch_size,), "int32"), self.rows)
        return [read, tape, first, first]

    def call(self, inputs, states):
        noise = inputs[:, -HEADS * len(MOVES) :]
        read, tape, *places = states
        seen = ops.concatenate([inputs[:, : -HEADS * len(MOVES)], read], axis=-1)
        hidden = self.controller(seen)
        # The largest of logits plus Gumbel noise is a draw from their softmax.
        logits = ops.reshape(self.moves(hidden), (-1, HEADS, len(MOVES)))
        noise = ops.reshape(noise, (-1, HEADS, len(MOVES)))
        drawn = ops.one_hot(ops.argmax(logits + noise, axis=-1), len(MOVES))
        log_probability = ops.sum(ops.log_softmax(logits) * drawn, axis=(1, 2))
        reader, writer = (
            moved(place, drawn[:, head]) for head, place in enumerate(places)
        )
        tape = ops.reshape(tape, (-1, self.rows, self.width))
        here = writer[:, :, None]
        tape = tape * (1 - here) + here * self.writing(hidden)[:, None]
        read = ops.sum(tape * reader[:, :, None], axis=1)
        answer = self.answer(ops.concatenate([hidden, read], axis=-1))
        expected = self.baseline(ops.stop_gradient(hidden))
        output = ops.concatenate([answer, log_probability[:, None], expected], axis=-1)
        tape = ops.reshape(tape, (-1, self.rows * self.width))
        return output, [read, tape, reader, writer]


def moved(place, drawn):
    """A place `(B, N)` after a move `(B, 3)`; the ends of the tape meet."""
    shifted = [ops.roll(place, move, axis=-1) for move in MOVES]
    return sum(drawn[:, n, None] * shifted[n] for n in range(len(MOVES)))


class HardTape(keras.Model):
    """The cell over sequences: inputs `(B, T, features)`, raw answers `(B, T, units)`
    and `OTHERS` numbers beside them."""

    def __init__(self, units, **kwargs):
        super().__init__()
        self.loop = keras.layers.RNN(TapeCell(units, **kwargs), return_sequences=True)
        self.seed_generator = keras.random.SeedGenerator()

    def call(self, inputs, training=False):
        shape = (*ops.shape(inputs)[:2], HEADS * len(MOVES))
        noise = ops.zeros(shape)  # the most probable moves
        if training:
            uniform = keras.random.uniform(
                shape, 1e-6, 1 - 1e-6, seed=self.seed_generator
            )
            noise = -ops.log(-ops.log(uniform))
        return self.loop(ops.concatenate([inputs, noise], axis=-1))


def reinforce_loss(targets, outputs):
    """The cross-entropy of the answers, with the gradient of REINFORCE for the moves.

    `targets` `(B, T, units + 1)` end with the mask of the steps that count.
    """
    targets, mask = targets[..., :-1], targets[..., -1]
    answers = outputs[..., :-OTHERS]
    log_probability, expected = outputs[..., -OTHERS], outputs[..., -1]
    of_bits = ops.binary_crossentropy(targets, answers, from_logits=True)
    costs = ops.sum(of_bits, axis=-1) * mask
    # The loss from each step to the end: a move changes nothing before it.
    paid = costs + ENTROPY_BONUS * ops.stop_gradient(log_probability)
    ahead = ops.flip(ops.cumsum(ops.flip(paid, axis=1), axis=1), axis=1)
    advantage = ops.stop_gradient(ahead - expected)
    moves = advantage * log_probability
    baseline = 0.5 * ops.square(ops.stop_gradient(ahead) - expected)
    return ops.sum(costs + moves + baseline, axis=1)


def wrong_bits(model, task, num_sequences=500, seed=0):
    """The mean number of wrong bits in a sequence, with the most probable moves."""
    batch = task.sample(num_sequences, seed)
    outputs = np.asarray(model.predict(batch.inputs, verbose=0))[..., :-OTHERS]
    wrong = (outputs > 0) != (batch.targets > 0.5)
    return float((wrong * batch.mask[..., None]).sum(axis=(1, 2)).mean())


def train(longest, steps, seed):
    """Trains on copy of one vector, then of up to two, and so on."""
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    model = HardTape(BITS)
    model.compile(keras.optimizers.Adam(3e-3, clipnorm=1.0), reinforce_loss)
    for length in range(1, longest + 1):
        task = tasks.Copy(BITS, max_length=length, blank_rate=0)
        batch = task.sample(BATCH * max(1, steps // longest), rng)
        targets = np.concatenate([batch.targets, batch.mask[..., None]], axis=-1)
        model.fit(batch.inputs, targets, batch_size=BATCH, verbose=0)
        print(f"up to {length} vectors: {wrong_bits(model, task):.2f} wrong bits")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=3, help="most vectors")
    parser.add_argument("--steps", type=int, default=9_000, help="batches of training")
    parser.add_argument("--seed", type=int, default=1)
    train(**vars(parser.parse_args()))
