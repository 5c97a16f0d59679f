"""The contract of a recurrent cell: that of Keras, with states that are vectors."""

from typing import Protocol

from ..numerics.tensor_checks import Tensor


class Cell(Protocol):
    """One step of a recurrent network.

    A cell is a `keras.layers.Layer` with these members. Any such cell runs in
    `keras.layers.RNN`, `keras.layers.StackedRNNCells`, `keras.layers.Bidirectional` and
    `memnets.MemoryRNN`, and may be the `controller` of a memory: Keras' own cells
    follow this contract, and so do `FeedforwardCell`, `ClippedLSTMCell` and
    `memnets.NTMCell`. The protocol documents the contract; a cell need not inherit it.

    Every state is a vector `(B, size)`, and the first one is the previous output. A
    state that is a matrix or a nest of tensors fails in Keras with `return_state=True`
    and in `Bidirectional`, and a mask may be applied wrongly to it without an error.
    Store a matrix as a flat vector, and offer `unpack` and `pack` as `NTMCell` does.

    Attributes:
        state_size: Size of the state, or a list of sizes if there are several.
        output_size: Size of the output. If it is missing, the first state size counts.
    """

    state_size: int | list[int]
    output_size: int

    def get_initial_state(self, batch_size: int | Tensor) -> list[Tensor]:
        """The state before the first step.

        Args:
            batch_size: Number of sequences, B, or a scalar tensor.
        Returns:
            List of tensors `(B, size)`. If the method is missing, they are zeros.
        """

    def __call__(
        self, inputs: Tensor, states: list[Tensor], training: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        """One step.

        Args:
            inputs: Tensor `(B, features)`.
            states: List of tensors `(B, size)`.
            training: Whether this is a step of training. A cell whose `call` does not
                take this argument is called without it.
        Returns:
            `(output, states)`, output `(B, output_size)`.
        """
