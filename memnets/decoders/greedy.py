"""Greedy decoding: always the most probable token."""

from collections.abc import Sequence

from keras import ops

from ..numerics.tensor_checks import Structure, Tensor
from .base import Decoded, Step
from .constraints import Constraints
from .writing import write


def greedy(
    step: Step,
    states: Structure,
    max_length: int,
    start: int,
    end: int,
    *,
    min_length: int = 0,
    banned: Sequence[int] = (),
    no_repeat_ngram: int = 0,
) -> Decoded:
    """Writes the most probable token at each step; of equal ones, the smallest.

    Args:
        step: The step of a model, see `Step`.
        states: The states before the first step, each `(B, ...)`.
        max_length: Most tokens of a text, `end` included.
        start: The token that is read first. It is not part of the text.
        end: The token that ends a text. It is part of the text.
        min_length: Fewest tokens of a text, `end` included.
        banned: Tokens that are never written.
        no_repeat_ngram: No text has the same n tokens twice; 0 for no such ban.
    Returns:
        One text for each row of the states. Its score is its log-probability.
    Raises:
        ValueError: If a number is out of its range, or there is no state.
    Example:
        >>> table = np.log([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4]])
        >>> step = lambda tokens, states: (keras.ops.take(table, tokens, 0), states)
        >>> text = greedy(step, [np.zeros((1, 1))], max_length=5, start=0, end=2)
        >>> np.array(text.tokens[0, 0, : text.lengths[0, 0]])
        array([1, 2], dtype=int32)
    """
    constraints = Constraints(end, min_length, banned, no_repeat_ngram)

    def choose(log_probs: Tensor, position: Tensor) -> Tensor:
        return ops.argmax(log_probs, axis=-1)

    return write(step, states, choose, max_length, start, constraints)
