"""One step of a network with stacks, queues, deques or lists, as a Keras cell."""

from typing import Any

import keras
from keras import ops

from ..memory.cell import MemoryCell
from ..numerics.tensor_checks import Tensor
from .memory import StackMemory


@keras.saving.register_keras_serializable("memnets")
class StackCell(MemoryCell):
    """One step of a network with stacks, queues, deques or lists.

    1. The controller sees the input and what was read in the previous step.
    2. Its output sets for each stack the probabilities of its actions, and an element
       that may be pushed.
    3. Each stack is updated, see `memnets.stacks.rules`, and read.
    4. The output is a linear function of the controller's output and of the reads.

    `StackRNN` runs it over sequences. The cell follows the contract of
    `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `StackRNN`,
            which passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
        noise: Tensor `(B, noise_size)`, added to what the actions are a softmax of;
            None for no noise. Of a cell with `noise`, it may also follow the inputs,
            `(B, features + noise_size)`. Only `StackRNN` draws it, and hands it over
            so; any other layer that runs the cell has no noise.
        training: Whether this is a step of training, which does not round actions.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `StackRNN`.
    Reference:
        Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
        Recurrent Nets, arXiv:1503.01007, section 3.

        Deviation: the output also sees what is read after the step; in the paper it
        sees the controller only, and so what was read before.
    Example:
        >>> tuple(keras.layers.RNN(StackCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    memory_class = StackMemory

    def __call__(
        self, inputs: Tensor, states: list[Tensor] | None = None, **kwargs: Any
    ) -> Any:
        features = self._features if self.noise else None
        if features and inputs.shape[1:] == (features + self.memory.noise_size,):
            inputs, kwargs["noise"] = inputs[:, :features], inputs[:, features:]
        return super().__call__(inputs, states, **kwargs)

    def call(
        self,
        inputs: Tensor,
        states: list[Tensor],
        noise: Tensor | None = None,
        training: bool = False,
    ) -> tuple[Tensor, list[Tensor]]:
        memory = self.memory
        rounds = memory.round_actions and not training
        shift = None
        if noise is not None:
            others = memory.num_raw - memory.noise_size
            shift = ops.pad(ops.cast(noise, self.compute_dtype), ((0, 0), (0, others)))
        split = memory.split_rounded if rounds else memory.split
        return self.step(inputs, states, split, shift)
