"""What tasks hand around: batches, columns of tables, sections of reports."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np


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


class Batch(NamedTuple):
    """Sequences of one padded length, batch first.

    Attributes:
        inputs: `(B, T, features)` numbers, or `(B, T)` token ids; or several arrays by
            name, those of `Task.inputs`.
        targets: `(B, T, ...)` with a target for each step, or `(B, ...)` with one for
            each sequence.
        mask: `(B, T)` or `(B,)`, 1 where an output counts, 0 elsewhere. Keras gets it
            as `sample_weight`.
    """

    inputs: Any
    targets: np.ndarray
    mask: np.ndarray

    @property
    def named_inputs(self) -> dict[str, np.ndarray]:
        """The inputs by name; a single array is `inputs`."""
        return self.inputs if isinstance(self.inputs, dict) else {"inputs": self.inputs}

    @property
    def steps(self) -> int:
        """Steps of the inputs; if there are several, of the outputs."""
        if isinstance(self.inputs, dict):
            return self.mask.shape[1] if self.mask.ndim > 1 else 1
        return self.inputs.shape[1]

    def map(self, function: Callable[[np.ndarray], np.ndarray]) -> "Batch":
        """The batch of what a function makes of each array."""
        inputs = self.inputs
        if isinstance(inputs, dict):
            inputs = {name: function(array) for name, array in inputs.items()}
        else:
            inputs = function(inputs)
        return Batch(inputs, function(self.targets), function(self.mask))


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
