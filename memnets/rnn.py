"""The loop over time for cells whose initial state is not zero."""

import keras
from keras import ops, tree


@keras.saving.register_keras_serializable("memnets")
class MemoryRNN(keras.layers.RNN):
    """`keras.layers.RNN` whose `reset_state()` restores the cell's own initial state.

    Keras resets a stateful layer to zeros, which silently gives a memory network
    another initial memory than the one it was trained with. A stateful layer
    is saved with its state; after `set_weights`, call `reset_state()`.

    Args:
        cell: Any Keras cell with flat states, each `(B, size)`.
        **kwargs: As for `keras.layers.RNN`.
    Example:
        >>> layer = MemoryRNN(keras.layers.LSTMCell(4))
        >>> tuple(layer(np.ones((2, 3, 5))).shape)
        (2, 4)
        >>> [tuple(states.shape) for states in layer.trace(np.ones((2, 3, 5)))]
        [(2, 3, 4), (2, 3, 4)]
    """

    def call(self, sequences, initial_state=None, mask=None, training=False):
        if sequences.shape[1] == 0:
            raise ValueError(
                "`sequences` must have at least one step. Received: sequences of shape "
                f"{tuple(sequences.shape)}"
            )
        return super().call(sequences, initial_state, mask, training)

    def save_own_variables(self, store):
        # Keras leaves the state of a stateful layer out. One that is loaded would begin
        # with the initial memory that it drew before its weights were read.
        for index, variable in enumerate(tree.flatten(self.states or [])):
            store[str(index)] = variable

    def load_own_variables(self, store):
        for index, variable in enumerate(tree.flatten(self.states or [])):
            if str(index) in store:
                variable.assign(store[str(index)])

    def reset_state(self):
        """Sets the state variables of a stateful layer to the cell's initial state."""
        if self.states is None:
            return
        variables = tree.flatten(self.states)
        initial = tree.flatten(self.get_initial_state(ops.shape(variables[0])[0]))
        for variable, value in zip(variables, initial, strict=True):
            variable.assign(value)

    def trace(self, sequences, initial_state=None, mask=None):
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
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        if not self.cell.built:
            self.build(tuple(sequences.shape))
        if initial_state is None:
            initial_state = self.get_initial_state(ops.shape(sequences)[0])
        probe = _StateProbe(self.cell)
        recorder = keras.layers.RNN(
            probe,
            return_sequences=True,
            go_backwards=self.go_backwards,
            dtype=self.dtype_policy,
        )
        states = recorder(
            sequences,
            initial_state=[ops.concatenate(tree.flatten(initial_state), axis=-1)],
            mask=mask,
        )
        if mask is not None:
            # TensorFlow puts out zeros until the first step that is not masked.
            mask = ops.convert_to_tensor(mask, "bool")
            if self.go_backwards:
                mask = ops.flip(mask, 1)
            started = ops.cumsum(ops.cast(mask, "int32"), axis=1) > 0
            start = ops.concatenate(tree.flatten(initial_state), axis=-1)
            states = ops.where(started[..., None], states, start[:, None])
        return probe.split(states)


class _StateProbe(keras.layers.Layer):
    """A cell whose output at each step is the whole state of the cell that it wraps."""

    def __init__(self, cell):
        super().__init__(dtype=cell.dtype_policy)
        self.cell = cell
        self.sizes = tree.flatten(cell.state_size)
        self.state_size = self.output_size = sum(self.sizes)

    def build(self, input_shape):
        pass

    def split(self, states):
        ends = [sum(self.sizes[: i + 1]) for i in range(len(self.sizes) - 1)]
        return ops.split(states, ends, axis=-1)

    def call(self, inputs, states):
        single = isinstance(self.cell.state_size, int)
        structure = [self.cell.state_size] if single else self.cell.state_size
        _, states = self.cell(
            inputs, tree.pack_sequence_as(structure, self.split(states[0]))
        )
        states = ops.concatenate(tree.flatten(states), axis=-1)
        return states, [states]
