"""Decoding by chance: each token is drawn from the probabilities of the model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from keras import ops

from ..checks import check_integer, check_number
from ..numerics.tensor_checks import Structure, Tensor, check_tensor
from .base import BANNED, Decoded, Step, check_decoding, count_rows
from .constraints import Constraints
from .greedy import greedy
from .writing import write

# The lowest temperature that is used: draws at it are greedy. Log-probabilities divided
# by a lower one would not all be finite.
COLDEST = 1e-20
# Below all log-probabilities after the division: BANNED / 2 / COLDEST is -5e28.
IMPOSSIBLE = -1e30


def sample(
    step: Step,
    states: Structure,
    max_length: int,
    start: int,
    end: int,
    *,
    seed: int = 1,
    random: Tensor | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_length: int = 0,
    banned: Sequence[int] = (),
    no_repeat_ngram: int = 0,
) -> Decoded:
    """Draws each token from the probabilities of the model.

    One random number decides each token, by the inverse of the distribution function.
    The numbers are drawn beforehand, see `uniforms`, so that a seed gives the same
    texts on every backend, but for rounding.

    Args:
        step: The step of a model, see `Step`.
        states: The states before the first step, each `(B, ...)`.
        max_length: Most tokens of a text, `end` included.
        start: The token that is read first. It is not part of the text.
        end: The token that ends a text. It is part of the text.
        seed: The same seed gives the same texts.
        random: In place of a seed: numbers from 0 to 1, `(B, max_length)`, as of
            `uniforms`. A compiled function needs them, as its seed would never change.
        temperature: 1 draws from the probabilities of the model; below 1, probable
            tokens more often; 0 is greedy.
        top_k: Only the k most probable tokens are drawn; of equal ones, the smallest.
        top_p: Only the fewest tokens that are drawn with at least this probability
            together, from the most probable one on.
        min_length: Fewest tokens of a text, `end` included.
        banned: Tokens that are never written.
        no_repeat_ngram: No text has the same n tokens twice; 0 for no such ban.
    Returns:
        One text for each row of the states. Its score is its log-probability under the
        model, whatever the temperature.
    Raises:
        ValueError: If a number is out of its range, there is no state, or `random` has
            another shape.
        TypeError: If `random` is not a tensor.
    Reference:
        Holtzman, Buys, Du, Forbes, Choi (2020), The Curious Case of Neural Text
        Degeneration, section 3.1, for `top_p`.
    Example:
        >>> table = np.log([[0.1, 0.5, 0.4], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4]])
        >>> step = lambda tokens, states: (keras.ops.take(table, tokens, 0), states)
        >>> texts = sample(step, [np.zeros((3, 1))], max_length=6, start=0, end=2)
        >>> tuple(texts.tokens.shape)
        (3, 1, 6)
    """
    check_decoding(max_length, start, end, min_length)
    check_sampling(temperature, top_k, top_p)
    if temperature == 0:
        return greedy(
            step,
            states,
            max_length,
            start,
            end,
            min_length=min_length,
            banned=banned,
            no_repeat_ngram=no_repeat_ngram,
        )
    if random is None:
        num_rows = count_rows(states)
        if not isinstance(num_rows, int):
            raise ValueError(
                "`random` must be given where the number of texts is not known yet, as "
                "in a compiled function. Received: random=None"
            )
        random = uniforms(num_rows, max_length, seed)
    check_tensor("random", random, ("B", max_length))
    random = ops.cast(random, "float32")

    def choose(log_probs: Tensor, position: Tensor) -> Tensor:
        weights = _weights(log_probs, temperature, top_k, top_p)
        number = ops.take(random, ops.reshape(position, (1,)), axis=1)
        return _draw(weights, number)

    constraints = Constraints(end, min_length, banned, no_repeat_ngram)
    return write(step, states, choose, max_length, start, constraints)


def check_sampling(temperature: Any, top_k: Any, top_p: Any) -> None:
    """Checks the arguments that only `sample` has.

    Raises:
        ValueError: If one is out of its range.
    """
    check_number("temperature", temperature, minimum=0)
    if top_k is not None:
        check_integer("top_k", top_k)
    if top_p is not None:
        check_number("top_p", top_p, above=0, maximum=1)


def uniforms(rows: int | Sequence[int], max_length: int, seed: int = 1) -> np.ndarray:
    """The random numbers of `sample`.

    Those of a row depend only on the seed and the number of the row, so that a text is
    the same in every batch. A larger `max_length` adds numbers at the end.

    Args:
        rows: How many rows, which are numbered from 0; or their numbers.
        max_length: Numbers of each row.
        seed: The seed.
    Returns:
        `(B, max_length)`, float32, at least 0 and below 1.
    Raises:
        ValueError: If one is not a non-negative integer.
    """
    check_integer("max_length", max_length, minimum=0)
    check_integer("seed", seed, minimum=0)
    if isinstance(rows, str) or not hasattr(rows, "__iter__"):
        rows = range(check_integer("rows", rows, minimum=0))
    numbers = [check_integer("rows", row, minimum=0) for row in rows]
    drawn = [np.random.default_rng([seed, n]).random(max_length) for n in numbers]
    # Rounding to float32 must not give 1.
    below_1 = np.nextafter(np.float32(1), np.float32(0))
    return np.minimum(np.reshape(drawn, (-1, max_length)).astype("float32"), below_1)


def _weights(
    log_probs: Tensor, temperature: float, top_k: int | None, top_p: float | None
) -> Tensor:
    """Weights of the tokens to draw from, `(B, V)`; 0 for those left out."""
    # No temperature makes a banned token possible.
    scaled = log_probs / max(temperature, COLDEST)
    scaled = ops.where(log_probs > BANNED / 2, scaled, IMPOSSIBLE)
    weights = ops.exp(scaled - ops.max(scaled, axis=-1, keepdims=True))
    size = weights.shape[-1]
    if top_k is not None and top_k < size:
        weights = _largest(weights, ops.top_k(weights, top_k)[0], top_k)
    if top_p is not None and top_p < 1:
        ordered, _ = ops.top_k(weights, size)
        sums = ops.cumsum(ordered, axis=-1)
        # The tokens before which less than the share has been reached.
        needed = (sums - ordered) < top_p * sums[:, -1:]
        count = ops.sum(ops.cast(needed, "int32"), axis=-1, keepdims=True)
        weights = _largest(weights, ordered, count)
    return weights


def _largest(weights: Tensor, ordered: Tensor, count: int | Tensor) -> Tensor:
    """The `count` largest weights, and 0 in place of the others; of equal ones, the
    first are kept.

    Args:
        weights: `(B, V)`.
        ordered: The largest of them in descending order, `(B, at least count)`.
        count: A number, or one for each row, `(B, 1)`.
    """
    last = ops.broadcast_to(ops.cast(count, "int32") - 1, (ops.shape(weights)[0], 1))
    bound = ops.take_along_axis(ordered, last, axis=1)
    larger = weights > bound
    equal = ops.cast(weights == bound, "int32")
    room = last + 1 - ops.sum(ops.cast(larger, "int32"), axis=-1, keepdims=True)
    first = ops.logical_and(equal > 0, ops.cumsum(equal, axis=-1) <= room)
    return ops.where(ops.logical_or(larger, first), weights, 0.0)


def _draw(weights: Tensor, number: Tensor) -> Tensor:
    """The token at which the sum of the weights passes a share of the whole, `(B,)`.

    Args:
        weights: `(B, V)`.
        number: The share, `(B, 1)`, from 0 to below 1.
    """
    sums = ops.cumsum(weights, axis=-1)
    passed = sums <= number * sums[:, -1:]
    chosen = ops.sum(ops.cast(passed, "int32"), axis=-1)
    # Rounding can pass the end: then the last token that has a weight.
    above = ops.cast(weights > 0, "int32") * ops.arange(1, weights.shape[-1] + 1)
    return ops.minimum(chosen, ops.max(above, axis=-1) - 1)
