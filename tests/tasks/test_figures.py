"""Pictures of a memory and of a sequence, and what read heads fetched."""

import collections

import numpy as np
import pytest

import memnets
from memnets.memory.tracing import HeadTrace
from tasks import Copy, PrioritySort
from tasks.figures.fetched import fetched
from tasks.figures.figure import Figure
from tasks.figures.memory_figures import (
    draw_memory,
    draw_trace,
    draw_values,
    rows_in_use,
)

pytestmark = pytest.mark.once

KINDS = ("write", "read")


def attention(*rows, num_rows=128):
    """A head that attends to one row at each step."""
    return np.eye(num_rows)[list(rows)]


@pytest.mark.parametrize(
    ("heads", "rows"),
    [
        ([], slice(0, 0)),
        ([np.full((5, 16), 1 / 16)], slice(0, 16)),  # no row is used
        ([attention(7, num_rows=8)], slice(5, 8)),
        ([attention(*range(10, 24))], slice(8, 26)),
        ([attention(*range(10, 24)), attention(30)], slice(8, 33)),
        # One far row, used once, is left out; at either end.
        ([attention(*range(14), 127)], slice(0, 16)),
        ([attention(0, *range(100, 114))], slice(98, 116)),
        # The last row beside the others stays, although it has little attention.
        ([attention(*range(14), *range(14), 14, 127)], slice(0, 17)),
        # Rows all over the memory, as in dynamic n-grams, are all shown.
        ([attention(*range(3, 128, 5))], slice(1, 126)),
        # Two places that are used equally.
        ([attention(*range(14)), attention(*range(100, 114))], slice(0, 116)),
    ],
)
def test_rows_in_use_are_shown_without_a_few_far_ones(heads, rows):
    assert rows_in_use(heads) == rows


def test_faint_attention_does_not_count_as_use():
    faint = 0.6 * attention(3, 4, 5) + 0.4 * attention(90, 91, 92)
    assert rows_in_use([faint]) == slice(1, 8)


def test_rows_of_the_memory_are_numbered():
    memory = np.random.default_rng(0).normal(size=(128, 20))
    axes = draw_memory(memory, slice(8, 26)).axes[0]
    assert axes.get_ylim() == (25.5, 7.5)
    np.testing.assert_array_equal(axes.images[0].get_array(), memory[8:26])
    assert axes.get_ylabel() == "memory row\n8 to 25 of 0 to 127"
    whole = draw_memory(memory, slice(0, 128)).axes[0]
    assert whole.get_ylabel() == "memory row"


def test_values_of_rows_and_of_steps_are_drawn_one_above_the_other():
    head = memnets.HeadTrace("w", "write", np.zeros((1, 5, 2)), attention(3)[None])
    usage, gates = np.full((1, 5, 128), 0.25), np.full((1, 5, 3), 0.75)
    trace = memnets.MemoryTrace(
        [head], np.zeros((1, 5, 128, 2)), (("usage", usage),), (("gates", gates),)
    )
    above, below = draw_values(trace).axes
    assert above.get_ylim() == (5.5, 0.5)  # the rows in use
    assert above.get_ylabel() == "usage\nmemory row\n1 to 5 of 0 to 127"
    np.testing.assert_array_equal(above.images[0].get_array(), usage[0, :, 1:6].T)
    np.testing.assert_array_equal(below.images[0].get_array(), gates[0].T)
    assert [axes.images[0].get_clim() for axes in (above, below)] == [(0, 1)] * 2


def test_a_trace_is_drawn_with_heads_values_and_what_stands_above():
    vectors = np.arange(20.0).reshape(2, 5, 2)
    weighting = np.stack([attention(*[row] * 5) for row in (3, 9)])
    heads = [memnets.HeadTrace(kind, kind, vectors, weighting) for kind in KINDS]
    usage, gates = np.full((2, 5, 128), 0.25), np.full((2, 5, 3), 0.75)
    memory = np.zeros((2, 5, 128, 2))
    trace = memnets.MemoryTrace(heads, memory, (("usage", usage),), (("gates", gates),))
    inputs = np.arange(15.0).reshape(5, 3)
    figure = draw_trace(trace, [("inputs", inputs)], sequence=1)
    values = [axes.images[0].get_array().T for axes in figure.axes]
    np.testing.assert_array_equal(values[0], inputs)
    # Each head with its vectors and its rows: those near row 9, which is in use.
    for first in (1, 3):
        np.testing.assert_array_equal(values[first], vectors[1])
        np.testing.assert_array_equal(values[first + 1], weighting[1][:, 7:12])
    np.testing.assert_array_equal(values[5], usage[1, :, 7:12])
    np.testing.assert_array_equal(values[6], gates[1])
    with pytest.raises(ValueError, match="`sequence` must be"):
        draw_trace(trace, sequence=2)
    with pytest.raises(ValueError, match="`trace` must have heads, or values"):
        draw_trace(memnets.MemoryTrace([], memory))
    # Of another length, of all sequences, without channels.
    for other in (inputs[:4], inputs[None], inputs[:, 0]):
        with pytest.raises(ValueError, match=r"have the shape \(5, channels\), those"):
            draw_trace(trace, [("inputs", other)])
    for other in ({"inputs": inputs}, [inputs]):
        with pytest.raises(TypeError, match="`panels` must be a list of pairs, a tit"):
            draw_trace(trace, other)
    for other in (memory, "a trace", None):
        with pytest.raises(TypeError, match="`trace` must be what `trace_memory` of a"):
            draw_trace(other)


def test_a_memory_without_other_values_has_no_picture_of_them():
    assert draw_values(memnets.MemoryTrace([], np.zeros((1, 5, 8, 2)))) is None


TOLD = ["one", "", "three", "four"]
ROWS = 12


def head(kind, weighting):
    vectors = np.zeros((1, len(weighting), 3))
    return HeadTrace(f"{kind} head", kind, vectors, np.array(weighting)[None])


def test_a_read_head_fetches_what_was_told_when_its_row_was_written():
    write = np.zeros((7, ROWS))
    write[np.arange(5), np.arange(5) + 2] = 1  # one row after the other
    write[3, 2] = 0.2  # not enough to count
    write[6, 4] = 1  # after the steps that are looked at, but for the last
    read = np.zeros((7, ROWS))
    read[[2, 3, 4, 5, 6], [3, 2, 6, 4, 4]] = 1
    heads = [head("write", write), head("read", read)]
    steps = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 6}
    assert fetched(TOLD, steps, heads, title="step") == [
        ["step", "read head"],
        ["a", "row 3: nothing"],
        ["b", "row 2: one"],
        ["c", "row 6: step 4, after all that was told"],
        ["d", "row 4: three"],
        ["e", "row 4: step 6, after all that was told"],
    ]


def test_without_both_kinds_of_heads_there_is_no_table():
    read = head("read", np.eye(4, ROWS))
    assert fetched(TOLD, {"a": 3}, [read]) == []
    assert fetched(TOLD, {"a": 3}, []) == []


def test_a_row_may_have_nothing():
    read = head("read", np.eye(4, ROWS))
    write = head("write", np.zeros((4, ROWS)))
    assert fetched(TOLD, {"a": 3}, [read, write])[1] == ["a", "row 3: never written"]


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
        *("write head\nadds", "write head\nmemory row\n0 to 8 of 0 to 15"),
        *("read head\nreads", "read head\nmemory row\n0 to 8 of 0 to 15"),
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


def test_notebooks_show_a_figure():
    figure = Figure()
    figure.subplots().plot([0, 1])
    assert figure._repr_png_().startswith(b"\x89PNG")
