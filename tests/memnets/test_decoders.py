"""Decoders, beside all texts that a small model can write."""

import itertools

import keras
import numpy as np
import pytest
from cases import once
from keras import ops
from xla import ON_AND_OFF

import memnets
from memnets import backends, decoders
from memnets.numerics.top_k import in_turn, top_k

START, END = 0, 2


def random_tables(rows, length, size, seed=0):
    """Log-probabilities `(rows, length, size, size)` of a token, by the place and the
    token before."""
    values = np.random.default_rng(seed).normal(0, 2, (rows, length, size, size))
    values -= np.log(np.exp(values).sum(axis=-1, keepdims=True))
    return values.astype("float32")


def step_of(tables):
    """A step that looks its log-probabilities up, and the states before it."""
    rows, length, size, _ = tables.shape
    flat = ops.convert_to_tensor(tables.reshape(-1, size))

    def step(tokens, states):
        row, place = states
        index = (row[:, 0] * length + place[:, 0]) * size + tokens
        after = ops.minimum(place + 1, length - 1)
        return ops.take(flat, index, axis=0), [row, after]

    zeros = np.zeros((rows, 1), "int32")
    return step, [
        ops.arange(rows, dtype="int32")[:, None],
        ops.convert_to_tensor(zeros),
    ]


def all_texts(table, penalty, allowed=lambda text: True):
    """Every text of a table with its score and log-probability, the best first."""
    length, size, _ = table.shape
    found = []
    for count in range(1, length + 1):
        for text in itertools.product(range(size), repeat=count):
            is_whole = count == length or text[-1] == END
            if END in text[:-1] or not is_whole or not allowed(text):
                continue
            pairs = itertools.pairwise([START, *text])
            value = sum(float(table[t, a, b]) for t, (a, b) in enumerate(pairs))
            found.append((value / ((5 + count) / 6) ** penalty, text, value))
    return sorted(found, key=lambda each: -each[0])


def texts_of(decoded, row):
    """The texts of a row as tuples, without what fills them up."""
    lengths = np.array(decoded.lengths[row])
    tokens = np.array(decoded.tokens[row])
    return [tuple(text[:n].tolist()) for text, n in zip(tokens, lengths, strict=True)]


@pytest.mark.parametrize("penalty", [once(0), 0.6, once(1)])
@pytest.mark.parametrize(
    ("size", "length", "rows"), [(3, 4, 250), (4, 3, 80), (5, 2, 10)]
)
def test_a_full_width_is_exhaustive(size, length, rows, penalty):
    tables = random_tables(rows, length, size, seed=size)
    step, states = step_of(tables)
    count = len(all_texts(tables[0], penalty))
    options = {"beam_size": count, "n_best": count, "length_penalty": penalty}
    found = decoders.beam_search(step, states, length, START, END, **options)
    for row in range(rows):
        expected = all_texts(tables[row], penalty)
        assert texts_of(found, row) == [text for _, text, _ in expected]
        scores, _, log_probs = zip(*expected, strict=True)
        np.testing.assert_allclose(np.array(found.scores[row]), scores, atol=1e-4)
        np.testing.assert_allclose(np.array(found.log_probs[row]), log_probs, atol=1e-4)
    tokens, lengths = np.array(found.tokens), np.array(found.lengths)
    has_end = np.take_along_axis(tokens, lengths[..., None] - 1, axis=2)[..., 0] == END
    np.testing.assert_array_equal(np.array(found.ended), has_end)


def test_texts_beyond_all_there_are_have_no_tokens():
    tables = random_tables(2, 2, 3)
    step, states = step_of(tables)
    count = len(all_texts(tables[0], 0))
    found = decoders.beam_search(
        step, states, 2, START, END, beam_size=count + 3, n_best=count + 3
    )
    lengths = np.array(found.lengths)
    assert (lengths[:, :count] > 0).all() and not lengths[:, count:].any()
    assert not np.array(found.ended)[:, count:].any()
    assert (np.array(found.tokens)[:, count:] == END).all()


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"min_length": 3}, lambda text: len(text) >= 3),
        ({"banned": [1]}, lambda text: 1 not in text),
        ({"banned": [0, 1, 3]}, lambda text: text == (END,)),
        ({"no_repeat_ngram": 1}, lambda text: len(set(text)) == len(text)),
        (
            {"no_repeat_ngram": 2},
            lambda text: len(set(itertools.pairwise(text))) == len(text) - 1,
        ),
    ],
    # Not the address of a function, which is another in each process.
    ids=["long", "without 1", "only end", "no token twice", "no pair twice"],
)
def test_constraints_leave_what_they_allow(options, allowed):
    tables = random_tables(20, 4, 4, seed=7)
    step, states = step_of(tables)
    found = decoders.beam_search(
        step, states, 4, START, END, beam_size=200, n_best=200, **options
    )
    for row in range(20):
        expected = [text for _, text, _ in all_texts(tables[row], 0.6, allowed)]
        assert [text for text in texts_of(found, row) if text] == expected


@pytest.mark.once
def test_a_banned_token_makes_no_text():
    step, states = step_of(random_tables(5, 1, 3))
    found = decoders.beam_search(
        step, states, 1, START, END, beam_size=3, n_best=3, banned=[1]
    )
    for row in range(5):
        assert sorted(texts_of(found, row)) == [(), (0,), (2,)]
    assert not np.array(found.ended)[:, 2].any()


def test_where_no_token_is_allowed_there_is_no_text():
    """A text of three tokens or more, of one token that may be there once."""
    step, states = step_of(random_tables(5, 4, 3))
    options = {"banned": [1], "no_repeat_ngram": 1, "min_length": 3}
    for decode in (decoders.greedy, decoders.sample, decoders.beam_search):
        found = decode(step, states, 4, START, END, **options)
        assert not np.array(found.lengths).any()
        assert not np.array(found.ended).any()


def test_no_temperature_draws_a_banned_token():
    step, states = step_of(random_tables(200, 1, 3))
    found = decoders.sample(step, states, 1, START, END, temperature=1e12, banned=[1])
    assert set(np.array(found.tokens).ravel().tolist()) == {0, 2}


@pytest.mark.parametrize("temperature", [1e-8, 1e-12, 1e-30, 5e-324])
def test_the_coldest_temperatures_are_greedy(temperature):
    step, states = step_of(random_tables(50, 6, 5))
    cold = decoders.sample(
        step, states, 6, START, END, temperature=temperature, banned=[1]
    )
    expected = decoders.greedy(step, states, 6, START, END, banned=[1])
    np.testing.assert_array_equal(np.array(cold.tokens), np.array(expected.tokens))


@pytest.mark.once
@pytest.mark.parametrize(
    "decode", [decoders.greedy, decoders.sample, decoders.beam_search]
)
def test_a_generator_of_banned_tokens_bans_them(decode):
    step, states = step_of(random_tables(50, 4, 4))
    found = decode(step, states, 4, START, END, banned=(token for token in [1, 3]))
    assert set(np.array(found.tokens).ravel().tolist()) == {0, 2}


@pytest.mark.once
def test_a_beam_of_one_without_penalty_is_greedy():
    step, states = step_of(random_tables(200, 6, 5))
    one = decoders.beam_search(
        step, states, 6, START, END, beam_size=1, length_penalty=0
    )
    for found, expected in zip(
        one, decoders.greedy(step, states, 6, START, END), strict=True
    ):
        np.testing.assert_allclose(np.array(found), np.array(expected), atol=1e-5)


@pytest.mark.once
def test_fewer_texts_are_the_first_of_more():
    step, states = step_of(random_tables(100, 6, 5, seed=3))
    five = decoders.beam_search(step, states, 6, START, END, n_best=5)
    two = decoders.beam_search(step, states, 6, START, END, n_best=2)
    for row in range(100):
        assert texts_of(five, row)[:2] == texts_of(two, row)
        assert len(set(texts_of(five, row))) == 5
    assert (np.diff(np.array(five.scores), axis=1) <= 0).all()


def test_score_is_the_log_probability_of_the_search():
    step, states = step_of(random_tables(30, 6, 5, seed=4))
    found = decoders.beam_search(step, states, 6, START, END, n_best=5)
    values = np.array(decoders.score(step, states, found.tokens, START, END))
    np.testing.assert_allclose(values.sum(axis=2), np.array(found.log_probs), atol=1e-4)
    after = np.arange(6) >= np.array(found.lengths)[..., None]
    assert not values[after].any() and (values[~after] < 0).all()


@pytest.mark.once
@pytest.mark.parametrize("decode", [decoders.greedy, decoders.beam_search])
def test_a_row_alone_is_as_in_a_batch(decode):
    tables = random_tables(8, 5, 4, seed=5)
    step, states = step_of(tables)
    together = decode(step, states, 5, START, END)
    for row in (0, 5, 7):
        step, states = step_of(tables[row : row + 1])
        assert texts_of(decode(step, states, 5, START, END), 0) == texts_of(
            together, row
        )


def test_equal_scores_go_to_the_smaller_token():
    tables = np.full((1, 3, 4, 4), -np.log(4), "float32")
    step, states = step_of(tables)
    assert texts_of(decoders.greedy(step, states, 3, START, END), 0) == [(0, 0, 0)]
    found = decoders.beam_search(
        step, states, 1, START, END, beam_size=4, n_best=4, length_penalty=0
    )
    # One that ends is not worse than one that is cut.
    assert texts_of(found, 0) == [(2,), (0,), (1,), (3,)]


def test_impossible_and_invalid_tokens_are_banned():
    tables = random_tables(1, 3, 4)
    tables[..., 1] = -np.inf
    tables[..., 3] = np.nan
    step, states = step_of(tables)
    for found in (
        decoders.greedy(step, states, 3, START, END),
        decoders.beam_search(step, states, 3, START, END, beam_size=2),
        decoders.sample(step, states, 3, START, END),
    ):
        assert not {1, 3} & set(texts_of(found, 0)[0])
        assert np.isfinite(np.array(found.log_probs)).all()


def test_an_ntm_writes_as_all_its_texts_say():
    keras.utils.set_random_seed(3)
    cell = memnets.NTMCell(4, memory_size=5, word_size=3, controller="feedforward")
    table = np.eye(4, dtype="float32")
    readout = np.random.default_rng(0).normal(0, 3, (4, 4)).astype("float32")
    cell.build((None, 4))

    def step(tokens, states):
        output, states = cell(ops.take(table, tokens, axis=0), states)
        return ops.log_softmax(ops.matmul(output, readout)), states

    if keras.backend.backend() == "jax":
        import jax

        # As a whole: each of its operations would be compiled.
        step = jax.jit(step)
    found = decoders.beam_search(
        step, cell.get_initial_state(1), 3, START, END, beam_size=40, n_best=40
    )
    texts = np.array([*itertools.product(range(4), repeat=3)])
    states, before, values = cell.get_initial_state(len(texts)), np.zeros(64, int), []
    for chosen in texts.T:
        log_probs, states = step(before, states)
        values.append(np.array(log_probs)[np.arange(64), chosen])
        before = chosen
    scores = {}
    for text, value in zip(texts.tolist(), np.transpose(values), strict=True):
        count = text.index(END) + 1 if END in text else 3
        score = value[:count].sum() / ((5 + count) / 6) ** 0.6
        scores[tuple(text[:count])] = score
    expected = sorted(((s, t) for t, s in scores.items()), reverse=True)
    assert texts_of(found, 0) == [text for _, text in expected]
    np.testing.assert_allclose(
        np.array(found.scores[0]), [score for score, _ in expected], atol=1e-4
    )


# --- sampling ---


def frequencies(count=20_000, **options):
    """How often each token of one distribution is drawn, and the distribution."""
    table = random_tables(1, 1, 6, seed=8)
    step, _ = step_of(np.repeat(table, count, axis=0))
    states = [np.arange(count, dtype="int32")[:, None], np.zeros((count, 1), "int32")]
    drawn = decoders.sample(
        step, list(map(ops.convert_to_tensor, states)), 1, START, END, **options
    )
    counts = np.bincount(np.array(drawn.tokens).ravel(), minlength=6)
    return counts / count, np.exp(table[0, 0, START]).astype(float)


def assert_fits(found, expected, count=20_000):
    """Chi-square over the tokens that can be drawn; its 99.99% bound for 5 degrees of
    freedom is 25.7."""
    possible = expected > 0
    assert not found[~possible].any()
    differences = found[possible] - expected[possible]
    assert count * (differences**2 / expected[possible]).sum() < 25.7


@pytest.mark.parametrize("temperature", [once(0.5), once(1), 2])
def test_tokens_are_drawn_by_their_probabilities(temperature):
    found, expected = frequencies(temperature=temperature)
    expected = expected ** (1 / temperature)
    assert_fits(found, expected / expected.sum())


@pytest.mark.parametrize("top_k", [*map(once, (1, 2, 6, 100)), 4])
def test_top_k_draws_the_most_probable(top_k):
    found, expected = frequencies(top_k=top_k)
    expected[np.argsort(-expected, kind="stable")[top_k:]] = 0
    assert_fits(found, expected / expected.sum())


@pytest.mark.parametrize("top_p", [*map(once, (1e-6, 0.3, 0.95)), 0.8, 1])
def test_top_p_draws_the_fewest_that_reach_it(top_p):
    found, expected = frequencies(top_p=top_p)
    order = np.argsort(-expected)
    reached = np.cumsum(expected[order])
    kept = np.searchsorted(reached, top_p) + 1
    expected[order[kept:]] = 0
    assert_fits(found, expected / expected.sum())


def test_of_equal_tokens_the_smallest_are_kept():
    step, states = step_of(np.full((500, 1, 8, 8), -np.log(8), "float32"))
    for options in ({"top_k": 3}, {"top_p": 0.3}):
        drawn = decoders.sample(step, states, 1, START, END, **options)
        assert set(np.array(drawn.tokens).ravel().tolist()) == {0, 1, 2}


@pytest.mark.once
def test_a_temperature_of_zero_is_greedy():
    step, states = step_of(random_tables(50, 6, 5))
    cold = decoders.sample(step, states, 6, START, END, temperature=0, banned=[1])
    expected = decoders.greedy(step, states, 6, START, END, banned=[1])
    np.testing.assert_array_equal(np.array(cold.tokens), np.array(expected.tokens))


def test_a_seed_draws_the_same_text_in_every_batch():
    tables = random_tables(6, 5, 4)
    step, states = step_of(tables)
    together = decoders.sample(step, states, 5, START, END, seed=9)
    again = decoders.sample(step, states, 5, START, END, seed=9)
    other = decoders.sample(step, states, 5, START, END, seed=10)
    np.testing.assert_array_equal(np.array(together.tokens), np.array(again.tokens))
    assert (np.array(together.tokens) != np.array(other.tokens)).any()
    for row in range(6):
        step, states = step_of(tables[row : row + 1])
        random = decoders.uniforms([row], 5, seed=9)
        alone = decoders.sample(step, states, 5, START, END, random=random)
        assert texts_of(alone, 0) == texts_of(together, row)


@pytest.mark.once
def test_the_log_probability_of_a_sample_is_that_of_the_model():
    step, states = step_of(random_tables(20, 5, 4))
    drawn = decoders.sample(step, states, 5, START, END, temperature=2, top_k=3)
    values = decoders.score(step, states, drawn.tokens, START, END)
    np.testing.assert_allclose(
        np.array(values).sum(axis=2), np.array(drawn.log_probs), atol=1e-5
    )


def test_random_numbers_are_below_one_and_do_not_depend_on_the_length():
    numbers = decoders.uniforms(3, 1000, seed=4)
    assert numbers.shape == (3, 1000) and numbers.dtype == np.float32
    assert (numbers >= 0).all() and (numbers < 1).all()
    np.testing.assert_array_equal(decoders.uniforms(3, 10, seed=4), numbers[:, :10])


# --- ensembles ---


def test_an_ensemble_means_probabilities():
    one, other = random_tables(4, 3, 5, seed=1), random_tables(4, 3, 5, seed=2)
    (step_1, states_1), (step_2, states_2) = step_of(one), step_of(other)
    both = decoders.ensemble([step_1, step_2], [3, 1])
    mean = np.log(0.75 * np.exp(one) + 0.25 * np.exp(other))
    found = decoders.beam_search(
        both, [states_1, states_2], 3, START, END, beam_size=200, n_best=5
    )
    for row in range(4):
        expected = [text for _, text, _ in all_texts(mean[row], 0.6)[:5]]
        assert texts_of(found, row) == expected


@pytest.mark.once
def test_an_ensemble_of_one_model_is_that_model():
    step, states = step_of(random_tables(10, 4, 5))
    twice = decoders.ensemble([step, step])
    found = decoders.greedy(twice, [states, states], 4, START, END)
    expected = decoders.greedy(step, states, 4, START, END)
    np.testing.assert_array_equal(np.array(found.tokens), np.array(expected.tokens))


# --- arguments ---


@pytest.mark.parametrize(
    ("decode", "options", "message"),
    [
        ("greedy", {"max_length": 0}, "`max_length` must be a positive integer"),
        ("greedy", {"start": -1}, "`start` must be a non-negative integer"),
        ("greedy", {"end": 9}, "`end` must be below 4, the number of tokens"),
        ("greedy", {"states": []}, "`states` must hold at least one tensor"),
        ("greedy", {"min_length": -1}, "`min_length` must be a non-negative integer"),
        ("greedy", {"min_length": 4}, "`min_length` must be an integer of at most 3"),
        ("sample", {"min_length": 4}, "`min_length` must be an integer of at most 3"),
        ("beam_search", {"min_length": 4}, "`min_length` must be .* of at most 3"),
        ("greedy", {"banned": 3}, "`banned` must be a sequence of tokens"),
        ("greedy", {"banned": [4]}, "`banned` must be below 4, the number of tokens"),
        ("greedy", {"banned": range(4)}, "`banned` must leave one of the 4 tokens"),
        ("beam_search", {"beam_size": 0}, "`beam_size` must be a positive integer"),
        ("beam_search", {"n_best": 6}, "`n_best` must be an integer of at most 5"),
        ("beam_search", {"length_penalty": -1}, "`length_penalty` must be a finite"),
        ("sample", {"temperature": -1}, "`temperature` must be a finite number"),
        ("sample", {"top_k": 0}, "`top_k` must be a positive integer"),
        ("sample", {"top_p": 0}, "`top_p` must be a finite number"),
        ("sample", {"top_p": 1.5}, "`top_p` must be a finite number"),
        ("sample", {"random": np.zeros((2, 9))}, "`random` must have the shape"),
    ],
)
def test_invalid_arguments_are_named(decode, options, message):
    step, states = step_of(random_tables(2, 3, 4))
    arguments = {"states": states, "max_length": 3, "start": START, "end": END}
    with pytest.raises(ValueError, match=message):
        getattr(decoders, decode)(step, **arguments | options)


@pytest.mark.parametrize(
    ("tokens", "error", "message"),
    [
        ([[[1, 4]]], ValueError, "`tokens` must be from 0 to 3.* Received: a token 4"),
        ([[[1, -1]]], ValueError, "`tokens` must be from 0 to 3.* a token -1"),
        ([[[1, 1.7]]], TypeError, "`tokens` must be integers. .* of type float64"),
    ],
)
def test_tokens_that_a_model_does_not_have_are_not_scored(tokens, error, message):
    step, states = step_of(random_tables(1, 3, 4))
    with pytest.raises(error, match=message):
        decoders.score(step, states, np.array(tokens), START, END)


def test_an_ensemble_names_invalid_arguments():
    step, _ = step_of(random_tables(1, 1, 3))
    with pytest.raises(ValueError, match="`steps` must hold at least one step"):
        decoders.ensemble([])
    with pytest.raises(ValueError, match="a number for each of the 2 steps"):
        decoders.ensemble([step, step], [1])
    with pytest.raises(ValueError, match="`weights` must be a finite number above 0"):
        decoders.ensemble([step, step], [1, 0])


class Writer(keras.Model):
    """A decoder in a compiled function of Keras."""

    def __init__(self, tables):
        super().__init__()
        self.length = tables.shape[1]
        self.step, _ = step_of(tables)

    def call(self, inputs):
        rows, random = inputs
        states = [rows, ops.zeros_like(rows)]
        arguments = (self.step, states, self.length, START, END)
        return [
            decoders.greedy(*arguments, no_repeat_ngram=2).tokens,
            decoders.beam_search(*arguments, no_repeat_ngram=2).tokens,
            decoders.sample(*arguments, random=random, top_p=0.9).tokens,
        ]


@pytest.mark.parametrize("jit_compile", ON_AND_OFF)
def test_a_compiled_decoder_writes_the_same(jit_compile):
    tables = random_tables(16, 5, 4)
    model = Writer(tables)
    model.compile(jit_compile=jit_compile)
    rows = np.arange(16, dtype="int32")[:, None]
    random = decoders.uniforms(16, 5)
    found = model.predict([rows, random], batch_size=16, verbose=0)
    step, states = step_of(tables)
    arguments = (step, states, 5, START, END)
    expected = [
        decoders.greedy(*arguments, no_repeat_ngram=2),
        decoders.beam_search(*arguments, no_repeat_ngram=2),
        decoders.sample(*arguments, top_p=0.9),
    ]
    for tokens, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(tokens, np.array(other.tokens))


@pytest.mark.only("jax", reason="XLA compiles on JAX")
def test_the_compiled_search_sorts_no_vocabulary():
    """A sort of all continuations took a hundred times as long as the best few."""
    import jax

    table = np.log(np.full((50, 50), 0.02, "float32"))

    def search(state):
        def step(tokens, states):
            return ops.take(table, tokens, 0), states

        return decoders.beam_search(step, [state], 9, 1, 2, beam_size=4).scores

    compiled = jax.jit(search).lower(np.zeros((3, 1), "float32")).compile().as_text()
    assert " while(" in compiled
    assert " sort(" not in compiled


@pytest.mark.parametrize("size", [5, once(700), 4000, 4001, once(20_000)])
@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("top", [backends.current().top_k, in_turn])
def test_largest_is_top_k_also_where_numbers_are_equal(size, count, top):
    drawn = np.random.default_rng(size).integers(50, size=(7, size))
    values = drawn.astype("float32")
    found, places = top_k(values, count, top)
    expected = np.argsort(-drawn, axis=1, kind="stable")[:, :count]
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(found, np.take_along_axis(values, expected, 1))
