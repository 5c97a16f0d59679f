"""The network that reads one sequence and then writes another."""

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from ..cells.states import (
    cell_step,
    flat_initial_state,
    flat_state_size,
    output_size,
)
from ..checks import check_boolean, check_choice, check_integer, check_number
from ..tensor_checks import Tensor
from .attention import Attended, GeneralAttention
from .attentive_cell import AttentiveCell
from .bridge import Bridge, check_bridge
from .readout import MaxoutReadout, TiedReadout
from .recurrent_layers import checked_layers, returning_all, saved_layers
from .scheduled_sampling import ScheduledSampling

# The token that fills up sequences.
PAD = 0
ATTENTIONS = ("none", "general", "additive")
READOUTS = ("tied", "linear", "maxout")


class Encoded(NamedTuple):
    """A source that was read.

    Attributes:
        attended: What the decoder attends to; None without attention.
        summary: `(B, width)`, what the decoder is told at every step; None if nothing.
        states: The decoder's first states, a list for each layer.
    """

    attended: Attended | None
    summary: Tensor | None
    states: list


@keras.saving.register_keras_serializable("memnets")
class SequenceToSequence(keras.layers.Layer):
    """An encoder, a decoder and attention between them.

    The attention is `general`, after the decoder's recurrence, which then reads nothing
    but tokens, so that any recurrent layer can be the decoder; or `additive`, before
    each of its steps; or `none`.

    Args:
        source_tokens: Number of tokens of the source; 0 is padding.
        target_tokens: Number of tokens of the target; 0 is padding.
        encoder: Recurrent layers, the first reads the source.
        decoder: Recurrent layers, the first reads the target.
        embedding_size: Numbers for each token.
        attention: general, additive or none.
        bidirectional: Whether each layer of the encoder reads in both directions.
        bridge: How the decoder begins: `learned` from the last output of the encoder,
            with its last `states`, with its `memory`, or by itself, `none`.
        tell_summary: Whether every step of the decoder reads tanh(V h) besides, where
            h is the last output of the encoder.
        readout: tied (to the embedding of the target), linear or maxout.
        shared_embeddings: Whether source and target have one embedding.
        reverse_source: Whether the source is read from its end.
        dropout: Share of the embeddings, of the encoder's outputs and of the readout's
            hidden layer that training sets to 0.
        scheduled_sampling: How often the decoder reads its own tokens in training;
            never if None.
    Raises:
        ValueError: If an argument is out of its range, or two do not fit.
    Reference:
        Cho et al. (2014), Learning Phrase Representations using RNN Encoder-Decoder;
        Sutskever, Vinyals, Le (2014), Sequence to Sequence Learning with Neural
        Networks; Bahdanau, Cho, Bengio (2015); Luong, Pham, Manning (2015).
    Example:
        >>> network = SequenceToSequence(
        ...     9, 8, encoder=[keras.layers.GRU(5)], decoder=[keras.layers.GRU(6)]
        ... )
        >>> inputs = np.ones((2, 2, 4), "int32")  # sources, and targets but the last
        >>> tuple(network(inputs).shape)
        (2, 4, 8)
    """

    def __init__(
        self,
        source_tokens: int,
        target_tokens: int,
        encoder: Sequence[Any],
        decoder: Sequence[Any],
        *,
        embedding_size: int = 256,
        attention: str = "general",
        bidirectional: bool = True,
        bridge: str = "learned",
        tell_summary: bool = False,
        readout: str = "tied",
        shared_embeddings: bool = False,
        reverse_source: bool = False,
        dropout: float = 0.0,
        scheduled_sampling: ScheduledSampling | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.source_tokens = check_integer("source_tokens", source_tokens)
        self.target_tokens = check_integer("target_tokens", target_tokens)
        self.embedding_size = check_integer("embedding_size", embedding_size)
        self.attention_kind = check_choice("attention", attention, ATTENTIONS)
        self.bidirectional = check_boolean("bidirectional", bidirectional)
        self.tell_summary = check_boolean("tell_summary", tell_summary)
        self.readout_kind = check_choice("readout", readout, READOUTS)
        self.shared_embeddings = check_boolean("shared_embeddings", shared_embeddings)
        self.reverse_source = check_boolean("reverse_source", reverse_source)
        self.dropout_share = check_number("dropout", dropout, minimum=0, below=1)
        encoder = checked_layers("encoder", encoder)
        decoder = checked_layers("decoder", decoder)
        # Not the layers, which stay unbuilt: Keras on JAX would run a model that has
        # such layers operation by operation before each batch.
        self._given = saved_layers(encoder), saved_layers(decoder)
        self._check_parts(decoder)
        self._make_encoder(encoder)
        self._make_decoder(encoder, decoder, bridge)
        self.dropout = keras.layers.Dropout(dropout)
        self.scheduled_sampling = scheduled_sampling

    def _check_parts(self, decoder):
        if self.shared_embeddings and self.source_tokens != self.target_tokens:
            raise ValueError(
                "`shared_embeddings` needs as many tokens of the source as of the "
                f"target. Received: source_tokens={self.source_tokens}, "
                f"target_tokens={self.target_tokens}"
            )
        if self.attention_kind == "additive" and len(decoder) != 1:
            raise ValueError(
                "`attention` 'additive' needs a decoder of one layer. "
                f"Received: {len(decoder)}"
            )

    def _make_encoder(self, encoder):
        self.target_embedding = self._embedding(self.target_tokens, "target_embedding")
        self.source_embedding = self.target_embedding
        if not self.shared_embeddings:
            self.source_embedding = self._embedding(
                self.source_tokens, "source_embedding"
            )
        layers = [returning_all(layer) for layer in encoder]
        self.memory_size = output_size(layers[-1].cell)
        if self.bidirectional:
            layers = [keras.layers.Bidirectional(layer) for layer in layers]
            self.memory_size *= 2
        self.encoder = layers

    def _make_decoder(self, encoder, decoder, bridge):
        cells = [layer.cell for layer in decoder]
        check_bridge(bridge, [layer.cell for layer in encoder], cells)
        if bridge in ("states", "memory") and self.bidirectional:
            raise ValueError(
                f"`bridge` {bridge!r} needs an encoder that reads in one direction. "
                "Received: bidirectional=True"
            )
        self.bridge = Bridge(bridge, [flat_state_size(cell) for cell in cells])
        self.summary = None
        if self.tell_summary:
            size = self.memory_size
            self.summary = keras.layers.Dense(size, "tanh", use_bias=False)
        self.attention = None
        self.decoder = [returning_all(layer) for layer in decoder]
        if self.attention_kind == "general":
            self.attention = GeneralAttention()
        elif self.attention_kind == "additive":
            copy = type(cells[0]).from_config(cells[0].get_config())
            cell = AttentiveCell(copy, self.memory_size, output_size(copy))
            layer = keras.layers.RNN(cell, return_sequences=True, return_state=True)
            self.decoder = [layer]
        self.readout = {
            "tied": lambda: TiedReadout(self.target_embedding, self.dropout_share),
            "linear": lambda: keras.layers.Dense(self.target_tokens),
            "maxout": lambda: MaxoutReadout(self.target_tokens),
        }[self.readout_kind]()

    def _embedding(self, tokens, name):
        # Rows of length 1: sums of products with them are then neither large nor small.
        drawn = keras.initializers.RandomNormal(stddev=self.embedding_size**-0.5)
        return keras.layers.Embedding(tokens, self.embedding_size, drawn, name=name)

    def build(self, inputs_shape: Any) -> None:
        batch, steps = inputs_shape[0], inputs_shape[-1]
        self.source_embedding.build((batch, steps))
        if not self.shared_embeddings:
            self.target_embedding.build((batch, steps))
        width = self.embedding_size
        for layer in self.encoder:
            layer.build((batch, steps, width))
            cell = layer.forward_layer.cell if self.bidirectional else layer.cell
            width = output_size(cell) * (1 + self.bidirectional)
        last = (batch, width // (1 + self.bidirectional))
        self.bridge.build(last)
        told = 0
        if self.summary is not None:
            self.summary.build((*last[:-1], last[-1] * (1 + self.bidirectional)))
            told = self.memory_size
        width = self.embedding_size + told
        for layer in self.decoder:
            layer.build((batch, steps, width))
            width = output_size(layer.cell)
        if self.attention is not None:
            memory = (batch, steps, self.memory_size)
            self.attention.build((batch, steps, width), memory)
            width += self.memory_size
        if self.readout_kind != "linear":
            width += self.embedding_size + told
        self.readout.build((batch, steps, width))
        self.built = True

    # --- training ---

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        """Logits of the target with teacher forcing.

        Args:
            inputs: Tokens `(B, 2, T)`: sources, filled up with 0, and what the decoder
                reads, the start token and the target without its last token.
            training: Whether dropout acts.
        Returns:
            Logits `(B, T, target_tokens)`.
        """
        encoded = self.encode(inputs[:, 0], training)
        tokens = inputs[:, 1]
        if training and self.scheduled_sampling is not None:
            logits = self._logits(tokens, encoded, False)
            tokens = self.scheduled_sampling(tokens, logits)
        return self._logits(tokens, encoded, training)

    def _logits(self, tokens, encoded, training):
        embedded = self._embedded(tokens, encoded, training)
        outputs = self._decode(embedded, encoded)
        return self._read_out(outputs, embedded, encoded, training)

    def compute_output_shape(self, inputs_shape: Any) -> tuple:
        return inputs_shape[0], inputs_shape[2], self.target_tokens

    def encode(self, sources: Tensor, training: bool | None = None) -> Encoded:
        """Reads sources `(B, S)`."""
        sources = ops.cast(sources, "int32")
        if self.reverse_source:
            sources = _reversed(sources)
        mask = ops.not_equal(sources, PAD)
        outputs = self.dropout(self.source_embedding(sources), training=training)
        ends = []
        for layer in self.encoder:
            outputs, *states = layer(outputs, mask=mask)
            ends.append(states)
        # Of both directions the backward one has just read the beginning, which is what
        # the decoder writes first.
        half = len(ends[-1]) // 2
        last = ends[-1][half if self.bidirectional else 0]
        attended = summary = None
        if self.attention_kind != "none":
            memory = self.dropout(outputs, training=training)
            attended = self._attention().attended(memory, mask)
        if self.summary is not None:
            both = [ends[-1][0], last] if self.bidirectional else [last]
            summary = self.summary(ops.concatenate(both, axis=-1))
        begins = []
        if self.bridge.kind in ("memory", "none"):
            begins = [self._beginning(layer.cell, sources) for layer in self.decoder]
        return Encoded(attended, summary, self.bridge(last, ends, begins))

    def _beginning(self, cell, sources):
        return flat_initial_state(cell, ops.shape(sources)[0], self.compute_dtype)

    def _attention(self):
        if self.attention_kind == "additive":
            return self.decoder[0].cell.attention
        return self.attention

    def _holding(self, encoded):
        if self.attention_kind == "additive":
            return self.decoder[0].cell.holding(encoded.attended)
        return contextlib.nullcontext()

    def _embedded(self, tokens, encoded, training):
        embedded = self.target_embedding(ops.cast(tokens, "int32"))
        embedded = self.dropout(embedded, training=training)
        if encoded.summary is None:
            return embedded
        shape = (*ops.shape(embedded)[:2], self.memory_size)
        told = ops.broadcast_to(encoded.summary[:, None], shape)
        return ops.concatenate([embedded, told], axis=-1)

    def _decode(self, outputs, encoded):
        """What the last layer of the decoder puts out at every step."""
        with self._holding(encoded):
            for layer, states in zip(self.decoder, encoded.states, strict=True):
                outputs = layer(outputs, initial_state=states)[0]
        return outputs

    def _read_out(self, outputs, embedded, encoded, training):
        parts = [outputs]
        if self.attention is not None:
            parts.append(self.attention.attend(outputs, encoded.attended)[0])
        if self.readout_kind == "linear":
            return self.readout(ops.concatenate(parts, axis=-1))
        parts.append(embedded)
        return self.readout(ops.concatenate(parts, axis=-1), training=training)

    # --- writing ---

    def start(self, sources: Tensor) -> tuple[Any, list]:
        """Reads sources and begins to write, see `memnets.decoders`.

        Args:
            sources: Tokens `(B, S)`, filled up with 0.
        Returns:
            A step, see `memnets.decoders.Step`, and the first states.
        """
        encoded = self.encode(sources, False)

        def step(tokens, states):
            # As one text of B with K hypotheses, which are taken for K steps.
            rows = ops.reshape(tokens, (ops.shape(sources)[0], -1))
            embedded = self._embedded(rows, encoded, False)
            outputs = ops.reshape(embedded, (-1, embedded.shape[-1]))
            after = []
            with self._holding(encoded):
                for layer, before in zip(self.decoder, states, strict=True):
                    outputs, state = cell_step(layer.cell, outputs, before)
                    after.append(state)
            outputs = ops.reshape(outputs, (*ops.shape(rows), outputs.shape[-1]))
            logits = self._read_out(outputs, embedded, encoded, False)
            logits = ops.reshape(logits, (-1, self.target_tokens))
            return ops.log_softmax(ops.cast(logits, "float32"), axis=-1), after

        return step, encoded.states

    def attention_weights(self, inputs: Tensor) -> Tensor:
        """How much each step of the decoder attends to each position of the source.

        Args:
            inputs: As of `call`.
        Returns:
            Weights `(B, T, S)`, which sum to 1 over the positions.
        Raises:
            ValueError: If there is no attention.
        """
        if self.attention_kind == "none":
            raise ValueError("`attention` is 'none': there are no weights.")
        encoded = self.encode(inputs[:, 0], False)
        embedded = self._embedded(inputs[:, 1], encoded, False)
        if self.attention_kind == "additive":
            cell = self.decoder[0].cell
            return cell.attention_weights(embedded, encoded.states[0], encoded.attended)
        outputs = self._decode(embedded, encoded)
        return self.attention.attend(outputs, encoded.attended)[1]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "source_tokens": self.source_tokens,
            "target_tokens": self.target_tokens,
            "encoder": self._given[0],
            "decoder": self._given[1],
            "embedding_size": self.embedding_size,
            "attention": self.attention_kind,
            "bidirectional": self.bidirectional,
            "bridge": self.bridge.kind,
            "tell_summary": self.tell_summary,
            "readout": self.readout_kind,
            "shared_embeddings": self.shared_embeddings,
            "reverse_source": self.reverse_source,
            "dropout": self.dropout_share,
            "scheduled_sampling": keras.saving.serialize_keras_object(
                self.scheduled_sampling
            ),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "SequenceToSequence":
        config = dict(config)
        for name in ("encoder", "decoder"):
            config[name] = [
                keras.saving.deserialize_keras_object(layer) for layer in config[name]
            ]
        schedule = config.get("scheduled_sampling")
        config["scheduled_sampling"] = keras.saving.deserialize_keras_object(schedule)
        return cls(**config)


def _reversed(tokens):
    """Tokens `(B, T)` in reverse order; what fills them up stays at their ends."""
    steps = ops.arange(ops.shape(tokens)[1])[None]
    last = ops.sum(ops.cast(ops.not_equal(tokens, PAD), "int32"), 1, keepdims=True) - 1
    order = ops.where(steps <= last, last - steps, steps)
    return ops.take_along_axis(tokens, order, axis=1)
