"""The index of a sparse access memory against plain Python."""

import numpy as np
import pytest
from arrays import normal

from memnets.sam import hash_index, row_choice
from memnets.sam.hash_index import HashIndex

B, N, W, R, K = 2, 100, 6, 3, 4


def bucket_numbers(index, word):
    """The number of a row's bucket in each table."""
    return [
        sum(2**i for i in range(index.num_planes) if word @ planes[:, i] > 0)
        for planes in index.planes.astype("float64")
    ]


class Buckets:
    """What is in each slot of each bucket, in plain Python."""

    def __init__(self, index):
        self.index = index
        tables, buckets, slots = index.shape
        self.slots = [[[None] * slots for _ in range(buckets)] for _ in range(tables)]

    def update(self, before, after):
        """What one step does: the words `(W,)` of rows by their numbers."""
        for row, word in before.items():
            for bucket in self._of(word):
                if row in bucket:
                    bucket[bucket.index(row)] = None
        came = {}
        for row, word in after.items():
            for bucket in self._of(word) if np.any(word) else ():
                turn = came[id(bucket)] = came.get(id(bucket), 0) + 1
                if None in bucket:
                    bucket[bucket.index(None)] = row
                elif turn == 1:
                    bucket[row % len(bucket)] = row

    def _of(self, word):
        numbers = bucket_numbers(self.index, word)
        return [table[n] for table, n in zip(self.slots, numbers, strict=True)]

    def array(self):
        values = [[[-1 if r is None else r for r in b] for b in t] for t in self.slots]
        return np.array(values) + 1


def noisy(memory, rows, cosine, seed=0):
    """Keys at an angle to some rows `(Q,)` of a memory `(N, W)`."""
    word = memory[rows].astype("float64")
    word /= np.linalg.norm(word, axis=1, keepdims=True)
    noise = np.random.default_rng(seed).standard_normal(word.shape)
    noise -= np.sum(noise * word, axis=1, keepdims=True) * word
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return (cosine * word + np.sqrt(1 - cosine**2) * noise).astype("float32")


@pytest.mark.once
def test_planes_of_a_table_are_at_right_angles_and_always_the_same():
    index = HashIndex(1000, 20)
    assert index.shape == (8, 64, 32)
    eye = np.broadcast_to(np.eye(6), (8, 6, 6))
    products = np.swapaxes(index.planes, 1, 2) @ index.planes
    np.testing.assert_allclose(products, eye, atol=1e-6)
    np.testing.assert_array_equal(HashIndex(1000, 20).planes, index.planes)
    # More planes than directions: each W of them are at right angles.
    few = HashIndex(2000, 4).planes
    assert few.shape == (8, 4, 7)
    products = np.swapaxes(few[:, :, :4], 1, 2) @ few[:, :, :4]
    np.testing.assert_allclose(
        products, np.broadcast_to(np.eye(4), (8, 4, 4)), atol=1e-6
    )


@pytest.mark.once
def test_all_rows_of_a_memory_are_put_in_their_buckets(monkeypatch):
    monkeypatch.setattr(hash_index, "NUM_SLOTS", 8)
    memory = normal(0, B, N, W)
    memory[:, 5] = 0.0  # without a direction
    index = HashIndex(N, W)
    buckets = np.asarray(index.build(memory))
    left_out = 0
    for b in range(B):
        expected = [[[] for _ in range(index.num_buckets)] for _ in range(8)]
        for row in range(N):
            for table, number in enumerate(bucket_numbers(index, memory[b, row])):
                expected[table][number] += [row] if row != 5 else []
        for table, number in np.ndindex(*index.shape[:2]):
            rows = expected[table][number]
            left_out += len(rows[8:])
            filled = buckets[b, table, number].astype(int)
            # On each backend rows may be left out in another order.
            assert set(filled[filled > 0] - 1) <= set(rows)
            assert np.count_nonzero(filled) == min(len(rows), 8)
    assert left_out > 0


def test_rows_move_from_bucket_to_bucket(monkeypatch):
    monkeypatch.setattr(hash_index, "NUM_SLOTS", 4)
    index = HashIndex(12, W)  # few slots, so that buckets are full at times
    rng = np.random.default_rng(0)
    buckets = np.zeros((B, *index.shape), "float32")
    memory = np.zeros((B, 12, W), "float32")
    expected = [Buckets(index) for _ in range(B)]
    for _ in range(20):
        rows = rng.integers(0, 12, (B, 5))
        before = np.take_along_axis(memory, rows[..., None], axis=1)
        for b, row in enumerate(rows):
            memory[b, row] = rng.standard_normal((5, W))
        memory[:, 3] = 0.0
        after = np.take_along_axis(memory, rows[..., None], axis=1)
        buckets = index.update(buckets, rows, before, after)
        for b, words in enumerate(zip(before, after, strict=True)):
            named = [dict(zip(rows[b].tolist(), each, strict=True)) for each in words]
            expected[b].update(*named)
            np.testing.assert_array_equal(buckets[b], expected[b].array())
    assert np.any(np.all(np.asarray(buckets) > 0, axis=3))
    assert np.max(np.asarray(buckets)) <= 12


@pytest.mark.once
def test_rows_that_stay_are_found_however_often_others_change():
    index = HashIndex(1000, 20)
    memory = normal(0, 1, 1000, 20)
    buckets = index.build(memory)
    rng = np.random.default_rng(1)
    for _ in range(40):
        rows = rng.integers(100, 1000, (1, 200))
        before = memory[:, rows[0]].copy()
        memory[0, rows[0]] = rng.standard_normal((200, 20))
        buckets = index.update(buckets, rows, before, memory[:, rows[0]])
    found = index.nearest_rows(memory, buckets, memory, 1)
    np.testing.assert_array_equal(np.asarray(found)[0, :, 0], np.arange(1000))


@pytest.mark.once
def test_the_nearest_row_of_all_is_found_where_all_buckets_are_looked_at():
    memory, key = normal(0, B, 40, W), normal(1, B, R, W)
    index = HashIndex(40, W)
    assert 2**hash_index.NUM_CROSSED >= index.num_buckets
    rows = index.nearest_rows(memory, index.build(memory), key, K)
    np.testing.assert_array_equal(rows, row_choice.nearest_rows(memory, key, K))


@pytest.mark.once
def test_few_of_many_rows_are_looked_at_and_the_nearest_found():
    memory = normal(0, 1, 50_000, 32)
    index = HashIndex(50_000, 32)
    buckets = index.build(memory)
    rows = np.random.default_rng(1).integers(0, 50_000, 200)
    for cosine, least in ((1.0, 1.0), (0.9, 0.95)):
        key = noisy(memory[0], rows, cosine)[None]
        found = np.asarray(index.nearest_rows(memory, buckets, key, 1))[0, :, 0]
        # At this angle no other of so few rows is nearer.
        assert np.mean(found == rows) >= least
        looked_at = np.asarray(index._looked_at(buckets, key))[0]
        assert max(len(set(each)) for each in looked_at.tolist()) < 50_000 / 20


@pytest.mark.once
def test_there_are_always_enough_rows_and_all_are_different():
    index = HashIndex(N, W)
    empty = np.zeros((1, *index.shape), "float32")
    memory, key = normal(0, 1, N, W), normal(1, 1, R, W)
    found = np.asarray(index.nearest_rows(memory, empty, key, K))
    assert all(sorted(rows) == list(range(K)) for rows in found[0].tolist())
    # A row that many buckets hold is found once.
    found = np.asarray(index.nearest_rows(memory, index.build(memory), key, N))
    assert all(len(set(rows)) == N for rows in found[0].tolist())


@pytest.mark.once
def test_arguments_that_do_not_fit_are_an_error():
    index = HashIndex(N, W)
    empty = np.zeros((1, *index.shape), "float32")
    memory, key = normal(0, 1, N, W), normal(1, 1, R, W)
    with pytest.raises(ValueError, match="`memory` must have 3 axes"):
        index.build(memory[0])
    with pytest.raises(ValueError, match="`key` must have 3 axes"):
        index.nearest_rows(memory, empty, key[0], K)
    with pytest.raises(ValueError, match="number of rows, 100. Received: count=101"):
        index.nearest_rows(memory, empty, key, N + 1)
    with pytest.raises(ValueError, match="`rows` must have 2 axes"):
        index.update(empty, np.array([1]), memory[:, :1], memory[:, :1])
    with pytest.raises(ValueError, match="`word_size` must be a positive integer"):
        HashIndex(3, 0)
