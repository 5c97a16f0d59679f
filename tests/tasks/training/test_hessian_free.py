"""Hessian-free optimization, against dense matrices and closed forms."""

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import memnets
from tasks.training.conjugate_gradients_jax import conjugate_gradients
from tasks.training.hessian_free_jax import Problem, hessian_free

pytestmark = pytest.mark.only("jax")

RNG = np.random.default_rng(5)


def recurrent(units=3, outputs=2, steps=4):
    keras.utils.set_random_seed(2)
    inputs = keras.Input((steps, 2))
    states = keras.layers.SimpleRNN(units, return_sequences=True, name="states")(inputs)
    return keras.Model(inputs, keras.layers.Dense(outputs)(states[:, -1]))


def data(count=5, outputs=2):
    x = RNG.normal(size=(count, 4, 2)).astype("float32")
    return x, RNG.normal(size=(count, outputs)).astype("float32")


def weights_of(model):
    return ravel_pytree([v.value for v in model.trainable_variables])[0]


def dense(multiply, size):
    """The matrix of a product, of which all columns are one compiled program."""
    return np.asarray(jax.jit(jax.vmap(multiply))(jnp.eye(size))).T


def test_one_step_solves_linear_least_squares():
    x = RNG.normal(size=(40, 3)).astype("float32")
    y = RNG.normal(size=(40, 2)).astype("float32")
    inputs = keras.Input((3,))
    model = keras.Model(inputs, keras.layers.Dense(2)(inputs))
    done = hessian_free(model, x, y, damping=1e-8, steps=1)
    expected = np.linalg.lstsq(np.c_[x, np.ones(40)], y, rcond=None)[0]
    found = np.concatenate([model.weights[0], np.asarray(model.weights[1])[None]])
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert done[0].scale == 1 and 8 <= done[0].iterations <= 150


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_the_product_is_that_of_the_dense_matrices(mu):
    """J^T H J, and lambda mu of the same of the hidden states over the sequences."""
    model, (x, y) = recurrent(), data()
    problem = Problem(model, keras.losses.get("mse"), "states", mu)
    weights, damping = weights_of(model), 0.7
    both = jax.jit(jax.jacobian(lambda w: problem.forward(w, x)))(weights)
    jacobian, moved = (one.reshape(-1, len(weights)) for one in both)
    bent = 2 / y.size * np.eye(y.size)  # of the mean squared error
    expected = jacobian.T @ bent @ jacobian + damping * np.eye(len(weights))
    expected = expected + damping * mu / len(x) * moved.T @ moved
    found = dense(problem.product(weights, damping, x, y), len(weights))
    np.testing.assert_allclose(found, expected, atol=2e-5)
    np.testing.assert_allclose(found, found.T, atol=2e-5)
    assert np.linalg.eigvalsh(found).min() > 0.69


def test_classes_have_the_curvature_of_the_cross_entropy():
    model, (x, _) = recurrent(outputs=3), data()
    y = np.array([0, 2, 1, 1, 0])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    problem, weights = Problem(model, loss, None, 0.0), weights_of(model)
    jacobian = jax.jit(jax.jacobian(lambda w: problem.forward(w, x)[0]))(weights)
    chances = jax.nn.softmax(problem.forward(weights, x)[0])
    expected = 0.0
    for one, p in zip(jacobian, chances, strict=True):
        expected += one.T @ (jnp.diag(p) - jnp.outer(p, p)) @ one / len(x)
    found = dense(problem.product(weights, 0.0, x, y), len(weights))
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_conjugate_gradients_solve_a_system():
    root = RNG.normal(size=(6, 6))
    matrix = (root @ root.T + np.eye(6)).astype("float32")
    target = RNG.normal(size=6).astype("float32")
    found, value, count = conjugate_gradients(
        lambda v: matrix @ v, target, jnp.ones(6), 50
    )
    expected = np.linalg.solve(matrix, target)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert float(value) == pytest.approx(-0.5 * target @ expected, rel=1e-3)
    assert int(count) <= 50


def test_a_model_at_its_minimum_stays_there():
    inputs = keras.Input((3,))
    model = keras.Model(
        inputs, keras.layers.Dense(2, kernel_initializer="zeros")(inputs)
    )
    done = hessian_free(model, np.ones((4, 3)), np.zeros((4, 2)), steps=2)
    assert [step.loss for step in done] == [0, 0]
    assert [step.damping for step in done] == [10, 10]
    assert not np.any(model.get_weights()[0])


def test_the_loss_falls_at_every_step_and_the_model_is_trained():
    model, (x, y) = recurrent(), data(20)
    seen = []
    done = hessian_free(
        *(model, x, y),
        hidden="states",
        damping=1.0,
        steps=6,
        curvature_sequences=10,
        on_step=seen.append,
    )
    losses = [step.loss for step in done]
    assert seen == done and losses == sorted(losses, reverse=True)
    final = float(np.mean((np.asarray(model(x)) - y) ** 2))
    assert final < losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("cell", [keras.layers.LSTMCell, keras.layers.GRUCell])
def test_networks_that_the_kernel_runs_are_trained_on_the_portable_path(cell):
    layer = memnets.MemoryRNN(cell(3))
    inputs = keras.Input((4, 2))
    model = keras.Model(inputs, keras.layers.Dense(2)(layer(inputs)))
    done = hessian_free(model, *data(), steps=2)
    assert done[1].loss < done[0].loss
    assert memnets.native.covers(layer.cell) == memnets.native.is_available()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 0}, "`damping` must be a finite number above 0"),
        ({"structural_damping": -1}, "`structural_damping` must be a finite number"),
        ({"steps": 0}, "`steps` must be a positive integer"),
        ({"cg_steps": 1.5}, "`cg_steps` must be a positive integer"),
        ({"curvature_sequences": 9}, "`curvature_sequences` must be an integer of at"),
        ({"hidden": keras.layers.Dense(1)}, "`hidden` must be a layer of the model"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        hessian_free(recurrent(), *data(), **options)
