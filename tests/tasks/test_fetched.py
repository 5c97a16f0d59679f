"""What read heads fetched, on weightings that are made by hand."""

import numpy as np
import pytest

from memnets.memory.tracing import HeadTrace
from tasks.figures.fetched import fetched

TOLD = ["one", "", "three", "four"]
ROWS = 12

pytestmark = pytest.mark.once


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
