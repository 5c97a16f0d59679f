"""What TensorFlow does in its own way."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import tree

from ..numerics.tensor_checks import Structure, Tensor
from . import tensorflow_recomputation
from .base import Backend

# The error of other batch sizes names the operation that fails. XLA leaves out
# assertions with a text.
_SAME_BATCH = "sequences_must_have_the_batch_size_of_the_state"
_BATCHES_AHEAD = 4  # that are made while a step runs; heuristic


class TensorFlow(Backend):
    """TensorFlow, whose graphs may not know the size of a batch when they are made."""

    zero_before_first_step = True
    lists_devices = True

    def trains_faster_with_xla(self) -> bool:
        return bool(keras.distribution.list_devices("gpu"))

    def of_one_batch(
        self, sequences: Tensor, states: Structure, mask: Tensor | None
    ) -> tuple[Tensor, Structure, Tensor | None]:
        # Without these checks at run time, TensorFlow would repeat a single row.
        rows = {state.shape[0] for state in tree.flatten(states)}
        if None not in (sequences.shape[0], *rows):
            return sequences, states, mask
        if None not in rows:
            (size,) = rows
            sequences = tf.ensure_shape(sequences, (size, None, None), name=_SAME_BATCH)
            if mask is not None:
                mask = tf.ensure_shape(mask, (size, None), name=_SAME_BATCH)
            return sequences, states, mask
        states = tree.map_structure(lambda x: _with_rows_of(sequences, x), states)
        return sequences, states, mask

    def fit_data(
        self, data: keras.utils.PyDataset, others: Sequence[tuple] = ()
    ) -> Any:
        # `fit` makes an iterator each epoch. What Keras makes of the data tunes itself
        # in a thread of each iterator, and waits up to 300 ms for the thread to end.
        def batches() -> Iterator[tuple]:
            for index in range(len(data)):
                yield data[index]

        dataset = tf.data.Dataset.from_generator(
            batches,
            output_signature=tree.map_structure(
                _common_spec, data[0], data[min(1, len(data) - 1)], *others
            ),
        )
        options = tf.data.Options()
        options.autotune.enabled = False
        options.threading.private_threadpool_size = 1
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(data)))
        return dataset.prefetch(_BATCHES_AHEAD).with_options(options)

    def compiled(self, function: Callable) -> Callable:
        def run(*tensors: Tensor) -> Structure:
            # Without XLA, which would compile for longer than one call takes. A graph
            # of its own for each call: TensorFlow warns of functions with many.
            graph = tf.function(function, autograph=False)
            return graph.get_concrete_function(*tensors)(*tensors)

        return run

    def without_warning_of_many(self, function: Callable) -> None:
        # TensorFlow counts the functions of all models of Keras as one, whose code they
        # share: of five models, each compiled once, it says that one is compiled again
        # and again. The attribute is private; without it, TensorFlow warns.
        setattr(function, "_omit_frequent_tracing_warning", True)  # noqa: B010

    def recomputed(self, function: Callable) -> Callable:
        # What Keras has can be differentiated only once.
        return tensorflow_recomputation.recomputed(function)

    def gradient(self, function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
        with tf.GradientTape() as tape:
            tape.watch(at)
            value = function(at)
        return tape.gradient(value, at, unconnected_gradients="zero")

    def gradient_at_zero(
        self,
        function: Callable[[Tensor | None], tuple[Tensor, Any]],
        example: Callable[[Any], Tensor],
    ) -> tuple[Tensor, Any]:
        _, results = function(None)
        zeros = tf.zeros_like(example(results))
        with tf.GradientTape() as tape:
            tape.watch(zeros)
            value, results = function(zeros)
        return tape.gradient(value, zeros, unconnected_gradients="zero"), results


def _common_spec(array: np.ndarray, *others: np.ndarray) -> tf.TensorSpec:
    sizes = zip(*(each.shape[1:] for each in (array, *others)), strict=True)
    shape = [each[0] if len(set(each)) == 1 else None for each in sizes]
    return tf.TensorSpec((None, *shape), array.dtype)


def _with_rows_of(sequences: Tensor, state: Tensor) -> Tensor:
    batch, rows = tf.shape(sequences)[0], tf.shape(state)[0]
    # Without XLA, TensorFlow may remove a reshape, and with it, an assertion.
    tf.debugging.Assert(tf.equal(batch, rows), [_SAME_BATCH, batch, rows])
    return tf.reshape(state, (batch, *state.shape[1:]), name=_SAME_BATCH)
