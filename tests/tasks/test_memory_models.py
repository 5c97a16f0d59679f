"""Models with a memory: the bounds of their inputs and carries."""

import pytest

import tasks

BOUNDED = [
    ("ntm-feedforward", "input_clip"),
    ("ntm-lstm", "cell_clip"),
    ("dnc-feedforward", "input_clip"),
    ("dnc-lstm", "cell_clip"),
    ("sam-lstm", "input_clip"),
    ("mann", "input_clip"),
]

pytestmark = pytest.mark.once


@pytest.mark.parametrize(("name", "bound"), BOUNDED)
def test_a_bound_reaches_the_layer_and_0_is_none(name, bound):
    for given, expected in ((1.5, 1.5), (0.0, None)):
        model = tasks.get_model(name, tasks.Copy(), **{bound: given})
        assert getattr(model.layer(2).cell, bound) == expected


@pytest.mark.parametrize(("name", "bound"), BOUNDED)
@pytest.mark.parametrize("given", [-1, float("nan"), "1"])
def test_a_bound_is_not_negative(name, bound, given):
    message = f"^`{bound}` must be a finite number at least 0. Received: {bound}="
    with pytest.raises(ValueError, match=message):
        tasks.get_model(name, tasks.Copy(), **{bound: given})


@pytest.mark.parametrize("name", ["dnc-feedforward", "sam-feedforward"])
def test_only_an_lstm_has_carries_to_bound(name):
    with pytest.raises(TypeError, match="cell_clip"):
        tasks.get_model(name, tasks.Copy(), cell_clip=1.0)
