"""The cells of a co-occurrence matrix in tiles: blocks of rows by blocks of columns."""

import dataclasses

import numpy as np

from .cooccurrence import Cooccurrence
from .memory import empty

# Row and column by place, log X_ij, f(X_ij): `Cell` in native/vectors.cpp.
CELL = np.dtype(
    [("row", "i4"), ("column", "i4"), ("log_count", "f4"), ("weight", "f4")]
)
# Tuned: the weights of two blocks of so many words stay in the cache of a core.
LARGEST_BLOCK = 4096
# Heuristic: so many threads have a tile each where the vocabulary is small.
MIN_BLOCKS = 8


@dataclasses.dataclass(frozen=True)
class Tiles:
    """Cells by tile. Tiles that share neither rows nor columns can be trained at the
    same time, with the same result as one after another.

    Inside a tile, cells are ordered by diagonal, the diagonals at random: those of one
    diagonal share neither row nor column either.

    Attributes:
        places: The place of each word, int64 `(V,)`. A block has consecutive places.
        block_size: Places of a block.
        num_blocks: Number of blocks, B.
        cells: The cells, `CELL` `(pairs,)`.
        starts: Tile (i, j) has the cells `starts[i B + j]` to `starts[i B + j + 1]`.
        diagonals: The rank of each diagonal in the order, `(block_size,)`.
    """

    places: np.ndarray
    block_size: int
    num_blocks: int
    cells: np.ndarray
    starts: np.ndarray
    diagonals: np.ndarray

    @classmethod
    def of(
        cls,
        pairs: Cooccurrence,
        *,
        x_max: float,
        alpha: float,
        seed: int,
        limit: int = 2**62,
    ) -> "Tiles":
        """Orders the pairs of words.

        Args:
            pairs: The counts X.
            x_max, alpha: f(x) = min(1, (x / x_max)^alpha).
            seed: Seed of the order.
            limit: Bytes of cells that may lie in memory; else they lie in a file.
        """
        size = len(pairs.words)
        num_blocks = max(-(-size // LARGEST_BLOCK), min(MIN_BLOCKS, size))
        block_size = -(-size // num_blocks)
        rng = np.random.default_rng(seed)
        places = _places(size, num_blocks, block_size, rng)
        diagonals = rng.permutation(block_size)
        tiles = cls(
            places,
            block_size,
            num_blocks,
            empty(CELL, len(pairs), limit),
            np.zeros(num_blocks**2 + 1, np.int64),
            diagonals,
        )
        begin = 0
        for block in range(num_blocks):
            words = np.flatnonzero(places // block_size == block)
            cells = tiles._cells_of(pairs, words, x_max, alpha)
            tiles.cells[begin : begin + len(cells)] = cells
            begin += len(cells)
            sizes = np.bincount(cells["column"] // block_size, minlength=num_blocks)
            tiles.starts[block * num_blocks + 1 :][:num_blocks] = sizes
        np.cumsum(tiles.starts, out=tiles.starts)
        return tiles

    def _cells_of(
        self, pairs: Cooccurrence, words: np.ndarray, x_max: float, alpha: float
    ) -> np.ndarray:
        """The cells of the rows of some words, in the order of training."""
        sizes = np.diff(pairs.starts)[words]
        before = np.cumsum(sizes) - sizes
        # The numbers of the pairs of these rows, one row after another.
        numbers = np.arange(sizes.sum()) + (pairs.starts[words] - before).repeat(sizes)
        cells = np.empty(len(numbers), CELL)
        cells["row"] = self.places[words].repeat(sizes)
        cells["column"] = self.places[pairs.columns[numbers]]
        counts = pairs.counts[numbers].astype(float)
        cells["log_count"] = np.log(counts)
        cells["weight"] = np.minimum(1, counts / x_max) ** alpha  # eq. 9
        # A key is unique: its order does not depend on the way of sorting.
        tile = cells["column"] // self.block_size
        keys = (tile * self.block_size + self.diagonal_of(cells)) * self.block_size
        return cells[np.argsort(keys + cells["row"] % self.block_size)]

    def diagonal_of(self, cells: np.ndarray) -> np.ndarray:
        """The rank of the diagonal of each cell in its tile, int64."""
        difference = cells["column"].astype(np.int64) - cells["row"]
        return self.diagonals[difference % self.block_size]

    def rounds(self, seed: int, iteration: int) -> list[np.ndarray]:
        """The order of an iteration, drawn anew for each: a Latin square.

        Args:
            seed: Seed of all orders.
            iteration: Number of the iteration.
        Returns:
            B rounds of B tiles, each round `(B,)`. The tiles of a round share neither
            rows nor columns. All rounds together have every tile once.
        """
        rng = np.random.default_rng([seed, iteration])
        blocks = np.arange(self.num_blocks)
        rows, columns = rng.permutation(blocks), rng.permutation(blocks)
        return [
            rows * self.num_blocks + np.roll(columns, -shift)
            for shift in rng.permutation(blocks)
        ]


def _places(
    size: int, num_blocks: int, block_size: int, rng: np.random.Generator
) -> np.ndarray:
    """Deals words, the most frequent first, to blocks one each in a random order: all
    tiles have about as many cells. Places inside a block are random too."""
    dealt = rng.permuted(
        np.tile(np.arange(num_blocks), (block_size, 1)), axis=1
    ).ravel()[:size]
    places = np.empty(size, np.int64)
    for block in range(num_blocks):
        words = np.flatnonzero(dealt == block)
        places[words] = block * block_size + rng.permutation(len(words))
    return places
