"""The order of writing that a Differentiable Neural Computer keeps."""

import dnc_reference
import numpy as np
import pytest
from arrays import weighting
from gradients import gradient
from keras import ops

from memnets.dnc import linkage

B, H, R, N = 3, 2, 2, 5


def partial(seed, *shape):
    """Weightings that sum to less than 1."""
    shares = np.random.default_rng(seed).uniform(size=(*shape[:-1], 1))
    return (shares * weighting(seed, *shape)).astype("float32")


def history(steps=4):
    """Links and precedence after random writes, by the oracle: `(links, precedence)`
    float32, `(B, H, N, N)` and `(B, H, N)`."""
    links, precedence = np.zeros((B, H, N, N)), np.zeros((B, H, N))
    for step in range(steps):
        written = partial(step, B, H, N)
        for b in range(B):
            for h in range(H):
                links[b, h] = dnc_reference.update_links(
                    links[b, h], precedence[b, h], written[b, h]
                )
                precedence[b, h] = dnc_reference.update_precedence(
                    precedence[b, h], written[b, h]
                )
    return links.astype("float32"), precedence.astype("float32")


def each(oracle, *arrays):
    """The oracle of one head over arrays with leading axes `(B, H)`."""
    return np.array(
        [[oracle(*(a[b, h] for a in arrays)) for h in range(H)] for b in range(B)]
    )


def test_links_agree_with_the_paper():
    (links, precedence), written = history(), partial(9, B, H, N)
    np.testing.assert_allclose(
        linkage.update_links(links, precedence, written),
        each(dnc_reference.update_links, links, precedence, written),
        atol=1e-6,
    )


def test_precedence_agrees_with_the_paper():
    (_, precedence), written = history(), partial(9, B, H, N)
    np.testing.assert_allclose(
        linkage.update_precedence(precedence, written),
        each(dnc_reference.update_precedence, precedence, written),
        atol=1e-6,
    )


def test_ways_along_links_agree_with_the_paper():
    (links, _), reading = history(), weighting(9, B, R, N)
    actual = linkage.follow_links(links, reading)
    expected = [
        [
            [dnc_reference.follow_links(links[b, h], reading[b, r]) for h in range(H)]
            for r in range(R)
        ]
        for b in range(B)
    ]
    np.testing.assert_allclose(np.stack(actual, axis=-2), expected, atol=1e-6)


def test_read_weighting_agrees_with_the_paper():
    backward, forward = weighting(1, B, R, H, N), weighting(2, B, R, H, N)
    content, mode = weighting(3, B, R, N), weighting(4, B, R, 2 * H + 1)
    expected = mode[:, :, H, None] * content
    for h in range(H):
        expected = expected + mode[:, :, h, None] * backward[:, :, h]
        expected = expected + mode[:, :, H + 1 + h, None] * forward[:, :, h]
    np.testing.assert_allclose(
        linkage.read_weighting(backward, content, forward, mode), expected, atol=1e-6
    )


@pytest.mark.once
def test_links_lead_from_row_to_row_in_the_order_of_writing():
    links, precedence = np.zeros((1, 1, N, N)), np.zeros((1, 1, N))
    order = [3, 0, 4, 1]
    for row in order:
        written = np.eye(N)[None, None, row]
        links = linkage.update_links(links, precedence, written)
        precedence = linkage.update_precedence(precedence, written)
    for before, after in zip(order[:-1], order[1:], strict=True):
        _, forward = linkage.follow_links(links, np.eye(N)[None, None, before])
        np.testing.assert_array_equal(forward[0, 0, 0], np.eye(N)[after])
        backward, _ = linkage.follow_links(links, np.eye(N)[None, None, after])
        np.testing.assert_array_equal(backward[0, 0, 0], np.eye(N)[before])


@pytest.mark.once
def test_links_of_many_writes_stay_weightings():
    links, precedence = history(steps=40)
    links = np.asarray(linkage.update_links(links, precedence, partial(41, B, H, N)))
    assert np.all(links >= 0)
    assert np.all(np.diagonal(links, axis1=-2, axis2=-1) == 0)
    for axis in (-1, -2):
        assert np.all(links.sum(axis=axis) <= 1 + 1e-6)


@pytest.mark.once
def test_nothing_written_leaves_links_and_precedence():
    links, precedence = history()
    nothing = np.zeros((B, H, N), "float32")
    np.testing.assert_array_equal(
        linkage.update_links(links, precedence, nothing), links
    )
    np.testing.assert_array_equal(
        linkage.update_precedence(precedence, nothing), precedence
    )


@pytest.mark.parametrize("rows", [0, 1])
def test_gradients_are_finite_for_sharp_writes(rows):
    links, precedence = history()
    written = np.tile(np.eye(N, dtype="float32")[rows], (B, H, 1))

    def loss(links, precedence, written):
        links = linkage.update_links(links, precedence, written)
        precedence = linkage.update_precedence(precedence, written)
        ways = linkage.follow_links(links, precedence)
        return ops.sum(ops.square(ops.stack(ways)))

    for part in gradient(loss, links, precedence, written):
        assert np.all(np.isfinite(part))


@pytest.mark.once
@pytest.mark.parametrize(
    ("function", "right", "name"),
    [
        (linkage.update_links, ((1, 1, 3, 3), (1, 1, 3), (1, 1, 3)), "weighting"),
        (linkage.update_precedence, ((1, 1, 3), (1, 1, 3)), "weighting"),
        (linkage.follow_links, ((1, 1, 3, 3), (1, 1, 3)), "weighting"),
        (
            linkage.read_weighting,
            ((1, 1, 1, 3), (1, 1, 3), (1, 1, 1, 3), (1, 1, 3)),
            "mode",
        ),
    ],
)
def test_a_wrong_number_of_axes_is_named(function, right, name):
    tensors = [np.zeros(shape, "float32") for shape in right]
    function(*tensors)
    message = rf"^`{name}` must have 3 axes. Received: {name} of shape \(3,\)$"
    with pytest.raises(ValueError, match=message):
        function(*tensors[:-1], np.zeros(3, "float32"))
