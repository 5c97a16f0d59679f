"""One step of a network with a tape, as a Keras cell."""

import keras
from keras import ops

from ..memory.cell import MemoryCell
from ..numerics.tensor_checks import Shape, Tensor
from .head_parameters import TapeHeads
from .memory import TapeMemory


@keras.saving.register_keras_serializable("memnets")
class TapeCell(MemoryCell):
    """One step of a network with a tape.

    1. The controller sees the input and the cell under the head.
    2. A small network of the controller's output makes a word, which replaces that
       cell; a linear one gives the probabilities of the moves.
    3. The head moves, see `memnets.tapes.rules`.
    4. The output is a linear function of the controller's output and of the cell under
       the head.

    `TapeRNN` runs it over sequences. The cell follows the contract of
    `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `TapeRNN`,
            which passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`. With
            `jumps`, `length` is part of it: whoever steps the cell sets it in the
            first state, as `with_length` does. With 0, jumps stay in their place.
        training: Whether this is a step of training, which does not round moves.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `TapeRNN`.
    Reference:
        Delétang, Ruoss et al. (2023), Neural Networks and the Chomsky Hierarchy,
        arXiv:2207.02098, appendix.

        Deviation: the output also sees the cell under the head after the step, and is
        linear in the controller's output; in the public code it sees the controller
        only, rectified.
    Example:
        >>> tuple(keras.layers.RNN(TapeCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    memory_class = TapeMemory

    def make_heads(self) -> keras.layers.Layer:
        return TapeHeads(
            len(self.memory.move_names),
            self.memory.word_size,
            self.memory.writer_sizes,
            kernel_initializer=self.memory.kernel_initializer,
            dtype=self.inner_policy,
            name="heads",
        )

    def build(self, input_shape: Shape) -> None:
        super().build(input_shape)
        counted, features = self.memory.length_features or 0, self._features or 0
        if counted > features:
            raise ValueError(
                f"`length_features` must be at most the {features} features of the "
                f"inputs. Received: length_features={counted}"
            )

    def with_length(self, states: list[Tensor], length: Tensor) -> list[Tensor]:
        """The states with the length of the input, where they have none yet.

        Args:
            states: List of tensors `(B, size)`, of a cell with `jumps`.
            length: `(B, 1)`.
        """
        state = self.unpack(states)
        length = ops.cast(length, state.length.dtype)
        known = state.length > 0
        return self.pack(state._replace(length=ops.where(known, state.length, length)))

    def call(
        self, inputs: Tensor, states: list[Tensor], training: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        rounds = self.memory.round_moves and not training
        split = self.memory.split_rounded if rounds else self.memory.split
        return self.step(inputs, states, split)
