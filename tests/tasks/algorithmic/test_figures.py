"""The picture of a sequence."""

import collections

import numpy as np

from tasks import Copy, PrioritySort

Head = collections.namedtuple("Head", "name kind vectors weighting")


def test_errors_are_signed_and_have_a_key():
    task = Copy(2, 3, 3)
    batch = task.sample(1, rng=0)
    logits = np.where(batch.targets > 0, 5.0, -5.0)
    logits[0, 4:6, 0] *= -1
    figure = task.presentation.draw(batch, logits, [])
    panels = {axes.get_ylabel(): axes for axes in figure.axes}
    assert list(panels) == ["inputs", "targets", "outputs", "errors"]
    shown = np.ma.filled(panels["errors"].images[0].get_array(), 0.0)
    expected = np.zeros((2, 7))
    expected[0, 4:6] = 1 - 2 * batch.targets[0, 4:6, 0]
    np.testing.assert_array_equal(np.nan_to_num(shown), expected)
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["1 instead of 0", "0 instead of 1"]
    # The key has the colours of the panel.
    image = panels["errors"].images[0]
    for patch, error in zip(legend.get_patches(), (1.0, -1.0), strict=True):
        np.testing.assert_allclose(
            patch.get_facecolor(), image.cmap(image.norm(error)), atol=0.01
        )


def test_each_head_has_its_vectors_and_its_rows():
    task = Copy(2, 3, 3)
    batch = task.sample(1, rng=0)
    rng = np.random.default_rng(0)
    heads = [
        Head(f"{kind} head", kind, rng.normal(size=(1, 7, 4)), np.eye(16)[None, :7])
        for kind in ("write", "read")
    ]
    figure = task.presentation.draw(batch, batch.targets, heads)
    titles = [axes.get_ylabel() for axes in figure.axes]
    assert titles[4:] == [
        *("write head\nadds", "write head\nmemory row"),
        *("read head\nreads", "read head\nmemory row"),
    ]
    # Rows 0 to 6 and the margin.
    assert figure.axes[-1].get_ylim() == (8.5, -0.5)


def test_sorting_shows_where_each_vector_was_written():
    task = PrioritySort(2, 4, 2)
    batch = task.sample(1, rng=0)
    steps = batch.inputs.shape[1]
    heads = [
        Head("write head", "write", None, np.eye(8)[None, :steps]),
        Head("read head", "read", None, np.eye(8)[None, :steps]),
    ]
    (section,) = task.presentation.sections(batch, heads)
    (axes,) = section.figure.axes
    points = axes.collections[0].get_offsets()
    np.testing.assert_allclose(points[:, 0], batch.inputs[0, :4, 2], rtol=1e-6)
    assert points[:, 1].tolist() == [0, 1, 2, 3]
