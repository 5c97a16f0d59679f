"""What a paper reports of a task."""

from typing import NamedTuple


class Published(NamedTuple):
    """Numbers that a paper has for a task, to stand beside our own.

    Attributes:
        source: The paper, as it is cited.
        measure: The column of the history that `learning` is about.
        learning: By name of the model, points `(training sequences, measure)`.
        value: The value of `Task.errors` that `sizes` is about.
        sizes: By name of the model, that value by size of the sequences.
        weights: By name of the model, its number of weights.
    """

    source: str
    measure: str
    learning: dict[str, list[tuple[int, float]]]
    value: str
    sizes: dict[str, dict[str, float]]
    weights: dict[str, int]
