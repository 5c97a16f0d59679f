"""What all decoders share: the step of a model, and what a decoder returns."""

from typing import Any, NamedTuple, Protocol

from keras import ops, tree

from ..checks import check_integer, shorten
from ..numerics.tensor_checks import Structure, Tensor
from ..numerics.top_k import NONE

# Log-probability of a token that is not allowed. It is finite, because sums and
# differences of infinite numbers are not numbers.
BANNED = -1e9


class Step(Protocol):
    """One step of a model that writes.

    The states are a list of tensors `(N, ...)`, or nested lists. A decoder chooses
    rows of them, and repeats rows, and does nothing else with them.

    What a step knows besides, such as the source of a translation, is not a state but
    is held by the step itself, once for each of B texts. A decoder that keeps several
    hypotheses of each text has N = B * K rows; those of one text lie side by side.
    """

    def __call__(self, tokens: Tensor, states: Any) -> tuple[Tensor, Any]:
        """Reads the next token of each hypothesis.

        Args:
            tokens: The tokens, `(N,)`, int32.
            states: The states before.
        Returns:
            The log-probabilities of what follows, `(N, V)`, and the states after.
        """


class Decoded(NamedTuple):
    """The texts that a decoder has written, for each of B texts the n best, best first.

    Attributes:
        tokens: `(B, n, L)`, int32, where L is `max_length`; filled up with `end`.
        lengths: `(B, n)`, int32, tokens of each text, `end` included. 0 if there are
            fewer than n different texts, or none that is allowed.
        log_probs: `(B, n)`, the log-probability of each text, in nats.
        scores: `(B, n)`, what the texts are sorted by.
        ended: `(B, n)`, bool, whether a text ended; if not, it was cut at `max_length`.
    """

    tokens: Tensor
    lengths: Tensor
    log_probs: Tensor
    scores: Tensor
    ended: Tensor


def allowed_only(texts: Decoded, end: int) -> Decoded:
    """Texts without those that do not exist or that have a token that is not allowed,
    which is chosen where none is allowed."""
    exists = texts.log_probs > BANNED / 2
    return Decoded(
        tokens=ops.where(exists[..., None], texts.tokens, end),
        lengths=ops.where(exists, texts.lengths, 0),
        log_probs=ops.where(exists, texts.log_probs, NONE),
        scores=ops.where(exists, texts.scores, NONE),
        ended=ops.logical_and(exists, texts.ended),
    )


def check_decoding(max_length: Any, start: Any, end: Any, min_length: Any) -> None:
    """Checks the arguments that all decoders have.

    Raises:
        ValueError: If the largest length is not a positive integer, or the smallest one
            not an integer from 0 to that, or a token is not a non-negative one.
    """
    check_integer("max_length", max_length)
    check_integer("min_length", min_length, 0, max_length)
    check_integer("start", start, minimum=0)
    check_integer("end", end, minimum=0)


def count_rows(states: Structure) -> int | Tensor:
    """The number of texts, which is that of the rows of each state: an integer, or a
    scalar tensor where it is not known yet.

    Raises:
        ValueError: If there is no state.
    """
    parts = tree.flatten(states)
    if not parts:
        raise ValueError(
            "`states` must hold at least one tensor, whose rows are the texts. "
            f"Received: states={shorten(states)}"
        )
    return ops.shape(parts[0])[0]


def repeat_rows(states: Structure, times: int) -> Structure:
    """States with each row as often as `times` says, side by side."""
    if times == 1:
        return states
    return tree.map_structure(lambda state: ops.repeat(state, times, axis=0), states)


def take_rows(states: Structure, rows: Tensor) -> Structure:
    """The given rows of all states."""
    return tree.map_structure(lambda state: ops.take(state, rows, axis=0), states)


def run_step(step: Step, tokens: Tensor, states: Structure) -> tuple[Tensor, Structure]:
    """Runs a step; its log-probabilities become finite numbers of type float32.

    One that is -inf or not a number becomes that of a banned token.
    """
    log_probs, states = step(tokens, states)
    log_probs = ops.cast(log_probs, "float32")
    return ops.where(log_probs > BANNED, log_probs, BANNED), states
