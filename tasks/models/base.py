"""The models that tasks are trained with, each a frozen dataclass of its parameters.

Keras is imported only when a model is built, so that listing them is quick.
"""

import abc
import dataclasses
from typing import TYPE_CHECKING, ClassVar

from ..checks import check_number
from ..contract.task import Task
from ..own_code import is_own

if TYPE_CHECKING:
    import keras

# Parameters of models that are bounds.
BOUNDS = ("input_clip", "cell_clip")


@dataclasses.dataclass(frozen=True)
class ModelConfig(abc.ABC):
    """Parameters of a model; the fields are the options of the command line."""

    name: ClassVar[str]
    # Training parameters unless told otherwise: Adam's initial learning rate, the bound
    # of the gradient's norm, and the budget of sequences. Tuned over several seeds.
    learning_rate: ClassVar[float] = 1e-3
    clip_norm: ClassVar[float] = 0.1
    sequences: ClassVar[int] = 40_000
    # Steps over which the learning rate rises.
    warmup: ClassVar[int] = 0
    # Whether the compiled kernel of `memnets.native` can compute the model.
    uses_kernel: ClassVar[bool] = False
    # The parameter that says how many symbols a memory has room for, one a place.
    places: ClassVar[str | None] = None
    # Whether training is faster with XLA on TensorFlow and a CPU, without the kernel.
    xla_on_cpu: ClassVar[bool] = True

    def build(self, task: Task) -> "keras.Model":
        """Makes the Keras model, with the inputs and outputs of the task, and random
        weights."""
        import keras

        inputs = task.inputs()
        outputs = self.layer(task.output_size)(task.features(inputs))
        if not task.every_step:
            outputs = outputs[:, -1]
        return keras.Model(inputs, outputs, name=self.name.replace("-", "_"))

    def begin(self, network: "keras.Model", task: Task) -> None:  # noqa: B027
        """Gives a new network of `build` the first weights that are not random, if the
        model has some. A network whose weights are restored does not need it."""

    @abc.abstractmethod
    def layer(self, units: int) -> "keras.layers.Layer":
        """The recurrent layer, with an output of `units` numbers at every step."""

    @property
    def is_own(self) -> bool:
        """Whether it is the user's own, not one of this package."""
        return is_own(type(self))

    @property
    def is_drawn(self) -> bool:
        """Whether `build` draws new weights each time."""
        return True

    @property
    def label(self) -> str:
        """The name under which results are shown."""
        return self.name

    @property
    def parameters(self) -> dict:
        """The parameters by name, ready for JSON."""
        return dataclasses.asdict(self)

    @property
    def layer_parameters(self) -> dict:
        """The parameters as arguments of a layer, which has None for no bound."""
        bounds = {name: getattr(self, name) or None for name in self._bounds}
        return {**self.parameters, **bounds}

    @property
    def _bounds(self) -> list[str]:
        """The fields that are bounds, 0 for none."""
        return [name for name in BOUNDS if hasattr(self, name)]

    def _check_bounds(self) -> None:
        for name in self._bounds:
            check_number(name, getattr(self, name), minimum=0)

    def with_controller(self, text: str) -> str:
        """A signature, and the size of the controller where it is not the usual one."""
        fields = {field.name: field.default for field in dataclasses.fields(self)}
        usual, size = fields["controller_size"], self.parameters["controller_size"]
        return text if size == usual else f"{text}|units:{size}"

    @classmethod
    def upgrade(cls, parameters: dict) -> dict:
        """Parameters saved by an earlier version, as this version names them."""
        return parameters

    @property
    def signature(self) -> str:
        """The model and its sizes in one short string."""
        named = (f"{key}:{value}" for key, value in self.parameters.items())
        return "|".join([self.name, *named])
