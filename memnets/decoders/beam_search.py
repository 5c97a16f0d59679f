"""Beam search: the most probable texts, as far as a bounded number of hypotheses shows
them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from keras import ops

from .. import backends
from ..checks import check_integer, check_number
from ..numerics.tensor_checks import Structure, Tensor
from ..numerics.top_k import NONE, take_places, top_k
from .base import (
    Decoded,
    Step,
    allowed_only,
    check_decoding,
    count_rows,
    repeat_rows,
    run_step,
    take_rows,
)
from .constraints import Constraints


def beam_search(
    step: Step,
    states: Structure,
    max_length: int,
    start: int,
    end: int,
    *,
    beam_size: int = 5,
    n_best: int = 1,
    length_penalty: float = 0.6,
    min_length: int = 0,
    banned: Sequence[int] = (),
    no_repeat_ngram: int = 0,
) -> Decoded:
    """Writes the n texts with the best scores among those that a beam search meets.

    At each step K hypotheses are alive, K the `beam_size`. Of all their continuations
    the 2K most probable are looked at. Those among the first K that end are finished;
    the K best that do not end live on. A search stops when no living hypothesis can
    have a better score than the n-th of the finished ones. What is alive at
    `max_length` competes too, without an end.

    The score of a text of n tokens is log p / ((5 + n) / 6) ^ `length_penalty`. Of
    equal scores, the smaller token and the earlier text come first. With a beam as wide
    as there are hypotheses, the search is exhaustive; with `beam_size=1` and
    `length_penalty=0` it is greedy.

    Deviation: in the reference a search ends when the finished hypotheses are so much
    better than the living ones, a constant that was tuned; here no better text is
    missed.

    Args:
        step: The step of a model, see `Step`.
        states: The states before the first step, each `(B, ...)`.
        max_length: Most tokens of a text, `end` included.
        start: The token that is read first. It is not part of the text.
        end: The token that ends a text. It is part of the text.
        beam_size: How many hypotheses are alive.
        n_best: How many texts to return, at most `beam_size`.
        length_penalty: From 0, which prefers short texts; longer texts are preferred
            with higher values.
        min_length: Fewest tokens of a text, `end` included.
        banned: Tokens that are never written.
        no_repeat_ngram: No text has the same n tokens twice; 0 for no such ban.
    Returns:
        The n best texts for each row of the states, all different.
    Raises:
        ValueError: If a number is out of its range, or there is no state.
    Reference:
        Wu et al. (2016), Google's Neural Machine Translation System, arXiv:1609.08144,
        section 7, eq. 14, without the penalty for coverage.
    Example:
        >>> table = np.log([[0.1, 0.5, 0.4], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4]])
        >>> step = lambda tokens, states: (keras.ops.take(table, tokens, 0), states)
        >>> texts = beam_search(
        ...     step, [np.zeros((1, 1))], 5, start=0, end=2, length_penalty=0, n_best=2
        ... )
        >>> np.exp(texts.log_probs).round(2)
        array([[0.4, 0.3]], dtype=float32)
    """
    check_decoding(max_length, start, end, min_length)
    check_search(beam_size, n_best, length_penalty)
    constraints = Constraints(end, min_length, banned, no_repeat_ngram)
    search = _Search(step, constraints, max_length, beam_size, n_best, length_penalty)
    _, alive, finished, _, _ = ops.while_loop(
        search.condition, search.body, search.initial(states, start)
    )
    return search.result(alive, finished)


def check_search(beam_size: Any, n_best: Any, length_penalty: Any) -> None:
    """Checks the arguments that only `beam_search` has.

    Raises:
        ValueError: If one is out of its range.
    """
    check_integer("beam_size", beam_size)
    check_integer("n_best", n_best, maximum=beam_size)
    check_number("length_penalty", length_penalty, minimum=0)


class _Alive(NamedTuple):
    """Hypotheses that have not ended: `(B, K, L)` tokens, `(B, K)` numbers."""

    tokens: Tensor
    log_probs: Tensor


class _Search(NamedTuple):
    """The parts of the loop: its initial state, its body, its end."""

    step: Step
    constraints: Constraints
    max_length: int
    beam_size: int
    n_best: int
    length_penalty: float

    def initial(self, states: Structure, start: int) -> tuple[Structure, ...]:
        num_rows, size = count_rows(states), self.beam_size
        shape = (num_rows, size)
        tokens = ops.full((*shape, self.max_length), self.constraints.end, "int32")
        # At first there is one hypothesis.
        first = ops.arange(size) == 0
        log_probs = ops.broadcast_to(ops.where(first, 0.0, NONE), shape)
        nothing = ops.full(shape, NONE, "float32")
        finished = Decoded(
            tokens,
            ops.zeros(shape, "int32"),
            nothing,
            nothing,
            ops.zeros(shape, "bool"),
        )
        return (
            ops.convert_to_tensor(0, "int32"),
            _Alive(tokens, ops.cast(log_probs, "float32")),
            finished,
            ops.full(shape, start, "int32"),
            repeat_rows(states, size),
        )

    def condition(
        self,
        position: Tensor,
        alive: _Alive,
        finished: Decoded,
        read: Tensor,
        states: Structure,
    ) -> Tensor:
        # No log-probability grows, and none is divided by more than at the full length.
        best = alive.log_probs[:, 0] / self.penalty(self.max_length)
        open_rows = best > finished.scores[:, self.n_best - 1]
        return ops.logical_and(position < self.max_length, ops.any(open_rows))

    def body(
        self,
        position: Tensor,
        alive: _Alive,
        finished: Decoded,
        read: Tensor,
        states: Structure,
    ) -> tuple[Structure, ...]:
        size = self.beam_size
        log_probs, states = run_step(self.step, ops.reshape(read, (-1,)), states)
        tokens = ops.reshape(alive.tokens, (-1, self.max_length))
        log_probs = self.constraints.apply(log_probs, tokens, position)
        num_tokens = log_probs.shape[-1]
        totals = ops.reshape(log_probs, (-1, size, num_tokens))
        totals = ops.reshape(
            alive.log_probs[..., None] + totals, (-1, size * num_tokens)
        )
        # At most K of them end, so that K others live on.
        values, index = top_k(
            totals, min(2 * size, size * num_tokens), backends.current().top_k
        )
        parents, chosen = index // num_tokens, index % num_tokens
        ends = chosen == self.constraints.end
        # Not `values[:, :size]`: XLA would then sort all continuations.
        count = ops.logical_and(ends, ops.arange(ends.shape[1]) < size)
        finished = self.with_ended(finished, alive, values, parents, count, position)
        log_probs, places = backends.current().top_k(
            ops.where(ends, NONE, values), size
        )
        parents, chosen = take_places(parents, places), take_places(chosen, places)
        tokens = take_places(alive.tokens, parents)
        here = ops.arange(self.max_length, dtype="int32") == position
        tokens = ops.where(here, chosen[..., None], tokens)
        first_rows = ops.arange(ops.shape(parents)[0], dtype="int32")[:, None] * size
        states = take_rows(states, ops.reshape(first_rows + parents, (-1,)))
        return position + 1, _Alive(tokens, log_probs), finished, chosen, states

    def with_ended(
        self,
        finished: Decoded,
        alive: _Alive,
        values: Tensor,
        parents: Tensor,
        ends: Tensor,
        position: Tensor,
    ) -> Decoded:
        """The best of the finished texts and of those that end now."""
        ended = Decoded(
            # All tokens after those of the parent are ends.
            take_places(alive.tokens, parents),
            ops.full_like(parents, 1) * (position + 1),
            ops.where(ends, values, NONE),
            ops.where(ends, values / self.penalty(position + 1), NONE),
            ends,
        )
        return _best(finished, ended, self.beam_size)

    def penalty(self, length: int | Tensor) -> Tensor:
        base = (5.0 + ops.cast(length, "float32")) / 6.0
        return ops.power(base, self.length_penalty)

    def result(self, alive: _Alive, finished: Decoded) -> Decoded:
        """The n best texts, among them those that were cut."""
        shape = ops.shape(alive.log_probs)
        cut = Decoded(
            alive.tokens,
            ops.full(shape, self.max_length, "int32"),
            alive.log_probs,
            alive.log_probs / self.penalty(self.max_length),
            ops.zeros(shape, "bool"),
        )
        best = _best(finished, cut, self.n_best)
        return allowed_only(best, self.constraints.end)


def _best(first: Decoded, second: Decoded, count: int) -> Decoded:
    """The texts with the best scores of two lists; of equal ones, the first list's."""
    scores = ops.concatenate([first.scores, second.scores], axis=1)
    _, places = backends.current().top_k(scores, count)

    def chosen(one: Tensor, other: Tensor) -> Tensor:
        return take_places(ops.concatenate([one, other], axis=1), places)

    return Decoded(*map(chosen, first, second))
