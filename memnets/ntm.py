"""The Neural Turing Machine as a Keras cell and as a Keras layer."""

from typing import Any, NamedTuple

import keras
from keras import ops, tree

from . import access, addressing, controllers, native, tensor_checks
from .checks import check_number as number
from .heads import HeadLayout
from .initial_state import InitialState
from .precision import InnerPrecision, inner_policy, within_range
from .rnn import MemoryRNN
from .tensor_checks import check_size as integer


class NTMState(NamedTuple):
    """The state of an NTM with its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        weightings: `(..., H, N)`, read heads first, then write heads.
        memory: `(..., N, W)`, the memory matrix.
    """

    output: Any
    controller: list
    reads: Any
    weightings: Any
    memory: Any


@keras.saving.register_keras_serializable("memnets")
class NTMCell(InnerPrecision, keras.layers.Layer):
    """One step of a Neural Turing Machine.

    The controller sees the input and the vectors read one step before. Its output sets
    the parameters of all heads; each head finds its rows by content and by shifting
    from where it was (eqs. 5-9, `memnets.addressing`). The write heads change the
    memory, M = M_prev (1 - w e) + w a (eqs. 3, 4), then the read heads read it, r = w M
    (eq. 2), and the output is a linear function of the controller's output and of the
    reads. The paper leaves open whether to write or to read first and whether the
    output sees the reads: in this order, what is read can be put out in the same step.
    Not to be confused with the DNC, which allocates free rows instead of shifting.

    Args:
        units: Size of the output, which is linear.
        memory_size: Number of memory rows, N.
        word_size: Number of components of a row, W.
        num_read_heads: Number of read heads, R.
        num_write_heads: Number of write heads.
        shift_range: Largest shift of a head in one step, K; 0 for content addressing
            and holding only.
        controller: `"lstm"`, `"feedforward"`, or any Keras cell with vector states.
        controller_size: Units of a named controller. A tuple such as `(100, 100)`
            stacks several.
        initial_memory: `"random"` (drawn once, not trained), `"randomized"` (as random,
            but in training an `NTM` that is not stateful moves its rows round and flips
            the signs of its columns at random, anew for each sequence, so that no row
            can be known by its place or by its content), `"constant"` (1e-6, not
            trained), `"constant-trainable"` (1e-6 at the start of training) or
            `"learned"` (random at the start).
        initial_weightings: `"uniform"`, `"one-hot"` (on row 0) or `"learned"`.
        initial_reads: `"zeros"` or `"learned"`.
        gate_bias: Initial bias of the interpolation gates; below 0, heads begin by
            going on from where they were rather than by jumping to content.
        write_gate_bias: That of the write heads; `gate_bias` if None.
        shift_bias: Initial bias of the shift to the next row; with 0, heads begin
            without a direction. The defaults suit an LSTM controller; a feedforward one
            learned copy fastest with a `gate_bias` of 0.
        input_clip: Bound of the inputs, positive and negative; none if None. Numbers
            larger than any in training are then taken for the largest.
        cell_clip: Bound of the carries of the `"lstm"` controller, positive and
            negative; none if None. What it counts by adding to them comes to rest.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: If a size is not a positive integer, `2 * shift_range + 1 >
            memory_size`, a name is unknown, a bound is not a positive number or not for
            this controller, or a tensor has another shape.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 3; initial states: Collier, Beel (2018), Implementing Neural Turing
        Machines, arXiv:1807.08518.
    Example:
        >>> tuple(keras.layers.RNN(NTMCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    def __init__(
        self,
        units,
        memory_size=128,
        word_size=20,
        num_read_heads=1,
        num_write_heads=1,
        shift_range=1,
        controller="lstm",
        controller_size=100,
        initial_memory="random",
        initial_weightings="one-hot",
        initial_reads="zeros",
        gate_bias=-2.0,
        write_gate_bias=None,
        shift_bias=2.0,
        input_clip=None,
        cell_clip=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.units = integer("units", units)
        self.memory_size = integer("memory_size", memory_size)
        self.word_size = integer("word_size", word_size)
        self.num_read_heads = integer("num_read_heads", num_read_heads)
        self.num_write_heads = integer("num_write_heads", num_write_heads)
        self.num_heads = self.num_read_heads + self.num_write_heads
        self.shift_range = integer("shift_range", shift_range, minimum=0)
        if 2 * self.shift_range + 1 > self.memory_size:
            raise ValueError(
                "`2 * shift_range + 1` must be at most `memory_size`. "
                f"Received: shift_range={shift_range}, memory_size={memory_size}"
            )
        self.gate_bias = number("gate_bias", gate_bias)
        if write_gate_bias is None:
            write_gate_bias = gate_bias
        self.write_gate_bias = number("write_gate_bias", write_gate_bias)
        self.shift_bias = number("shift_bias", shift_bias)

        # Sub-layers do not inherit the policy of the layer that owns them.
        policy = inner_policy(self.dtype_policy)
        self._controller_name = controller if isinstance(controller, str) else None
        self.controller_size = controller_size
        self.input_clip, self.cell_clip = (
            clip if clip is None else tensor_checks.bound(name, clip)
            for name, clip in (("input_clip", input_clip), ("cell_clip", cell_clip))
        )
        self.controller = controllers.get_controller(
            controller, controller_size, policy, self.cell_clip
        )
        self.head_layout = HeadLayout(
            self.num_heads, self.num_write_heads, self.word_size, self.shift_range
        )
        self.heads = keras.layers.Dense(
            self.head_layout.size,
            bias_initializer=self._heads_bias,
            dtype=policy,
            name="heads",
        )
        self.projection = keras.layers.Dense(
            self.units, dtype=policy, name="projection"
        )

        self.initial = InitialState(
            (self.memory_size, self.word_size),
            self.num_heads,
            self.num_read_heads,
            initial_memory,
            initial_weightings,
            initial_reads,
            dtype=policy,
            name="initial_state",
        )

        self.output_size = self.units
        # Flat vectors, the output first: the one form of state that return_state,
        # Bidirectional and masks on every backend handle.
        self.state_size = [
            self.units,
            *controllers.flat_state_size(self.controller),
            self.num_read_heads * self.word_size,
            self.num_heads * self.memory_size,
            integer("memory_size * word_size", self.memory_size * self.word_size),
        ]
        self._features = None

    def _heads_bias(self, shape, dtype=None):
        bias = self.head_layout.initial_bias(
            self.gate_bias, self.write_gate_bias, self.shift_bias
        )
        return ops.convert_to_tensor(bias, dtype)

    def build(self, input_shape):
        self._features = tensor_checks.features("input_shape", input_shape, rank=2)
        reads_size = self.num_read_heads * self.word_size
        controller_size = controllers.output_size(self.controller)
        # A layer that load_model has built already must not be built twice.
        for layer, size in (
            (self.controller, self._features + reads_size),
            (self.heads, controller_size),
            (self.projection, controller_size + reads_size),
        ):
            if not layer.built:
                layer.build((None, size))
        if not self.initial.built:
            self.initial.build()

    def get_initial_state(self, batch_size, training=False):
        """The state before the first step, a list of tensors `(batch_size, size)`; in
        training, with a memory that is randomized if it is of that kind."""
        dtype = self.compute_dtype
        reads, weightings, memory = self.initial.tensors(batch_size, training)
        return self.pack(
            NTMState(
                output=ops.zeros((batch_size, self.units), dtype),
                controller=controllers.flat_initial_state(
                    self.controller, batch_size, dtype
                ),
                reads=reads,
                weightings=weightings,
                memory=memory,
            )
        )

    def unpack(self, states):
        """Names and shapes a list of flat states `(..., size)`: an `NTMState`.

        Raises:
            ValueError: If the list is of another length.
        """
        if len(states) != len(self.state_size):
            raise ValueError(
                f"`states` must hold {len(self.state_size)} tensors, of the sizes "
                f"{self.state_size}. Received: {len(states)}"
            )
        output, *controller, reads, weightings, memory = states
        leading = tuple(ops.shape(output))[:-1]
        rows_last = ops.reshape(memory, (*leading, self.word_size, self.memory_size))
        return NTMState(
            output=output,
            controller=controller,
            reads=ops.reshape(reads, (*leading, self.num_read_heads, self.word_size)),
            weightings=ops.reshape(
                weightings, (*leading, self.num_heads, self.memory_size)
            ),
            memory=ops.swapaxes(rows_last, -1, -2),
        )

    def pack(self, state):
        """Turns an `NTMState` into the list of flat states that Keras passes around."""

        def flatten(tensor):
            # Not -1, which an empty batch leaves open.
            *leading, rows, columns = tuple(ops.shape(tensor))
            return ops.reshape(tensor, (*leading, rows * columns))

        return [
            state.output,
            *state.controller,
            flatten(state.reads),
            flatten(state.weightings),
            flatten(ops.swapaxes(state.memory, -1, -2)),
        ]

    def __call__(self, inputs, states, **kwargs):
        tensor_checks.step(inputs, states, self._features, self.state_size)
        return super().__call__(inputs, states, **kwargs)

    def call(self, inputs, states):
        _, *controller_state, reads, weightings, memory = states
        hidden, controller_state = self._control(inputs, reads, controller_state)
        # Recomputing the memory step in the backward pass is cheaper than storing its
        # many N x W products.
        reads, weightings, memory = keras.remat(self._access)(
            self.heads(hidden), weightings, memory
        )
        output = self.projection(ops.concatenate([hidden, reads], axis=-1))
        output = within_range(output, self.output_dtype)
        return output, [output, *controller_state, reads, weightings, memory]

    def bounded(self, inputs):
        """Inputs within `input_clip`."""
        if self.input_clip is None:
            return inputs
        inputs = ops.cast(inputs, self.compute_dtype)  # integers have no such bounds
        return ops.clip(inputs, -self.input_clip, self.input_clip)

    def _control(self, inputs, reads, flat_state):
        single = isinstance(self.controller.state_size, int)
        structure = (
            [self.controller.state_size] if single else self.controller.state_size
        )
        hidden, state = self.controller(
            ops.concatenate([self.bounded(inputs), reads], axis=-1),
            tree.pack_sequence_as(structure, flat_state),
        )
        # A cell that was passed in may compute in another precision than the loop
        # carries.
        hidden, *state = (
            ops.cast(x, self.compute_dtype) for x in (hidden, *tree.flatten(state))
        )
        return hidden, state

    def _access(self, raw, weightings, memory):
        """Raw head parameters to new reads, weightings and memory, all of them flat."""
        # Half precision lacks the range and the digits for epsilons and sharpening.
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        raw, weightings, memory = (
            ops.cast(x, dtype) for x in (raw, weightings, memory)
        )
        memory = ops.reshape(memory, (-1, self.word_size, self.memory_size))
        prev_weightings = ops.reshape(
            weightings, (-1, self.num_heads, self.memory_size)
        )
        find, change = self.head_layout.split(raw)
        content = addressing.content_weighting(memory, find.key, find.beta, row_axis=2)
        gated = addressing.interpolate(content, prev_weightings, find.gate)
        shifted = addressing.shift(gated, find.shift)
        weightings = addressing.sharpen(shifted, find.gamma)
        write_weightings = weightings[:, self.num_read_heads :]
        memory = access.write(
            memory, write_weightings, change.erase, change.add, row_axis=2
        )
        reads = access.read(memory, weightings[:, : self.num_read_heads], row_axis=2)
        return [
            ops.cast(ops.reshape(x, (-1, size)), self.compute_dtype)
            for x, size in zip(
                (reads, weightings, memory), self.state_size[-3:], strict=True
            )
        ]

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "memory_size": self.memory_size,
            "word_size": self.word_size,
            "num_read_heads": self.num_read_heads,
            "num_write_heads": self.num_write_heads,
            "shift_range": self.shift_range,
            "controller": self._controller_name
            or keras.saving.serialize_keras_object(self.controller),
            "controller_size": self.controller_size,
            "initial_memory": self.initial.memory_mode,
            "initial_weightings": self.initial.weightings_mode,
            "initial_reads": self.initial.reads_mode,
            "gate_bias": self.gate_bias,
            "write_gate_bias": self.write_gate_bias,
            "shift_bias": self.shift_bias,
            "input_clip": self.input_clip,
            "cell_clip": self.cell_clip,
        }


@keras.saving.register_keras_serializable("memnets")
class NTM(MemoryRNN):
    """A Neural Turing Machine: `NTMCell` run over a sequence.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    memory untouched. With a data type of float16 it takes and returns float16 and
    computes in float32, see `memnets.precision`.

    Args:
        units, memory_size, word_size, num_read_heads, num_write_heads, shift_range,
        controller, controller_size, initial_memory, initial_weightings, initial_reads,
        gate_bias, write_gate_bias, shift_bias, input_clip, cell_clip: See `NTMCell`.
        return_sequences: Whether to return the output of every step, or of the last
            step only.
        return_state: Whether to return the last state too, for `layer.cell.unpack`.
        stateful: Whether a batch continues where the batch before it ended, until
        `reset_state()`.
        **kwargs: `go_backwards`, `unroll`, `zero_output_for_mask`, `name`, `dtype`,
            `trainable`.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        initial_state: List of tensors `(B, size)`, sizes in `layer.cell.state_size`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
        training: Whether a memory of the kind `"randomized"` is.
    Returns:
        Tensor `(B, units)`, or `(B, T, units)` with `return_sequences`; with
        `return_state` followed by the tensors of the last state.
    Raises:
        ValueError: See `NTMCell` and `MemoryRNN`.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401.
    Example:
        >>> layer = NTM(8, memory_size=16, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> tuple(layer.trace(np.zeros((2, 5, 3))).memory.shape)
        (2, 5, 16, 20)
    """

    def __init__(
        self,
        units,
        memory_size=128,
        word_size=20,
        num_read_heads=1,
        num_write_heads=1,
        shift_range=1,
        controller="lstm",
        controller_size=100,
        return_sequences=False,
        return_state=False,
        stateful=False,
        initial_memory="random",
        initial_weightings="one-hot",
        initial_reads="zeros",
        gate_bias=-2.0,
        write_gate_bias=None,
        shift_bias=2.0,
        input_clip=None,
        cell_clip=None,
        **kwargs,
    ):
        cell = NTMCell(
            units,
            memory_size,
            word_size,
            num_read_heads,
            num_write_heads,
            shift_range,
            controller,
            controller_size,
            initial_memory,
            initial_weightings,
            initial_reads,
            gate_bias,
            write_gate_bias,
            shift_bias,
            input_clip,
            cell_clip,
            dtype=kwargs.get("dtype"),
            name="cell",
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            stateful=stateful,
            **kwargs,
        )

    def call(self, sequences, initial_state=None, mask=None, training=False):
        # Keras asks for an initial state without saying whether this is training.
        anew = training and self.cell.initial.redraws and not self.stateful
        if anew and initial_state is None:
            batch_size = ops.shape(sequences)[0]
            initial_state = self.cell.get_initial_state(batch_size, training=True)
        return super().call(sequences, initial_state, mask, training)

    def inner_loop(self, sequences, initial_state, mask, training=False):
        if type(self.cell) is NTMCell and native.covers(self.cell):
            return native.run(self, sequences, initial_state, mask, training)
        return super().inner_loop(sequences, initial_state, mask, training)

    def trace(self, sequences, initial_state=None, mask=None):
        """The named state after every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
            initial_state: List of tensors `(B, size)`; the cell's own initial state if
                `None`.
            mask: Boolean tensor `(B, T)`.
        Returns:
            `NTMState` whose tensors have a time axis after the batch axis: `memory` is
            `(B, T, N, W)`.
        """
        return self.cell.unpack(super().trace(sequences, initial_state, mask))

    def trace_heads(self, sequences):
        """What the controller told the heads at every step, for inspection.

        Args:
            sequences: Tensor `(B, T, features)`.
        Returns:
            `(AddressingParameters, WriteParameters)` of `memnets.heads`, whose tensors
            have a time axis after the batch axis, in the order of processing: `add` is
            `(B, T, heads, W)`.
        Example:
            >>> layer = NTM(8, return_sequences=True)
            >>> find, change = layer.trace_heads(np.zeros((2, 5, 3)))
            >>> tuple(change.add.shape)
            (2, 5, 1, 20)
        """
        self._check_call(sequences, None, None)
        sequences = ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        batch_size, steps, _ = sequences.shape
        after = super().trace(sequences)
        if self.go_backwards:
            sequences = ops.flip(sequences, 1)
        first = tree.flatten(self.get_initial_state(batch_size))
        # The state that each step began with; then all steps as one large batch.
        before = [
            ops.concatenate([start[:, None], states[:, :-1]], axis=1)
            for start, states in zip(first, after, strict=True)
        ]
        _, *controller_state, reads, _, _ = (
            ops.reshape(states, (batch_size * steps, -1)) for states in before
        )
        inputs = ops.reshape(sequences, (batch_size * steps, -1))
        hidden, _ = self.cell._control(inputs, reads, controller_state)
        return tree.map_structure(
            lambda values: ops.reshape(values, (batch_size, steps, *values.shape[1:])),
            self.cell.head_layout.split(self.cell.heads(hidden)),
        )

    def get_config(self):
        config = super().get_config()
        # The layer's arguments are those of its cell, beside those of the loop.
        del config["cell"]
        cell_config = self.cell.get_config()
        for key in ("name", "trainable", "dtype"):
            del cell_config[key]
        return {**config, **cell_config}

    @classmethod
    def from_config(cls, config):
        return cls(**config)
