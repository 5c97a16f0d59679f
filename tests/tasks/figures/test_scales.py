"""Axes of errors and scores: all that is drawn is seen, in most of the picture."""

import numpy as np
import pytest

import tasks
from tasks.comparison.figures import BySize, Curves, draw_panels
from tasks.contract.parts import Column
from tasks.evaluation import EvaluationResult
from tasks.report.run_figures import draw_learning, draw_sizes
from tasks.runs.history import History

BITS = Column("bits per character")
CIDER = Column("CIDEr-D", ".3f", higher_is_better=True)


class CiderPresentation(tasks.Presentation):
    headline = "cider-d"


class Captioned(tasks.Copy):
    """A task whose headline is a score."""

    presentation = tasks.Beside(CiderPresentation)
    columns = {"cider-d": CIDER, "val_cider-d": CIDER}


def share_of(axes, values):
    """The part of an axis between the smallest and the largest value, both seen."""
    (bottom, top), ends = axes.get_ylim(), axes.transAxes.inverted()
    assert bottom <= min(values) and max(values) <= top
    places = axes.transData.transform([(0, y) for y in (min(values), max(values))])
    low, high = ends.transform(places)[:, 1]
    return high - low


def history_of(**measures):
    count = len(next(iter(measures.values())))
    rows = [
        {"epoch": n + 1, "sequences": 100 * (n + 1), "seconds": 1, "loss": 1}
        | {name: values[n] for name, values in measures.items()}
        | {"skipped": 0, "rolled_back": 0}
        for n in range(count)
    ]
    return History(rows, tasks.TrainingConfig())


def test_a_curve_of_bits_per_character_fills_its_picture():
    values = [4.2, 3.1, 2.6, 2.3, 2.2]
    curves = {"lstm": ([1.0, 2.0, 3.0, 4.0, 5.0], np.array([values]))}
    (axes,) = draw_panels([Curves(curves, BITS)]).axes
    assert axes.get_yscale() == "linear" and share_of(axes, values) > 0.8
    task = tasks.get_task("language-model")
    (axes,) = draw_learning(task, history_of(bits_per_character=values)).axes
    assert axes.get_yscale() == "linear" and share_of(axes, values) > 0.8


@pytest.mark.parametrize("least", [1.0, 0.99])
def test_scores_that_are_all_alike_are_not_at_the_edge(least):
    share = Column("right symbols", ".1%", higher_is_better=True)
    curves = {"lstm": ([41.0, 50.0, 59.0], np.array([[1.0, least, 1.0]]))}
    (axes,) = draw_panels([Curves(curves, share)]).axes
    assert axes.get_ylim() == pytest.approx((0, 1.05), abs=0.01)


def test_a_curve_down_to_zero_is_logarithmic():
    values = [70.0, 7.0, 0.7, 0.0]
    curves = {"ntm": ([1.0, 2.0, 3.0, 4.0], np.array([values]))}
    (axes,) = draw_panels([Curves(curves, Column("bits"))]).axes
    assert axes.get_yscale() == "symlog" and axes.get_ylim()[0] == 0
    assert share_of(axes, values) > 0.8


def test_errors_that_are_all_large_have_no_room_for_zero():
    values = [170.0, 70.0, 7.0]
    curves = {"lstm": ([1.0, 2.0, 3.0], np.array([values]))}
    (axes,) = draw_panels([Curves(curves, Column("bits"))]).axes
    assert axes.get_yscale() == "log" and share_of(axes, values) > 0.8


def test_the_only_epoch_is_inside_the_frame():
    curves = {"lstm": ([100.0], np.array([[2.2], [2.3]]))}
    drawn = [
        draw_panels([Curves(curves, BITS)]),
        draw_learning(tasks.Copy(), history_of(bit_errors=[1.0])),
    ]
    for figure in drawn:
        low, high = figure.axes[0].get_xlim()
        assert low < 100 < high


@pytest.mark.parametrize("count", [1, 2, 3, 9])
@pytest.mark.parametrize("sizes", [["validation"], ["20", "40", "80"]])
def test_points_by_size_are_inside_and_around_their_tick(count, sizes):
    values = {f"m{n}": np.full((2, len(sizes)), 2.0 + n / 10) for n in range(count)}
    (axes,) = draw_panels([BySize(sizes, values, BITS)]).axes
    places = np.array(
        [line.get_xdata() for line in axes.lines if len(line.get_xdata())]
    )
    low, high = axes.get_xlim()
    assert low < places.min() and places.max() < high
    assert places.mean(axis=0).tolist() == pytest.approx(list(axes.get_xticks()))
    assert np.ptp(places, axis=0).max() < 1  # none reaches the next size
    if count > 1:
        assert share_of(axes, [2.0, 2.0 + (count - 1) / 10]) > 0.8


def test_a_score_of_zero_has_an_axis_that_one_can_read():
    result = EvaluationResult("validation", 1, False, 1, {"cider-d": 0.0})
    drawn = [
        draw_sizes(Captioned(), [result]),
        draw_panels([BySize(["test"], {"a": np.zeros((1, 1))}, CIDER)]),
        draw_learning(Captioned(), history_of(**{"val_cider-d": [0.0, 0.0]})),
    ]
    for figure in drawn:
        figure.draw_without_rendering()
        axes = figure.axes[-1]
        assert axes.get_ylim() == (0, 1)
        assert axes.yaxis.get_offset_text().get_text() == ""


def test_a_bar_of_bits_per_character_begins_at_zero():
    result = EvaluationResult("validation", 1, False, 1, {"bits_per_character": 2.1})
    (axes,) = draw_sizes(tasks.get_task("language-model"), [result]).axes
    assert axes.get_yscale() == "linear" and axes.get_ylim()[0] == 0
    (bar,) = axes.patches
    low, high = axes.get_xlim()
    assert low < bar.get_x() and bar.get_x() + bar.get_width() < high
