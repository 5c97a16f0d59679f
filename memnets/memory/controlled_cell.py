"""What the cells share whose controller drives a memory by heads."""

import abc
import functools
import math
from typing import Any

import keras
from keras import ops

from ..cells import states as cell_states
from ..numerics.precision import (
    InnerPrecision,
    at_least_float32,
    inner_policy,
    needs_float32,
    within_range,
)
from ..numerics.recomputation import recomputed
from ..numerics.tensor_checks import (
    Tensor,
    check_batch_size,
    check_bound,
    check_features,
    check_size,
    check_step,
)
from . import controllers
from .state_layout import StateLayout


class ControlledCell(InnerPrecision, keras.layers.Layer):
    """One step of a network whose controller drives a memory.

    1. The controller sees the input and what was read in the previous step.
    2. One dense layer turns the controller's output into the raw parameters of all
       heads.
    3. The heads change the memory and read from it: `_access_memory`.
    4. The output is a linear function of the controller's output and of the reads.

    The constructor of a subclass sets `head_layout`, which turns raw values into
    parameters of the heads, and calls `_make_layers`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are documented in `NTM`. Also `name`, `dtype`,
            `trainable`.
    """

    head_layout: Any
    # Whether the backward pass recomputes the memory step.
    recomputes_access = True

    def __init__(
        self,
        units: int,
        *,
        controller: Any,
        controller_size: int | tuple[int, ...] | list[int] | None,
        input_clip: float | None,
        cell_clip: float | None,
        **kwargs: Any,
    ) -> None:
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
        self.output_size = self.units
        self._features: int | None = None

    @property
    def inner_policy(self) -> Any:
        """The data type policy of sub-layers, which do not inherit that of the layer
        that owns them."""
        return inner_policy(self.dtype_policy, self.needs_float32)

    def _make_layers(self, state_class, shapes, rows_first=False, **initializers):
        """Makes the dense layers and the layout of the state.

        Args:
            state_class: Class of the named state.
            shapes: Shapes of its parts by name, see `StateLayout`.
            rows_first: Whether the memory is stored as `(N, W)`, see `StateLayout`.
            **initializers: Of the layer that sets the heads.
        """
        self.heads = keras.layers.Dense(
            self.head_layout.size,
            dtype=self.inner_policy,
            name="heads",
            **initializers,
        )
        self.projection = keras.layers.Dense(
            self.units, dtype=self.inner_policy, name="projection"
        )
        self.state_layout = StateLayout(
            state_class,
            self.units,
            tuple(cell_states.flat_state_size(self.controller)),
            shapes,
            rows_first,
        )
        self.state_size = self.state_layout.sizes

    def build(self, input_shape: Any) -> None:
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

    def get_initial_state(
        self, batch_size: Any, training: bool = False
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
        parts = self._initial_parts(batch_size, training)
        for name, shape in self.state_layout.shapes.items():
            if name not in parts:
                parts[name] = ops.zeros((batch_size, *shape), dtype)
        controller = cell_states.flat_initial_state(self.controller, batch_size, dtype)
        output = ops.zeros((batch_size, self.units), dtype)
        return self.pack(
            self.state_layout.state_class(output=output, controller=controller, **parts)
        )

    def _initial_parts(self, batch_size, training):
        """The parts of the initial state that are not zero, by name."""
        return {}

    def unpack(self, states: list[Tensor]) -> Any:
        """Gives names and shapes to a list of flat states `(..., size)`.

        Raises:
            ValueError: If the list has another length.
        """
        return self.state_layout.unpack(states)

    def pack(self, state: Any) -> list[Tensor]:
        """Turns a named state into the list of flat states that Keras passes around."""
        return self.state_layout.pack(state)

    def __call__(self, inputs: Tensor, states: list[Tensor], **kwargs: Any) -> Any:
        layout = self.state_layout
        if layout.are_stored(states):
            output, states = self(inputs, layout.flatten(states), **kwargs)
            return output, layout.store(states)
        check_step(inputs, states, self._features, self.state_size)
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs: Tensor, states: list[Tensor]) -> Any:
        return self._step(inputs, states, self._access_memory)

    def _step(self, inputs, states, access_memory, shift=None):
        """One step, whose heads do `access_memory`, see `_access_memory`.

        `shift`, if given, is added to the raw parameters of the heads.
        """
        hidden, controller_state = self.control(inputs, states)
        *_, others = self.state_layout.split(states)
        # Recomputing the memory step in the backward pass is cheaper than storing its
        # many products, of the size of the memory or of its square.
        access = functools.partial(self._access, access_memory)
        if self.recomputes_access:
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

    def _access(self, access_memory, raw, *parts):
        """The new reads and other parts, all flat, from raw head parameters."""
        # Half precision has too few digits for the epsilons and for sharpening.
        dtype = at_least_float32(self.compute_dtype)
        raw, *flat = (ops.cast(x, dtype) for x in (raw, *parts))
        results = access_memory(raw, *self.state_layout.shaped((-1,), flat))
        return [
            ops.cast(ops.reshape(x, (-1, size)), self.compute_dtype)
            for x, size in zip(results, self.state_size[-len(results) :], strict=True)
        ]

    @abc.abstractmethod
    def _access_memory(self, raw: Tensor, *parts: Tensor) -> list[Tensor]:
        """What the heads do to the memory.

        Args:
            raw: Raw parameters of the heads, `(B, size)`.
            *parts: The parts of the state after the reads, in the shapes of the named
                state, but the memory as `(B, W, N)` unless it is stored with its rows
                first.
        Returns:
            The new reads and the new parts, in the same shapes.
        """

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "controller": self._controller_name
            or keras.saving.serialize_keras_object(self.controller),
            "controller_size": self.controller_size,
            "input_clip": self.input_clip,
            "cell_clip": self.cell_clip,
        }
