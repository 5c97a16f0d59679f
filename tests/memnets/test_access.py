"""Access: reading from and writing to the memory."""

import numpy as np
import pytest
import reference
from arrays import ROW_AXES, SHAPES, normal, weighting
from gradients import gradient
from keras import ops

from memnets.memory import access

pytestmark = pytest.mark.once


def uniform(seed, *shape):
    return np.random.default_rng(seed).uniform(size=shape).astype("float32")


def one_hot(rows, size):
    """Weightings `(1, heads, size)` on the given rows, one head each."""
    return np.eye(size, dtype="float32")[list(rows)][None]


def turn(memory, row_axis):
    return memory if row_axis == 1 else np.swapaxes(memory, 1, 2)


@ROW_AXES
@SHAPES
def test_read_agrees_with_the_paper(
    batch_size, num_heads, num_rows, word_size, row_axis
):
    memory = normal(0, batch_size, num_rows, word_size)
    weightings = weighting(1, batch_size, num_heads, num_rows)
    actual = access.read(turn(memory, row_axis), weightings, row_axis=row_axis)
    expected = reference.each_head(
        reference.read, np.repeat(memory[:, None], num_heads, axis=1), weightings
    )
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@ROW_AXES
@pytest.mark.parametrize("row", range(4))
def test_one_hot_weighting_reads_its_row(row, row_axis):
    memory = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]], "float32")
    vector = access.read(
        turn(memory[None], row_axis), one_hot([row], 4), row_axis=row_axis
    )
    np.testing.assert_array_equal(vector[0, 0], memory[row])


@ROW_AXES
def test_each_head_reads_where_it_points(row_axis):
    memory = normal(0, 1, 4, 3)
    vectors = access.read(
        turn(memory, row_axis), one_hot([3, 0, 3], 4), row_axis=row_axis
    )
    np.testing.assert_array_equal(vectors[0], memory[0, [3, 0, 3]])


@ROW_AXES
def test_uniform_weighting_reads_the_mean_row(row_axis):
    memory = normal(0, 1, 4, 3)
    vector = access.read(
        turn(memory, row_axis), np.full((1, 1, 4), 0.25, "float32"), row_axis=row_axis
    )
    np.testing.assert_allclose(vector[:, 0], memory.mean(axis=1), atol=1e-6)


@ROW_AXES
@SHAPES
def test_write_agrees_with_the_paper(
    batch_size, num_heads, num_rows, word_size, row_axis
):
    memory = normal(0, batch_size, num_rows, word_size)
    weightings = weighting(1, batch_size, num_heads, num_rows)
    erase = uniform(2, batch_size, num_heads, word_size)
    add = normal(3, batch_size, num_heads, word_size)
    actual = access.write(
        turn(memory, row_axis), weightings, erase, add, row_axis=row_axis
    )
    expected = [
        reference.write(*example)
        for example in zip(memory, weightings, erase, add, strict=True)
    ]
    np.testing.assert_allclose(turn(actual, row_axis), expected, atol=1e-5)


@ROW_AXES
@pytest.mark.parametrize("row", range(4))
def test_erase_one_and_add_v_leave_v(row, row_axis):
    memory, add = normal(0, 1, 4, 3), normal(1, 1, 1, 3)
    written = access.write(
        turn(memory, row_axis),
        one_hot([row], 4),
        np.ones((1, 1, 3), "float32"),
        add,
        row_axis=row_axis,
    )
    expected = memory.copy()
    expected[0, row] = add[0, 0]
    np.testing.assert_array_equal(turn(np.asarray(written), row_axis), expected)


@ROW_AXES
def test_erase_zero_and_add_zero_leave_the_memory(row_axis):
    memory, nothing = turn(normal(0, 2, 4, 3), row_axis), np.zeros((2, 2, 3), "float32")
    written = access.write(
        memory, weighting(1, 2, 2, 4), nothing, nothing, row_axis=row_axis
    )
    np.testing.assert_array_equal(written, memory)


@ROW_AXES
def test_erase_acts_on_each_component_independently(row_axis):
    written = access.write(
        turn(np.ones((1, 2, 3), "float32"), row_axis),
        one_hot([0], 2),
        np.array([[[1.0, 0.0, 0.5]]], "float32"),
        np.zeros((1, 1, 3), "float32"),
        row_axis=row_axis,
    )
    np.testing.assert_array_equal(
        turn(np.asarray(written), row_axis)[0], [[0, 1, 0.5], [1, 1, 1]]
    )


@ROW_AXES
def test_erases_of_two_heads_on_the_same_row_multiply(row_axis):
    written = access.write(
        turn(np.full((1, 2, 3), 8.0, "float32"), row_axis),
        one_hot([1, 1], 2),
        np.array([[[0.5] * 3, [0.75] * 3]], "float32"),
        np.zeros((1, 2, 3), "float32"),
        row_axis=row_axis,
    )
    np.testing.assert_array_equal(
        turn(np.asarray(written), row_axis)[0], [[8, 8, 8], [1, 1, 1]]
    )


@ROW_AXES
def test_adds_of_two_heads_on_the_same_row_sum(row_axis):
    written = access.write(
        turn(np.zeros((1, 2, 3), "float32"), row_axis),
        one_hot([1, 1], 2),
        np.zeros((1, 2, 3), "float32"),
        np.array([[[1, 2, 3], [10, 20, 30]]], "float32"),
        row_axis=row_axis,
    )
    np.testing.assert_array_equal(
        turn(np.asarray(written), row_axis)[0], [[0, 0, 0], [11, 22, 33]]
    )


@ROW_AXES
def test_all_heads_erase_before_any_adds(row_axis):
    add = np.array([[[1, 2, 3], [10, 20, 30]]], "float32")
    written = access.write(
        turn(normal(0, 1, 2, 3), row_axis),
        one_hot([1, 1], 2),
        np.ones((1, 2, 3), "float32"),
        add,
        row_axis=row_axis,
    )
    np.testing.assert_array_equal(
        turn(np.asarray(written), row_axis)[0, 1], [11, 22, 33]
    )


@ROW_AXES
@pytest.mark.parametrize("memory_scale", [0.0, 1.0])
@pytest.mark.parametrize("erase", [0.0, 1.0])
def test_write_and_its_gradient_are_finite(erase, memory_scale, row_axis):
    def projected(*tensors):
        written = access.write(*tensors, row_axis=row_axis)
        return ops.sum(written * normal(9, *written.shape))

    arrays = (
        turn(memory_scale * normal(0, 1, 4, 3), row_axis),
        one_hot([1, 1], 4),
        np.full((1, 2, 3), erase, "float32"),
        np.zeros((1, 2, 3), "float32"),
    )
    assert np.all(np.isfinite(projected(*arrays)))
    assert all(np.all(np.isfinite(grad)) for grad in gradient(projected, *arrays))


@ROW_AXES
def test_gradient_passes_through_a_row_that_another_head_has_erased(row_axis):
    def second_erase(erase):
        both = ops.concatenate([np.ones((1, 1, 1), "float32"), erase], axis=1)
        memory = np.full((1, 1, 1), 3.0, "float32")
        add = np.zeros((1, 2, 1), "float32")
        written = access.write(
            memory, np.ones((1, 2, 1), "float32"), both, add, row_axis=row_axis
        )
        return ops.sum(written)

    (grad,) = gradient(second_erase, np.ones((1, 1, 1), "float32"))
    np.testing.assert_array_equal(grad, np.zeros((1, 1, 1)))
