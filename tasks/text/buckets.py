"""Batches of sequences of about one length, so that little of them is padding."""

from collections.abc import Sequence

import numpy as np


def bucket_widths(lengths: Sequence[int], count: int) -> tuple[int, ...]:
    """The widths that pad sequences least.

    Args:
        lengths: Lengths of the sequences, at least one.
        count: Most widths.
    Returns:
        Widths in increasing order, the last of them the greatest length.
    Example:
        >>> bucket_widths([3, 3, 3, 3, 7, 9], 2)
        (3, 9)
    """
    sizes, numbers = np.unique(lengths, return_counts=True)
    total = np.concatenate([[0], np.cumsum(numbers)])
    # cost[i]: fewest steps of all sequences up to size i - 1, with so many widths; each
    # round allows one more.
    cost = np.concatenate([[0], sizes * total[1:]]).astype(float)
    choices = []
    for _ in range(min(count, len(sizes)) - 1):
        # Sizes from `first` up to `last` share the width of the last.
        steps = sizes[None] * (total[None, 1:] - total[:-1, None])
        options = cost[:-1, None] + np.where(
            np.triu(np.ones_like(steps)), steps, np.inf
        )
        choices.append(options.argmin(axis=0))
        cost = np.concatenate([[0], options.min(axis=0)])
    widths, last = [], len(sizes) - 1
    for first in [*reversed(choices), None]:
        widths.append(int(sizes[last]))
        if first is None or first[last] == 0:
            break
        last = first[last] - 1
    return tuple(reversed(widths))


def batches_of_pass(
    buckets: Sequence[np.ndarray], size: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """One pass over sequences as batches, each from one bucket, in random order.

    The last batch of a bucket is filled up with sequences of its first ones. The pass
    begins with a batch of the last bucket and one of the first: if the longest need too
    much memory, that is known at once.

    Args:
        buckets: For each bucket the numbers of its sequences, at least one each.
        size: Sequences in a batch.
        rng: Draws the order.
    """
    batches = []
    for bucket in buckets:
        order = rng.permutation(bucket)
        rows = np.resize(order, -(-len(order) // size) * size)
        batches.append(list(rows.reshape(-1, size)))
    first = [batches[-1].pop()]
    if len(batches) > 1:
        first.append(batches[0].pop())
    rest = [batch for bucket in batches for batch in bucket]
    return first + [rest[i] for i in rng.permutation(len(rest))]


class Passes:
    """The batches of one pass over sequences after another, in an order that depends on
    the seed and the pass.

    Args:
        buckets: For each bucket the numbers of its sequences, at least one each.
    """

    def __init__(self, buckets: Sequence[np.ndarray]) -> None:
        self._buckets = buckets
        self._last: tuple = None, []

    def rows(self, index: int, size: int, seed: int) -> np.ndarray:
        """The sequences of batch number `index`.

        Args:
            index: Number of the batch, from 0.
            size: Sequences in a batch.
            seed: The seed.
        """
        per_pass = sum(-(-len(bucket) // size) for bucket in self._buckets)
        number, place = divmod(index, per_pass)
        key = number, size, seed
        # The next batch is mostly of the same pass.
        if self._last[0] != key:
            rng = np.random.default_rng([seed, number])
            self._last = key, batches_of_pass(self._buckets, size, rng)
        return self._last[1][place]
