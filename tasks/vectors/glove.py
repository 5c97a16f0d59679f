"""GloVe: weighted least squares of log co-occurrence counts, by AdaGrad."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import check_integer, check_number
from . import native
from .cooccurrence import Cooccurrence
from .memory import SHARE, bytes_of
from .tiles import Tiles
from .word_vectors import WordVectors

# Largest absolute value of an entry of a gradient: that of glove.c.
CLIP = np.float32(100)
LANES = 8  # rows of weights are padded to a multiple of it, see native/vectors.cpp
MAX_SEED = 2**32 - 1
# The usual x_max: a hundred thousandth of the words of the text, between these. The
# lower one is that of the authors' demo, the upper one that of the paper. Tuned on
# English captions of 0.06, 0.5, 1 and 2.1 million words: how many plurals are among the
# ten neighbours of their singulars. 10, 10, 10 and 20 were best of 2 to 100; with 100
# vectors of short texts are nearly parallel, since hardly a pair has much weight.
X_MAX = (10.0, 100.0)
WORDS_PER_X = 100_000


def usual_x_max(words: int) -> float:
    """The x_max of a text of so many words."""
    low, high = X_MAX
    return min(high, max(low, words / WORDS_PER_X))


@dataclasses.dataclass(frozen=True, kw_only=True)
class GloVeConfig:
    """How vectors are trained; the values of section 4.2 of the paper.

    Attributes:
        size: Numbers of a vector, d.
        x_max: Counts from this on have the weight 1. None: by the size of the text, see
            `usual_x_max`, 100 as in the paper from ten million words on.
        alpha: f(x) = min(1, (x / x_max)^alpha) is the weight of other counts.
        learning_rate: Of AdaGrad at the start.
        iterations: How often each pair is trained on.
        seed: Seed of the first weights and of the order of pairs.
    Raises:
        ValueError: If a value is out of range.
    """

    size: int = 100
    x_max: float | None = None
    alpha: float = 0.75
    learning_rate: float = 0.05
    iterations: int = 25
    seed: int = 1

    def __post_init__(self) -> None:
        check_integer("size", self.size)
        if self.x_max is not None:
            check_number("x_max", self.x_max, above=0)
        check_number("alpha", self.alpha, minimum=0)
        check_number("learning_rate", self.learning_rate, above=0)
        check_integer("iterations", self.iterations)
        check_integer("seed", self.seed, 0, MAX_SEED)


class GloVe:
    """The training of word vectors, an iteration at a time.

        J = sum_ij f(X_ij) (w_i . c_j + b_i + b'_j - log X_ij)^2              (eq. 8)

    Deviation: as in the program glove.c, the reported cost is half of it, a pair's
    mean; entries of gradients are clipped at 100; AdaGrad's accumulators start at 1;
    gradients of biases have neither the learning rate nor the clipping.

    Args:
        pairs: The counts X.
        config: The settings.
        threads: Number of threads. The result does not depend on it, to the bit.
        memory: About how much to use for cells; more lie in a temporary file.
    Attributes:
        config: The settings, with the `x_max` that is used.
        state: Weights and accumulators of words and of contexts, see `first_state`.
        costs: The mean cost of a pair in each iteration so far.
    Raises:
        ValueError: If `threads` or `memory` is out of range.
    Reference:
        Pennington, Socher, Manning (2014), GloVe: Global Vectors for Word
        Representation, sections 3 and 4.2; https://github.com/stanfordnlp/GloVe.
    """

    def __init__(
        self,
        pairs: Cooccurrence,
        config: GloVeConfig | None = None,
        *,
        threads: int = 1,
        memory: str | int = "2GB",
    ) -> None:
        config = config or GloVeConfig()
        x_max = config.x_max or usual_x_max(int(pairs.frequencies.sum()))
        self.config = dataclasses.replace(config, x_max=x_max)
        self.threads = check_integer("threads", threads)
        self._words = pairs.words
        self.tiles = Tiles.of(
            pairs,
            x_max=x_max,
            alpha=self.config.alpha,
            seed=self.config.seed,
            limit=bytes_of(memory) * 2 // SHARE,
        )
        self.width = -(-self.config.size // LANES) * LANES
        self.state = first_state(self.tiles.places, self.config)
        self.costs: list[float] = []

    def run_iteration(self, advance: Callable[[int], Any] = lambda cells: None) -> None:
        """Trains once on every pair.

        Args:
            advance: Is called with a number of cells when they have been trained on.
        Raises:
            FloatingPointError: If a cost is not finite: the training has diverged.
        """
        train = _with_numpy if native.load() is None else _compiled
        costs = np.zeros(self.tiles.num_blocks**2)
        for tiles in self.tiles.rounds(self.config.seed, len(self.costs)):
            costs[tiles], skipped = train(self, tiles)
            if skipped:
                raise FloatingPointError(
                    "The training has diverged: the cost is not finite. A smaller "
                    f"`learning_rate` may help. Received: "
                    f"learning_rate={self.config.learning_rate}"
                )
            advance(
                int((self.tiles.starts[tiles + 1] - self.tiles.starts[tiles]).sum())
            )
        self.costs.append(float(costs.sum() / len(self.tiles.cells)))

    def vectors(self) -> WordVectors:
        """The vectors w + c, as section 4.2 of the paper has them."""
        sums = (
            self.state[0, :, : self.config.size] + self.state[1, :, : self.config.size]
        )
        return WordVectors(self._words, sums[self.tiles.places])


def first_state(places: np.ndarray, config: GloVeConfig) -> np.ndarray:
    """Weights uniform in (-0.5, 0.5) / size, as in glove.c, and accumulators of 1.

    Args:
        places: The row of each word, `(V,)`.
        config: The settings.
    Returns:
        float32 `(2, rows, stride)`, words first, then contexts. A row has the weights,
        their accumulators, the bias, its accumulator. Weights and accumulators are
        each padded to `width`, a multiple of `LANES`; so is the row.
    """
    size, width = config.size, -(-config.size // LANES) * LANES
    rng = np.random.default_rng([config.seed])
    drawn = rng.random((2, len(places), size + 1), np.float32) - np.float32(0.5)
    state = np.ones((2, int(places.max()) + 1, 2 * width + LANES), np.float32)
    state[:, :, size:width] = 0
    state[:, places, :size] = drawn[:, :, :size] / size
    state[:, places, 2 * width] = drawn[:, :, size] / size
    return state


def _compiled(glove: GloVe, tiles: np.ndarray) -> tuple[np.ndarray, int]:
    """The costs of tiles without common rows and columns, and the cells skipped."""
    starts = glove.tiles.starts
    return native.train_round(
        glove.state,
        glove.width,
        glove.tiles.cells,
        starts[tiles],
        starts[tiles + 1],
        rate=glove.config.learning_rate,
        threads=glove.threads,
    )


def _with_numpy(glove: GloVe, tiles: np.ndarray) -> tuple[np.ndarray, int]:
    """As `_compiled`: one step for each diagonal of all tiles, whose cells are
    independent."""
    starts, words, contexts = glove.tiles.starts, glove.state[0], glove.state[1]
    sizes = starts[tiles + 1] - starts[tiles]
    cells = np.concatenate(
        [glove.tiles.cells[starts[tile] : starts[tile + 1]] for tile in tiles]
    )
    owner = np.arange(len(tiles)).repeat(sizes)
    diagonals = glove.tiles.diagonal_of(cells)
    order = np.argsort(diagonals, kind="stable")
    edges = np.flatnonzero(np.diff(diagonals[order], prepend=-1, append=-1))
    costs, skipped = np.zeros(len(tiles)), 0
    for first, last in zip(edges[:-1], edges[1:], strict=True):
        chosen = order[first:last]
        with np.errstate(over="ignore", invalid="ignore"):  # the caller is told
            cost = _step(words, contexts, cells[chosen], glove.width, glove.config)
        finite = np.isfinite(cost)
        np.add.at(costs, owner[chosen[finite]], cost[finite])
        skipped += int((~finite).sum())
    return costs, skipped


def _step(
    words: np.ndarray,
    contexts: np.ndarray,
    cells: np.ndarray,
    width: int,
    config: GloVeConfig,
) -> np.ndarray:
    """A step of AdaGrad for cells without common rows and columns; their costs."""
    word, context = words[cells["row"]], contexts[cells["column"]]
    bias = 2 * width
    difference = (word[:, :width] * context[:, :width]).sum(axis=1)
    difference = difference + word[:, bias] + context[:, bias] - cells["log_count"]
    slope = cells["weight"] * difference
    rate = np.float32(config.learning_rate)
    gradients = [
        np.clip(slope[:, None] * other[:, :width], -CLIP, CLIP) * rate
        for other in (context, word)
    ]
    for row, gradient in zip((word, context), gradients, strict=True):
        row[:, :width] -= gradient / np.sqrt(row[:, width:bias])
        row[:, width:bias] += gradient * gradient
        row[:, bias] -= slope / np.sqrt(row[:, bias + 1])
        row[:, bias + 1] += slope * slope
    finite = np.isfinite(slope)
    words[cells["row"][finite]] = word[finite]
    contexts[cells["column"][finite]] = context[finite]
    return 0.5 * slope.astype(float) * difference.astype(float)
