"""A cell with a named state, run over sequences by a layer with its arguments."""

import inspect
from collections.abc import Callable
from typing import Any

from ..numerics.tensor_checks import Tensor
from .rnn import MemoryRNN


def _keyword_arguments(cell_class):
    """The arguments that a layer passes on to a cell of the class."""
    return [
        parameter
        for parameter in inspect.signature(cell_class.__init__).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]


def lists_arguments_of(cell_class: type) -> Callable[[Callable], Callable]:
    """A decorator of a constructor: adds the arguments of the cell, which it passes
    on, to its signature, for `help()`, `inspect.signature()` and notebooks."""

    def add(init):
        signature = inspect.signature(init)
        layer, units, *others = signature.parameters.values()
        parameters = [layer, units, *_keyword_arguments(cell_class), *others]
        setattr(init, "__signature__", signature.replace(parameters=parameters))  # noqa: B010
        return init

    return add


class CellLayer(MemoryRNN):
    """A cell run over sequences. The arguments of the cell are those of the layer.

    Args:
        cell_class: Class of the cell, which has `unpack`.
        units: Size of the output.
        **kwargs: The keyword arguments of the cell, and those of `MemoryRNN`.
    """

    def __init__(self, cell_class: type, units: int, **kwargs: Any) -> None:
        cell_arguments = {
            argument.name: kwargs.pop(argument.name)
            for argument in _keyword_arguments(cell_class)
            if argument.name in kwargs
        }
        cell = cell_class(
            units, dtype=kwargs.get("dtype"), name="cell", **cell_arguments
        )
        super().__init__(cell, **kwargs)

    def trace(
        self,
        sequences: Tensor,
        initial_state: list[Tensor] | None = None,
        mask: Tensor | None = None,
    ) -> Any:
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
        return {**config, **cell_config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)
