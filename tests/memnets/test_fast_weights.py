"""Fast weights against their equations, one pair of words at a time, in float64."""

import keras
import numpy as np
import pytest
import reference
from dnc_layers import double_precision
from gradients import gradient
from keras import ops
from layer_weights import arrays, randomise

import memnets
from memnets.fast_weights import rules

ON_JAX = keras.backend.backend() == "jax"
RULES = ("additive", "delta", "gated-delta")


def at_once(function):
    """A function of arrays, on JAX compiled as a whole: it would compile each of its
    operations."""
    if not ON_JAX:
        return function
    import jax

    return jax.jit(function)


def drawn(shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape)


def oracle(rule, query, key, value, strength, decay, memory):
    """Schlag et al. (2021), equations 14 and 24, and Yang et al. (2025), equation 10,
    one step and number at a time. All of one head: `(T, ...)`."""
    memory, reads = memory.copy(), []
    for q, k, v, beta, log_alpha in zip(
        query, key, value, strength, decay, strict=True
    ):
        alpha = np.exp(log_alpha) if rule == "gated-delta" else 1.0
        if rule == "additive":
            memory = memory + beta * np.outer(v, k)
        else:
            forget = np.eye(len(k)) - beta * np.outer(k, k)
            memory = alpha * memory @ forget + beta * np.outer(v, k)
        reads.append(memory @ q)
    return np.array(reads), memory


def problem(rule, steps, heads=2, rows=3, key_size=4, value_size=5):
    """What heads are told, as arrays `(B, H, T, ...)`, and a memory."""
    shape = (rows, heads, steps)
    key = drawn((*shape, key_size), 1)
    told = [
        drawn((*shape, key_size), 2),
        key / np.linalg.norm(key, axis=-1, keepdims=True),
        drawn((*shape, value_size), 3),
        np.random.default_rng(4).uniform(size=shape),
        np.log(np.random.default_rng(5).uniform(0.5, 1, shape)),
    ]
    memory = drawn((rows, heads, value_size, key_size), 6)
    return told, memory


def as_step(rule, told):
    tensors = [ops.convert_to_tensor(part.astype("float32")) for part in told]
    if rule != "gated-delta":
        tensors[-1] = None
    return rules.FastWeightStep(*tensors)


def expected(rule, told, memory):
    reads, after = np.zeros(told[2].shape), np.zeros(memory.shape)
    for row, head in np.ndindex(memory.shape[:2]):
        one = [part[row, head] for part in told]
        reads[row, head], after[row, head] = oracle(rule, *one, memory[row, head])
    return reads, after


def run_chunk(rule, told, memory):
    @at_once
    def run(memory, *told):
        if rule != "gated-delta":
            told = (*told[:-1], None)
        chunk = rules.chunk_of(rules.FastWeightStep(*told), rule != "additive")
        return rules.run_chunk(memory, chunk)

    return run(*(ops.convert_to_tensor(x, "float32") for x in (memory, *told)))


@pytest.mark.parametrize("rule", RULES)
def test_a_step_is_that_of_the_paper(rule):
    told, memory = problem(rule, 1)
    reads, after = expected(rule, told, memory)
    step = as_step(rule, [part[:, :, 0] for part in told])
    found = rules.write(
        ops.convert_to_tensor(memory.astype("float32")), step, rule != "additive"
    )
    np.testing.assert_allclose(found, after, atol=1e-6)
    np.testing.assert_allclose(rules.read(found, step.query), reads[:, :, 0], atol=1e-6)


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("rule", RULES)
def test_many_steps_at_once_are_those_of_the_paper(rule, steps):
    told, memory = problem(rule, steps)
    reads, after = expected(rule, told, memory)
    found = run_chunk(rule, told, memory.astype("float32"))
    np.testing.assert_allclose(found[0], reads, atol=2e-6)
    np.testing.assert_allclose(found[1], after, atol=2e-6)


@pytest.mark.parametrize("value", [0.0, 1e-30, 1e4])
def test_lengths_are_one_or_zero(value):
    x = np.array([[value, 0.0, 0.0], [3.0, 4.0, 0.0]], "float32")
    found = np.asarray(rules.unit_length(x))
    assert np.linalg.norm(found[0]) == pytest.approx(float(value > 1e-6))
    np.testing.assert_allclose(found[1], [0.6, 0.8, 0.0], atol=1e-6)


def stored(rule, pairs, size, seed):
    """How far what is read is from what was written, as a share, after so many random
    pairs; the keys are at right angles as far as possible."""
    rng = np.random.default_rng(seed)
    keys, _ = np.linalg.qr(rng.standard_normal((size, size)))
    keys = np.concatenate([keys, keys])[:pairs]
    values = rng.standard_normal((pairs, size))
    told = [keys, keys, values, np.ones(pairs), np.zeros(pairs)]
    zeros = np.zeros((1, 1, size, size))
    _, memory = run_chunk(rule, [part[None, None] for part in told], zeros)
    read = np.asarray(memory)[0, 0] @ keys[-size:].T
    return np.abs(read.T - values[-size:]).max()


@pytest.mark.parametrize("seed", range(1, 4))
def test_as_many_pairs_are_recalled_as_a_key_has_numbers(seed):
    size = 16
    assert stored("delta", size, size, seed) < 1e-5
    assert stored("additive", size, size, seed) < 1e-5


@pytest.mark.parametrize("seed", range(1, 4))
def test_only_the_delta_rule_replaces_what_was_stored(seed):
    """All keys are written twice."""
    assert stored("delta", 32, 16, seed) < 1e-5
    assert stored("additive", 32, 16, seed) > 1


def correlated(rule, pairs, size=16, sweeps=1, seed=1):
    """The same for keys in random directions, written again and again."""
    rng = np.random.default_rng(seed)
    keys = rng.standard_normal((pairs, size))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    values = rng.standard_normal((pairs, size))
    told = [keys, keys, values, np.ones(pairs), np.zeros(pairs)]
    told = [np.concatenate([part] * sweeps)[None, None] for part in told]
    _, memory = run_chunk(rule, told, np.zeros((1, 1, size, size)))
    read = np.asarray(memory)[0, 0] @ keys.T
    return np.abs(read.T - values).mean()


def test_the_delta_rule_separates_keys_that_are_alike():
    """Written again and again, it solves for the memory that has all pairs; Hebb's rule
    adds up what it mixes."""
    assert correlated("delta", 8, sweeps=60) < 0.01
    assert correlated("additive", 8, sweeps=60) > 1


def layer(chunk_size, rule="gated-delta", **options):
    keras.utils.set_random_seed(1)
    options = {"key_size": 4, "value_size": 3, "num_heads": 2} | options
    return memnets.FastWeights(
        5, rule=rule, chunk_size=chunk_size, return_sequences=True, **options
    )


def both(rule, **options):
    """A layer that runs step by step, and one with its weights that runs chunks."""
    one, other = layer(None, rule, **options), layer(4, rule, **options)
    for each in (one, other):
        each.build((None, None, 3))
    other.set_weights(one.get_weights())
    return one, other


def outputs_of(one, inputs):
    """The outputs of a layer with two heads, whose keys have 4 numbers and whose values
    3, for one sequence `(T, features)`, by the oracle."""
    kernel, bias = arrays(one.cell.heads)
    parts = []
    for raw in np.split(inputs @ kernel + bias, 2, axis=-1):
        query, key, value, gate, decay = np.split(raw, [4, 8, 11, 12], axis=-1)
        query, key = (
            x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)
        )
        strength, decay = reference.sigmoid(gate), -reference.softplus(-decay)
        told = query, key, value, strength[:, 0], decay[:, 0]
        parts.append(oracle(one.cell.rule, *told, np.zeros((3, 4)))[0])
    kernel, bias = arrays(one.cell.projection)
    return np.concatenate([inputs, *parts], axis=-1) @ kernel + bias


@pytest.mark.parametrize("chunk_size", [None, 4])
def test_double_precision_is_kept(chunk_size):
    with double_precision():
        one = layer(chunk_size, dtype="float64")
        one.build((None, None, 3))
        randomise(one)
        inputs = drawn((2, 6, 3))
        expected = [outputs_of(one, sequence) for sequence in inputs]
        # 1e-10: what keeps lengths from being zero.
        found = at_once(one)(inputs)
        np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)


# The steps that are missing in the last chunk are zeros for every rule.
LENGTHS = [("additive", 9), ("delta", 9), *(("gated-delta", n) for n in (1, 3, 4, 9))]


@pytest.mark.parametrize(("rule", "steps"), LENGTHS)
def test_chunks_are_the_steps(rule, steps):
    sequences = drawn((2, steps, 3)).astype("float32")
    runs = [at_once(each)(sequences) for each in both(rule, return_state=True)]
    for a, b in zip(*runs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"go_backwards": True}])
@pytest.mark.parametrize("zero", [False, True])
def test_chunks_are_the_steps_under_masks(options, zero):
    options = options | {"zero_output_for_mask": zero, "return_state": True}
    sequences = drawn((4, 6, 3)).astype("float32")
    mask = np.array(
        [
            [1, 1, 1, 1, 1, 1],
            [1, 0, 1, 1, 0, 0],
            [0, 0, 1, 0, 1, 1],
            [1, 1, 1, 1, 1, 0],
        ],
        bool,
    )
    pair = both("gated-delta", **options)
    runs = [at_once(each)(sequences, mask=mask) for each in pair]
    for a, b in zip(*runs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("rule", RULES)
def test_gradients_of_chunks_are_those_of_steps(rule):
    sequences = drawn((2, 9, 3)).astype("float32")
    targets = drawn((2, 9, 5), 9).astype("float32")
    trained = []
    for each in both(rule):
        inputs = keras.Input((None, 3))
        model = keras.Model(inputs, each(inputs))
        # On TensorFlow, a graph of these few steps takes longer than the steps.
        eager = {"jit_compile": ON_JAX, "run_eagerly": not ON_JAX}
        model.compile(keras.optimizers.SGD(0.1), "mse", **eager)
        model.train_on_batch(sequences, targets)
        trained.append(model.get_weights())
    for a, b in zip(*trained, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 21])
@pytest.mark.parametrize("alike", [True, False])
def test_inverses_are_those_of_numpy(size, alike):
    matrix = np.ones((2, 3, size, size)) if alike else 0.3 * drawn((2, 3, size, size))
    expected = np.linalg.inv(np.tril(matrix, -1) + np.eye(size))
    invert = at_once(rules.inverse_of_unit_lower)
    found = invert(ops.convert_to_tensor(matrix, "float32"))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_gradient_of_an_inverse_is_a_central_difference():
    """Of sum(weights inverse), with respect to each number of the matrix."""
    size, step = 5, 1e-6
    matrix, weights = 0.3 * drawn((2, 3, size, size)), drawn((2, 3, size, size), 2)

    def value(matrix):
        inverses = np.linalg.inv(np.tril(matrix, -1) + np.eye(size))
        return (weights * inverses).sum()

    expected = np.zeros(matrix.shape)
    for place in np.ndindex(matrix.shape):
        moved = np.zeros(matrix.shape)
        moved[place] = step
        expected[place] = (value(matrix + moved) - value(matrix - moved)) / (2 * step)
    (found,) = gradient(
        lambda x: ops.sum(
            ops.multiply(weights.astype("float32"), rules.inverse_of_unit_lower(x))
        ),
        matrix.astype("float32"),
    )
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.only("jax")
@pytest.mark.parametrize("rule", RULES)
def test_no_operation_waits_for_another_thread(rule):
    """Routines of LAPACK wait for parts of their work, for which no thread may be
    left."""
    import jax

    each = layer(4, rule)
    each.build((None, None, 3))
    weights = [weight.value for weight in each.trainable_variables]

    def loss(weights, sequences):
        return ops.sum(each.stateless_call(weights, [], sequences)[0])

    lowered = jax.jit(jax.grad(loss)).lower(weights, drawn((2, 9, 3)))
    assert "custom_call" not in lowered.as_text()


@pytest.mark.parametrize("rule", RULES)
def test_large_and_zero_inputs_are_finite(rule):
    """Values and gradients."""
    inputs = keras.Input((None, 3))
    model = keras.Model(inputs, layer(4, rule)(inputs))
    eager = {"jit_compile": ON_JAX, "run_eagerly": not ON_JAX}
    model.compile(keras.optimizers.SGD(1e-12), "mse", **eager)
    for scale in (0.0, 1e4):
        sequences = scale * drawn((2, 9, 3)).astype("float32")
        loss = model.train_on_batch(sequences, np.zeros((2, 9, 5), "float32"))
        assert np.isfinite(loss)
    assert all(np.isfinite(weights).all() for weights in model.get_weights())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key_size": 0}, "`key_size` must be"),
        ({"value_size": -1}, "`value_size` must be"),
        ({"num_heads": 1.5}, "`num_heads` must be"),
        ({"rule": "hebb"}, "`rule` must be"),
        ({"chunk_size": 0}, "`chunk_size` must be"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        memnets.FastWeights(5, **arguments)


def test_trace_has_the_memory_of_each_step():
    one, other = both("delta")
    sequences = drawn((2, 6, 3)).astype("float32")
    trace = other.trace(sequences)
    assert trace.memory.shape == (2, 6, 2, 3, 4)
    np.testing.assert_allclose(trace.output, one(sequences), atol=1e-5)
    np.testing.assert_allclose(
        trace.memory[:, 2], one.trace(sequences[:, :3]).memory[:, -1], atol=1e-6
    )


def test_another_number_of_states_is_refused():
    cell = memnets.FastWeightsCell(3, key_size=2)
    with pytest.raises(ValueError, match="`states` must hold 2 tensors.* Received: 1"):
        cell.unpack([np.zeros((1, 3))])


@pytest.mark.once
def test_zeros_stay_zeros_in_float16():
    unit = rules.unit_length(ops.convert_to_tensor([[0.0, 0.0], [3e4, 4e4]], "float16"))
    np.testing.assert_allclose(ops.convert_to_numpy(unit), [[0, 0], [0.6, 0.8]], 1e-3)


@pytest.mark.parametrize("rule", RULES)
def test_a_broken_step_spoils_what_comes_after_it_alone(rule):
    layer = memnets.FastWeights(
        3, key_size=4, rule=rule, chunk_size=4, return_sequences=True, return_state=True
    )
    layer.build((None, None, 2))
    randomise(layer)
    inputs, numbers = drawn((4, 11, 2)).astype("float32"), [np.nan, -np.inf, 1e38]
    mask = np.ones((4, 11), bool)
    mask[:, 3] = False
    run = at_once(layer)
    expected, _, memory = map(np.asarray, run(inputs, mask=mask))
    broken = inputs.copy()
    broken[:3, 6] = np.expand_dims(numbers, 1)
    broken[:, 3] = np.expand_dims([*numbers, np.nan], 1)  # masked
    outputs, _, last = map(np.asarray, run(broken, mask=mask))
    np.testing.assert_array_equal(outputs[:3, :6], expected[:3, :6])
    np.testing.assert_array_equal(outputs[3], expected[3])
    np.testing.assert_array_equal(last[3], memory[3])
    assert not np.isfinite(outputs[:3, 6:]).any()
    assert not np.isfinite(last[:3]).any()


def test_decays_after_a_total_one_are_not_rounded_away():
    query, key, value = (
        ops.convert_to_tensor(drawn((1, 1, 8, 3), s)) for s in (1, 2, 3)
    )
    key = rules.unit_length(key)
    decay = np.full((1, 1, 8), -0.01)
    decay[..., 2] = -1e7
    strength = np.full((1, 1, 8), 0.5)
    parts = [ops.cast(x, "float32") for x in (query, key, value, strength, decay)]
    reads, _ = run_chunk("gated-delta", parts, np.ones((1, 1, 3, 3)))

    @at_once
    def step_by_step(memory, *parts):
        found = []
        for index in range(8):
            step = rules.FastWeightStep(*(part[:, :, index] for part in parts))
            memory = rules.write(memory, step, True)
            found.append(rules.read(memory, step.query))
        return ops.stack(found, axis=2)

    expected = step_by_step(ops.ones((1, 1, 3, 3)), *parts)
    np.testing.assert_allclose(reads, expected, atol=1e-5)
