"""The contract of a task: where its data comes from and what it is measured by."""

import abc
import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..own_code import is_own
from .evaluation import Evaluation
from .moved_members import check_members, moved_member
from .neighbours import Beside
from .parts import Batch, Column
from .presentation import Presentation
from .success import Success

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
    # Data type of the inputs of a model.
    input_dtype: ClassVar[str] = "float32"
    # Names of the models that a comparison trains unless told otherwise. A training
    # takes the first.
    compared_models: ClassVar[tuple[str, ...]] = ("ntm-lstm", "ntm-feedforward", "lstm")
    # Names of errors by what earlier versions called them in summaries.
    legacy_errors: ClassVar[dict[str, str]] = {}
    # The value of `Evaluation.validator` by which training keeps its best epoch: the
    # highest one, or the lowest if `columns` says that less is better.
    validation_measure: ClassVar[str | None] = None
    # How the task is shown, and how models are measured on it.
    presentation = Beside(Presentation)
    evaluation = Beside(Evaluation)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_members(cls)

    if not TYPE_CHECKING:  # a type checker would take any name for a member

        def __getattr__(self, name: str) -> Any:
            return moved_member(self, name)

    # --- the data ---

    @property
    @abc.abstractmethod
    def input_size(self) -> int:
        """Width of one input step."""

    @property
    @abc.abstractmethod
    def output_size(self) -> int:
        """Width of the model's output: logits, or numbers."""

    @property
    def input_shape(self) -> tuple:
        """Shape of the model's inputs, without the batch."""
        # The time axis is left open: the same model runs on longer sequences.
        return (None, self.input_size)

    @property
    def output_shape(self) -> tuple:
        """Shape of the model's outputs, without the batch."""
        return (None, self.output_size) if self.every_step else (self.output_size,)

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

    @property
    def columns(self) -> dict[str, Column]:
        """How measures and errors are printed, by name; others print their name."""
        return {}

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

    @property
    def size(self) -> tuple[int, ...]:
        """The largest sequence, in every way in which it can grow; `(0,)` for a task
        without sizes."""
        return (0,)

    # --- models and names ---

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
    def signature(self) -> str:
        """The task and its parameters in one short string, to quote beside a number."""
        named = (f"{key}:{value}" for key, value in self.parameters.items())
        return "|".join([self.name, *named])
