"""The loop of the decoders that keep one text and choose each token once."""

from collections.abc import Callable

from keras import ops

from ..numerics.tensor_checks import Structure, Tensor
from .base import Decoded, Step, allowed_only, check_decoding, count_rows, run_step
from .constraints import Constraints


def write(
    step: Step,
    states: Structure,
    choose: Callable[[Tensor, Tensor], Tensor],
    max_length: int,
    start: int,
    constraints: Constraints,
) -> Decoded:
    """Writes one text for each row of the states.

    Args:
        step: The step of a model.
        states: The states before the first step, each `(B, ...)`.
        choose: Takes log-probabilities `(B, V)`, those of banned tokens replaced, and
            the number of tokens before; returns the next tokens, `(B,)`.
        max_length: Most tokens of a text.
        start: The token that is read first.
        constraints: What must not be written, and which token ends a text.
    Raises:
        ValueError: If a number is out of its range, or there is no state.
    """
    end = constraints.end
    check_decoding(max_length, start, end, constraints.min_length)
    num_rows = count_rows(states)

    def condition(position: Tensor, *state: Structure) -> Tensor:
        _, _, _, ended, _, _ = state
        return ops.logical_and(position < max_length, ops.logical_not(ops.all(ended)))

    def body(position: Tensor, *state: Structure) -> tuple[Structure, ...]:
        tokens, read, log_probs, ended, lengths, states = state
        values, states = run_step(step, read, states)
        values = constraints.apply(values, tokens, position)
        chosen = ops.cast(choose(values, position), "int32")
        value = ops.take_along_axis(values, chosen[:, None], axis=1)[:, 0]
        # A text that has ended stays as it is.
        chosen = ops.where(ended, end, chosen)
        log_probs = log_probs + ops.where(ended, 0.0, value)
        lengths = lengths + ops.cast(ops.logical_not(ended), "int32")
        here = ops.arange(max_length, dtype="int32") == position
        tokens = ops.where(here, chosen[:, None], tokens)
        ended = ops.logical_or(ended, chosen == end)
        return position + 1, tokens, chosen, log_probs, ended, lengths, states

    initial = (
        ops.convert_to_tensor(0, "int32"),
        ops.full((num_rows, max_length), end, "int32"),
        ops.full((num_rows,), start, "int32"),
        ops.zeros((num_rows,), "float32"),
        ops.zeros((num_rows,), "bool"),
        ops.zeros((num_rows,), "int32"),
        states,
    )
    _, tokens, _, log_probs, ended, lengths, _ = ops.while_loop(
        condition, body, initial
    )
    parts = (tokens, lengths, log_probs, log_probs, ended)
    return allowed_only(Decoded(*(part[:, None] for part in parts)), end)
