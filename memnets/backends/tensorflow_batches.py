"""Checks of batch sizes that a graph of TensorFlow does not know when it is made."""

import tensorflow as tf
from keras import tree

from ..numerics.tensor_checks import Structure, Tensor

# The error names the operation that fails. XLA leaves out assertions with a text.
_NAME = "sequences_must_have_the_batch_size_of_the_state"


def of_one_batch(sequences: Tensor, states: Structure) -> tuple[Tensor, Structure]:
    """The sequences and the states, checked at run time where their batch sizes are not
    known yet. Without it, TensorFlow would repeat a single row.

    Args:
        sequences: Tensor `(B, T, features)`.
        states: A structure of tensors `(B, size)`.
    """
    rows = {state.shape[0] for state in tree.flatten(states)}
    if None not in (sequences.shape[0], *rows):
        return sequences, states
    if None not in rows:
        shape = (rows.pop(), None, None)
        return tf.ensure_shape(sequences, shape, name=_NAME), states
    return sequences, tree.map_structure(lambda x: _with_rows_of(sequences, x), states)


def _with_rows_of(sequences: Tensor, state: Tensor) -> Tensor:
    batch, rows = tf.shape(sequences)[0], tf.shape(state)[0]
    # Without XLA, TensorFlow may remove a reshape, and with it, an assertion.
    tf.debugging.Assert(tf.equal(batch, rows), [_NAME, batch, rows])
    return tf.reshape(state, (batch, *state.shape[1:]), name=_NAME)
