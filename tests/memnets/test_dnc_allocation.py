"""Which rows a Differentiable Neural Computer writes to."""

import dnc_reference
import keras
import numpy as np
import pytest
from arrays import weighting
from dnc_layers import double_precision
from gradients import gradient
from keras import ops

from memnets.dnc import allocation

B, N = 4, 9


def usage(seed=0, batch_size=B, num_rows=N):
    return np.random.default_rng(seed).uniform(size=(batch_size, num_rows))


def gates(seed, *shape):
    return np.random.default_rng(seed).uniform(size=(*shape, 1)).astype("float32")


def compiled(function):
    """A function as training runs it."""
    if keras.backend.backend() == "jax":
        import jax

        return jax.jit(function)
    if keras.backend.backend() == "torch":
        return function
    import tensorflow as tf

    return tf.function(function, jit_compile=True)


@pytest.mark.parametrize("num_heads", [1, 3])
def test_retention_agrees_with_the_paper(num_heads):
    reading, free = weighting(0, B, num_heads, N), gates(1, B, num_heads)
    expected = [
        dnc_reference.retention(w, f[:, 0]) for w, f in zip(reading, free, strict=True)
    ]
    actual = allocation.retention(reading, free)
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.parametrize("num_heads", [1, 3])
def test_usage_agrees_with_the_paper(num_heads):
    before, kept = usage(0).astype("float32"), usage(1).astype("float32")
    written = weighting(2, B, num_heads, N)
    expected = [
        dnc_reference.update_usage(*each)
        for each in zip(before, written, kept, strict=True)
    ]
    actual = allocation.update_usage(before, written, kept)
    np.testing.assert_allclose(actual, expected, atol=1e-6)
    assert np.all(np.asarray(actual) >= 0) and np.all(np.asarray(actual) <= 1)


@pytest.mark.parametrize("num_rows", [1, 2, 9, 200])
def test_allocation_agrees_with_the_paper(num_rows):
    used = usage(3, B, num_rows).astype("float32")
    expected = [dnc_reference.allocation_weighting(u) for u in used]
    actual = np.asarray(allocation.allocation_weighting(used))
    np.testing.assert_allclose(actual, expected, atol=1e-6)
    assert np.all(actual >= 0) and np.all(actual.sum(axis=-1) <= 1 + 1e-6)


@pytest.mark.parametrize("num_heads", [1, 2, 3])
def test_heads_allocate_in_turn(num_heads):
    used, gate = usage(4).astype("float32"), gates(5, B, num_heads)
    expected = [
        dnc_reference.allocate(u, g[:, 0]) for u, g in zip(used, gate, strict=True)
    ]
    np.testing.assert_allclose(allocation.allocate(used, gate), expected, atol=1e-6)


def test_second_head_takes_the_next_row_if_the_first_writes():
    used = np.array([[0.5, 0.0, 0.1, 1.0]], "float32")
    for gate, row in ((1.0, 2), (0.0, 1)):
        gate = np.full((1, 2, 1), gate, "float32")
        first, second = np.asarray(allocation.allocate(used, gate))[0]
        assert first.argmax() == 1 and second.argmax() == row


def test_heads_share_a_free_memory_in_the_order_of_its_rows():
    used, gate = np.zeros((1, N), "float32"), np.ones((1, 3, 1), "float32")
    np.testing.assert_array_equal(allocation.allocate(used, gate), np.eye(N)[None, :3])


def test_write_weighting_agrees_with_the_paper():
    free, content = weighting(6, B, 2, N), weighting(7, B, 2, N)
    share, gate = gates(8, B, 2), gates(9, B, 2)
    np.testing.assert_allclose(
        allocation.write_weighting(free, content, share, gate),
        gate * (share * free + (1 - share) * content),
        atol=1e-6,
    )


# Equal usages must be in the order of their rows, on every backend and compiled too:
# otherwise a network that has learned on one would write to other rows on another.
TIES = {
    "all free": [0.0] * N,
    "all alike": [0.3] * N,
    "pairs": [0.7, 0.2, 0.7, 0.2, 0.9, 0.2, 0.9, 0.7, 0.2],
    "last two": [*[1.0] * (N - 2), 0.5, 0.5],
}


@pytest.mark.parametrize("name", TIES)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_ties_are_ordered_by_row(name, is_compiled):
    used = np.array([TIES[name]] * B, "float32")
    run = allocation.allocation_weighting
    actual = (compiled(run) if is_compiled else run)(ops.convert_to_tensor(used))
    expected = dnc_reference.allocation_weighting(used[0])
    np.testing.assert_allclose(actual, [expected] * B, atol=1e-6)


@pytest.mark.parametrize("is_compiled", [False, True])
def test_long_ties_are_ordered_by_row(is_compiled):
    used = np.random.default_rng(0).integers(0, 3, (2, 300)) / 2 * 0.9
    used = used.astype("float32")
    run = allocation.allocation_weighting
    actual = (compiled(run) if is_compiled else run)(ops.convert_to_tensor(used))
    expected = [dnc_reference.allocation_weighting(u) for u in used]
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.once
def test_free_memory_allocates_its_first_row():
    actual = np.asarray(allocation.allocation_weighting(np.zeros((1, N))))[0]
    np.testing.assert_array_equal(actual, np.eye(N)[0])


@pytest.mark.once
def test_full_memory_allocates_nothing():
    actual = np.asarray(allocation.allocation_weighting(np.ones((1, N))))
    np.testing.assert_array_equal(actual, np.zeros((1, N)))


@pytest.mark.once
def test_free_gate_frees_what_was_read():
    on_row_1 = np.eye(3)[None, 1:2]
    kept = allocation.retention(on_row_1, np.ones((1, 1, 1)))
    np.testing.assert_array_equal(kept, [[1, 0, 1]])
    used = allocation.update_usage(np.ones((1, 3)), on_row_1, kept)
    np.testing.assert_array_equal(used, [[1, 0, 1]])


def loss(used):
    factors = np.random.default_rng(0).standard_normal(used.shape)
    return ops.sum(
        allocation.allocation_weighting(used) * ops.cast(factors, used.dtype)
    )


def test_gradient_of_allocation_is_central_differences():
    with double_precision():
        used, step = usage(1), 1e-6
        (actual,) = gradient(loss, used)
        for b in range(B):
            for i in range(N):
                above, below = used.copy(), used.copy()
                above[b, i] += step
                below[b, i] -= step
                difference = (
                    float(loss(ops.convert_to_tensor(above)))
                    - float(loss(ops.convert_to_tensor(below)))
                ) / (2 * step)
                assert actual[b, i] == pytest.approx(difference, rel=1e-6, abs=1e-8)


EXTREMES = {
    "zeros": np.zeros((B, N), "float32"),
    "ones": np.ones((B, N), "float32"),
    "both": np.float32(np.arange(B * N).reshape(B, N) % 2),
    "tiny": np.full((B, N), 1e-30, "float32"),
    "one row free": 1 - np.eye(N, dtype="float32")[:B],
}


@pytest.mark.parametrize("name", EXTREMES)
def test_gradients_are_finite_where_rows_are_free_or_used(name):
    used = EXTREMES[name]
    assert np.all(np.isfinite(gradient(loss, used)[0]))

    def of_all(used, reading, free, written):
        kept = allocation.retention(reading, free)
        return loss(allocation.update_usage(used, written, kept))

    one_hot = np.tile(np.eye(N, dtype="float32")[:2], (B, 1, 1))
    for free in (0.0, 1.0):
        gate = np.full((B, 2, 1), free, "float32")
        for each in gradient(of_all, used, one_hot, gate, one_hot):
            assert np.all(np.isfinite(each))


@pytest.mark.once
@pytest.mark.parametrize(
    ("function", "right", "name", "rank"),
    [
        (allocation.retention, ((1, 1, 3), (1, 1, 1)), "free_gate", 3),
        (allocation.update_usage, ((1, 3), (1, 1, 3), (1, 3)), "retention", 2),
        (allocation.allocation_weighting, ((1, 3),), "usage", 2),
        (allocation.allocate, ((1, 3), (1, 1, 1)), "gate", 3),
        (
            allocation.write_weighting,
            ((1, 1, 3), (1, 1, 3), (1, 1, 1), (1, 1, 1)),
            "write_gate",
            3,
        ),
    ],
)
def test_a_wrong_number_of_axes_is_named(function, right, name, rank):
    tensors = [np.zeros(shape, "float32") for shape in right]
    function(*tensors)
    message = rf"^`{name}` must have {rank} axes. Received: {name} of shape \(3,\)$"
    with pytest.raises(ValueError, match=message):
        function(*tensors[:-1], np.zeros(3, "float32"))
