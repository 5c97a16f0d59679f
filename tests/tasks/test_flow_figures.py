"""Pictures of gradient flow show what was measured."""

import numpy as np
import pytest

from memnets.flow import GradientFlow
from tasks.figures.flow_figures import LEAST, draw_gradient_flow


def measured(norms, bound=None):
    norms = np.array(norms)
    gains = np.divide(
        norms[:-1], norms[1:], where=norms[1:] > 0, out=norms[1:] * np.nan
    )
    return GradientFlow(
        norms=norms,
        state_norms=norms[:, None],
        gains=gains,
        bound=None if bound is None else np.array(bound),
        singular_values=None,
    )


def lines(axes):
    """The points of the lines of a panel by their labels."""
    return {line.get_label(): line.get_xydata().T for line in axes.get_lines()}


def test_norms_are_drawn_from_the_end_of_the_sequence():
    flows = {"long": measured([1.0, 2.0, 4.0]), "short": measured([9.0, 3.0])}
    above, below = draw_gradient_flow(flows).axes
    drawn = lines(above)
    assert list(drawn) == ["long", "short"]
    np.testing.assert_allclose(drawn["long"], [[2, 1, 0], [0.25, 0.5, 1]])
    np.testing.assert_allclose(drawn["short"], [[1, 0], [3, 1]])
    long, short, _ = below.get_lines()
    np.testing.assert_allclose(long.get_xydata().T, [[2, 1], [0.5, 0.5]])
    np.testing.assert_allclose(short.get_xydata().T, [[1], [3]])


@pytest.mark.parametrize(("bound", "is_drawn"), [(0.5, True), (2.0, False)])
def test_a_bound_is_drawn_where_it_says_something(bound, is_drawn):
    flows = {"simple": measured([0.1, 1.0], [bound, 3.0])}
    assert (len(draw_gradient_flow(flows).axes[0].get_lines()) == 2) is is_drawn


def test_what_has_vanished_or_was_masked_leaves_a_gap():
    flow = measured([np.nan, 0.0, LEAST / 10, 1.0])
    figure = draw_gradient_flow({"faded": flow})
    heights = lines(figure.axes[0])["faded"][1]
    assert np.isnan(heights[:3]).all() and heights[3] == 1
    assert np.isfinite(figure.axes[0].get_ylim()).all()
    figure.canvas.draw()


def test_a_masked_end_and_a_layer_without_gradients_are_drawn():
    flows = {"padded": measured([2.0, 4.0, np.nan]), "dead": measured([0.0, 0.0])}
    figure = draw_gradient_flow(flows)
    np.testing.assert_allclose(lines(figure.axes[0])["padded"][1][:2], [0.5, 1])
    figure.canvas.draw()


@pytest.mark.parametrize("flows", [{}, None, [measured([1.0, 2.0])]])
def test_something_else_than_measured_layers_is_refused(flows):
    with pytest.raises(ValueError, match="`flows` must be a dictionary of at least"):
        draw_gradient_flow(flows)
