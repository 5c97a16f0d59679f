"""What the read heads of a memory fetched."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def fetched(
    told: Sequence[str],
    steps: Mapping[str, int],
    heads: Sequence[Any],
    *,
    title: str = "",
) -> list[list[str]]:
    """For each step and each read head: the memory row that it attends to most, and
    what was told when a write head wrote there last.

    Args:
        told: What was told at each of the first steps, in words; empty for nothing.
        steps: The steps to look at, such as those of an answer, by name.
        heads: The `memnets.HeadTrace` of a memory over one sequence.
        title: What stands above the names of the steps.
    Returns:
        Rows of a table, the headings first; none without read heads and write heads.
    """
    reads = [head for head in heads if head.kind == "read"]
    writes = [head.weighting[0] for head in heads if head.kind == "write"]
    if not reads or not writes:
        return []
    # `(T, N)`: at which step a row has most of a write weighting.
    written = np.max(writes, axis=0)
    rows = [[title, *(head.name for head in reads)]]
    for name, step in steps.items():
        cells = [
            _last_written(
                told, written[: step + 1], int(head.weighting[0, step].argmax())
            )
            for head in reads
        ]
        rows.append([name, *cells])
    return rows


def _last_written(told: Sequence[str], written: np.ndarray, row: int) -> str:
    # Heuristic: a row that got less than half of a weighting was not written.
    steps = np.flatnonzero(written[:, row] > 0.5)
    if not len(steps):
        return f"row {row}: never written"
    last = int(steps[-1])
    if last >= len(told):
        return f"row {row}: step {last}, after all that was told"
    return f"row {row}: {told[last] or 'nothing'}"
