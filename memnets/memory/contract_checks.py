"""What a kind of memory gives must fit together: checked before a network is made of
it, and at each step that runs in Python."""

from collections.abc import Iterable
from typing import Any

from ..checks import shorten
from ..numerics.tensor_checks import Structure, Tensor
from .base import Memory


def check_memory(memory: Memory) -> None:
    """Checks the names that a kind of memory gives.

    Raises:
        ValueError: If parts of its state do not stand where they must, or a name is not
            known: what is given for it would have no effect.
    """
    kind, state, shapes = type(memory).__name__, memory.state_class, memory.shapes
    names = list(shapes)
    if names[:1] != ["reads"] or names[-1:] != ["memory"]:
        raise ValueError(
            f"`{kind}.shapes` must begin with `reads` and end with `memory`. "
            f"Received: {', '.join(names)}"
        )
    _check_known(kind, "shapes", shapes, state.__name__, state._fields)
    _check_known(kind, "initial", memory.initial, "shapes", shapes)
    heads = memory.head_shapes
    _check_known(kind, "head_biases", memory.head_biases, "head_shapes", heads)


def _check_known(
    kind: str, method: str, given: Iterable[str], other: str, known: Iterable[str]
) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(
            f"`{kind}.{method}` must have names of `{other}`, which are "
            f"{', '.join(known)}. Received: {', '.join(unknown)}"
        )


def checked_access(
    memory: Memory, parameters: Structure, state: Structure
) -> tuple[Tensor, Structure]:
    """What `Memory.access` returns.

    Raises:
        TypeError: If it is not the reads and a state.
    """
    found: Any = memory.access(parameters, state)
    is_pair = isinstance(found, tuple) and len(found) == 2
    if not is_pair or not isinstance(found[1], memory.state_class):
        raise TypeError(
            f"`{type(memory).__name__}.access` must return (reads, state), the state "
            f"a {memory.state_class.__name__}. Received: {shorten(found)}"
        )
    return found
