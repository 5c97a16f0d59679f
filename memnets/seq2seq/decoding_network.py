"""What a network writes with: recurrent layers, attention, bridge and read-out."""

from collections.abc import Sequence

import keras
from keras import ops

from ..cells.states import (
    cell_step,
    flat_initial_state,
    free_state_size,
    output_size,
    packed_states,
)
from ..numerics.precision import KeepsPolicies
from ..numerics.tensor_checks import Tensor
from ..recurrent.acceleration import accelerate
from .attention import Attended, Encoded
from .attention_kinds import ATTENTIONS, AttentionKind
from .bridge import Bridge, check_bridge
from .readout import MaxoutReadout, TiedReadout
from .recurrent_layers import checked_layers, returning_all


class DecodingNetwork(KeepsPolicies):
    """The decoder of a network that writes.

    A subclass sets these attributes, then makes the layers with `_make_decoder` and
    builds them with `_build_decoder`.

    Attributes:
        target_tokens, embedding_size, tell_summary, target_embedding: As of
            `EncoderDecoder`.
        attention_kind, readout_kind, dropout_share: Its arguments `attention`,
            `readout` and `dropout`.
    """

    target_tokens: int
    embedding_size: int
    attention_kind: str
    tell_summary: bool
    readout_kind: str
    dropout_share: float
    target_embedding: keras.layers.Embedding

    def _embedding(self, tokens: int, name: str) -> keras.layers.Embedding:
        # Rows of length 1: sums of products with them are then neither large nor small.
        drawn = keras.initializers.RandomNormal(stddev=self.embedding_size**-0.5)
        return keras.layers.Embedding(
            tokens, self.embedding_size, drawn, name=name, dtype=self.dtype_policy
        )

    def _make_decoder(
        self,
        decoder: Sequence[keras.layers.RNN],
        memory_size: int,
        bridge: str,
        encoder_cells: Sequence[keras.layers.Layer] = (),
    ) -> None:
        """Makes what writes, after all other layers.

        Args:
            decoder: The recurrent layers, as they were given.
            memory_size: Width of what is read, of each position.
            bridge: Kind of the bridge.
            encoder_cells: The cells that read, if cells do.
        """
        decoder = checked_layers("decoder", decoder)
        cells = [layer.cell for layer in decoder]
        check_bridge(bridge, list(encoder_cells), cells)
        policy = self.dtype_policy
        self.memory_size = memory_size
        sizes = [free_state_size(cell) for cell in cells]
        self.bridge = Bridge(bridge, sizes, self.embedding_size, dtype=policy)
        self.summary = None
        if self.tell_summary:
            self.summary = keras.layers.Dense(
                memory_size, "tanh", use_bias=False, dtype=policy
            )
        self._attention: AttentionKind = ATTENTIONS[self.attention_kind](
            memory_size, policy
        )
        # Weights have the order in which Keras meets layers as attributes.
        self.decoder = [self._attention.wrap(returning_all(x)) for x in decoder]
        self.attention = self._attention.layer
        self.readout = {
            "tied": lambda: TiedReadout(
                self.target_embedding, self.dropout_share, dtype=policy
            ),
            "linear": lambda: keras.layers.Dense(self.target_tokens, dtype=policy),
            "maxout": lambda: MaxoutReadout(self.target_tokens, dtype=policy),
        }[self.readout_kind]()
        self.dropout = keras.layers.Dropout(self.dropout_share, dtype=policy)
        accelerate(self)

    def _build_decoder(
        self, batch: int | None, steps: int | None, last_size: int, summary_size: int
    ) -> None:
        """Builds what writes.

        Args:
            batch: Number of rows, None if open.
            steps: Number of steps, None if open.
            last_size: Width of what the bridge is given.
            summary_size: Width of what the summary is made of.
        """
        if not self.target_embedding.built:
            self.target_embedding.build((batch, steps))
        self.bridge.build((batch, last_size))
        told = 0
        if self.summary is not None:
            self.summary.build((batch, summary_size))
            told = self.memory_size
        width = self.embedding_size + told
        for layer in self.decoder:
            layer.build((batch, steps, width))
            width = output_size(layer.cell)
        if self.attention is not None:
            memory = (batch, steps, self.memory_size)
            self.attention.build((batch, steps, width), memory)
        width += self._attention.width
        if self.readout_kind != "linear":
            width += self.embedding_size + told
        self.readout.build((batch, steps, width))
        self.built = True

    def _attended(
        self, outputs: Tensor, mask: Tensor | None, training: bool | None
    ) -> Attended | None:
        """What the decoder attends to, given what was read at each position."""
        if self.attention_kind == "none":
            return None  # without a draw of the dropout
        memory = self.dropout(outputs, training=training)
        return self._attention.prepare(memory, mask)

    def _first_states(
        self,
        last: Tensor,
        ends: list[list[Tensor]],
        num_rows: int | Tensor,
        training: bool | None,
    ) -> list[list[Tensor]]:
        """How the decoder begins."""
        cells = [layer.cell for layer in self.decoder]
        begins = [
            flat_initial_state(cell, num_rows, cell.compute_dtype, training)
            for cell in cells
        ]
        states = [
            [ops.cast(state, cell.compute_dtype) for state in of_cell]
            for cell, of_cell in zip(
                cells, self.bridge(last, ends, begins), strict=True
            )
        ]
        if self.bridge.first_input is None:
            return states
        return self._read_first(self.bridge.first_input(last), states)

    def _read_first(
        self, first: Tensor, begins: list[list[Tensor]]
    ) -> list[list[Tensor]]:
        """The states of the decoder after it has read `(B, embedding_size)`."""
        if self.summary is not None:
            told = ops.zeros((ops.shape(first)[0], self.memory_size), first.dtype)
            first = ops.concatenate([first, told], axis=-1)
        after = []
        for layer, states in zip(self.decoder, begins, strict=True):
            first, states = cell_step(layer.cell, first, states)
            after.append(states)
        return after

    def _logits(
        self, tokens: Tensor, encoded: Encoded, training: bool | None
    ) -> Tensor:
        embedded = self._embedded(tokens, encoded, training)
        outputs = self._decode(embedded, encoded, training)
        return self._read_out(outputs, embedded, encoded, training)

    def _embedded(
        self, tokens: Tensor, encoded: Encoded, training: bool | None
    ) -> Tensor:
        embedded = self.target_embedding(ops.cast(tokens, "int32"))
        embedded = self.dropout(embedded, training=training)
        if encoded.summary is None:
            return embedded
        shape = (*ops.shape(embedded)[:2], self.memory_size)
        told = ops.broadcast_to(encoded.summary[:, None], shape)
        return ops.concatenate([embedded, told], axis=-1)

    def _decode(
        self, outputs: Tensor, encoded: Encoded, training: bool | None
    ) -> Tensor:
        """What the last layer of the decoder puts out at every step."""
        with self._attention.holding(encoded.attended):
            for layer, states in zip(self.decoder, encoded.states, strict=True):
                begin = packed_states(layer.cell, states)
                outputs = layer(outputs, initial_state=begin, training=training)[0]
        return outputs

    def _read_out(
        self, outputs: Tensor, embedded: Tensor, encoded: Encoded, training: bool | None
    ) -> Tensor:
        parts = [outputs, *self._attention.contexts(outputs, encoded.attended)]
        if self.readout_kind == "linear":
            return self.readout(ops.concatenate(parts, axis=-1))
        parts.append(embedded)
        return self.readout(ops.concatenate(parts, axis=-1), training=training)
