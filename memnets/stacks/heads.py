"""How raw controller output becomes the actions on stacks and what is pushed.

Every squashing function of these heads is in this file.
"""

from typing import NamedTuple

import numpy as np
from keras import ops

from ..memory.heads import split_values
from ..numerics.tensor_checks import Tensor


class StackParameters(NamedTuple):
    """What a network does to each of `S` stacks.

    Attributes:
        actions: `(B, S, A)`, probabilities of the actions, in the order of
            `memnets.stacks.rules.KINDS`. Softmax.
        element: `(B, S, E)` in (0, 1), what is pushed. Sigmoid.
    """

    actions: Tensor
    element: Tensor


class StackHeadLayout(NamedTuple):
    """The order of the raw values of all stacks in one vector.

    Attributes:
        num_stacks: S.
        num_actions: A.
        element_size: E.
    """

    num_stacks: int
    num_actions: int
    element_size: int

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """`(stacks, values per stack)` of each parameter, in the order of the
        vector."""
        return {
            "actions": (self.num_stacks, self.num_actions),
            "element": (self.num_stacks, self.element_size),
        }

    @property
    def size(self) -> int:
        """Number of raw values of one example."""
        return sum(stacks * size for stacks, size in self.shapes.values())

    def initial_bias(self, actions: list[int], value: float) -> np.ndarray:
        """Bias of the dense layer before training, `(size,)`.

        Args:
            actions: Numbers of the actions whose bias is `value`; that of all others
                is 0.
            value: Their bias, for all stacks.
        """
        of_stack = np.zeros(self.num_actions, "float32")
        of_stack[actions] = value
        of_actions = np.tile(of_stack, self.num_stacks)
        return np.pad(of_actions, (0, self.size - of_actions.size))

    def split(self, raw: Tensor) -> StackParameters:
        """Splits raw values `(B, size)` into named parameters and squashes them."""
        parts = split_values(raw, self.shapes)
        return StackParameters(
            actions=ops.softmax(parts["actions"]), element=ops.sigmoid(parts["element"])
        )
