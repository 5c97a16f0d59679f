"""The contract of a task: where its data comes from and what it is measured by."""

import abc
import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from ..own_code import is_own
from .batch_checks import check_arrays
from .parts import Batch, Column, Scores, Section
from .published import Published
from .success import Success

# Heuristic: sequences in one batch of an evaluation hold about so many steps, so that
# the memory needed does not depend on the length.
STEPS_PER_BATCH = 20_000
# Heuristic: during a curriculum one block in five has sequences of every size, as in
# Zaremba and Sutskever (2014), Learning to Execute, section 6.
FULL_SIZE = 0.2
# Of a field of a task that is no option of the command line.
NO_OPTION = {"option": False}
# Of a field of a task or a model that names what is read.
INPUT_PATH = {"is_input": True}


@dataclasses.dataclass(frozen=True)
class Task(abc.ABC):
    """A task with its parameters: the fields of the dataclass, which are the options of
    the command line.

    A subclass says what it is measured by: `loss`, `measures`, `predict`, `errors`.
    Training, evaluation, reports and comparisons ask the task for them.
    """

    # The task's name on the command line.
    name: ClassVar[str]
    # Whether the model puts out something at every step, or once, after the last step.
    every_step: ClassVar[bool] = True
    # Heuristic: sequences of each size in an evaluation.
    eval_sequences: ClassVar[int] = 100
    # Names of the models that a comparison trains unless told otherwise. A training
    # takes the first.
    compared_models: ClassVar[tuple[str, ...]] = ("ntm-lstm", "ntm-feedforward", "lstm")
    # Names of errors by what earlier versions called them in summaries.
    legacy_errors: ClassVar[dict[str, str]] = {}
    # Whether the sequences of an evaluation are pieces of one long sequence, so that a
    # model begins each with the state that it had at the end of the one before.
    carries_state: ClassVar[bool] = False
    # The value of `validator` by which training keeps its best epoch: the highest one,
    # or the lowest if `columns` says that less is better.
    validation_measure: ClassVar[str | None] = None
    # The value of `errors` that pictures and comparisons show; the first if None.
    headline: ClassVar[str | None] = None

    # --- the data ---

    @property
    @abc.abstractmethod
    def input_size(self) -> int:
        """Width of one input step."""

    @property
    @abc.abstractmethod
    def output_size(self) -> int:
        """Width of the model's output: logits, or numbers."""

    def inputs(self) -> Any:
        """Fresh Keras inputs of a model: one; or several by name, if `Batch.inputs` are
        arrays by name. A size that differs between batches is None."""
        import keras

        # The time axis is left open: the same model runs on longer sequences.
        return keras.Input((None, self.input_size), name="inputs")

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
        """Draws a batch to train with: as `sample` does, unless a task trains on more
        than its definition asks for."""
        return self.sample(batch_size, rng)

    def training_block(
        self, index: int, size: int, rng: np.random.Generator, seed: int
    ) -> Batch:
        """Block number `index` of the stream of training sequences.

        Args:
            index: Number of the block, from 0.
            size: Sequences in a block.
            rng: A generator that depends on the seed and the index.
            seed: The seed of the training.
        """
        return self.sample_for_training(size, rng)

    def training_batch(self, index: int, size: int, seed: int) -> Batch | None:
        """Batch number `index` of the training, of a task whose batches differ in
        shape; None if batches are cut from the stream of `training_block`.

        Keras on TensorFlow finds by the first two which lengths vary, so they differ.
        Models that are compared see the same sequences if their batch sizes are equal.
        """
        return None

    @property
    def curriculum(self) -> float:
        """Share of the budget over which sequences grow, unless training is told
        otherwise."""
        return 0.0

    def easier(self, share: float) -> Self:
        """The same task with its largest size `share` of the way from its smallest, for
        a curriculum.

        Raises:
            ValueError: If the task has sequences of one size only.
        """
        raise ValueError(f"`curriculum`: the task {self.name} has no easier sequences.")

    def at_stage(self, share: float, rng: np.random.Generator) -> Self:
        """The task that draws a block of training, `share` of the way through a
        curriculum; 1 after it."""
        return self.easier(share) if share < 1 and rng.random() > FULL_SIZE else self

    def features(self, inputs: Any) -> Any:
        """What the recurrent layer of a model sees of a Keras input: the input itself,
        unless a task embeds its tokens first."""
        return inputs

    # --- what it is measured by ---

    @abc.abstractmethod
    def loss(self) -> Any:
        """The Keras loss that training minimises, averaged over the outputs that the
        mask counts."""

    @abc.abstractmethod
    def measures(self) -> list[Any]:
        """Fresh Keras metrics; their names are columns of the history."""

    def validator(self, model: Any) -> Callable[[], dict[str, float]] | None:
        """What measures a Keras model on validation data, after each epoch of its
        training; None if nothing does."""
        return None

    @property
    def columns(self) -> dict[str, Column]:
        """How measures and errors are printed, by name; others print their name."""
        return {}

    def column(self, name: str) -> Column:
        """How the measure or error of that name is printed.

        One without an entry in `columns` counts as an error, unless `success` asks for
        a value above a bound.
        """
        if name in self.columns:
            return self.columns[name]
        success = self.success
        is_score = (
            success is not None
            and success.measure == name
            and math.isfinite(success.above)
        )
        return Column(name.replace("_", " "), higher_is_better=is_score)

    @property
    def success(self) -> Success | None:
        """When the task counts as solved; never if None."""
        return None

    @property
    def chance_loss(self) -> float | None:
        """Loss of a predictor that ignores its inputs, such as a uniform guess, which
        is not the best where answers are not uniform. Roll-back takes its bounds as
        shares of it, and is off if it is None."""
        return None

    @property
    def published(self) -> Published | None:
        """Numbers of a paper for the task at this size, if there are any."""
        return None

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """What a model's outputs say, in the form of the targets."""
        return outputs

    @abc.abstractmethod
    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """Errors and scores of each sequence, by name.

        Args:
            batch: The sequences.
            outputs: What the model made of them.
        Returns:
            Arrays `(B,)`; an evaluation averages them.
        """

    def eval_weights(self, batch: Batch) -> np.ndarray:
        """How much each sequence counts in the averages of an evaluation, `(B,)`: all
        the same, unless a task says otherwise."""
        return np.ones(len(batch.targets))

    # --- evaluation ---

    def evaluate_batch(self, model: Any, batch: Batch) -> dict[str, np.ndarray]:
        """Errors and scores of a Keras model on each sequence: `errors` of its outputs,
        and more where a task also runs the model in another way."""
        outputs = np.asarray(model.predict_on_batch(batch.inputs), float)
        return self.errors(batch, outputs)

    def score(
        self, model: Any, num_sequences: int, rng: np.random.Generator
    ) -> Scores | None:
        """Scores of a Keras model on this split as a whole, of a task that has such;
        None if an evaluation averages the `errors` of its sequences."""
        return None

    def is_right(self, values: dict[str, float]) -> bool | None:
        """Whether a network is right on sequences of this task, by the values of an
        evaluation; None if that cannot be said."""
        return None

    @property
    def eval_tasks(self) -> tuple[Self, ...]:
        """What to evaluate on unless told otherwise."""
        return (self,)

    @property
    def sizes(self) -> str:
        """The sizes of the sequences in words: "20", "1-20" or "1-10 x 1-10"; "all" for
        a task without sizes."""
        return " x ".join(map(str, self.size)) if any(self.size) else "all"

    @property
    def size(self) -> tuple[int, ...]:
        """The largest sequence, in every way in which it can grow; `(0,)` for a task
        without sizes."""
        return (0,)

    @property
    def num_eval_sequences(self) -> int:
        """Sequences of an evaluation unless told otherwise."""
        return self.eval_sequences

    def at_length(self, length: int) -> Self:
        """The same task with every sequence of the given length, for evaluation.

        Raises:
            ValueError: If the task has no sequences of that length.
        """
        raise ValueError(f"`lengths`: the task {self.name} has no lengths to choose.")

    def eval_batches(
        self, num_sequences: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """Batches of one shape that hold at least `num_sequences` fresh sequences."""
        steps = self.sample(1, 0).steps
        batch_size = min(num_sequences, max(1, STEPS_PER_BATCH // steps))
        for _ in range(-(-num_sequences // batch_size)):
            yield self.sample(batch_size, rng)

    # --- models, names, pictures ---

    @property
    def is_own(self) -> bool:
        """Whether it is the user's own, not one of this package."""
        return is_own(type(self))

    @property
    def model_parameters(self) -> dict[str, dict]:
        """Parameters of models by name, where their own do not suit the task."""
        return {}

    @property
    def training_parameters(self) -> dict[str, dict]:
        """Training parameters by model name, in the same way."""
        return {}

    @property
    def parameters(self) -> dict:
        """The parameters by name, ready for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def upgrade(cls, parameters: dict) -> dict:
        """Parameters saved by an earlier version, as this version names them."""
        return parameters

    def altered(self, **parameters: Any) -> Self:
        """The same task with other values of some parameters."""
        return dataclasses.replace(self, **parameters)

    @property
    def notes(self) -> tuple[str, ...]:
        """What commands say about its data on standard error."""
        return ()

    def floors(self) -> list[list[str]]:
        """What stands beside the scores of an evaluation: rows of a table, the headings
        first, of answers that no model has given. None by default."""
        return []

    @property
    def signature(self) -> str:
        """The task and its parameters in one short string, to quote beside a number."""
        named = (f"{key}:{value}" for key, value in self.parameters.items())
        return "|".join([self.name, *named])

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text.

        Args:
            batch: What to draw.
            outputs: Outputs of a model, drawn under the targets.
        Raises:
            TypeError, ValueError: If they are not of this task.
        """
        check_arrays(self, batch, outputs)
        predictions = None if outputs is None else self.predict(np.asarray(outputs))
        drawn = []
        for index, (inputs, target) in enumerate(
            zip(batch.inputs, batch.targets, strict=True)
        ):
            lines = [f"sequence {index}", f"   input  {_numbers(inputs)}"]
            lines.append(f"  target  {_numbers(target)}")
            if predictions is not None:
                lines.append(f"  output  {_numbers(predictions[index])}")
            drawn.append("\n".join(lines))
        return "\n\n".join(drawn)

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> Any:
        """A Matplotlib figure of the first sequence of a batch; none if None.

        Args:
            batch: The batch.
            outputs: Outputs of a model.
            heads: The `memnets.HeadTrace` of the model's memories.
        """
        from ..figures.memory_figures import draw_steps

        target = np.asarray(batch.targets[0])
        prediction = np.asarray(self.predict(np.asarray(outputs))[0])
        panels = [("inputs", _channels(batch.inputs[0]))]
        if self.every_step:
            panels.append(("targets", _channels(target)))
            panels.append(("outputs", _channels(prediction)))
        figure = draw_steps(panels, heads)
        if not self.every_step:
            figure.suptitle(f"target {_numbers(target)}, output {_numbers(prediction)}")
        return figure

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        """Sections of a report that only this task has.

        Args:
            batch: A batch of one sequence.
            heads: The `memnets.HeadTrace` of one memory over that sequence.
        """
        return []

    def model_sections(self, model: Any) -> Iterable[Section]:
        """Sections of a report on a Keras model that only this task has."""
        return ()


def _channels(values: np.ndarray) -> np.ndarray:
    """Values over time as `(T, channels)`."""
    values = np.asarray(values, float)
    return values.reshape(len(values), -1)


def _numbers(values: np.ndarray) -> str:
    """Values in one line; the middle of a long list is left out."""
    flat = np.array2string(
        np.asarray(values), precision=2, threshold=24, edgeitems=3, max_line_width=10**6
    )
    return " ".join(flat.split())
