"""The index of a sparse access memory against plain Python."""

import numpy as np
import pytest
from keras import ops
from memory_arrays import normal

from memnets import hash_index, row_choice
from memnets.hash_index import HashIndex

B, N, W, R, K = 2, 100, 6, 3, 4


def bucket_numbers(index, word):
    """The number of a row's bucket in each table."""
    return [
        sum(2**i for i in range(index.num_planes) if word @ planes[:, i] > 0)
        for planes in index.planes.astype("float64")
    ]


class Buckets:
    """Lists in plain Python: what each bucket holds, and where the next one goes."""

    def __init__(self, index):
        self.index = index
        self.lists, self.given = {}, {}

    def insert(self, words):
        """What one step puts in: a row `(W,)` by its number."""
        before = {place: list(held.values()) for place, held in self.lists.items()}
        for row, word in words.items():
            for place in enumerate(bucket_numbers(self.index, word)):
                if np.any(word) and row not in before.get(place, []):
                    self._put(place, row)

    def _put(self, place, row):
        given = self.given.get(place, 0)
        self.lists.setdefault(place, {})[given % hash_index.NUM_SLOTS] = row
        self.given[place] = given + 1

    def arrays(self):
        buckets = np.zeros(self.index.shape)
        counts = np.zeros(self.index.shape[:2])
        for place, held in self.lists.items():
            for slot, row in held.items():
                buckets[(*place, slot)] = row + 1
            counts[place] = self.given[place]
        return buckets, counts


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
    assert HashIndex(10**6, 3).num_planes == 3  # no more than there are directions


@pytest.mark.once
def test_all_rows_of_a_memory_are_put_in_their_buckets():
    memory = normal(0, B, N, W)
    memory[:, 5] = 0.0  # without a direction
    index = HashIndex(N, W)
    buckets, counts = index.filled(memory)
    for b in range(B):
        expected = Buckets(index)
        expected.insert(dict(enumerate(memory[b])))
        filled, given = expected.arrays()
        np.testing.assert_array_equal(counts[b], given)
        np.testing.assert_array_equal(np.sort(buckets[b]), np.sort(filled))
    assert not np.any(np.asarray(buckets) == 6)


def test_rows_are_inserted_once_and_the_oldest_is_overwritten(monkeypatch):
    monkeypatch.setattr(hash_index, "NUM_SLOTS", 4)
    index = HashIndex(12, W)  # few slots, so that buckets overflow
    rng = np.random.default_rng(0)
    buckets = np.zeros((B, *index.shape), "float32")
    counts = np.zeros((B, *index.shape[:2]), "float32")
    expected = [Buckets(index) for _ in range(B)]
    for _ in range(20):
        rows = rng.integers(0, 12, (B, 4))
        memory = rng.standard_normal((B, 12, W)).astype("float32")
        memory[:, 3] = 0.0
        words = np.take_along_axis(memory, rows[..., None], axis=1)
        buckets, counts = index.insert(buckets, counts, rows, words)
        for b in range(B):
            expected[b].insert({row: memory[b, row] for row in rows[b].tolist()})
    for b in range(B):
        # A step puts rows into a bucket in the order in which they are named.
        filled, given = expected[b].arrays()
        np.testing.assert_array_equal(counts[b], given)
        np.testing.assert_array_equal(buckets[b], filled)
    assert np.max(counts) > 4


@pytest.mark.once
def test_a_row_that_is_there_is_left_where_it_is():
    index = HashIndex(N, W)
    memory = normal(0, 1, N, W)
    buckets, counts = index.filled(memory)
    rows = np.array([[7, 3, 7]])
    again, given = index.insert(buckets, counts, rows, memory[:, rows[0]])
    np.testing.assert_array_equal(again, buckets)
    np.testing.assert_array_equal(given, counts)


@pytest.mark.once
def test_the_nearest_row_of_all_is_found_where_all_buckets_are_looked_at():
    memory, key = normal(0, B, 40, W), normal(1, B, R, W)
    index = HashIndex(40, W)
    assert 2**hash_index.NUM_CROSSED >= index.num_buckets
    buckets, _ = index.filled(memory)
    rows = index.nearest_rows(memory, buckets, key, K)
    np.testing.assert_array_equal(rows, row_choice.nearest_rows(memory, key, K))


@pytest.mark.once
def test_few_of_many_rows_are_looked_at_and_the_nearest_found():
    memory = normal(0, 1, 50_000, 32)
    index = HashIndex(50_000, 32)
    buckets, _ = index.filled(memory)
    rows = np.random.default_rng(1).integers(0, 50_000, 200)
    for cosine, least in ((1.0, 1.0), (0.9, 0.95)):
        key = noisy(memory[0], rows, cosine)[None]
        found = np.asarray(index.nearest_rows(memory, buckets, key, 1))[0, :, 0]
        # At this angle no other of so few rows is nearer.
        assert np.mean(found == rows) >= least
    looked_at = hash_index.NUM_TABLES * 2**hash_index.NUM_CROSSED * 32
    assert looked_at < 50_000 / 20


@pytest.mark.once
def test_there_are_always_enough_rows_and_all_are_different():
    index = HashIndex(N, W)
    empty = np.zeros((1, *index.shape), "float32")
    memory, key = normal(0, 1, N, W), normal(1, 1, R, W)
    found = np.asarray(index.nearest_rows(memory, empty, key, K))
    assert all(sorted(rows) == list(range(K)) for rows in found[0].tolist())
    # A row that many buckets hold is found once.
    buckets, _ = index.filled(memory)
    found = np.asarray(index.nearest_rows(memory, buckets, key, N))
    assert all(len(set(rows)) == N for rows in found[0].tolist())


@pytest.mark.once
def test_other_numbers_of_axes_are_an_error():
    index = HashIndex(N, W)
    empty = np.zeros((1, *index.shape), "float32")
    memory, key = normal(0, 1, N, W), normal(1, 1, R, W)
    with pytest.raises(ValueError, match="`memory` must have 3 axes"):
        index.filled(memory[0])
    with pytest.raises(ValueError, match="`key` must have 3 axes"):
        index.nearest_rows(memory, empty, key[0], K)
    with pytest.raises(ValueError, match="`rows` must have 2 axes"):
        index.insert(empty, ops.sum(empty, 3), np.array([1]), memory[:, :1])
