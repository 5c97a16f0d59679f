"""`TreeRNN` against the equations by recursion, and the promises of every layer."""

import re

import arrays
import keras
import numpy as np
import pytest
from gradients import HAS_DOUBLE, layer_gradients
from keras import ops
from layer_weights import randomise

from memnets import trees

FEATURES, UNITS = 3, 4
SIZES = (1, 2, 5, 7)
RNG = np.random.default_rng(3)
NESTED, LEAVES, CHILDREN = arrays.random_batch(SIZES, FEATURES, RNG)
BILINEAR = pytest.mark.parametrize("bilinear", [False, True])
DTYPE = "float64" if HAS_DOUBLE else "float32"
TOLERANCE = 1e-12 if HAS_DOUBLE else 1e-5


def make(bilinear=True, dtype=DTYPE, **arguments):
    layer = trees.TreeRNN(UNITS, bilinear, dtype=dtype, **arguments)
    layer.build(((None, None, FEATURES), (None, None, 2)))
    return randomise(layer)


def assert_same(actual, expected, tolerance=TOLERANCE):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def functional(layer):
    leaves = keras.Input((None, FEATURES))
    children = keras.Input((None, 2), dtype="int32")
    return keras.Model([leaves, children], layer((leaves, children)))


# --- the equations ---


@pytest.mark.parametrize(
    "bilinear", [pytest.param(False, marks=pytest.mark.once), True]
)
def test_roots_are_those_of_the_recursion(bilinear):
    layer = make(bilinear)
    expected = [
        arrays.vectors(layer, tree, leaves)[-1]
        for tree, leaves in zip(NESTED, LEAVES, strict=True)
    ]
    assert_same(layer((LEAVES, CHILDREN)), expected)


@pytest.mark.once
def test_all_nodes_are_returned_in_the_order_of_the_children():
    layer = make(return_sequences=True)
    nodes = layer((LEAVES, CHILDREN))
    shown = np.asarray(nodes._keras_mask)
    largest = max(SIZES)
    for tree, size, leaves, own, mask in zip(
        NESTED, SIZES, LEAVES, np.asarray(nodes), shown, strict=True
    ):
        places = [*range(size), *range(largest, largest + size - 1)]
        assert np.flatnonzero(mask).tolist() == places
        assert (own[~mask] == 0).all()
        # Post-order: the leaves from left to right, then the parents as they end.
        expected = arrays.vectors(layer, tree, leaves)
        is_leaf = [not isinstance(node, tuple) for node in post_order(tree)]
        in_order = sorted(range(len(expected)), key=lambda i: not is_leaf[i])
        assert_same(own[mask], [expected[i] for i in in_order])


def post_order(tree):
    if isinstance(tree, tuple):
        for child in tree:
            yield from post_order(child)
    yield tree


@pytest.mark.once
def test_a_left_chain_is_a_recurrent_network():
    """The leaves are its inputs and the first one its start."""
    layer = make(bilinear=False)
    steps = 6
    leaves = RNG.standard_normal((2, steps, FEATURES))
    _, children = trees.children_of(arrays.left_chain(range(steps)))
    kernel, bias, joined, joined_bias = map(np.asarray, layer.weights)
    from_state, from_input = np.split(joined, 2)
    hidden = leaves[:, 0] @ kernel + bias
    for t in range(1, steps):
        inputs = leaves[:, t] @ kernel + bias
        hidden = np.tanh(hidden @ from_state + inputs @ from_input + joined_bias)
    assert_same(layer((leaves, np.stack([children] * 2))), hidden)


@pytest.mark.once
@BILINEAR
def test_swapping_children_swaps_the_halves_of_the_weights(bilinear):
    layer, swapped = make(bilinear), make(bilinear)
    order = [*range(UNITS, 2 * UNITS), *range(UNITS)]
    swapped.kernel.assign(np.asarray(layer.kernel)[order])
    if bilinear:
        products = np.asarray(layer.bilinear_kernel)
        swapped.bilinear_kernel.assign(products[order][..., order])
    assert_same(
        swapped((LEAVES, CHILDREN[..., ::-1].copy())), layer((LEAVES, CHILDREN))
    )


@pytest.mark.once
def test_the_order_in_which_parents_are_listed_does_not_matter():
    layer = make()
    leaves = RNG.standard_normal((1, 4, FEATURES))
    one = layer((leaves, np.array([[[0, 1], [2, 3], [4, 5]]])))
    other = layer((leaves, np.array([[[2, 3], [0, 1], [5, 4]]])))
    assert_same(one, other)


@pytest.mark.once
def test_products_begin_at_zero():
    layer = trees.TreeRNN(UNITS, bilinear=True)
    layer((LEAVES, CHILDREN))
    assert not np.asarray(layer.bilinear_kernel).any()


# --- gradients ---


@pytest.mark.once  # JAX computes in float32 only
@pytest.mark.parametrize(
    ("bilinear", "return_sequences"), [(False, False), (True, True)]
)
def test_gradients_are_central_differences(bilinear, return_sequences):
    layer = make(bilinear, return_sequences=return_sequences)
    outputs = layer((LEAVES, CHILDREN))
    factors = RNG.standard_normal(outputs.shape)
    # The function that differentiates gives a layer one argument.
    whole = _OfLeaves(layer, CHILDREN)
    found = layer_gradients(
        whole, lambda nodes, *_: ops.sum(ops.multiply(nodes, factors)), LEAVES
    )
    assert len(found) == len(layer.trainable_variables)
    for variable in layer.trainable_variables:
        value, direction = np.array(variable), RNG.standard_normal(variable.shape)
        sides = []
        for step in (1e-5, -1e-5):
            variable.assign(value + step * direction)
            sides.append(np.sum(np.asarray(layer((LEAVES, CHILDREN))) * factors))
        variable.assign(value)
        difference = (sides[0] - sides[1]) / 2e-5
        gradient = np.sum(found[variable.path] * direction)
        np.testing.assert_allclose(gradient, difference, rtol=1e-6, atol=1e-9)


class _OfLeaves(keras.layers.Layer):
    """A `TreeRNN` over trees that are always the same."""

    def __init__(self, layer, children):
        super().__init__(dtype=layer.dtype_policy)
        self.layer, self.children = layer, children

    def call(self, leaves, training=False):
        return self.layer((leaves, self.children))


@pytest.mark.once
def test_leaves_and_parents_that_are_absent_have_no_influence():
    layer = make(return_sequences=True)
    changed = LEAVES.copy()
    for leaves, size in zip(changed, SIZES, strict=True):
        leaves[size:] = 1e3
    np.testing.assert_array_equal(layer((changed, CHILDREN)), layer((LEAVES, CHILDREN)))


@pytest.mark.once
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_values_and_gradients_of_large_leaves_are_finite(policy):
    layer = _OfLeaves(make(dtype=policy), CHILDREN)
    large = 1e4 * LEAVES.astype("float32")
    found = layer_gradients(layer, lambda y, *_: ops.sum(ops.cast(y, "float32")), large)
    assert np.isfinite(np.asarray(ops.cast(layer(large), "float32"))).all()
    assert all(np.isfinite(gradient).all() for gradient in found.values())


# --- the promises of a layer ---


def test_a_model_computes_what_a_direct_call_computes_for_any_batch():
    layer = make(dtype="float32", return_sequences=True)
    model = functional(layer)
    assert model.output.shape[-1] == UNITS
    whole = np.asarray(layer((LEAVES, CHILDREN)))
    assert_same(model.predict_on_batch([LEAVES, CHILDREN]), whole, 1e-5)
    for row in range(len(SIZES)):
        alone = model.predict_on_batch([LEAVES[[row]], CHILDREN[[row]]])
        assert_same(alone[0], whole[row], 1e-5)


def test_a_single_leaf_is_its_own_root():
    layer = make()
    kernel, bias = map(np.asarray, layer.weights[:2])
    alone = layer((LEAVES[:, :1], np.zeros((len(SIZES), 0, 2), "int32")))
    assert_same(alone, LEAVES[:, 0] @ kernel + bias)


@pytest.mark.once
def test_a_saved_model_computes_the_same(tmp_path):
    layer = make(dtype="float32", return_sequences=True, activation="relu")
    model = functional(layer)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    inputs = [LEAVES, CHILDREN]
    expected = model.predict_on_batch(inputs)
    np.testing.assert_array_equal(loaded.predict_on_batch(inputs), expected)
    assert loaded.layers[-1].get_config() == layer.get_config()


@pytest.mark.only(
    "tensorflow", "jax", reason="Keras exports from PyTorch through torch_xla"
)
# Of Keras' own export.
@pytest.mark.filterwarnings("ignore:The .native_serialization:DeprecationWarning")
def test_an_exported_model_takes_trees_of_any_size(tmp_path):
    import tensorflow as tf

    model = functional(make(dtype="float32"))
    model.export(tmp_path / "model", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "model")
    inputs = [tf.constant(LEAVES, "float32"), tf.constant(CHILDREN)]
    assert_same(loaded.serve(inputs), model.predict_on_batch([LEAVES, CHILDREN]), 1e-5)


@pytest.mark.once
def test_a_step_of_training_is_the_same_with_and_without_xla():
    weights = []
    for jit_compile in (True, False):
        layer = make(dtype="float32")
        model = functional(layer)
        before = layer.get_weights()
        model.compile("sgd", "mse", jit_compile=jit_compile)
        model.train_on_batch([LEAVES, CHILDREN], np.ones((len(SIZES), UNITS)))
        weights.append(layer.get_weights())
        for new, old in zip(weights[-1], before, strict=True):
            assert not np.array_equal(new, old)
    for one, other in zip(*weights, strict=True):
        assert_same(one, other, 1e-5)


@pytest.mark.once
@pytest.mark.parametrize(
    ("policy", "tolerance"), [("mixed_float16", 0.01), ("mixed_bfloat16", 0.1)]
)
def test_half_precision(policy, tolerance):
    layer = make(bilinear=False, dtype=policy)
    outputs = layer((LEAVES, CHILDREN))
    compute_dtype = keras.DTypePolicy(policy).compute_dtype
    assert keras.backend.standardize_dtype(outputs.dtype) == compute_dtype
    assert {variable.dtype for variable in layer.weights} == {"float32"}
    expected = make(bilinear=False)((LEAVES, CHILDREN))
    assert_same(np.asarray(ops.cast(outputs, "float32")), expected, tolerance)


@pytest.mark.once
def test_a_mask_of_words_is_not_needed():
    layer = make()
    words = np.array([[1, 2, 0], [3, 1, 2]])
    children = np.array([[[0, 1], [-1, -1]], [[0, 1], [2, 3]]])
    outputs = []
    for mask_zero in (True, False):
        embedding = keras.layers.Embedding(4, FEATURES, mask_zero=mask_zero)
        embedding.build()
        randomise(embedding)
        outputs.append(np.asarray(layer((embedding(words), children))))
    np.testing.assert_array_equal(*outputs)


# --- errors ---


@pytest.mark.once
@pytest.mark.parametrize(
    ("trees_given", "message"),
    [
        (LEAVES, "`trees` must be a pair, (leaves, children). Received: trees=array"),
        ((LEAVES[0], CHILDREN), "`leaves` must have the shape (B, L, 3). Received"),
        ((LEAVES[..., :2], CHILDREN), "`leaves` must have the shape (B, L, 3). Receiv"),
        ((LEAVES[:, :0], CHILDREN), "`leaves` must have at least one leaf. Received"),
        ((LEAVES, CHILDREN[:, 1:]), "`children` must have the shape (4, 6, 2). Receiv"),
        ((LEAVES, CHILDREN[1:]), "`children` must have the shape (4, 6, 2). Received"),
        ((LEAVES, CHILDREN[..., 0]), "`children` must have the shape (4, 6, 2). Rece"),
        (
            (LEAVES, CHILDREN + 1),
            "`children` must name nodes that come before their parent, or be -1 twice.",
        ),
    ],
)
def test_trees_that_cannot_be_are_errors(trees_given, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        make()(trees_given)


@pytest.mark.once
def test_children_must_be_integers():
    with pytest.raises(TypeError, match="^`children` must be integers, and an input"):
        make()((LEAVES, CHILDREN.astype("float32")))


@pytest.mark.once
@pytest.mark.parametrize("name", ["bilinear", "return_sequences"])
def test_switches_must_be_true_or_false(name):
    with pytest.raises(TypeError, match=f"^`{name}` must be True or False. Received"):
        trees.TreeRNN(3, **{name: 1})


@pytest.mark.once
@pytest.mark.parametrize("shape", [(2, 3), ((2, 3), (2, 2)), ((1, 2, None), (1, 1, 2))])
def test_the_number_of_features_must_be_known(shape):
    with pytest.raises(ValueError, match="^`leaves_shape` must be "):
        trees.TreeRNN(3).build(shape)
