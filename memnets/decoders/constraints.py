"""What a text must not contain, as bans of the next token."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from keras import ops

from .. import backends
from ..checks import check_integer, shorten
from ..numerics.tensor_checks import Tensor
from .base import BANNED


@dataclasses.dataclass(frozen=True)
class Constraints:
    """Bans tokens before a decoder chooses among them.

    Args:
        end: The token that ends a text.
        min_length: Fewest tokens of a text, `end` included.
        banned: Tokens that are never written.
        no_repeat_ngram: No text has the same n tokens twice; 0 for no such ban.
    Raises:
        ValueError: If a number is not a non-negative integer.
    """

    end: int
    min_length: int = 0
    banned: Sequence[int] = ()
    no_repeat_ngram: int = 0

    def __post_init__(self) -> None:
        check_integer("min_length", self.min_length, minimum=0)
        check_integer("no_repeat_ngram", self.no_repeat_ngram, minimum=0)
        if isinstance(self.banned, str) or not hasattr(self.banned, "__iter__"):
            raise ValueError(
                "`banned` must be a sequence of tokens. "
                f"Received: banned={shorten(self.banned)}"
            )
        # Read once: it may be a generator, which gives its tokens only once.
        banned = [check_integer("banned", token, minimum=0) for token in self.banned]
        object.__setattr__(self, "banned", tuple(banned))

    def apply(self, log_probs: Tensor, tokens: Tensor, position: Tensor) -> Tensor:
        """Log-probabilities `(N, V)` in which banned tokens have that of `BANNED`.

        Args:
            log_probs: The log-probabilities, `(N, V)`.
            tokens: What was written so far, `(N, L)`.
            position: How many tokens that is.
        Raises:
            ValueError: If a token is not below V, or all of them are banned.
        """
        size = log_probs.shape[-1]
        fixed = self.fixed(size)
        if fixed.any():
            log_probs = ops.where(fixed, BANNED, log_probs)
        if self.min_length > 1:
            early = position + 1 < self.min_length
            is_end = np.arange(size) == self.end
            log_probs = ops.where(ops.logical_and(early, is_end), BANNED, log_probs)
        if 0 < self.no_repeat_ngram <= tokens.shape[1]:
            repeats = self._repeats(tokens, position, size)
            log_probs = ops.where(repeats, BANNED, log_probs)
        return log_probs

    def fixed(self, size: int) -> np.ndarray:
        """Which of V tokens are never written, bool `(V,)`.

        Raises:
            ValueError: If a token is not below V, or all of them are banned.
        """
        for name, tokens in (("end", [self.end]), ("banned", self.banned)):
            if any(token >= size for token in tokens):
                raise ValueError(
                    f"`{name}` must be below {size}, the number of tokens. "
                    f"Received: {name}={shorten(getattr(self, name))}"
                )
        fixed = np.zeros(size, bool)
        fixed[list(self.banned)] = True
        if fixed.all():
            raise ValueError(
                f"`banned` must leave one of the {size} tokens. Received: all of them"
            )
        return fixed

    def _repeats(self, tokens: Tensor, position: Tensor, size: int) -> Tensor:
        """Which tokens would complete an n-gram that a text already has, `(N, V)`."""
        num_rows, length = ops.shape(tokens)[0], tokens.shape[1]
        before = self.no_repeat_ngram - 1
        # Every place where an n-gram can end, and whether one ends there so far.
        ends = np.arange(before, length)
        same = ops.broadcast_to(ops.less(ends, position), (num_rows, len(ends)))
        for offset in range(before):
            # The last tokens that were written: position - before + offset.
            index = ops.maximum(position - before + offset, 0)
            latest = ops.take(tokens, ops.reshape(index, (1,)), axis=1)
            earlier = tokens[:, offset : offset + len(ends)]
            same = ops.logical_and(same, earlier == latest)
        # Too few tokens for an n-gram.
        same = ops.logical_and(same, position >= before)
        rows = ops.broadcast_to(ops.arange(num_rows)[:, None], (num_rows, len(ends)))
        last = tokens[:, before:]
        indices = ops.stack([ops.cast(rows, "int32"), ops.cast(last, "int32")], axis=-1)
        counts = backends.current().scatter(
            ops.reshape(indices, (-1, 2)),
            ops.reshape(ops.cast(same, "int32"), (-1,)),
            (num_rows, size),
        )
        return counts > 0
