"""Addressing: content weighting, interpolation, shift, sharpening."""

import re

import keras
import numpy as np
import pytest
import reference
from arrays import ROW_AXES, SHAPES, normal, weighting
from gradients import gradient
from keras import ops

from memnets.memory import addressing

pytestmark = pytest.mark.once


def one_hot(index, size):
    return np.eye(size, dtype="float32")[index][None, None]


def scalar(value):
    return np.full((1, 1, 1), value, "float32")


def turn(memory, row_axis):
    return memory if row_axis == 1 else np.swapaxes(memory, 1, 2)


def per_head(memory, num_heads):
    return np.repeat(memory[:, None], num_heads, axis=1)


def assert_weighting(weighting):
    weighting = np.asarray(weighting)
    assert np.all(weighting >= 0)
    np.testing.assert_allclose(weighting.sum(axis=-1), 1.0, atol=1e-5)


def assert_finite_gradient(function, *arrays):
    """The value is projected on fixed random numbers: the sum of a weighting has no
    gradient because it is constant."""

    def projected(*tensors):
        value = function(*tensors)
        return ops.sum(value * normal(99, *value.shape))

    assert np.all(np.isfinite(function(*arrays)))
    for grad in gradient(projected, *arrays):
        assert np.all(np.isfinite(grad))


# Content weighting


@ROW_AXES
@SHAPES
def test_cosine_similarity_agrees_with_the_paper(
    batch_size, num_heads, num_rows, word_size, row_axis
):
    memory = normal(0, batch_size, num_rows, word_size)
    key = normal(1, batch_size, num_heads, word_size)
    actual = addressing.cosine_similarity(
        turn(memory, row_axis), key, row_axis=row_axis
    )
    expected = reference.each_head(
        reference.cosine_similarity,
        per_head(memory, num_heads),
        key,
        norm_epsilon=addressing.NORM_EPSILON,
    )
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@ROW_AXES
@SHAPES
def test_content_weighting_agrees_with_the_paper(
    batch_size, num_heads, num_rows, word_size, row_axis
):
    memory = normal(0, batch_size, num_rows, word_size)
    key = normal(1, batch_size, num_heads, word_size)
    beta = 10 * np.abs(normal(2, batch_size, num_heads, 1))
    actual = addressing.content_weighting(
        turn(memory, row_axis), key, beta, row_axis=row_axis
    )
    expected = reference.each_head(
        reference.content_weighting,
        per_head(memory, num_heads),
        key,
        beta,
        norm_epsilon=addressing.NORM_EPSILON,
    )
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@ROW_AXES
@SHAPES
def test_mask_multiplies_the_key_and_every_row(
    batch_size, num_heads, num_rows, word_size, row_axis
):
    memory = normal(0, batch_size, num_rows, word_size)
    key = normal(1, batch_size, num_heads, word_size)
    beta = 10 * np.abs(normal(2, batch_size, num_heads, 1))
    mask = np.random.default_rng(3).uniform(0.1, 1, key.shape).astype("float32")
    actual = addressing.content_weighting(
        turn(memory, row_axis), key, beta, row_axis=row_axis, mask=mask
    )
    expected = reference.each_head(
        reference.content_weighting,
        mask[:, :, None] * per_head(memory, num_heads),
        mask * key,
        beta,
        norm_epsilon=addressing.NORM_EPSILON,
    )
    np.testing.assert_allclose(actual, expected, atol=1e-5)


@ROW_AXES
def test_mask_of_ones_changes_nothing(row_axis):
    memory, key = turn(normal(0, 2, 6, 4), row_axis), normal(1, 2, 3, 4)
    beta, ones = np.full((2, 3, 1), 5.0, "float32"), np.ones((2, 3, 4), "float32")
    keywords = {"row_axis": row_axis}
    np.testing.assert_allclose(
        addressing.content_weighting(memory, key, beta, mask=ones, **keywords),
        addressing.content_weighting(memory, key, beta, **keywords),
        atol=1e-6,
    )


def test_mask_must_have_three_axes():
    memory, key = normal(0, 1, 6, 4), normal(1, 1, 1, 4)
    with pytest.raises(ValueError, match="^`mask` must have 3 axes. Received: mask of"):
        addressing.content_weighting(memory, key, scalar(5.0), mask=np.ones(4))


def test_mask_and_rows_of_zeros_have_finite_gradients():
    memory, key = np.zeros((1, 3, 2), "float32"), normal(1, 1, 1, 2)
    mask = np.zeros((1, 1, 2), "float32")

    def loss(memory, key, mask):
        found = addressing.content_weighting(memory, key, scalar(5.0), mask=mask)
        return ops.sum(ops.square(found))

    for part in gradient(loss, memory, key, mask):
        assert np.all(np.isfinite(part))


def test_norm_epsilon_is_negligible_for_vectors_of_length_one():
    memory, key = normal(0, 1, 8, 4), normal(1, 1, 1, 4)
    memory /= np.linalg.norm(memory, axis=-1, keepdims=True)
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    actual = addressing.content_weighting(memory, key, scalar(5.0))
    expected = reference.content_weighting(memory[0], key[0, 0], 5.0)
    np.testing.assert_allclose(actual[0, 0], expected, atol=1e-5)


@ROW_AXES
@pytest.mark.parametrize("beta", [0.0, 1.0, 1e4])
def test_content_weighting_is_a_weighting(beta, row_axis):
    memory, key = turn(normal(0, 2, 8, 4), row_axis), normal(1, 2, 3, 4)
    assert_weighting(
        addressing.content_weighting(
            memory, key, np.full((2, 3, 1), beta, "float32"), row_axis=row_axis
        )
    )


@ROW_AXES
@pytest.mark.parametrize(
    ("memory_scale", "key_scale"),
    [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (1e-20, 1e6), (1e6, 1e-20)],
)
@pytest.mark.parametrize("beta", [1.0, 1e4])
def test_content_weighting_and_its_gradient_are_finite(
    memory_scale, key_scale, beta, row_axis
):
    assert_finite_gradient(
        lambda *tensors: addressing.content_weighting(*tensors, row_axis=row_axis),
        turn(memory_scale * normal(0, 1, 8, 4), row_axis),
        key_scale * normal(1, 1, 1, 4),
        scalar(beta),
    )


def test_content_weighting_finds_the_row_with_the_same_direction():
    memory = normal(0, 1, 8, 4)
    found = addressing.content_weighting(memory, 3.0 * memory[:, 5:6], scalar(1e4))
    np.testing.assert_allclose(found, one_hot(5, 8), atol=1e-5)


def test_content_weighting_avoids_the_row_with_the_opposite_direction():
    memory = np.eye(4, dtype="float32")[None]
    found = addressing.content_weighting(memory, -memory[:, 2:3], scalar(1e4))
    np.testing.assert_allclose(found[0, 0], [1 / 3, 1 / 3, 0, 1 / 3], atol=1e-5)


def test_beta_zero_attends_equally_to_all_rows():
    found = addressing.content_weighting(
        normal(0, 1, 8, 4), normal(1, 1, 1, 4), scalar(0.0)
    )
    np.testing.assert_allclose(found, np.full((1, 1, 8), 1 / 8), atol=1e-6)


def test_content_weighting_ignores_the_length_of_the_key():
    memory, key = normal(0, 1, 8, 4), normal(1, 1, 1, 4)
    np.testing.assert_allclose(
        addressing.content_weighting(memory, 100 * key, scalar(5.0)),
        addressing.content_weighting(memory, key, scalar(5.0)),
        atol=1e-5,
    )


def test_content_weighting_of_an_all_zero_memory_is_uniform():
    memory = np.zeros((1, 8, 4), "float32")
    found = addressing.content_weighting(memory, normal(1, 1, 1, 4), scalar(1e4))
    np.testing.assert_allclose(found, np.full((1, 1, 8), 1 / 8), atol=1e-6)


# Interpolation


@SHAPES
def test_interpolate_agrees_with_the_paper(batch_size, num_heads, num_rows, word_size):
    content = weighting(0, batch_size, num_heads, num_rows)
    prev_weighting = weighting(1, batch_size, num_heads, num_rows)
    gate = np.random.default_rng(2).uniform(size=(batch_size, num_heads, 1))
    gate = gate.astype("float32")
    np.testing.assert_allclose(
        addressing.interpolate(content, prev_weighting, gate),
        reference.each_head(reference.interpolate, content, prev_weighting, gate),
        atol=1e-6,
    )


def test_gate_zero_keeps_previous_weighting():
    prev_weighting = weighting(1, 1, 1, 8)
    actual = addressing.interpolate(weighting(0, 1, 1, 8), prev_weighting, scalar(0.0))
    np.testing.assert_array_equal(actual, prev_weighting)


def test_gate_one_takes_content_weighting():
    content = weighting(0, 1, 1, 8)
    actual = addressing.interpolate(content, weighting(1, 1, 1, 8), scalar(1.0))
    np.testing.assert_array_equal(actual, content)


@pytest.mark.parametrize("gate", [0.0, 0.3, 1.0])
def test_interpolated_weighting_is_a_weighting(gate):
    assert_weighting(
        addressing.interpolate(
            weighting(0, 2, 3, 8),
            weighting(1, 2, 3, 8),
            np.full((2, 3, 1), gate, "float32"),
        )
    )


@pytest.mark.parametrize("gate", [0.0, 0.3, 1.0])
def test_interpolate_and_its_gradient_are_finite(gate):
    assert_finite_gradient(
        addressing.interpolate, one_hot(0, 8), one_hot(3, 8), scalar(gate)
    )


# Shift


@pytest.mark.parametrize("shift_range", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("batch_size", "num_heads", "num_rows"), [(2, 3, 8), (1, 1, 7)]
)
def test_shift_agrees_with_the_paper(batch_size, num_heads, num_rows, shift_range):
    prev_weighting = weighting(0, batch_size, num_heads, num_rows)
    shift = weighting(1, batch_size, num_heads, 2 * shift_range + 1)
    np.testing.assert_allclose(
        addressing.shift(prev_weighting, shift),
        reference.each_head(reference.shift, prev_weighting, shift),
        atol=1e-6,
    )


@pytest.mark.parametrize(("offset", "row"), [(-2, 6), (-1, 7), (0, 0), (1, 1), (2, 2)])
def test_one_hot_shift_moves_attention_by_its_offset(offset, row):
    moved = addressing.shift(one_hot(0, 8), one_hot(2 + offset, 5))
    np.testing.assert_array_equal(moved, one_hot(row, 8))


def test_shift_of_plus_one_wraps_from_the_last_row_to_the_first():
    moved = addressing.shift(one_hot(7, 8), one_hot(2, 3))
    np.testing.assert_array_equal(moved, one_hot(0, 8))


def test_each_head_is_shifted_independently():
    moved = addressing.shift(
        np.concatenate([one_hot(4, 8), one_hot(4, 8)], axis=1),
        np.concatenate([one_hot(0, 3), one_hot(2, 3)], axis=1),
    )
    expected = np.concatenate([one_hot(3, 8), one_hot(5, 8)], axis=1)
    np.testing.assert_array_equal(moved, expected)


def test_each_example_is_shifted_independently():
    moved = addressing.shift(
        np.concatenate([one_hot(4, 8), one_hot(4, 8)]),
        np.concatenate([one_hot(0, 3), one_hot(2, 3)]),
    )
    np.testing.assert_array_equal(moved, np.concatenate([one_hot(3, 8), one_hot(5, 8)]))


def test_shift_range_zero_leaves_weighting():
    prev_weighting = weighting(0, 2, 3, 8)
    shift = np.ones((2, 3, 1), "float32")
    np.testing.assert_array_equal(
        addressing.shift(prev_weighting, shift), prev_weighting
    )


def test_shift_over_as_many_taps_as_rows_reaches_every_row():
    moved = addressing.shift(one_hot(2, 5), np.full((1, 1, 5), 0.2, "float32"))
    np.testing.assert_allclose(moved, np.full((1, 1, 5), 0.2), atol=1e-6)


def test_single_row_keeps_all_the_attention():
    moved = addressing.shift(one_hot(0, 1), one_hot(0, 1))
    np.testing.assert_array_equal(moved, one_hot(0, 1))


@pytest.mark.parametrize("shift_range", [0, 1, 3])
def test_shifted_weighting_is_a_weighting(shift_range):
    assert_weighting(
        addressing.shift(weighting(0, 2, 3, 8), weighting(1, 2, 3, 2 * shift_range + 1))
    )


def test_shift_and_its_gradient_are_finite_on_one_hot_weightings():
    assert_finite_gradient(addressing.shift, one_hot(0, 8), one_hot(2, 3))


@pytest.mark.parametrize("num_taps", [2, 4, 9])
def test_shift_rejects_a_wrong_number_of_taps(num_taps):
    message = (
        "The last axis of `shift` must be odd and at most the number of rows. "
        f"Received: shift of shape (1, 1, {num_taps}), weighting of shape (1, 1, 8)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        addressing.shift(one_hot(0, 8), one_hot(0, num_taps))


# Sharpening


@SHAPES
def test_sharpen_agrees_with_the_paper(batch_size, num_heads, num_rows, word_size):
    blurred = weighting(0, batch_size, num_heads, num_rows)
    gamma = 1 + np.random.default_rng(1).exponential(4, (batch_size, num_heads, 1))
    gamma = gamma.astype("float32")
    actual = addressing.sharpen(blurred, gamma)
    expected = reference.each_head(
        reference.sharpen,
        blurred,
        gamma,
        sharpen_epsilon=addressing.SHARPEN_EPSILON,
    )
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_sharpen_epsilon_is_negligible():
    blurred = weighting(0, 1, 1, 8)
    # 8 rows of epsilon 1e-6 each, doubled by the square.
    np.testing.assert_allclose(
        addressing.sharpen(blurred, scalar(2.0))[0, 0],
        reference.sharpen(blurred[0, 0], 2.0),
        atol=2e-5,
    )


def test_gamma_one_leaves_weighting():
    blurred = weighting(0, 1, 1, 8)
    # The epsilon of 1e-6 per row remains.
    np.testing.assert_allclose(
        addressing.sharpen(blurred, scalar(1.0)), blurred, atol=1e-5
    )


def test_large_gamma_leaves_only_the_largest_row():
    blurred = np.array([[[0.2, 0.3, 0.4, 0.1]]], "float32")
    sharp = addressing.sharpen(blurred, scalar(1e3))
    np.testing.assert_allclose(sharp, one_hot(2, 4), atol=1e-6)


def test_gamma_undoes_the_blur_of_a_shift():
    blurred = addressing.shift(one_hot(3, 8), np.array([[[0.1, 0.1, 0.8]]], "float32"))
    sharp = addressing.sharpen(blurred, scalar(10.0))
    np.testing.assert_allclose(sharp, one_hot(4, 8), atol=1e-5)


@pytest.mark.parametrize("gamma", [1.0, 7.0, 1e3])
@pytest.mark.parametrize("num_rows", [1, 8])
def test_sharpened_weighting_is_a_weighting(gamma, num_rows):
    assert_weighting(
        addressing.sharpen(
            weighting(0, 2, 3, num_rows), np.full((2, 3, 1), gamma, "float32")
        )
    )


@pytest.mark.parametrize("gamma", [1.0, 7.0, 1e3])
@pytest.mark.parametrize(
    "blurred",
    [
        pytest.param(one_hot(2, 8), id="one-hot"),
        pytest.param(np.full((1, 1, 8), 1 / 8, "float32"), id="uniform"),
        pytest.param(np.zeros((1, 1, 8), "float32"), id="zero"),
        pytest.param(one_hot(0, 1), id="one row"),
    ],
)
def test_sharpen_and_its_gradient_are_finite(blurred, gamma):
    assert_finite_gradient(addressing.sharpen, blurred, scalar(gamma))


# Half precision

HALF = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])


@HALF
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_weightings_of_half_precision_are_computed_in_float32(dtype, size):
    # The square of 1e4 is beyond float16, and epsilon is 0 in both types.
    memory, key = size * normal(0, 1, 8, 4), size * normal(1, 1, 1, 4)
    arrays = [ops.cast(x, dtype) for x in (memory, key, scalar(1e4))]
    found = addressing.content_weighting(*arrays)
    sharp = addressing.sharpen(found, arrays[-1])
    for computed in (found, sharp):
        assert keras.backend.standardize_dtype(computed.dtype) == dtype
    rounded = [ops.cast(x, "float32") for x in arrays]
    expected = addressing.content_weighting(*rounded)
    np.testing.assert_array_equal(found, ops.cast(expected, dtype))


@HALF
def test_cosine_similarity_of_half_precision_stays_in_range(dtype):
    memory = ops.cast(np.full((1, 2, 3), 1e4), dtype)
    similarity = addressing.cosine_similarity(memory, memory[:, :1])
    np.testing.assert_allclose(ops.cast(similarity, "float32"), 1.0, atol=1e-2)
