"""The contract of a task: a generator of sequences that also knows the exact answer."""

import abc
import dataclasses
from typing import ClassVar, NamedTuple, Self

import numpy as np

from .batch_checks import check_batch

# How bits look when a batch is printed; a step whose output does not count is left
# blank.
OFF, ON, UNMASKED = "·", "█", " "


class Batch(NamedTuple):
    """Sequences of one padded length, batch first.

    Attributes:
        inputs: `(B, T, input_size)`, float32.
        targets: `(B, T, target_size)`, float32, 0 where the mask is 0.
        mask: `(B, T)`, float32, 1 at the steps whose output counts, 0 elsewhere.
    """

    inputs: np.ndarray
    targets: np.ndarray
    mask: np.ndarray


class Success(NamedTuple):
    """When a task counts as solved: when a measure, over an epoch, is below a bound.

    Attributes:
        measure: A column of the history, as `bit_errors`.
        below: The bound.
    """

    measure: str
    below: float


@dataclasses.dataclass(frozen=True)
class Task(abc.ABC):
    """A task with its parameters, which are the fields of the dataclass and the options
    of the command line.

    A sequence has a *length*, in the task's own unit; the range to train on is part of
    the task.
    """

    # The task's name on the command line.
    name: ClassVar[str]
    # Parameters of the training by model, where the model's own do not suit the task.
    training_parameters: ClassVar[dict[str, dict]] = {}
    # Chosen: a sequence in a hundred with a wrong bit.
    success: ClassVar[Success] = Success("bit_errors", 0.01)
    # Whether `solve` gives the targets. If not, no algorithm could, and it gives their
    # probabilities.
    exact: ClassVar[bool] = True
    # Chosen: sequences of each size to evaluate on unless told otherwise.
    eval_sequences: ClassVar[int] = 100

    @property
    def model_parameters(self) -> dict[str, dict]:
        """Parameters of models by name, where their own do not suit the task."""
        return {}

    @property
    @abc.abstractmethod
    def input_size(self) -> int:
        """Width of one input step."""

    @property
    @abc.abstractmethod
    def target_size(self) -> int:
        """Width of one target step, in bits."""

    @abc.abstractmethod
    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        """Draws a batch.

        Args:
            batch_size: Number of sequences.
            rng: A seed or a generator. The same seed gives the same batch.
        Raises:
            ValueError: If the size is not a positive integer, or `rng` is no seed.
        """

    def sample_for_training(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        """Draws a batch to train with: as `sample` does, unless a task asks for more
        there than its definition does."""
        return self.sample(batch_size, rng)

    @abc.abstractmethod
    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """The exact targets `(B, T, target_size)` of inputs `(B, T, input_size)`, by
        the textbook algorithm; or the best probabilities of a 1, see `exact`.

        Raises:
            TypeError, ValueError: If they are no sequences of this task.
        """

    @abc.abstractmethod
    def at_length(self, length: int) -> Self:
        """The same task with every sequence of the given length, for evaluation.

        Raises:
            ValueError: If the task has no sequences of that length.
        """

    def easier(self, share: float) -> Self:
        """The same task with its largest size `share` of the way from its smallest, for
        a curriculum.

        Raises:
            ValueError: If the task has sequences of one size only.
        """
        raise ValueError(f"`curriculum`: the task {self.name} has no easier sequences.")

    @property
    @abc.abstractmethod
    def train_lengths(self) -> tuple[int, int]:
        """Shortest and longest sequence that `sample` draws."""

    @property
    @abc.abstractmethod
    def eval_lengths(self) -> tuple[int, ...]:
        """Lengths to evaluate at unless told otherwise, within and beyond training."""

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The smallest and the largest sequence that `sample` draws, in every way in
        which it can grow; its length comes first."""
        return (self.train_lengths,)

    @property
    def size(self) -> tuple[int, ...]:
        """The largest sequence, in every way in which it can grow."""
        return tuple(largest for _, largest in self.ranges)

    @property
    def sizes(self) -> str:
        """All sizes of sequences in words: "20", or of several "1-10 x 1-10"."""
        return " x ".join(
            str(most) if least == most else f"{least}-{most}"
            for least, most in self.ranges
        )

    @property
    def eval_tasks(self) -> tuple[Self, ...]:
        """What to evaluate on unless told otherwise: the task itself, then single
        sizes within and beyond training."""
        single = self._single_sizes()
        return single if self in single else (self, *single)

    def _single_sizes(self):
        return tuple(self.at_length(length) for length in self.eval_lengths)

    def error_parts(
        self, wrong: np.ndarray, outputs: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Wrong bits told apart by what went wrong, where the task does so.

        Args:
            wrong: Whether each bit is wrong, `(B, T, target_size)`, bool.
            outputs: The bits that were put out, of the same shape, bool.
        Returns:
            By name, which of the wrong bits are of that kind; each is of one kind.
        """
        return {}

    @property
    def parameters(self) -> dict:
        """The parameters by name, ready for JSON."""
        return dataclasses.asdict(self)

    @property
    @abc.abstractmethod
    def signature(self) -> str:
        """The task and its parameters in one short string, to quote beside a number."""

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text, time from left to right, one channel a line.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, target_size)` of a model, drawn under the targets;
                `x` marks a wrong bit.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_batch(self, batch, outputs)
        drawn = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            steps = int(np.flatnonzero(mask)[-1]) + 1 if mask.any() else len(mask)
            shown = mask[:steps] > 0
            rows = [f"sequence {index}"]
            rows += _rows("input", inputs[:steps], np.ones(steps, bool))
            rows += _rows("target", targets[:steps], shown)
            if outputs is not None:
                bits = (outputs[index, :steps] > 0).astype(np.float32)
                rows += _rows("output", bits, shown, wrong=bits != targets[:steps])
            drawn.append("\n".join(rows))
        return "\n\n".join(drawn)


def _rows(label, values, shown, wrong=None):
    """One line of text a channel; `values` is `(T, channels)`."""
    rows = []
    for channel in range(values.shape[1]):
        glyphs = [
            _glyph(value) if show else UNMASKED
            for value, show in zip(values[:, channel], shown, strict=True)
        ]
        if wrong is not None:
            glyphs = [
                "x" if w and s else g
                for g, w, s in zip(glyphs, wrong[:, channel], shown, strict=True)
            ]
        rows.append(
            f"{label if channel == 0 else '':>8} {channel:>2} {''.join(glyphs)}"
        )
    return rows


def _glyph(value):
    if value in (0.0, 1.0):
        return ON if value else OFF
    # A real number, such as a priority, by its size from -1 to 1.
    return "▁▂▃▄▅▆▇█"[int(np.clip((value + 1) * 4, 0, 7))]


def between(low: int, high: int, share: float) -> int:
    """The whole number that is `share` of the way from `low` to `high`."""
    return low + round(share * (high - low))
