"""Several models that write one text together."""

import math
from collections.abc import Sequence

from keras import ops

from ..checks import check_number, shorten
from ..numerics.tensor_checks import Structure, Tensor
from .base import Step, run_step


def ensemble(steps: Sequence[Step], weights: Sequence[float] | None = None) -> Step:
    """The step that gives each token the mean of the probabilities that models give it.

    Its states are a list with the states of each model.

    Args:
        steps: The steps of the models, over the same tokens.
        weights: How much each model counts, above 0; all the same if None.
    Raises:
        ValueError: If there is no step, a weight is not a number above 0, or there are
            more or fewer of them than steps.
    Example:
        >>> even = lambda tokens, states: (np.log([[0.5, 0.5]]), states)
        >>> odd = lambda tokens, states: (np.log([[0.1, 0.9]]), states)
        >>> log_probs, _ = ensemble([even, odd])(np.zeros(1), [[], []])
        >>> np.exp(log_probs).round(3)
        array([[0.3, 0.7]], dtype=float32)
    """
    steps = list(steps)
    if not steps:
        raise ValueError("`steps` must hold at least one step. Received: none")
    weights = [1.0] * len(steps) if weights is None else list(weights)
    if len(weights) != len(steps):
        raise ValueError(
            f"`weights` must hold a number for each of the {len(steps)} steps. "
            f"Received: weights={shorten(weights)}"
        )
    for weight in weights:
        check_number("weights", weight, above=0)
    shares = [math.log(weight / sum(weights)) for weight in weights]

    def joint_step(tokens: Tensor, states: Structure) -> tuple[Tensor, Structure]:
        results = [
            run_step(step, tokens, own) for step, own in zip(steps, states, strict=True)
        ]
        weighted = [
            log_probs + share
            for (log_probs, _), share in zip(results, shares, strict=True)
        ]
        total = ops.logsumexp(ops.stack(weighted), axis=0)
        return total, [after for _, after in results]

    return joint_step
