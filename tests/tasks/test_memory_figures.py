"""Which memory rows a picture shows."""

import numpy as np
import pytest

import memnets
from tasks.figures.memory_figures import draw_memory, draw_values, rows_in_use


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


def test_values_of_rows_and_of_steps_are_drawn_one_above_the_other():
    head = memnets.HeadTrace("w", "write", np.zeros((1, 5, 2)), attention(3)[None])
    usage, gates = np.full((1, 5, 128), 0.25), np.full((1, 5, 3), 0.75)
    trace = memnets.MemoryTrace(
        [head], np.zeros((1, 5, 128, 2)), (("usage", usage),), (("gates", gates),)
    )
    above, below = draw_values(trace).axes
    assert above.get_ylim() == (5.5, 0.5)  # the rows in use
    np.testing.assert_array_equal(above.images[0].get_array(), usage[0, :, 1:6].T)
    np.testing.assert_array_equal(below.images[0].get_array(), gates[0].T)
    assert [axes.images[0].get_clim() for axes in (above, below)] == [(0, 1)] * 2


def test_a_memory_without_other_values_has_no_picture_of_them():
    assert draw_values(memnets.MemoryTrace([], np.zeros((1, 5, 8, 2)))) is None
