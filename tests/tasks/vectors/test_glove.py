"""The training of word vectors: tiles, gradients, threads, and what is learned."""

import itertools

import numpy as np
import pytest

from tasks.vectors import native
from tasks.vectors.cooccurrence import Cooccurrence
from tasks.vectors.glove import GloVe, GloVeConfig
from tasks.vectors.tiles import Tiles

compiled = pytest.mark.skipif(native.load() is None, reason="the library was not built")


def drawn_pairs(size, seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    matrix = rng.exponential(30, (size, size)) * (rng.random((size, size)) < density)
    return Cooccurrence.of([f"w{n}" for n in range(size)], matrix)


def trained(pairs, *, iterations=3, threads=1, **config):
    glove = GloVe(pairs, GloVeConfig(**config), threads=threads)
    for _ in range(iterations):
        glove.run_iteration()
    return glove


def tiles_of(pairs, **options):
    return Tiles.of(pairs, **{"x_max": 100, "alpha": 0.75, "seed": 1, **options})


def check_tiles(pairs, tiles):
    """Whether the cells are those of the pairs, each in its tile."""
    words = np.argsort(tiles.places)
    order = np.full(tiles.num_blocks * tiles.block_size, -1)
    order[np.sort(tiles.places)] = words
    matrix = np.zeros((len(pairs.words), len(pairs.words)))
    rows, columns = order[tiles.cells["row"]], order[tiles.cells["column"]]
    matrix[rows, columns] = np.exp(tiles.cells["log_count"])
    # 1e-5: the logarithms are float32.
    np.testing.assert_allclose(matrix, pairs.dense(), rtol=1e-5)
    for number in range(tiles.num_blocks**2):
        cells = tiles.cells[tiles.starts[number] : tiles.starts[number + 1]]
        row, column = divmod(number, tiles.num_blocks)
        assert (cells["row"] // tiles.block_size == row).all()
        assert (cells["column"] // tiles.block_size == column).all()


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 50])
def test_tiles_have_each_pair_once_in_its_blocks(size):
    pairs = drawn_pairs(size, density=0.9)
    check_tiles(pairs, tiles_of(pairs))


def test_large_vocabularies_have_blocks_of_limited_size(monkeypatch):
    monkeypatch.setattr("tasks.vectors.tiles.LARGEST_BLOCK", 4)
    pairs = drawn_pairs(50)
    tiles = tiles_of(pairs)
    assert (tiles.num_blocks, tiles.block_size) == (13, 4)
    check_tiles(pairs, tiles)


def test_tiles_beyond_the_memory_are_the_same_in_a_file():
    pairs = drawn_pairs(30)
    filed = tiles_of(pairs, limit=100)
    assert isinstance(filed.cells, np.memmap)
    assert filed.cells.tolist() == tiles_of(pairs).cells.tolist()


def test_a_round_shares_no_block_and_all_rounds_have_every_tile():
    tiles = tiles_of(drawn_pairs(50))
    for iteration in range(3):
        rounds = tiles.rounds(1, iteration)
        for part in rounds:
            rows, columns = np.divmod(part, tiles.num_blocks)
            assert len({*rows}) == len({*columns}) == tiles.num_blocks
        assert sorted(np.concatenate(rounds)) == list(range(tiles.num_blocks**2))


def test_the_order_is_drawn_anew_for_each_iteration_and_seed():
    tiles = tiles_of(drawn_pairs(50))
    orders = {
        np.concatenate(tiles.rounds(*key)).tobytes() for key in [(1, 0), (1, 1), (2, 0)]
    }
    assert len(orders) == 3


def test_cells_of_a_diagonal_share_neither_row_nor_column():
    tiles = tiles_of(drawn_pairs(50, density=1))
    for first, last in itertools.pairwise(tiles.starts):
        cells = tiles.cells[first:last]
        diagonals = tiles.diagonal_of(cells)
        assert (np.diff(diagonals) >= 0).all()
        for diagonal in np.unique(diagonals):
            part = cells[diagonals == diagonal]
            assert len({*part["row"]}) == len({*part["column"]}) == len(part)


@pytest.mark.parametrize(("count", "expected"), [(100, 1), (400, 1), (10, 0.1**0.75)])
def test_weights_grow_with_the_count_up_to_one(count, expected):
    tiles = tiles_of(Cooccurrence.of(["a"], [[count]]))
    assert tiles.cells["weight"][0] == pytest.approx(expected)


def cost_of(pairs, words, contexts, config):
    """J of eq. 8, of weights `(V, size + 1)` with the bias last, in float64."""
    size, matrix = config.size, pairs.dense().astype(float)
    total = 0.0
    for i, j in np.argwhere(matrix):
        weight = min(1, matrix[i, j] / config.x_max) ** config.alpha
        error = words[i, :size] @ contexts[j, :size] + words[i, size]
        error += contexts[j, size] - np.log(matrix[i, j])
        total += weight * error**2
    return total


def weights_of(glove):
    """The weights of words and of contexts, each `(V, size + 1)`, the bias last."""
    size, places = glove.config.size, glove.tiles.places
    columns = [*range(size), 2 * glove.width]
    return [side[places][:, columns].astype(float) for side in glove.state]


def test_a_step_follows_the_gradient_of_the_cost(way):
    # One pair: the change is the gradient itself, as the accumulators are 1.
    config = GloVeConfig(size=5, x_max=100, learning_rate=0.01)
    pairs = Cooccurrence.of(["a", "b"], [[0, 7], [0, 0]])
    glove = GloVe(pairs, config)
    before = weights_of(glove)
    glove.run_iteration()
    changes = [(after - b) for after, b in zip(weights_of(glove), before, strict=True)]
    for side, k in itertools.product((0, 1), range(6)):
        # The row of "a" and the context of "b".
        row, step, costs = side, 1e-4, []
        for sign in (1, -1):
            moved = [weights.copy() for weights in before]
            moved[side][row, k] += sign * step
            costs.append(cost_of(pairs, *moved, config))
        # AdaGrad follows half of the gradient; biases without the learning rate.
        gradient = (costs[0] - costs[1]) / (2 * step) / 2
        rate = 1 if k == 5 else config.learning_rate
        # 1e-3: weights are float32 and the changes of them small.
        assert changes[side][row, k] == pytest.approx(
            -rate * gradient, rel=1e-3, abs=1e-7
        )
        assert not changes[side][1 - row].any()


def test_the_cost_is_half_of_the_mean_of_equation_8(way):
    config = GloVeConfig(size=3, x_max=100)
    pairs = Cooccurrence.of(["a", "b"], [[0, 7], [200, 0]])
    glove = GloVe(pairs, config)
    expected = cost_of(pairs, *weights_of(glove), config) / 2 / 2
    glove.run_iteration()
    # 1e-5: float32. The two pairs share no weights.
    assert glove.costs == [pytest.approx(expected, rel=1e-5)]


def plain_training(glove, iterations):
    """glove.c's inner loop, cell by cell in the order of the tiles, in float64."""
    config, width = glove.config, glove.width
    words, contexts = glove.state.astype(float)
    for iteration in range(iterations):
        for tile in np.concatenate(glove.tiles.rounds(config.seed, iteration)):
            first, last = glove.tiles.starts[tile : tile + 2]
            for i, j, log_count, weight in glove.tiles.cells[first:last].tolist():
                w, c = words[i], contexts[j]
                difference = w[:width] @ c[:width] + w[2 * width] + c[2 * width]
                slope = weight * (difference - log_count)
                gradients = [
                    np.clip(slope * x[:width], -100, 100) * config.learning_rate
                    for x in (c, w)
                ]
                for row, gradient in zip((w, c), gradients, strict=True):
                    row[:width] -= gradient / np.sqrt(row[width : 2 * width])
                    row[width : 2 * width] += gradient**2
                    row[2 * width] -= slope / np.sqrt(row[2 * width + 1])
                    row[2 * width + 1] += slope**2
    return np.stack([words, contexts])


@pytest.mark.parametrize("size", [1, 7, 8, 20])
def test_training_equals_a_plain_loop(way, size):
    pairs = drawn_pairs(20)
    expected = plain_training(GloVe(pairs, GloVeConfig(size=size)), 2)
    state = trained(pairs, iterations=2, size=size).state
    # 1e-4: some hundred steps in float32.
    np.testing.assert_allclose(state, expected, rtol=1e-4, atol=1e-4)


@compiled
def test_the_compiled_loop_equals_numpy(monkeypatch):
    pairs = drawn_pairs(60)
    fast = trained(pairs, size=13)
    monkeypatch.setattr(native, "load", lambda: None)
    slow = trained(pairs, size=13)
    # 1e-4: dot products are summed in another order, in float32.
    np.testing.assert_allclose(fast.state, slow.state, rtol=1e-4, atol=1e-4)
    assert fast.costs == pytest.approx(slow.costs, rel=1e-5)


@compiled
@pytest.mark.parametrize("threads", [2, 4, 64])
def test_any_number_of_threads_gives_the_same_bits(threads):
    pairs = drawn_pairs(200)
    alone, together = trained(pairs), trained(pairs, threads=threads)
    assert alone.state.tobytes() == together.state.tobytes()
    assert alone.costs == together.costs


def test_the_seed_decides_and_the_same_seed_gives_the_same(way):
    pairs = drawn_pairs(20)
    one, same, other = (trained(pairs, seed=seed) for seed in (1, 1, 2))
    assert one.state.tobytes() == same.state.tobytes() != other.state.tobytes()


def test_the_cost_falls(way):
    costs = trained(drawn_pairs(30), iterations=10, size=20).costs
    assert costs[-1] < costs[0] / 3


def test_padding_stays_empty(way):
    glove = trained(drawn_pairs(10), size=3)
    assert not glove.state[..., 3 : glove.width].any()


def test_gradients_are_clipped(way):
    glove = GloVe(Cooccurrence.of(["a"], [[1e18]]), GloVeConfig(size=1))
    row = glove.tiles.places[0]
    glove.state[0, row, 0], glove.state[1, row, 0] = 1000, 0.001
    glove.run_iteration()
    # The context's gradient, about -40 * 1000, is clipped to -100; times 0.05.
    assert glove.state[1, row, 0] == pytest.approx(0.001 + 5)


def test_a_divergence_is_an_error(way):
    glove = GloVe(drawn_pairs(5))
    glove.state[:, :, 0] = 1e30
    with pytest.raises(FloatingPointError, match="has diverged.*`learning_rate`"):
        glove.run_iteration()


def test_one_word_is_trained(way):
    vectors = trained(Cooccurrence.of(["a"], [[3]]), size=2).vectors()
    assert vectors.words == ["a"] and vectors.size == 2


def test_progress_counts_every_cell():
    pairs, seen = drawn_pairs(30), []
    glove = GloVe(pairs)
    glove.run_iteration(seen.append)
    assert sum(seen) == len(pairs)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("size", 0, "`size` must be a positive integer"),
        ("x_max", 0, "`x_max` must be a finite number above 0"),
        ("alpha", -1, "`alpha` must be a finite number at least 0"),
        ("learning_rate", 0, "`learning_rate` must be a finite number above 0"),
        ("iterations", 0, "`iterations` must be a positive integer"),
        ("seed", -1, "`seed` must be a non-negative integer"),
    ],
)
def test_bad_settings_are_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        GloVeConfig(**{name: value})


BASES, ATTRIBUTES = 12, 4


def planted_pairs():
    """Words for base x attribute, each with a vector that is a sum of one of the base
    and one of the attribute; their log counts are the products of these vectors."""
    rng = np.random.default_rng(4)
    names = [f"b{b}-a{a}" for b in range(BASES) for a in range(ATTRIBUTES)]
    bases, attributes = (rng.normal(0, 0.4, (n, 16)) for n in (BASES, ATTRIBUTES))
    planted = (bases[:, None] + attributes).reshape(len(names), -1)
    return Cooccurrence.of(names, np.exp(planted @ planted.T + 3))


def test_planted_analogies_are_all_answered(way, write):
    vectors = trained(planted_pairs(), iterations=150, size=16, x_max=20).vectors()
    questions = [
        f"b{b}-a0 b{b}-a{a} b{other}-a0 b{other}-a{a}"
        for b, other in itertools.permutations(range(BASES), 2)
        for a in range(1, ATTRIBUTES)
    ]
    score = vectors.analogies(write("\n".join(questions)))
    assert score.coverage == 1
    assert score.accuracy == 1


@pytest.mark.parametrize(
    ("words", "x_max"),
    [(70_000, 10), (1_000_000, 10), (2_000_000, 20), (10**7, 100), (6 * 10**9, 100)],
)
def test_x_max_goes_by_the_size_of_the_text(words, x_max):
    """10 as the authors' demo, 100 as in the paper, which has billions of words."""
    pairs = Cooccurrence.of(["a", "b"], [[0, words / 2], [words / 2, 0]])
    assert GloVe(pairs).config.x_max == x_max
    assert GloVe(pairs, GloVeConfig(x_max=7)).config.x_max == 7
