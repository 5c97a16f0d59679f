"""The contract of a kind of memory: its state, its heads and its rule."""

import abc
import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from ..checks import shorten
from ..numerics.tensor_checks import Structure, Tensor, check_size
from .heads import split_values
from .tracing import MemoryTrace


class Memory(abc.ABC):
    """A kind of memory, which the controller of a network drives by heads.

    A subclass is a frozen dataclass. Its fields are arguments of the cell and of the
    layer that run it, in addition to those of `MemoryCell` and `MemoryLayer`, and
    entries of their configurations; `__post_init__` checks them. Its methods are pure
    functions of tensors, which use `keras.ops`. `docs/tutorials/own_memory.md` has an
    example.

    Attributes:
        state_class: A `NamedTuple` with the fields `output`, `controller` and `reads`,
            then those of the memory, of which one is called `memory`. A part that an
            option leaves out has a default of None.
        default_controller: The controller unless another one is given.
        rows_last: Whether `access` sees the memory with its last two axes in reverse
            order, `(B, W, N)` in place of `(B, N, W)`. Processors are fast at a long
            last axis; where a step touches few rows, it is slower.
        recomputes: Whether the backward pass computes `access` again, rather than to
            store what it computed. The state before each step is then stored.
        needs_float32: Whether a cell computes in float32 under bfloat16 too, which has
            8 binary digits.
        places: The argument that is the number of its places, where no weight depends
            on it. A network can then be tested with more of them.
        kernel_initializer: Of the matrix that computes the raw parameters of the heads.
    """

    state_class: ClassVar[Any]
    default_controller: ClassVar[str] = "lstm"
    rows_last: ClassVar[bool] = False
    recomputes: ClassVar[bool] = True
    needs_float32: ClassVar[bool] = False
    places: ClassVar[str | None] = None
    kernel_initializer: Any = "glorot_uniform"

    @property
    @abc.abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the parts of the state, without the batch axis: `reads` first,
        `memory` last."""

    @property
    def initial(self) -> dict[str, Any]:
        """The parts of the state that do not begin with zeros: an array of the shape of
        the part, or for `memory`, `weightings` and `reads` a name, see
        `InitialState`."""
        return {}

    def initial_from(self, memory: Tensor) -> dict[str, Tensor]:
        """The parts of the state that follow from the initial memory, such as an index.

        Args:
            memory: `(B, N, W)`, not zeros.
        """
        return {}

    @property
    @abc.abstractmethod
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        """`(heads, values per head)` of each parameter, in the order of the raw
        values."""

    @property
    def head_biases(self) -> dict[str, Any]:
        """The initial biases of parameters by name: a number, or an array that can be
        broadcast to `(heads, values per head)`. The others are 0."""
        return {}

    @abc.abstractmethod
    def parameters(self, raw: dict[str, Tensor]) -> Structure:
        """The parameters of the heads: named tuples of tensors, or a tuple of such.

        Args:
            raw: What the controller puts out for each parameter, `(B, heads, values
                per head)`.
        """

    @abc.abstractmethod
    def access(
        self, parameters: Structure, state: Structure
    ) -> tuple[Tensor, Structure]:
        """The rule: what the heads do to the memory in one step.

        Args:
            parameters: What `parameters` returned.
            state: The `state_class` before the step. Its `output`, `controller` and
                `reads` are None: these belong to the cell.
        Returns:
            `(reads, state)`, the state after the step.
        """

    @abc.abstractmethod
    def trace(self, parameters: Structure, state: Structure) -> MemoryTrace:
        """What a picture shows of a run over sequences.

        Args:
            parameters: What `parameters` returned, as NumPy arrays with a time axis
                after the batch axis.
            state: The state after each step, likewise.
        """

    def split(self, raw: Tensor) -> Structure:
        """The parameters of the heads from their raw values `(B, num_raw)`."""
        parts = split_values(raw, self.head_shapes)
        try:
            return self.parameters(parts)
        except KeyError as error:
            known = f"`head_shapes` of {type(self).__name__} has {list(parts)}"
            raise KeyError(f"{error}; {known}") from error

    @property
    def num_raw(self) -> int:
        """Number of raw values of one example."""
        return sum(heads * size for heads, size in self.head_shapes.values())

    def initial_bias(self) -> np.ndarray:
        """The biases of all raw values before training, `(num_raw,)`, float32."""
        given = self.head_biases
        biases = [
            np.broadcast_to(np.asarray(given.get(name, 0.0), "float32"), shape)
            for name, shape in self.head_shapes.items()
        ]
        return np.concatenate([bias.ravel() for bias in biases])

    @property
    def arguments(self) -> dict[str, Any]:
        """The fields, by name."""
        names = (field.name for field in dataclasses.fields(self))  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}

    def set_checked(self, **values: Any) -> None:
        """Replaces arguments by their checked values, for `__post_init__`."""
        vars(self).update(values)

    def check_sizes(self, *names: str) -> None:
        """Checks that arguments are positive integers.

        Raises:
            ValueError: If one is not.
        """
        self.set_checked(**{name: check_size(name, vars(self)[name]) for name in names})


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
