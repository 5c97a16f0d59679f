"""An index of the rows of a memory, by which those near to a key are found without
comparing all rows: locality-sensitive hashing.

A few random planes tell rows apart: which side of each plane a row is on is the number
of its *bucket*, a short list of row numbers. Rows near to each other are often in the
same bucket, and in one of several tables more often than not. A key is compared with
the rows of its own buckets, and of those across the planes that it is nearest to.

Shapes are written with `B` batch, `N` memory rows, `W` word size, `L` tables, `H`
buckets of a table, `S` slots of a bucket, `Q` rows.

Reference:
    Charikar (2002), Similarity estimation techniques from rounding algorithms, STOC,
    section 3: planes. Lv, Josephson, Wang, Charikar, Li (2007), Multi-probe LSH, VLDB:
    buckets across the nearest planes. Rae et al. (2016), Scaling Memory-Augmented
    Neural Networks with Sparse Reads and Writes, arXiv:1610.09027, section 3.5, keep
    such an index of a sparse access memory.
"""

import math

import numpy as np
from keras import ops

from .addressing import NORM_EPSILON
from .decoders.largest import in_turn
from .row_choice import LOWEST
from .sparse_access import take_rows
from .tensor_checks import Tensor, check_rank

# Tuned with 1,000,000 random rows of 32 numbers, see benchmarks/sparse_memory.py.
NUM_TABLES = 8
NUM_SLOTS = 32
NUM_CROSSED = 4


class HashIndex:
    """The planes of an index, and what is done with its buckets.

    The buckets are tensors `(B, L, H, S)` of row numbers plus 1, 0 where a slot is
    empty: whole numbers in a type of floats, as the state of a cell. A bucket is
    filled from its first slot on, and when it is full, its oldest entry is overwritten.
    A row that has changed leaves its number behind in its former buckets, which costs
    room but no error, as found rows are compared with the key by what they hold now.

    The same sizes give the same planes.

    Args:
        num_rows: Number of memory rows, N.
        word_size: Number of components of a row, W.
    """

    def __init__(self, num_rows: int, word_size: int) -> None:
        # A bucket is half full when all rows are in use.
        wanted = round(math.log2(2 * num_rows / NUM_SLOTS)) if num_rows > 1 else 1
        self.num_planes = min(max(wanted, 1), word_size)
        self.num_buckets = 2**self.num_planes
        self.shape = (NUM_TABLES, self.num_buckets, NUM_SLOTS)
        rng = np.random.default_rng(0)
        normal = rng.standard_normal((NUM_TABLES, word_size, self.num_planes))
        # Planes at right angles divide the space most evenly.
        self.planes = np.linalg.qr(normal)[0].astype("float32")
        # Which of the nearest planes are crossed, in each bucket that is looked at.
        crossed = min(NUM_CROSSED, self.num_planes)
        self._crossed = np.indices((2,) * crossed, "int32").reshape(crossed, -1)
        self._powers = 2 ** np.arange(self.num_planes, dtype="int32")

    def filled(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The buckets of all rows of a memory, and how many each has been given.

        Args:
            memory: Tensor `(B, N, W)`.
        Returns:
            Tensors `(B, L, H, S)` and `(B, L, H)`.
        Raises:
            ValueError: If the memory does not have three axes.
        """
        check_rank(3, memory=memory)
        memory = ops.stop_gradient(ops.convert_to_tensor(memory))
        batch_size, num_rows, _ = ops.shape(memory)
        counts = ops.zeros((batch_size, *self.shape[:2]), memory.dtype)
        buckets = ops.zeros((batch_size, *self.shape), memory.dtype)
        rows = ops.arange(num_rows, dtype="int32")
        rows = ops.repeat(rows[None], batch_size, axis=0)
        numbers = self._numbers(self._sides(memory))
        wanted = ops.logical_and(_has_direction(memory)[..., None], numbers >= 0)
        return self._put(buckets, counts, rows, numbers, wanted)

    def insert(
        self, buckets: Tensor, counts: Tensor, rows: Tensor, words: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Puts rows into the buckets of what they hold now, unless they are there.

        Args:
            buckets: Tensor `(B, L, H, S)`.
            counts: Tensor `(B, L, H)`, how many rows each bucket has been given.
            rows: Row numbers `(B, Q)`; a row may be named several times.
            words: Tensor `(B, Q, W)`, what they hold. Rows that are zero have no
                direction, and are left out.
        Returns:
            The new buckets and counts.
        Raises:
            ValueError: If a tensor has another number of axes.
        """
        check_rank(2, rows=rows)
        check_rank(3, counts=counts, words=words)
        check_rank(4, buckets=buckets)
        buckets, counts, rows, words = map(
            ops.stop_gradient,
            map(ops.convert_to_tensor, (buckets, counts, rows, words)),
        )
        rows = ops.cast(rows, "int32")
        numbers = self._numbers(self._sides(words))
        held = self._held(buckets, numbers)  # (B, Q, L, S)
        known = ops.any(held == rows[:, :, None, None], axis=3)
        same = rows[:, :, None] == rows[:, None]
        named_before = ops.any(ops.tril(same, -1), axis=2)
        wanted = ops.logical_and(
            ops.logical_and(_has_direction(words), ops.logical_not(named_before))[
                ..., None
            ],
            ops.logical_not(known),
        )
        return self._put(buckets, counts, rows, numbers, wanted)

    def nearest_rows(
        self, memory: Tensor, buckets: Tensor, key: Tensor, count: int
    ) -> Tensor:
        """The rows with the largest cosine to each key, of those that its buckets hold.

        The first rows of the memory are looked at too, so that there are always enough.

        Args:
            memory: Tensor `(B, N, W)`.
            buckets: Tensor `(B, L, H, S)`.
            key: Tensor `(B, R, W)`.
            count: Number of rows, K, at most N.
        Returns:
            Row numbers `(B, R, K)`, all different, the nearest first.
        Raises:
            ValueError: If a tensor has another number of axes.
        """
        check_rank(3, memory=memory, key=key)
        check_rank(4, buckets=buckets)
        memory, buckets, key = map(
            ops.stop_gradient, map(ops.convert_to_tensor, (memory, buckets, key))
        )
        batch_size, heads = ops.shape(key)[0], key.shape[1]
        found = self._held(buckets, self._probed(self._sides(key)))
        found = ops.reshape(found, (batch_size, heads, math.prod(found.shape[2:])))
        first = ops.zeros_like(found[:, :, :1]) + ops.arange(count, dtype="int32")
        found = ops.concatenate([found, first], axis=2)
        words, _ = take_rows(memory, ops.maximum(found, 0))
        squares = ops.sum(ops.square(words), axis=3)
        similar = ops.einsum("brw,brmw->brm", key, words)
        similar = similar * ops.rsqrt(squares + NORM_EPSILON)
        similar = ops.where(found < 0, LOWEST, similar)
        rows = []
        for _ in range(count):
            place = ops.argmax(similar, axis=2)[..., None]
            rows.append(ops.take_along_axis(found, place, axis=2))
            similar = ops.where(found == rows[-1], LOWEST, similar)
        return ops.concatenate(rows, axis=2)

    def _sides(self, words):
        """How far rows `(B, Q, W)` are from the planes, `(B, Q, L, planes)`; below 0 on
        one side."""
        planes = ops.convert_to_tensor(self.planes, dtype=words.dtype)
        return ops.einsum("bqw,lwp->bqlp", words, planes)

    def _numbers(self, sides):
        """The numbers of the buckets, `(B, Q, L)`, from the sides of planes."""
        return ops.sum(ops.cast(sides > 0, "int32") * self._powers, axis=3)

    def _probed(self, sides):
        """The numbers of the buckets to look at, `(B, Q, L, 2^crossed)`."""
        _, nearest = in_turn(-ops.abs(sides), len(self._crossed))
        power = ops.take(self._powers, nearest)
        beyond = ops.take_along_axis(sides, nearest, axis=3) > 0
        change = ops.where(beyond, -power, power)
        change = ops.sum(ops.expand_dims(change, 4) * self._crossed, axis=3)
        return ops.expand_dims(self._numbers(sides), 3) + change

    def _places(self, numbers):
        """The places of buckets, numbers `(B, Q, L, ...)`, in those of all tables of a
        batch, one after the other."""
        more = (1,) * (len(numbers.shape) - 3)
        tables = NUM_TABLES * ops.arange(ops.shape(numbers)[0], dtype="int32")
        tables = tables[:, None] + np.arange(NUM_TABLES, dtype="int32")
        tables = ops.reshape(tables, (-1, 1, NUM_TABLES, *more))
        return tables * self.num_buckets + numbers

    def _held(self, buckets, numbers):
        """The rows that are in buckets, numbers `(B, Q, L, ...)`, and -1 for none:
        `(B, Q, L, ..., S)`."""
        every = ops.reshape(buckets, (-1, NUM_SLOTS))
        held = ops.take(every, self._places(numbers), axis=0)
        return ops.cast(held, "int32") - 1

    def _put(self, buckets, counts, rows, numbers, wanted):
        """Puts rows `(B, Q)` into buckets, numbers `(B, Q, L)`, where they are wanted,
        `(B, Q, L)`."""
        places = self._places(numbers)
        row = ops.reshape(rows[:, :, None] + ops.zeros_like(places), (-1,))
        # Rows of a bucket side by side, and those that are not wanted at the end.
        last = ops.size(counts)
        key = ops.reshape(ops.where(wanted, places, last), (-1,))
        order = ops.argsort(key)
        key, row = ops.take(key, order), ops.take(row, order)
        turn = ops.arange(ops.size(key), dtype="int32")
        turn = turn - ops.cast(ops.searchsorted(key, key), "int32")
        fits = ops.logical_and(key < last, turn < NUM_SLOTS)
        bucket = ops.minimum(key, last - 1)
        flat, flat_counts = ops.reshape(buckets, (-1,)), ops.reshape(counts, (-1,))
        slot = ops.cast(ops.take(flat_counts, bucket), "int32") + turn
        place = bucket * NUM_SLOTS + slot % NUM_SLOTS
        # Adding leaves alone what is not to change, however often it is named.
        change = ops.cast(row + 1, flat.dtype) - ops.take(flat, place)
        change = ops.where(fits, change, ops.zeros_like(change))
        flat = ops.scatter_update(flat, place[:, None], change, reduction="add")
        flat_counts = ops.scatter_update(
            flat_counts, bucket[:, None], ops.cast(fits, flat.dtype), reduction="add"
        )
        return (
            ops.reshape(flat, ops.shape(buckets)),
            ops.reshape(flat_counts, ops.shape(counts)),
        )


def _has_direction(words):
    return ops.any(words != 0, axis=-1)
