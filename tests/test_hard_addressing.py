"""The gradient of REINFORCE in the example, against the exact one."""

import itertools
import pathlib
import runpy

import numpy as np
from gradients import gradient
from keras import ops

PATH = pathlib.Path(__file__).parent.parent / "examples" / "hard_addressing.py"


def test_the_mean_over_all_draws_is_the_gradient_of_the_expected_loss(monkeypatch):
    """Two steps, each with a move of its own probabilities. Their sum decides the loss
    of the second step, which also has a part that no move decides."""
    example = runpy.run_path(str(PATH))
    monkeypatch.setitem(example["reinforce_loss"].__globals__, "ENTROPY_BONUS", 0.0)
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((2, 3)).astype("float32")
    answers = rng.standard_normal(5).astype("float32")  # by the sum of the moves
    expected = rng.standard_normal(2).astype("float32")  # any baseline
    targets = np.array([[[0.0, 1.0], [1.0, 1.0]]], "float32")

    def probability(logits, moves):
        shares = ops.softmax(logits)
        return shares[0, moves[0]] * shares[1, moves[1]]

    def loss(logits, moves):
        log = ops.log_softmax(logits)
        rows = [
            ops.stack([ops.cast(answer, "float32"), log[step, moves[step]], base])
            for step, (answer, base) in enumerate(
                zip((answers[0], answers[sum(moves)]), expected, strict=True)
            )
        ]
        return ops.sum(example["reinforce_loss"](targets, ops.stack(rows)[None]))

    draws = list(itertools.product(range(3), repeat=2))
    mean = sum(
        float(probability(logits, moves))
        * np.asarray(gradient(lambda z, m=moves: loss(z, m), logits)[0])
        for moves in draws
    )

    def expected_loss(logits):
        # What is left of the loss without the terms of REINFORCE: softplus(+-answer).
        costs = [np.logaddexp(0, -answers[sum(moves)]) for moves in draws]
        return sum(
            probability(logits, moves) * float(cost)
            for moves, cost in zip(draws, costs, strict=True)
        )

    (exact,) = gradient(expected_loss, logits)
    np.testing.assert_allclose(mean, np.asarray(exact), atol=1e-5)
    assert np.abs(mean).max() > 0.01
