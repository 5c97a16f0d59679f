"""What tasks hand around: batches, columns of tables, sections of reports."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Batch(NamedTuple):
    """Sequences of one padded length, batch first.

    Attributes:
        inputs: `(B, T, features)` numbers, or `(B, T)` token ids.
        targets: `(B, T, ...)` with a target for each step, or `(B, ...)` with one for
            each sequence.
        mask: `(B, T)` or `(B,)`, 1 where an output counts, 0 elsewhere. Keras gets it
            as `sample_weight`.
    """

    inputs: np.ndarray
    targets: np.ndarray
    mask: np.ndarray


class Column(NamedTuple):
    """How a measure is printed.

    Attributes:
        label: Its heading.
        form: Its format specification.
        higher_is_better: Whether it is a score rather than an error.
    """

    label: str
    form: str = ".3f"
    higher_is_better: bool = False


class Section(NamedTuple):
    """A picture or a table of a report with its text.

    Attributes:
        name: Name of the picture's file, without its ending.
        heading: Above the picture.
        text: What the picture shows.
        figure: A Matplotlib figure, if there is one.
        table: Rows of cells, the headings first.
    """

    name: str
    heading: str
    text: str
    figure: Any
    table: Sequence[Sequence[str]] = ()


class Scores(NamedTuple):
    """Scores of a whole corpus, each by its name.

    Attributes:
        values: The scores.
        intervals: Confidence intervals of 95%, of those that have one.
        signatures: What makes a score reproducible, of those that have one.
        sequences: Number of texts.
    """

    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    signatures: dict[str, str]
    sequences: int
