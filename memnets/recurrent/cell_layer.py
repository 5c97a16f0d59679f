"""A cell with a named state, run over sequences by a layer with its arguments."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import keras

from ..checks import shorten, unknown_argument
from ..numerics.tensor_checks import Structure, Tensor, check_bound
from .gradient_bound import with_bounded_gradients
from .rnn import MemoryRNN

# Those of every layer of Keras and of its loop over time.
LAYER_ARGUMENTS = (
    *("name", "dtype", "trainable", "autocast", "activity_regularizer"),
    *("go_backwards", "unroll", "zero_output_for_mask", "input_shape", "batch_shape"),
)


def keyword_arguments(function: Callable) -> list[inspect.Parameter]:
    """The keyword-only arguments of a function or a class."""
    return [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]


def add_arguments(
    cls: type, passed_on: list[inspect.Parameter], **defaults: Any
) -> None:
    """Adds arguments to the signature of a constructor, for `help()`,
    `inspect.signature()` and notebooks.

    Args:
        cls: The class. The first argument of its constructor is `units`.
        passed_on: Arguments that the constructor takes by `**kwargs` and passes on.
        **defaults: Defaults of other arguments of the constructor, in this class.
    """
    constructor = getattr(cls, "__init__")  # noqa: B009

    @functools.wraps(constructor)
    def init(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1 or not (args or "units" in kwargs):
            raise TypeError(_not_only_units(type(self).__name__, args))
        constructor(self, *args, **{**defaults, **kwargs})

    signature = inspect.signature(constructor)
    layer, units, *others = (
        parameter.replace(default=defaults.get(parameter.name, parameter.default))
        for parameter in signature.parameters.values()
    )
    listed = {each.name: each for each in (layer, units, *passed_on, *others)}
    setattr(init, "__signature__", signature.replace(parameters=[*listed.values()]))  # noqa: B010
    setattr(cls, "__init__", init)  # noqa: B010


def _not_only_units(layer: str, args: tuple[Any, ...]) -> str:
    """What to say of a call without `units`, or with more than it by position."""
    received = ", ".join(map(shorten, args)) or "no `units`"
    return (
        f"{layer} must have `units` as its only positional argument, and all others "
        f"by keyword, such as {layer}(8, name='memory'). Received: {received}"
    )


def _unknown(layer: str, given: dict[str, Any], known: list[str]) -> str:
    """What to say of arguments of a layer that it does not have."""
    unknown = [name for name in given if name not in (*known, *LAYER_ARGUMENTS)]
    name = unknown[0] if unknown else next(iter(given))
    hint = ""
    of_controllers = inspect.signature(keras.layers.LSTMCell).parameters
    if "dropout" in name:
        hint = "Put keras.layers.Dropout before the layer or after it."
    elif name in of_controllers and "controller" in known:
        hint = (
            f"`{name}` belongs to the controller, such as "
            f"{layer}(..., controller=keras.layers.LSTMCell(100, {name}=...))."
        )
    known = ["units", *known]
    return unknown_argument(layer, name, known, others=LAYER_ARGUMENTS, hint=hint)


def check_class(owner: type, name: str, meaning: str) -> None:
    """Checks that a subclass names the class that it runs.

    Raises:
        TypeError: If it does not.
    """
    if not hasattr(owner, name):
        raise TypeError(f"The class {owner.__name__} must have `{name}`, {meaning}.")


class CellLayer(MemoryRNN):
    """A cell run over sequences. The arguments of the cell are those of the layer.

    A subclass names its `cell_class`, which has `unpack`.

    Args:
        units: Size of the output.
        return_sequences, return_state, stateful: As for `MemoryRNN`.
        gradient_bound: In training, the largest norm of the gradients that leave the
            layer, for errors of norm 1: see `with_bounded_gradients`. None for none.
        **kwargs: The keyword arguments of the cell, and the others of `MemoryRNN`.
    """

    cell_class: ClassVar[Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        check_class(cls, "cell_class", "the cell that it runs")
        return super().__new__(cls, *args, **kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "cell_class" in vars(cls):
            own = keyword_arguments(CellLayer.__init__)
            add_arguments(cls, [*keyword_arguments(cls.cell_class), *own])

    def __init__(
        self,
        units: int,
        *,
        return_sequences: bool = False,
        return_state: bool = False,
        stateful: bool = False,
        gradient_bound: float | None = None,
        **kwargs: Any,
    ) -> None:
        if gradient_bound is not None:
            gradient_bound = check_bound("gradient_bound", gradient_bound)
        cell_arguments = {
            argument.name: kwargs.pop(argument.name)
            for argument in keyword_arguments(self.cell_class)
            if argument.name in kwargs
        }
        cell = self.cell_class(
            units, dtype=kwargs.get("dtype"), name="cell", **cell_arguments
        )
        loop = {"return_state": return_state, "stateful": stateful, **kwargs}
        try:
            super().__init__(cell, return_sequences=return_sequences, **loop)
        except ValueError as error:
            # Keras names the arguments that nobody takes, and none that there are.
            if not str(error).startswith("Unrecognized keyword arguments"):
                raise
            known = [argument.name for argument in keyword_arguments(type(self))]
            raise ValueError(_unknown(type(self).__name__, kwargs, known)) from None
        self.gradient_bound = gradient_bound

    def call(
        self,
        sequences: Tensor,
        initial_state: Structure = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Structure:
        if not training or self.gradient_bound is None:
            return self._run(sequences, initial_state, mask, training)
        return with_bounded_gradients(
            self,
            self.gradient_bound,
            lambda sequences, state: self._run(sequences, state, mask, training),
            sequences,
            initial_state,
        )

    def _run(
        self,
        sequences: Tensor,
        initial_state: Structure,
        mask: Tensor | None,
        training: bool,
    ) -> Structure:
        return super().call(sequences, initial_state, mask, training)

    def trace(
        self,
        sequences: Tensor,
        initial_state: list[Tensor] | None = None,
        mask: Tensor | None = None,
    ) -> Structure:
        """The named state after every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
            initial_state: List of tensors `(B, size)`; the cell's own initial state if
                `None`.
            mask: Boolean tensor `(B, T)`.
        Returns:
            The state that `layer.cell.unpack` names, such as `NTMState`, whose tensors
            have a time axis after the batch axis.
        """
        return self.cell.unpack(super().trace(sequences, initial_state, mask))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        # The layer's arguments are those of its cell and those of the loop.
        del config["cell"]
        cell_config = self.cell.get_config()
        for key in ("name", "trainable", "dtype"):
            del cell_config[key]
        return {**config, "gradient_bound": self.gradient_bound, **cell_config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        return cls(**config)
