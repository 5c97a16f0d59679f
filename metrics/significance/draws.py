"""Corpora that are drawn at random from the parts of a corpus, each part on its own."""

import dataclasses
import hashlib
import math
from collections.abc import Iterator

import numpy as np

from ..bootstrap import MAX_RESAMPLES, MAX_SEED
from ..checks import check_choice, check_integer

METHODS = ("bootstrap", "randomization")

# Drawn corpora that are summed in one matrix product.
_BATCH = 64

# P(weight <= k) of a Poisson variable of mean 1, times 2^32. A larger k than these is
# less probable than 2^-32.
_POISSON = [
    round(2**32 * sum(math.exp(-1) / math.factorial(i) for i in range(k + 1)))
    for k in range(12)
]


@dataclasses.dataclass(frozen=True)
class Draws:
    """How corpora are drawn: the weight that each segment has in each of them.

    The weights of a block of segments depend on the seed, on the key of its part and on
    its number in it, never on who draws them. So they are the same for all systems.

    Attributes:
        method: `"bootstrap"`: the weight is a Poisson variable of mean 1, the limit of
            the number of times that a segment is drawn with replacement.
            `"randomization"`: the weight is 0 or 1, a fair coin.
        count: Number of drawn corpora.
        seed: Seed of the random generator.
    Reference:
        Hanley and MacGibbon (2006), Creating non-parametric bootstrap samples using
        Poisson frequencies. Chamandy, Muralidharan, Najmi, Naidu (2012), Estimating
        Uncertainty for Massive Data Streams.
    """

    method: str = "bootstrap"
    count: int = 0
    seed: int = 12345

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_integer("resamples", self.count, 0, MAX_RESAMPLES)
        check_integer("seed", self.seed, 0, MAX_SEED)

    def weighted_sums(self, rows: np.ndarray, key: str, block: int) -> np.ndarray:
        """Sums of the rows of a block over the drawn corpora, `(count, statistics)`.

        Args:
            rows: Statistics, `(segments, statistics)`.
            key: Name of the part that the block is of.
            block: Number of the block in its part.
        """
        sums = np.empty((self.count, rows.shape[1]))
        start = 0
        for weights in self._weights(key, block, len(rows)):
            sums[start : start + len(weights)] = weights.astype(float) @ rows
            start += len(weights)
        return sums

    def _weights(self, key, block, size) -> Iterator[np.ndarray]:
        """The weights of some of the corpora at a time, `(corpora, size)`."""
        # A name of a file need not be UTF-8: Python then gives it lone surrogates.
        name = key.encode("utf-8", "surrogatepass")
        # 64 bits: two of a million parts hardly ever have the same weights.
        number = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")
        rng = np.random.default_rng([self.seed, number, block])
        for start in range(0, self.count, _BATCH):
            shape = min(_BATCH, self.count - start), size
            if self.method == "bootstrap":
                yield _poisson(rng, shape)
            else:
                yield rng.integers(2, size=shape, dtype=np.uint8)


def _poisson(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Poisson variables of mean 1, by inversion of their distribution function.

    `Generator.poisson` takes five times as long.
    """
    uniform = rng.integers(2**32, size=shape, dtype=np.uint32)
    weights = np.zeros(shape, dtype=np.uint8)
    for threshold in _POISSON:
        weights += uniform >= threshold
    return weights
