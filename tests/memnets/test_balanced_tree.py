"""`BalancedTree` against a `TreeRNN` over the balanced list of children. What every
layer promises is in `tests/conformance`."""

import arrays
import keras
import numpy as np
import pytest
from layer_weights import randomise

from memnets import trees

FEATURES, UNITS = 3, 4
RNG = np.random.default_rng(4)


def make(layer_class, bilinear=True):
    layer = layer_class(UNITS, bilinear)
    shape = (None, None, FEATURES)
    is_tree_rnn = layer_class is trees.TreeRNN
    layer.build((shape, (None, None, 2)) if is_tree_rnn else shape)
    return randomise(layer, scale=0.5)


def assert_same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("size", "bilinear"),
    [
        *(pytest.param(n, False, marks=pytest.mark.once) for n in (1, 2, 8)),
        *((3, False), (11, True)),
        pytest.param(6, True, marks=pytest.mark.once),
    ],
)
def test_a_balanced_tree_is_a_tree_rnn_over_the_balanced_list(size, bilinear):
    sequences = RNG.standard_normal((2, size, FEATURES)).astype("float32")
    _, children = trees.children_of(arrays.balanced_tree(range(size)))
    given = make(trees.TreeRNN, bilinear)
    found = make(trees.BalancedTree, bilinear)(sequences)
    assert_same(found, given((sequences, np.stack([children] * 2))))


@pytest.mark.once
def test_a_gradient_passes_as_many_layers_as_there_are_levels():
    """Weights of 1/2 in a tree of linear units halve what passes a level."""
    layer = trees.BalancedTree(1, activation=None)
    layer.build((None, None, 1))
    zero = np.zeros(1)
    layer.set_weights([np.ones((1, 1)), zero, np.full((2, 1), 0.5), zero])
    one_each = np.eye(11, dtype="float32")[..., None]
    # 11 nodes become 6, 3, 2 and 1. The last leaf moves up, joins the parent of the two
    # before it, and that node moves up once.
    levels = [4] * 8 + [3] * 2 + [2]
    assert_same(layer(one_each)[:, 0], [0.5**depth for depth in levels])


def test_masked_steps_are_no_leaves():
    layer = make(trees.BalancedTree)
    sequences = RNG.standard_normal((4, 6, FEATURES)).astype("float32")
    mask = np.array(
        [
            [1, 1, 1, 1, 1, 1],
            [1, 1, 1, 0, 0, 0],
            [0, 1, 0, 1, 1, 1],
            [0, 0, 0, 0, 1, 0],
        ],
        bool,
    )
    found = np.asarray(layer(sequences, mask=mask))
    for row, shown in enumerate(mask):
        assert_same(found[row], layer(sequences[row : row + 1, shown])[0])


def test_a_sequence_without_a_leaf_has_a_root_of_zeros():
    layer = make(trees.BalancedTree)
    mask = np.array([[0, 0, 0], [1, 1, 0]])
    found = np.asarray(layer(np.ones((2, 3, FEATURES)), mask=mask))
    assert (found[0] == 0).all() and (found[1] != 0).all()


@pytest.mark.only("tensorflow", reason="JAX compiles for sizes it knows")
def test_lengths_that_a_graph_does_not_know_have_the_same_gradients():
    import tensorflow as tf

    layer = make(trees.BalancedTree, bilinear=False)

    def gradients(sequences):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(layer(sequences) ** 2)
        return tape.gradient(value, layer.trainable_variables)

    unknown = tf.function(
        gradients,
        input_signature=[tf.TensorSpec((None, None, FEATURES))],
        jit_compile=True,
    )
    for size in (1, 3):
        sequences = tf.constant(RNG.standard_normal((2, size, FEATURES)), "float32")
        for found, expected in zip(
            unknown(sequences), gradients(sequences), strict=True
        ):
            # With a single leaf no parent has a gradient.
            expected = np.zeros(found.shape) if expected is None else expected
            assert_same(found, expected)


@pytest.mark.once
def test_an_empty_batch_has_an_empty_output():
    layer = make(trees.BalancedTree)
    assert layer(np.zeros((0, 5, FEATURES), "float32")).shape == (0, UNITS)


def test_sequences_must_have_a_step():
    with pytest.raises(ValueError, match="^`sequences` must have at least one step."):
        make(trees.BalancedTree)(np.zeros((2, 0, FEATURES)))


@pytest.mark.parametrize("name", ["kernel_initializer", "bilinear_initializer"])
def test_unknown_initializers_are_errors(name):
    with pytest.raises(ValueError, match=f"^`{name}` must be an initializer of Keras"):
        trees.BalancedTree(3, **{name: "large"})


@pytest.mark.once
def test_initializers_are_used():
    one = keras.initializers.Constant(1.0)
    layer = trees.BalancedTree(
        2, bilinear=True, kernel_initializer=one, bilinear_initializer=one
    )
    layer.build((None, None, 2))
    for variable in layer.weights:
        expected = 0 if variable.name.endswith("bias") else 1
        assert (np.asarray(variable) == expected).all()
