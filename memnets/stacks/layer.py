"""A network with stacks, queues, deques or lists as a Keras layer."""

from typing import Any

import keras
from keras import ops

from ..memory.layer import MemoryLayer
from ..numerics.tensor_checks import Structure, Tensor
from .cell import StackCell

# Random numbers keep so far from 0 and 1, whose logarithms are infinite or 0.
SMALLEST = 1e-6


@keras.saving.register_keras_serializable("memnets")
class StackRNN(MemoryLayer):
    """A network with stacks, queues, deques or lists: `StackCell` run over a sequence.

    It behaves as Keras' own recurrent layers do: masks, `return_sequences`,
    `return_state`, `stateful`, `go_backwards`, `unroll`, `Bidirectional`, initial
    states passed in, mixed precision, saving and loading. A masked step leaves the
    stacks unchanged. All arguments except `units` are keyword-only.

    No weight depends on `depth`: weights that were trained with one depth can be used
    with a larger one, for longer sequences.

    Args:
        units: Size of the output, which is linear.
        kind: `"stack"`, `"queue"`, `"deque"` or `"list"`, see `memnets.stacks.rules`.
        num_stacks: Number of stacks (queues, deques, lists), S.
        depth: Number of places of each, P. A push onto a full one drops the element at
            the other end, a list what moves beyond its ends; `trace` says how many
            were dropped.
        element_size: Components of an element, E.
        read_depth: Number of places at the front that the network sees; of a deque, it
            sees also the back, and of a list the places from the head on.
        round_actions: Whether the most probable action is done alone, outside of
            training, rather than all of them by their probabilities.
        noise: Scale of the Gumbel noise on actions in training. With 1, the actions
            follow the concrete distribution: an action is the largest one of a draw as
            often as its probability says. Draws are not nearly rounded: the largest of
            three equal actions has a share of 0.65 on average. They become so as the
            logits and the noise grow together.
        pop_bias: Initial bias of the actions that pop. Below 0, what is pushed stays
            at first. With 0, a queue loses its first elements before they are read.
            Must be 0 for a list, which does not pop.
        controller: `"feedforward"`, `"lstm"`, `"simple-rnn"`, or any Keras cell with
            vector states, such as the `keras.layers.SimpleRNNCell` of the paper, which
            has sigmoid. With a feedforward controller, the stacks are all that the
            network remembers.
        controller_size: Units of a named controller, 100 if None. A tuple such as
            `(100, 100)` stacks several. None for a cell, which has its own size.
        input_clip: Inputs are clipped to [-input_clip, input_clip]. None for no bound.
        cell_clip: The carries of the `"lstm"` controller are clipped to [-cell_clip,
            cell_clip]. None for no bound.
        return_sequences: Whether to return the output of every step, or of the last
            step only.
        return_state: Whether to also return the last state, for `layer.cell.unpack`.
        stateful: Whether a batch continues from the last state of the previous batch,
            until `reset_state()`.
        gradient_bound: In training, the largest norm of the gradients that leave the
            layer, in proportion to the errors that enter it, such as 1; None for no
            bound. See `memnets.recurrent.gradient_bound`.
        **kwargs: `go_backwards`, `unroll`, `zero_output_for_mask`, `name`, `dtype`,
            `trainable`.
    Call arguments:
        sequences: Tensor `(B, T, features)`.
        initial_state: List of tensors `(B, size)`, sizes in `layer.cell.state_size`.
        mask: Boolean tensor `(B, T)`; `False` skips a step.
        training: Whether this is training, which does not round actions, and has noise.
    Returns:
        Tensor `(B, units)`, or `(B, T, units)` with `return_sequences`; with
        `return_state` followed by the tensors of the last state.
    Raises:
        ValueError: If a size is not a positive integer, `read_depth` is too large, a
            name is unknown, a bound is not a positive number or not for this
            controller, `controller_size` is given for a cell, or a tensor has another
            shape.
        TypeError: If a tensor does not hold real numbers, or a flag is not a boolean.
    Reference:
        Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
        Recurrent Nets, arXiv:1503.01007; queue and deque: see `memnets.stacks.rules`;
        noise: Maddison, Mnih, Teh (2017), The Concrete Distribution, arXiv:1611.00712.
    Example:
        >>> layer = StackRNN(8, num_stacks=2, depth=16, return_sequences=True)
        >>> tuple(layer(np.zeros((2, 5, 3))).shape)
        (2, 5, 8)
        >>> state = layer.trace(np.zeros((2, 5, 3)))
        >>> tuple(state.memory.shape), tuple(state.dropped.shape)
        ((2, 5, 2, 16, 9), (2, 5, 2))
        >>> tuple(layer.trace_heads(np.zeros((2, 5, 3))).actions.shape)
        (2, 5, 2, 3)
    """

    cell_class = StackCell

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)
        # Only a layer that needs random numbers has a state of them.
        self.seed_generator = keras.random.SeedGenerator() if self.cell.noise else None

    def inner_loop(
        self,
        sequences: Tensor,
        initial_state: list[Tensor],
        mask: Tensor | None,
        training: bool = False,
    ) -> tuple[Tensor, Tensor, Structure]:
        if training and self.seed_generator is not None:
            sequences = self._with_noise(sequences)
        return super().inner_loop(sequences, initial_state, mask, training)

    def _with_noise(self, sequences: Tensor) -> Tensor:
        """The sequences with the noise of each step behind its features. Random numbers
        are drawn here and not in the cell, where each step would get the same ones."""
        sequences = ops.cast(sequences, self.compute_dtype)  # they may be integers
        batch_size, steps, _ = ops.shape(sequences)
        uniform = keras.random.uniform(
            (batch_size, steps, self.cell.memory.noise_size),
            minval=SMALLEST,
            maxval=1.0 - SMALLEST,
            dtype="float32",
            seed=self.seed_generator,
        )
        gumbel = -ops.log(-ops.log(uniform))
        noise = ops.cast(self.cell.noise * gumbel, sequences.dtype)
        return ops.concatenate([sequences, noise], axis=-1)
