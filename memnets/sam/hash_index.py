"""An index of the rows of a memory, by which those near to a key are found without
comparing all rows: locality-sensitive hashing.

Random planes divide the space. The sides on which a row lies give the number of a
*bucket*, which is a short list of row numbers. Near rows often share a bucket, and with
several tables of buckets they nearly always share one. A key is compared with the rows
of its own buckets, and with those of the buckets on the other side of the planes that
are nearest to it.

Shapes are written with `B` batch, `N` memory rows, `W` word size, `L` tables, `G`
buckets of a table, `S` slots of a bucket, `Q` rows.

Reference:
    Charikar (2002), Similarity estimation techniques from rounding algorithms, STOC,
    section 3: planes. Lv, Josephson, Wang, Charikar, Li (2007), Multi-probe LSH, VLDB:
    buckets across the nearest planes. Rae et al. (2016), Scaling Memory-Augmented
    Neural Networks with Sparse Reads and Writes, arXiv:1610.09027, section 3.5, keep
    such an index of a sparse access memory.

    Deviation: rows move from bucket to bucket as they change, where the paper builds
    the index again from time to time.
"""

import math

import numpy as np
from keras import ops

from ..memory.addressing import NORM_EPSILON
from ..numerics.tensor_checks import Tensor, check_rank, check_size
from ..numerics.top_k import first_largest, in_turn
from .row_choice import LOWEST, check_count
from .rules import take_rows

# Tuned with 1,000,000 random rows of 32 numbers, see benchmarks/speed/sparse_memory.py.
NUM_TABLES = 8
NUM_SLOTS = 32
NUM_CROSSED = 4


class HashIndex:
    """The planes of an index, and what is done with its buckets.

    The buckets are a tensor `(B, L, G, S)` of row numbers plus 1, 0 where a slot is
    empty: whole numbers in a type of floats, as the state of a cell. There are about
    twice as many slots as rows in each table. Where rows are not spread evenly, as with
    few components or a common mean, buckets are full before, and rows are missed.

    The same sizes give the same planes.

    Args:
        num_rows: Number of memory rows, N.
        word_size: Number of components of a row, W.
    Raises:
        ValueError: If a size is not a positive integer.
    Example:
        >>> memory = np.eye(3, dtype="float32")[None]
        >>> index = HashIndex(num_rows=3, word_size=3)
        >>> key = np.array([[[0.1, 0.9, 0.3]]], "float32")
        >>> rows = index.nearest_rows(memory, index.build(memory), key, 2)
        >>> np.asarray(rows).tolist()
        [[[1, 2]]]
    """

    def __init__(self, num_rows: int, word_size: int) -> None:
        check_size("num_rows", num_rows)
        check_size("word_size", word_size)
        self.num_planes = max(round(math.log2(2 * num_rows / NUM_SLOTS)), 1)
        self.num_buckets = 2**self.num_planes
        self.shape = (NUM_TABLES, self.num_buckets, NUM_SLOTS)
        rng = np.random.default_rng(0)
        # Planes at right angles divide the space most evenly.
        bases = [
            np.linalg.qr(rng.standard_normal((NUM_TABLES, word_size, word_size)))[0]
            for _ in range(-(-self.num_planes // word_size))
        ]
        planes = np.concatenate(bases, axis=2)[:, :, : self.num_planes]
        self.planes = planes.astype("float32")
        # Which of the nearest planes are crossed, in each bucket that is looked at.
        crossed = min(NUM_CROSSED, self.num_planes)
        self._crossed = np.indices((2,) * crossed, "int32").reshape(crossed, -1)
        self._powers = 2 ** np.arange(self.num_planes, dtype="int32")

    def build(self, memory: Tensor) -> Tensor:
        """The buckets of all rows of a memory.

        Rows that are zero have no direction, and are left out. So are those for which
        a bucket has no slot.

        Args:
            memory: Tensor `(B, N, W)`.
        Returns:
            Tensor `(B, L, G, S)`.
        Raises:
            ValueError: If the memory does not have three axes.
        """
        check_rank(3, memory=memory)
        memory = ops.stop_gradient(ops.convert_to_tensor(memory))
        wanted = ops.expand_dims(_has_direction(memory), 1)
        numbers = ops.swapaxes(self._numbers(self._sides(memory)), 1, 2)
        # Those that are left out come last, in a bucket of their own: `(B, L, N)`.
        numbers = ops.where(wanted, numbers, self.num_buckets)
        row = ops.cast(ops.argsort(numbers, axis=2), "int32")
        numbers = ops.take_along_axis(numbers, row, axis=2)
        turn = ops.arange(memory.shape[1], dtype="int32") - self._begins(numbers)
        fits = ops.logical_and(numbers < self.num_buckets, turn < NUM_SLOTS)
        buckets = ops.zeros((ops.shape(memory)[0], *self.shape), memory.dtype)
        places = ops.minimum(numbers, self.num_buckets - 1)
        places = self._places(ops.swapaxes(places, 1, 2))
        change = ops.where(fits, row + 1, 0)
        return _changed(buckets, ops.swapaxes(places, 1, 2), turn % NUM_SLOTS, change)

    def _begins(self, numbers: Tensor) -> Tensor:
        """The first place of each bucket in ascending bucket numbers `(B, L, N)`."""
        batch_size, tables, _ = ops.shape(numbers)
        size = self.num_buckets + 1
        first = size * ops.arange(batch_size * tables, dtype="int32")
        places = ops.reshape(first, (batch_size, tables, 1)) + numbers
        places = ops.reshape(places, (-1, 1))
        counts = ops.zeros((batch_size * tables * size,), "int32")
        ones = ops.ones_like(places[:, 0], dtype="int32")
        counts = ops.scatter_update(counts, places, ones, reduction="add")
        counts = ops.reshape(counts, (batch_size, tables, size))
        begins = ops.cumsum(counts, axis=2) - counts
        return ops.take_along_axis(begins, numbers, axis=2)

    def update(
        self, buckets: Tensor, rows: Tensor, before: Tensor, after: Tensor
    ) -> Tensor:
        """Takes rows out of the buckets of what they held, and puts them into those of
        what they hold now.

        A row goes to the first empty slot of a bucket. If there is none, the first of
        these rows takes the place of another row, which its number decides, and the
        others are left out of this table until they are moved again.

        Args:
            buckets: Tensor `(B, L, G, S)`.
            rows: Row numbers `(B, Q)`; a row may be named several times.
            before: Tensor `(B, Q, W)`, what they held when they were put into the
                buckets.
            after: Tensor `(B, Q, W)`, what they hold. Rows that are zero have no
                direction, and are left out.
        Returns:
            The new buckets.
        Raises:
            ValueError: If a tensor has another number of axes.
        """
        check_rank(2, rows=rows)
        check_rank(3, before=before, after=after)
        check_rank(4, buckets=buckets)
        buckets, rows, before, after = map(
            ops.stop_gradient,
            map(ops.convert_to_tensor, (buckets, rows, before, after)),
        )
        rows = ops.cast(rows, "int32")
        row = rows[:, :, None]
        first = ops.logical_not(ops.any(_named_before(row), axis=2))  # (B, Q, 1)
        left = self._places(self._numbers(self._sides(before)))  # (B, Q, L)
        places = self._places(self._numbers(self._sides(after)))
        wanted = ops.logical_and(first, _has_direction(after)[:, :, None])
        # One reading and one change: with two XLA copies all buckets at every step.
        both = ops.concatenate([left, places], axis=1)
        held_left, held = ops.split(_held(buckets, both), 2, axis=1)
        found = ops.logical_and(held_left == row[..., None], first[..., None])
        removed = ops.where(ops.any(found, axis=3), -row - 1, 0)
        # Slots of the rows that move are as good as empty.
        moves = ops.expand_dims(held, 4) == rows[:, None, None, None]
        held = ops.where(ops.any(moves, axis=4), -1, held)
        came = ops.logical_and(_named_before(places), wanted[:, None])
        turn = ops.sum(ops.cast(came, "int32"), axis=2)
        slot, fits = _slots(held, turn, row)
        old = ops.take_along_axis(held, slot[..., None], axis=3)[..., 0]
        put = ops.where(ops.logical_and(wanted, fits), row - old, 0)
        slots = [ops.cast(ops.argmax(found, axis=3), "int32"), slot]
        return _changed(
            buckets,
            both,
            ops.concatenate(slots, axis=1),
            ops.concatenate([removed, put], axis=1),
        )

    def nearest_rows(
        self, memory: Tensor, buckets: Tensor, key: Tensor, count: int
    ) -> Tensor:
        """The rows with the largest cosine to each key, of those that its buckets hold.

        The first rows of the memory are looked at too, so that there are always enough.

        Args:
            memory: Tensor `(B, N, W)`.
            buckets: Tensor `(B, L, G, S)`.
            key: Tensor `(B, R, W)`.
            count: Number of rows, K, at most N.
        Returns:
            Row numbers `(B, R, K)`, all different, the nearest first.
        Raises:
            ValueError: If a tensor has another number of axes, or there are fewer rows.
        """
        check_rank(3, memory=memory, key=key)
        check_rank(4, buckets=buckets)
        memory, buckets, key = map(
            ops.stop_gradient, map(ops.convert_to_tensor, (memory, buckets, key))
        )
        check_count("count", count, memory.shape[1])
        found = self._looked_at(buckets, key)
        first = ops.zeros_like(found[:, :, :1]) + ops.arange(count, dtype="int32")
        found = ops.concatenate([found, first], axis=2)
        words, _ = take_rows(memory, ops.maximum(found, 0))
        squares = ops.sum(ops.square(words), axis=3)
        similar = ops.einsum("brw,brmw->brm", key, words)
        similar = similar * ops.rsqrt(squares + NORM_EPSILON)
        similar = ops.where(found < 0, LOWEST, similar)
        rows = []
        for _ in range(count):
            _, place = first_largest(similar)
            rows.append(ops.take_along_axis(found, place[..., None], axis=2))
            similar = ops.where(found == rows[-1], LOWEST, similar)
        return ops.concatenate(rows, axis=2)

    def _looked_at(self, buckets: Tensor, key: Tensor) -> Tensor:
        """The rows that each key is compared with, and -1 for an empty slot: `(B, R,
        slots)`."""
        places = self._places(self._probed(self._sides(key)))
        _, heads, *others = places.shape
        held = _held(buckets, places)
        return ops.reshape(held, (-1, heads, math.prod(others) * NUM_SLOTS))

    def _sides(self, words: Tensor) -> Tensor:
        """How far rows `(B, Q, W)` are from the planes, `(B, Q, L, planes)`; below 0 on
        one side."""
        planes = ops.convert_to_tensor(self.planes, dtype=words.dtype)
        return ops.einsum("bqw,lwp->bqlp", words, planes)

    def _numbers(self, sides: Tensor) -> Tensor:
        """The numbers of the buckets, `(B, Q, L)`, from the sides of planes."""
        is_above = ops.cast(sides > 0, "int32")
        return ops.sum(ops.multiply(is_above, self._powers), axis=3)

    def _probed(self, sides: Tensor) -> Tensor:
        """The numbers of the buckets to look at, `(B, Q, L, 2^crossed)`."""
        _, nearest = in_turn(-ops.abs(sides), len(self._crossed))
        power = ops.take(self._powers, nearest)
        beyond = ops.take_along_axis(sides, nearest, axis=3) > 0
        change = ops.where(beyond, -power, power)
        change = ops.multiply(ops.expand_dims(change, 4), self._crossed)
        change = ops.sum(change, axis=3)
        return ops.expand_dims(self._numbers(sides), 3) + change

    def _places(self, numbers: Tensor) -> Tensor:
        """The places of buckets, numbers `(B, Q, L, ...)`, in those of all tables of a
        batch, one after the other."""
        more = (1,) * (len(numbers.shape) - 3)
        tables = NUM_TABLES * ops.arange(ops.shape(numbers)[0], dtype="int32")
        tables = tables[:, None] + ops.arange(NUM_TABLES, dtype="int32")
        tables = ops.reshape(tables, (-1, 1, NUM_TABLES, *more))
        return tables * self.num_buckets + numbers


def _has_direction(words: Tensor) -> Tensor:
    return ops.any(words != 0, axis=-1)


def _named_before(names: Tensor) -> Tensor:
    """Which of the names `(B, Q, L)` before each is the same: `(B, Q, Q, L)`."""
    same = names[:, :, None] == names[:, None]
    count = names.shape[1]
    before = np.tril(np.ones((count, count), bool), -1)
    return ops.logical_and(same, before[None, :, :, None])


def _held(buckets: Tensor, places: Tensor) -> Tensor:
    """The rows in the buckets at places `(...)`, `(..., S)`; -1 for an empty slot."""
    held = ops.take(ops.reshape(buckets, (-1, NUM_SLOTS)), places, axis=0)
    return ops.cast(held, "int32") - 1


def _slots(held: Tensor, turn: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    """Where rows go in buckets that hold `(..., S)`, and whether there is a slot for
    them."""
    empty = held < 0
    nth = ops.cumsum(ops.cast(empty, "int32"), axis=-1)
    own = ops.logical_and(empty, nth == turn[..., None] + 1)
    has_own = ops.any(own, axis=-1)
    slot = ops.where(has_own, ops.argmax(own, axis=-1), row % NUM_SLOTS)
    # Only one of several rows replaces another, or two could take one slot.
    replaces = ops.logical_and(nth[..., -1] == 0, turn == 0)
    return ops.cast(slot, "int32"), ops.logical_or(has_own, replaces)


def _changed(buckets: Tensor, bucket: Tensor, slot: Tensor, change: Tensor) -> Tensor:
    """Adds to slots of buckets. Several entries may name one slot: those that add 0
    leave it as it is."""
    every = ops.reshape(buckets, (-1, NUM_SLOTS))
    places = ops.stack([ops.reshape(each, (-1,)) for each in (bucket, slot)], axis=1)
    change = ops.reshape(ops.cast(change, every.dtype), (-1,))
    every = ops.scatter_update(every, places, change, reduction="add")
    return ops.reshape(every, ops.shape(buckets))
