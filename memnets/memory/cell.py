"""The cell that runs one step of any kind of memory."""

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import keras
from keras import ops

from ..backends.recomputation import recomputed
from ..cells import states as cell_states
from ..numerics.precision import (
    InnerPrecision,
    at_least_float32,
    inner_policy,
    needs_float32,
    within_range,
)
from ..numerics.tensor_checks import (
    Shape,
    Structure,
    Tensor,
    check_batch_size,
    check_bound,
    check_features,
    check_size,
    check_step,
)
from ..recurrent.cell_layer import add_arguments, check_class, keyword_arguments
from . import controllers
from .base import Memory, check_memory, checked_access
from .initial_state import InitialState
from .state_layout import StateLayout


class MemoryCell(InnerPrecision, keras.layers.Layer):
    """One step of a network whose controller drives a memory.

    1. The controller sees the input and what was read in the previous step.
    2. One dense layer turns the controller's output into the raw parameters of all
       heads.
    3. The heads change the memory and read from it: `Memory.access`.
    4. The output is a linear function of the controller's output and of the reads.

    A subclass names its `memory_class`, whose fields are arguments of the cell too.

    Args:
        units: Size of the output.
        controller, controller_size, input_clip, cell_clip: See `NTM`.
        **kwargs: The arguments of the memory; `name`, `dtype`, `trainable`.
    """

    memory_class: ClassVar[type[Memory]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        check_class(cls, "memory_class", "the kind of memory that it runs")
        return super().__new__(cls, *args, **kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "memory_class" in vars(cls):
            memory = cls.memory_class
            add_arguments(
                cls, keyword_arguments(memory), controller=memory.default_controller
            )

    def __init__(
        self,
        units: int,
        *,
        controller: Any,
        controller_size: int | tuple[int, ...] | list[int] | None = None,
        input_clip: float | None = None,
        cell_clip: float | None = None,
        **kwargs: Any,
    ) -> None:
        arguments = {
            argument.name: kwargs.pop(argument.name)
            for argument in keyword_arguments(self.memory_class)
            if argument.name in kwargs
        }
        # Keras asks for data types while it makes a layer.
        self.needs_float32 = self.memory_class.needs_float32
        super().__init__(**kwargs)
        self.units = check_size("units", units)
        self.input_clip, self.cell_clip = (
            clip if clip is None else check_bound(name, clip)
            for name, clip in (("input_clip", input_clip), ("cell_clip", cell_clip))
        )
        self._controller_name = controller if isinstance(controller, str) else None
        if controller_size is None and self._controller_name:
            controller_size = controllers.DEFAULT_SIZE
        self.controller_size = controller_size
        self.controller = controllers.get_controller(
            controller, self.controller_size, self.inner_policy, self.cell_clip
        )
        self.needs_float32 = self.needs_float32 or needs_float32(self.controller)
        memory: Any = self.memory_class(**arguments)
        check_memory(memory)
        self.memory = memory
        self.output_size = self.units
        self._features: int | None = None
        self.heads = self.make_heads()
        self.projection = keras.layers.Dense(
            self.units, dtype=self.inner_policy, name="projection"
        )
        self.initial = InitialState(memory, dtype=self.inner_policy)
        self.state_layout = StateLayout(
            memory.state_class,
            self.units,
            tuple(cell_states.flat_state_size(self.controller)),
            memory.shapes,
            memory.rows_last,
        )
        self.state_size = self.state_layout.sizes

    def __getattr__(self, name: str) -> Any:
        """What is known of the memory is known of the cell: `cell.memory_size`."""
        try:
            # On PyTorch a layer is a module, which keeps its sub-layers apart.
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_") or "memory" not in vars(self):
                message = f"{type(self).__name__!r} object has no attribute {name!r}"
                raise AttributeError(message) from None
        return getattr(self.memory, name)

    @property
    def inner_policy(self) -> keras.DTypePolicy:
        """The data type policy of sub-layers, which do not inherit that of the layer
        that owns them."""
        return inner_policy(self.dtype_policy, self.needs_float32)

    def make_heads(self) -> keras.layers.Layer:
        """The layer that turns the controller's output into raw parameters of heads,
        `(B, num_raw)`."""
        return keras.layers.Dense(
            self.memory.num_raw,
            kernel_initializer=self.memory.kernel_initializer,
            bias_initializer=self._heads_bias,
            dtype=self.inner_policy,
            name="heads",
        )

    def _heads_bias(self, shape: tuple[int, ...], dtype: str | None = None) -> Tensor:
        return ops.convert_to_tensor(self.memory.initial_bias(), dtype)

    def build(self, input_shape: Shape) -> None:
        features = check_features("input_shape", input_shape, rank=2)
        self._features = features
        reads_size = math.prod(self.state_layout.shapes["reads"])
        controller_size = cell_states.output_size(self.controller)
        # A layer that load_model has built already must not be built twice.
        for layer, size in (
            (self.controller, features + reads_size),
            (self.heads, controller_size),
            (self.projection, controller_size + reads_size),
        ):
            if not layer.built:
                layer.build((None, size))
        if not self.initial.built:
            self.initial.build()

    def get_initial_state(
        self, batch_size: int | Tensor, training: bool = False
    ) -> list[Tensor]:
        """The state before the first step.

        Args:
            batch_size: Number of sequences, or a scalar tensor.
            training: Whether to randomize the memory, in a cell that can.
        Returns:
            List of tensors `(batch_size, size)`, sizes in `state_size`.
        """
        check_batch_size(batch_size)
        dtype = self.compute_dtype
        parts = self.initial.tensors(batch_size, training)
        for name, shape in self.state_layout.shapes.items():
            if name not in parts:
                parts[name] = ops.zeros((batch_size, *shape), dtype)
        controller = cell_states.flat_initial_state(self.controller, batch_size, dtype)
        output = ops.zeros((batch_size, self.units), dtype)
        return self.pack(
            self.state_layout.state_class(output=output, controller=controller, **parts)
        )

    def unpack(self, states: list[Tensor]) -> Structure:
        """Gives names and shapes to flat states: see `StateLayout.unpack`."""
        return self.state_layout.unpack(states)

    def pack(self, state: Structure) -> list[Tensor]:
        """Turns a named state into the list of flat states that Keras passes around."""
        return self.state_layout.pack(state)

    def __call__(
        self, inputs: Tensor, states: list[Tensor] | None = None, **kwargs: Any
    ) -> Any:
        if states is None:
            raise TypeError(
                f"`states` must be given: {type(self).__name__} runs one step. For "
                "sequences take the layer, or keras.layers.RNN(cell). Received: None"
            )
        layout = self.state_layout
        if layout.are_stored(states):
            output, states = self(inputs, layout.flatten(states), **kwargs)
            return output, layout.store(states)
        check_step(inputs, states, self._features, self.state_size)
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        return self.step(inputs, states, self.memory.split)

    def step(
        self,
        inputs: Tensor,
        states: list[Tensor],
        split: Callable[[Tensor], Structure],
        shift: Tensor | None = None,
    ) -> tuple[Tensor, list[Tensor]]:
        """One step.

        Args:
            inputs: `(B, features)`.
            states: The flat states of the cell.
            split: Turns the raw parameters of the heads into named ones.
            shift: What is added to the raw parameters; None for nothing.
        """
        hidden, controller_state = self.control(inputs, states)
        *_, others = self.state_layout.split(states)
        # Recomputing the memory step in the backward pass is cheaper than storing its
        # many products, of the size of the memory or of its square.
        access: Any = functools.partial(self._access, split)
        if self.memory.recomputes:
            access = recomputed(access)
        raw = self.heads(hidden)
        raw = raw if shift is None else raw + shift
        reads, *others = access(raw, *others)
        output = self.projection(ops.concatenate([hidden, reads], axis=-1))
        # A user may have set another precision in it than that of the loop.
        output = ops.cast(output, self.compute_dtype)
        output = within_range(output, self.output_dtype)
        return output, [output, *controller_state, reads, *others]

    def clip_inputs(self, inputs: Tensor) -> Tensor:
        """Inputs clipped to [-input_clip, input_clip]."""
        if self.input_clip is None:
            return inputs
        # An integer type may not be able to represent the bound.
        inputs = ops.cast(inputs, self.compute_dtype)
        return ops.clip(inputs, -self.input_clip, self.input_clip)

    def control(
        self, inputs: Tensor, states: list[Tensor]
    ) -> tuple[Tensor, list[Tensor]]:
        """The step of the controller.

        Args:
            inputs: `(B, features)`.
            states: The flat states of the cell.
        Returns:
            Its output and its flat states.
        """
        controller_state, reads, _ = self.state_layout.split(states)
        hidden, state = cell_states.cell_step(
            self.controller,
            ops.concatenate([self.clip_inputs(inputs), reads], axis=-1),
            controller_state,
        )
        # A cell that was passed in may compute in another precision than the loop.
        hidden, *state = (ops.cast(x, self.compute_dtype) for x in (hidden, *state))
        return hidden, state

    def _access(
        self, split: Callable[[Tensor], Structure], raw: Tensor, *parts: Tensor
    ) -> list[Tensor]:
        """The new reads and other parts, all flat, from raw head parameters."""
        # Half precision has too few digits for the epsilons and for sharpening.
        dtype = at_least_float32(self.compute_dtype)
        raw, *others = (ops.cast(x, dtype) for x in (raw, *parts))
        state = self.state_layout.memory_state(others)
        found = checked_access(self.memory, split(raw), state)
        return [
            ops.cast(part, self.compute_dtype)
            for part in self.state_layout.memory_parts(*found)
        ]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "controller": self._controller_name
            or keras.saving.serialize_keras_object(self.controller),
            "controller_size": self.controller_size,
            "input_clip": self.input_clip,
            "cell_clip": self.cell_clip,
            **self.memory.arguments,
        }
