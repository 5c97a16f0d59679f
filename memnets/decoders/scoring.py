"""The log-probability that a model gives a text."""

import keras
import numpy as np
from keras import ops

from ..checks import check_integer
from ..numerics.tensor_checks import Structure, Tensor, check_tensor
from .base import Step, count_rows, repeat_rows, run_step


def score(
    step: Step, states: Structure, tokens: Tensor, start: int, end: int
) -> Tensor:
    """The log-probability of each token of given texts, after those before it.

    Args:
        step: The step of a model, see `Step`.
        states: The states before the first step, each `(B, ...)`.
        tokens: n texts for each row of the states, `(B, n, L)`, such as
            `Decoded.tokens`. What follows the first `end` does not count.
        start: The token that is read first. It is not part of the texts.
        end: The token that ends a text. It is part of the text.
    Returns:
        `(B, n, L)`, float32, in nats; 0 after the end of a text. Their sum is the
        log-probability of the text.
    Raises:
        TypeError: If `tokens` is not a tensor of integers.
        ValueError: If its shape is wrong, `start` or `end` is not a non-negative
            integer, or there is no state. Of an array of NumPy also: if a token is not
            from 0 to V - 1, what follows an `end` included.
    Example:
        >>> table = np.log([[0.1, 0.5, 0.4], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4]])
        >>> step = lambda tokens, states: (keras.ops.take(table, tokens, 0), states)
        >>> values = score(step, [np.zeros((1, 1))], np.array([[[1, 2]]]), 0, 2)
        >>> np.exp(values).round(1)
        array([[[0.5, 0.6]]], dtype=float32)
    """
    check_integer("start", start, minimum=0)
    check_integer("end", end, minimum=0)
    check_tensor("tokens", tokens, ("B", "n", "L"))
    if "int" not in keras.backend.standardize_dtype(tokens.dtype):
        raise TypeError(
            f"`tokens` must be integers. Received: tokens of type {tokens.dtype}"
        )
    _, num_texts, length = tokens.shape
    check_integer("tokens.shape[2]", length)
    num_rows = count_rows(states) * num_texts
    texts = ops.cast(ops.reshape(tokens, (num_rows, length)), "int32")
    before = ops.concatenate(
        [ops.full((num_rows, 1), start, "int32"), texts[:, :-1]], axis=1
    )

    def body(
        position: Tensor, values: Tensor, states: Structure
    ) -> tuple[Tensor, Tensor, Structure]:
        index = ops.reshape(position, (1,))
        log_probs, states = run_step(
            step, ops.take(before, index, axis=1)[:, 0], states
        )
        _check_range(tokens, log_probs.shape[-1])
        following = ops.take(texts, index, axis=1)
        value = ops.take_along_axis(log_probs, following, axis=1)
        here = ops.arange(length, dtype="int32") == position
        return position + 1, ops.where(here, value, values), states

    initial = (
        ops.convert_to_tensor(0, "int32"),
        ops.zeros((num_rows, length), "float32"),
        repeat_rows(states, num_texts),
    )
    _, values, _ = ops.while_loop(lambda position, *_: position < length, body, initial)
    is_end = ops.cast(texts == end, "int32")
    counts = ops.cumsum(is_end, axis=1) - is_end == 0
    values = ops.where(counts, values, 0.0)
    return ops.reshape(values, (-1, num_texts, length))


def _check_range(tokens: Tensor, size: int) -> None:
    """Checks tokens whose values are known without computing."""
    if not isinstance(tokens, np.ndarray):
        return
    wrong = tokens[(tokens < 0) | (tokens >= size)]
    if wrong.size:
        raise ValueError(
            f"`tokens` must be from 0 to {size - 1}, as the step gives {size} "
            f"log-probabilities. Received: a token {wrong[0]}"
        )
