"""The contract of a task: where its data comes from and what it is measured by."""

import abc
import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .evaluation import Evaluation
from .moved_members import check_members, moved_member
from .neighbours import Beside
from .parts import Batch, Column
from .presentation import Presentation
from .recipe import Recipe
from .stream import Stream
from .success import Success

if TYPE_CHECKING:
    import keras

# Marks a field of a task that is no option of the command line.
NO_OPTION = {"option": False}
# Marks a field of a task or a model that names what is read.
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
    # How the task is shown, and how models are measured on it.
    presentation = Beside(Presentation)
    evaluation = Beside(Evaluation)

    # What is set for it unless the user says otherwise.
    recipe = Beside(Recipe)
    # Where training batches come from.
    stream = Beside(Stream)

    if not TYPE_CHECKING:  # a type checker would take any name for a member

        def __getattr__(self, name: str) -> Any:
            return moved_member(self, name)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_members(cls)

    # --- the data ---

    @property
    @abc.abstractmethod
    def input_size(self) -> int:
        """Width of one input step."""

    @property
    @abc.abstractmethod
    def output_size(self) -> int:
        """Width of the model's output: logits, or numbers."""

    def inputs(self) -> "keras.KerasTensor | dict[str, keras.KerasTensor]":
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

    def features(self, inputs: "keras.KerasTensor") -> "keras.KerasTensor":
        """What the recurrent layer of a model sees of a Keras input: the input itself,
        unless a task embeds its tokens first."""
        return inputs

    # --- what it is measured by ---

    @abc.abstractmethod
    def loss(self) -> "keras.Loss":
        """The Keras loss that training minimises, averaged over the outputs that the
        mask counts."""

    @abc.abstractmethod
    def measures(self) -> "list[keras.Metric]":
        """Fresh Keras metrics; their names are columns of the history."""

    @property
    def columns(self) -> dict[str, Column]:
        """How measures and errors are printed, by name; others print their name."""
        return {}

    @property
    def success(self) -> Success | None:
        """When the task counts as solved; never if None."""
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

    # --- names ---

    @property
    def parameters(self) -> dict:
        """The parameters by name, ready for JSON."""
        fields = (one.name for one in dataclasses.fields(self) if one.compare)
        return {name: getattr(self, name) for name in fields}

    @property
    def signature(self) -> str:
        """The task and its parameters in one short string, to quote beside a number."""
        named = (f"{key}:{value}" for key, value in self.parameters.items())
        return "|".join([self.name, *named])
