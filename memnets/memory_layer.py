"""What the layers of all memory networks share."""

import inspect
from collections.abc import Callable
from typing import Any

import keras
from keras import ops, tree

from .memory_cell import MemoryCell
from .rnn import MemoryRNN
from .tensor_checks import Tensor
from .tracing import MemoryTrace, split_heads


def _keyword_arguments(cell_class):
    """The arguments that a layer passes on to a cell of the class."""
    return [
        parameter
        for parameter in inspect.signature(cell_class.__init__).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]


def lists_arguments_of(cell_class: type[MemoryCell]) -> Callable[[Callable], Callable]:
    """A decorator of a constructor: adds the arguments of the cell, which it passes
    on, to its signature, for `help()`, `inspect.signature()` and notebooks."""

    def add(init):
        signature = inspect.signature(init)
        layer, units, *others = signature.parameters.values()
        parameters = [layer, units, *_keyword_arguments(cell_class), *others]
        setattr(init, "__signature__", signature.replace(parameters=parameters))  # noqa: B010
        return init

    return add


class MemoryLayer(MemoryRNN):
    """A `MemoryCell` run over sequences.

    Args:
        cell_class: Class of the cell.
        units: Size of the output.
        **kwargs: The keyword arguments of the cell, and those of `MemoryRNN`.
    """

    def __init__(self, cell_class: type[MemoryCell], units: int, **kwargs: Any) -> None:
        cell_arguments = {
            argument.name: kwargs.pop(argument.name)
            for argument in _keyword_arguments(cell_class)
            if argument.name in kwargs
        }
        cell = cell_class(
            units, dtype=kwargs.get("dtype"), name="cell", **cell_arguments
        )
        super().__init__(cell, **kwargs)

    def call(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Any:
        # Keras asks the cell for an initial state without passing `training`.
        resample = training and self.cell.initial.is_randomized and not self.stateful
        if resample and initial_state is None:
            batch_size = ops.shape(sequences)[0]
            initial_state = self.cell.get_initial_state(batch_size, training=True)
        return super().call(sequences, initial_state, mask, training)

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
            `NTMState` or `DNCState`, whose tensors have a time axis after the batch
            axis: `memory` is `(B, T, N, W)`.
        """
        return self.cell.unpack(super().trace(sequences, initial_state, mask))

    def trace_heads(self, sequences: Tensor) -> Any:
        """The parameters of the heads at every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
        Returns:
            What `layer.cell.head_layout.split` returns, whose tensors have a time axis
            after the batch axis, in the order of processing: for an `NTM`
            `(AddressingParameters, WriteParameters)` of `memnets.heads`, for a `DNC`
            `(ReadParameters, WriteParameters)` of `memnets.dnc_heads`. What a write
            head adds is `(B, T, heads, W)`.
        """
        self._check_call(sequences, None, None)
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        batch_size, steps, _ = sequences.shape
        after = super().trace(sequences)
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
        first = tree.flatten(self.get_initial_state(batch_size))
        # The state before each step; then all steps are computed as one large batch.
        before = [
            ops.concatenate([start[:, None], states[:, :-1]], axis=1)
            for start, states in zip(first, after, strict=True)
        ]
        states = [ops.reshape(part, (batch_size * steps, -1)) for part in before]
        inputs = ops.reshape(sequences, (batch_size * steps, -1))
        hidden, _ = self.cell.control(inputs, states)

        def with_time(values):
            if values is None:  # a parameter of an option that is off
                return None
            return ops.reshape(values, (batch_size, steps, *values.shape[1:]))

        return tree.map_structure(
            with_time, self.cell.head_layout.split(self.cell.heads(hidden))
        )

    def trace_memory(self, sequences: Tensor) -> MemoryTrace:
        """The memory and the heads at every step, for pictures: see
        `memnets.TraceableMemory`.

        Args:
            sequences: Tensor `(B, T, features)`.
        """
        parameters, state = self.trace_heads(sequences), self.trace(sequences)
        *_, write_params = parameters
        num_read_heads = self.cell.num_read_heads
        added, read, weightings, memory = map(
            self._to_numpy,
            (write_params.add, state.reads, state.weightings, state.memory),
        )
        heads = [
            *split_heads("write", added, weightings[:, :, num_read_heads:]),
            *split_heads("read", read, weightings[:, :, :num_read_heads]),
        ]
        return MemoryTrace(heads, memory, **self._traced_values(parameters, state))

    def _traced_values(self, parameters, state):
        """What else than heads and memory a picture shows: fields of `MemoryTrace`."""
        return {}

    def _to_numpy(self, tensor):
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        return ops.convert_to_numpy(ops.cast(tensor, dtype))

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
