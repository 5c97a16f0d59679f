"""The loop over time for cells whose initial state is not zero."""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import keras
from keras import ops, tree

from .. import backends, native
from ..cells.cell_checks import check_cell
from ..checks import check_boolean
from ..numerics.precision import InnerPrecision, needs_float32
from ..numerics.tensor_checks import (
    Shape,
    Structure,
    Tensor,
    check_features,
    check_sequences,
    check_states,
)
from .recording import record, split_state


@keras.saving.register_keras_serializable("memnets")
class MemoryRNN(InnerPrecision, keras.layers.RNN):
    """`keras.layers.RNN` whose `reset_state()` restores the cell's own initial state.

    Keras resets a stateful layer to zeros, which silently gives a memory network
    another initial memory than in training. A stateful layer is saved with its state;
    after `set_weights`, and after `load_weights` from a layer that is not stateful,
    call `reset_state()`. It carries its state from batch to batch in `fit`, `evaluate`
    and `predict`, on JAX too, but no gradient: this is truncated back-propagation.

    Args:
        cell: Any Keras cell with flat states, each `(B, size)`, or a list of cells.
        return_sequences, return_state, go_backwards, stateful, unroll,
        zero_output_for_mask: As for `keras.layers.RNN`.
    Call arguments:
        sequences: Tensor `(B, T, features)` of at least one step.
        initial_state: Tensors `(B, size)` in the structure of the state, or None.
        mask: Tensor `(B, T)`, or None.
    Returns:
        As `keras.layers.RNN`. Under half precision, states have the type in which they
        are computed.
    Raises:
        ValueError: If there is no step, or a shape is wrong.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Example:
        >>> layer = MemoryRNN(keras.layers.LSTMCell(4))
        >>> tuple(layer(np.ones((2, 3, 5))).shape)
        (2, 4)
        >>> [tuple(states.shape) for states in layer.trace(np.ones((2, 3, 5)))]
        [(2, 3, 4), (2, 3, 4)]
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        cells = cell if isinstance(cell, (list, tuple)) else [cell]
        if not cells:
            raise ValueError(f"`cell` must not be empty. Received: cell={cell}")
        for each in cells:
            check_cell("cell", each)
        # Read by the constructor of Keras, which asks for data types.
        self.needs_float32 = any(map(needs_float32, cells))
        super().__init__(
            cell,
            return_sequences=check_boolean("return_sequences", return_sequences),
            return_state=check_boolean("return_state", return_state),
            go_backwards=check_boolean("go_backwards", go_backwards),
            stateful=check_boolean("stateful", stateful),
            unroll=check_boolean("unroll", unroll),
            zero_output_for_mask=check_boolean(
                "zero_output_for_mask", zero_output_for_mask
            ),
            **kwargs,
        )
        self._features: int | None = None
        backends.current().name_weights(self)

    def build(
        self, sequences_shape: Shape, initial_state_shape: Structure = None
    ) -> None:
        try:
            self._features = check_features("sequences_shape", sequences_shape, rank=3)
        except ValueError as error:
            if not isinstance(sequences_shape, tuple) or len(sequences_shape) != 2:
                raise
            kind, cell = type(self).__name__, type(self.cell).__name__
            hint = f"`{kind}` is a whole layer; `keras.layers.RNN` takes a `{cell}`."
            raise ValueError(f"{error}. {hint}") from None
        super().build(sequences_shape, initial_state_shape)
        native.prepare(self.cell)

    def __call__(
        self,
        sequences: Tensor,
        initial_state: Any = None,
        mask: Tensor | None = None,
        **kwargs: Any,
    ) -> Any:
        self._check_call(sequences, initial_state, mask)
        if initial_state is not None:
            kwargs["initial_state"] = initial_state
        if mask is not None:
            kwargs["mask"] = mask
        return super().__call__(sequences, **kwargs)

    def _check_call(
        self, sequences: Tensor, initial_state: Structure, mask: Tensor | None
    ) -> None:
        batch_size = check_sequences(sequences, mask, self._features)
        if initial_state is not None:
            check_states("initial_state", initial_state, batch_size, self.state_size)
        if self.stateful and self.states is not None:
            expected = tree.flatten(self.states)[0].shape[0]
            if batch_size not in (expected, "B"):
                raise ValueError(
                    f"`sequences` must have the batch size {expected} that the state "
                    "of a stateful layer has. Received: sequences of shape "
                    f"{tuple(sequences.shape)}"
                )
        elif self.stateful and batch_size == "B":
            _, *others = sequences.shape
            raise ValueError(
                "`sequences` must have a known batch size for a stateful layer. Name "
                f"it in the input, such as keras.Input(batch_shape={(4, *others)}). "
                f"Received: sequences of shape {tuple(sequences.shape)}"
            )

    def call(
        self,
        sequences: Tensor,
        initial_state: Structure = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Structure:
        run = super().call
        if initial_state is None and self.stateful:
            initial_state = self.states
        if initial_state is not None:
            sequences, initial_state, mask = backends.current().of_one_batch(
                sequences, initial_state, mask
            )
        with backends.current().own_precision():
            return pad_empty_batch(
                lambda *arguments: self._typed(run(*arguments, training=training)),
                sequences,
                initial_state,
                mask,
            )

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> tuple[Tensor, Tensor, Structure]:
        initial_state = self.first_state(sequences, initial_state, mask)
        if native.covers(self.cell, sequences):
            return native.run(self, sequences, initial_state, mask, training)
        return super().inner_loop(sequences, initial_state, mask, training)

    def first_state(
        self, sequences: Tensor, initial_state: list[Tensor], mask: Tensor | None
    ) -> list[Tensor]:
        """The state that the loop begins with: `initial_state`, in which a layer may
        put what it knows of the sequences."""
        return initial_state

    def _maybe_config_dropout_masks(
        self, cell: keras.layers.Layer, input_sequence: Tensor, input_state: Structure
    ) -> None:
        # Keras calls this before the loop, also for each cell of a stack. The masks get
        # the type of these tensors, but a cell may compute in another one than the
        # layer.
        tensors = tree.map_structure(
            lambda x: ops.cast(x, getattr(cell, "compute_dtype", x.dtype)),
            (input_sequence, input_state),
        )
        super()._maybe_config_dropout_masks(cell, *tensors)

    def _typed(self, results: Structure) -> Structure:
        """Results with the output in `output_dtype`, and the states in the type in
        which they are computed: in another one, numbers of rows would be rounded."""
        if not self.return_state:
            return self.to_output(results)
        output, *states = results
        states = tree.map_structure(lambda x: ops.cast(x, self.compute_dtype), states)
        return (self.to_output(output), *states)

    @property
    def variables(self) -> list:
        """All variables, with the state of a stateful layer: Keras omits it, and on JAX
        its `fit`, `evaluate` and `predict` would lose it."""
        states = tree.flatten(getattr(self, "states", None) or [])
        return [*super().variables, *states]

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Structure:
        specs = super().compute_output_spec(*args, **kwargs)
        if not self.return_state:
            return _of_type(specs, self.output_dtype)
        output, *states = specs
        typed = _of_type(output, self.output_dtype)
        return (typed, *_of_type(states, self.compute_dtype))

    def save_own_variables(self, store: MutableMapping[str, Any]) -> None:
        # Keras does not save the state of a stateful layer. A loaded layer would start
        # with the random initial memory that it had before its weights were read.
        for index, variable in enumerate(tree.flatten(self.states or [])):
            store[str(index)] = variable

    def load_own_variables(self, store: Mapping[str, Any]) -> None:
        for index, variable in enumerate(tree.flatten(self.states or [])):
            if str(index) in store:
                variable.assign(store[str(index)])

    def reset_state(self) -> None:
        """Sets the state variables of a stateful layer to the cell's initial state."""
        if self.states is None:
            return
        variables = tree.flatten(self.states)
        initial = tree.flatten(self.get_initial_state(ops.shape(variables[0])[0]))
        for variable, value in zip(variables, initial, strict=True):
            variable.assign(value)

    def trace(
        self,
        sequences: Tensor,
        initial_state: Structure = None,
        mask: Tensor | None = None,
    ) -> Structure:
        """The state after every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
            initial_state: List of tensors `(B, size)`; the cell's own initial state if
                `None`.
            mask: Boolean tensor `(B, T)`.
        Returns:
            List of tensors `(B, T, size)`, one for each entry of the cell's state, in
            the order of processing.
        """
        self._check_call(sequences, initial_state, mask)
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        if not self.cell.built:
            self.build(tuple(sequences.shape))
        if initial_state is None:
            if isinstance(sequences, keras.KerasTensor) and sequences.shape[0] is None:
                raise TypeError(
                    "`sequences` must be an array or a tensor with values. Received a "
                    "symbolic input of a model: compute what comes into the layer first"
                )
            initial_state = self.get_initial_state(ops.shape(sequences)[0])
        if mask is not None:
            mask = ops.convert_to_tensor(mask, "bool")
        initial_state = self.first_state(sequences, initial_state, mask)
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
            mask = None if mask is None else ops.flip(mask, 1)
        _, states = record(self.cell, sequences, initial_state, mask)
        return split_state(self.cell, states)


def _of_type(specs: Structure, dtype: str) -> Structure:
    return tree.map_structure(
        lambda spec: keras.KerasTensor(spec.shape, dtype=dtype), specs
    )


def pad_empty_batch(run: Callable[..., Any], *arguments: Structure) -> Structure:
    """`run(*arguments)`; an empty batch is replaced by one sequence of zeros, whose
    result is removed.

    Keras' LSTMCell fails on an empty batch on TensorFlow.

    Args:
        run: Function of structures of tensors whose first axis is the batch.
        *arguments: Its arguments, the sequences first; None is allowed.
    """
    if arguments[0].shape[0] != 0:
        return run(*arguments)
    results = run(
        *tree.map_structure(
            lambda x: None if x is None else ops.zeros((1, *x.shape[1:]), x.dtype),
            arguments,
        )
    )
    return tree.map_structure(lambda x: x[:0], results)
