"""How raw controller output becomes the actions on stacks and what is pushed.

Every squashing function of these heads is in this file.
"""

from typing import NamedTuple

from keras import ops

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


def parameters(raw: dict[str, Tensor]) -> StackParameters:
    """Squashes raw values `(B, stacks, values per stack)`."""
    return StackParameters(
        actions=ops.softmax(raw["actions"]), element=ops.sigmoid(raw["element"])
    )
