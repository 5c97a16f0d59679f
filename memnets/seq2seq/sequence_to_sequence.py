"""The network that reads one sequence and then writes another."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from ..cells.states import output_place, output_size
from ..checks import check_boolean, check_integer
from ..numerics.tensor_checks import Shape, Structure, Tensor
from .attention import Encoded
from .encoder_decoder import EncoderDecoder
from .recurrent_layers import (
    checked_layers,
    loaded_layers,
    read_through,
    returning_all,
    saved_layers,
)
from .scheduled_sampling import ScheduledSampling

# The token that fills up sequences.
PAD = 0


@keras.saving.register_keras_serializable("memnets")
class SequenceToSequence(EncoderDecoder):
    """An encoder, a decoder and attention between them.

    The attention is `general`, after the decoder's recurrence, which then reads nothing
    but tokens, so that any recurrent layer can be the decoder; or `additive`, before
    each of its steps; or `none`.

    Args:
        source_tokens: Number of tokens of the source; 0 is padding.
        target_tokens: Number of tokens of the target; 0 is padding.
        encoder: Recurrent layers, the first reads the source. The network makes layers
            like them.
        decoder: Recurrent layers, the first reads the target; likewise.
        embedding_size: Numbers for each token.
        attention: general, additive or none.
        bidirectional: Whether each layer of the encoder reads in both directions.
        bridge: How the decoder begins: `learned` from the last output of the encoder,
            with that as its first `input`, with its last `states`, with its `memory`,
            or by itself, `none`. See `Bridge`.
        tell_summary: Whether every step of the decoder reads tanh(V h) besides, where
            h is the last output of the encoder.
        readout: tied (to the embedding of the target), linear or maxout.
        shared_embeddings: Whether source and target have one embedding.
        reverse_source: Whether the source is read from its end.
        dropout: Share of the embeddings that training sets to 0; with attention, also
            of what it looks at; with `readout="tied"`, also of its hidden layer.
        scheduled_sampling: How often the decoder reads its own tokens in training;
            never if None.
    Raises:
        ValueError: If an argument is out of its range, or two do not fit.
        TypeError: If a flag is not a boolean, or `scheduled_sampling` something else.
    Call arguments:
        inputs: A dict of tokens: `source`, `(B, S)`, filled up with 0; and `target`,
            `(B, T)`, what the decoder reads: the start token and the target without its
            last token. Inputs of earlier versions, `(B, 2, T)` with both in one tensor,
            are read too.
    Reference:
        Cho et al. (2014), Learning Phrase Representations using RNN Encoder-Decoder;
        Sutskever, Vinyals, Le (2014), Sequence to Sequence Learning with Neural
        Networks; Bahdanau, Cho, Bengio (2015); Luong, Pham, Manning (2015).
    Example:
        >>> network = SequenceToSequence(
        ...     9, 8, encoder=[keras.layers.GRU(5)], decoder=[keras.layers.GRU(6)]
        ... )
        >>> source, target = np.ones((2, 5), "int32"), np.ones((2, 4), "int32")
        >>> tuple(network({"source": source, "target": target}).shape)
        (2, 4, 8)
    """

    input_names = ("source", "target")

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
        super().__init__(
            target_tokens,
            decoder,
            embedding_size=embedding_size,
            attention=attention,
            tell_summary=tell_summary,
            readout=readout,
            dropout=dropout,
            scheduled_sampling=scheduled_sampling,
            **kwargs,
        )
        self.source_tokens = check_integer("source_tokens", source_tokens)
        self.bidirectional = check_boolean("bidirectional", bidirectional)
        self.shared_embeddings = check_boolean("shared_embeddings", shared_embeddings)
        self.reverse_source = check_boolean("reverse_source", reverse_source)
        encoder = checked_layers("encoder", encoder)
        self._given_encoder = saved_layers(encoder)
        if self.shared_embeddings and self.source_tokens != self.target_tokens:
            raise ValueError(
                "`shared_embeddings` needs as many tokens of the source as of the "
                f"target. Received: source_tokens={self.source_tokens}, "
                f"target_tokens={self.target_tokens}"
            )
        if bridge in ("states", "memory") and self.bidirectional:
            raise ValueError(
                f"`bridge` {bridge!r} needs an encoder that reads in one direction. "
                "Received: bidirectional=True"
            )
        memory_size = self._make_encoder(encoder)
        cells = [layer.cell for layer in encoder]
        self._make_decoder(decoder, memory_size, bridge, cells)

    def _make_encoder(self, encoder: Sequence[keras.layers.RNN]) -> int:
        """Makes what reads. Returns the width of what it puts out."""
        self.source_embedding = self.target_embedding
        if not self.shared_embeddings:
            self.source_embedding = self._embedding(
                self.source_tokens, "source_embedding"
            )
        layers = [returning_all(layer) for layer in encoder]
        size = output_size(layers[-1].cell)
        self._output_place = output_place(layers[-1].cell)
        if self.bidirectional:
            layers = [
                keras.layers.Bidirectional(layer, dtype=layer.dtype_policy)
                for layer in layers
            ]
            size *= 2
        self.encoder = layers
        return size

    def build(self, inputs_shape: Shape | dict[str, Shape]) -> None:
        source, (batch, steps) = self._part_shapes(inputs_shape)
        self.source_embedding.build(source)
        width = self.embedding_size
        for layer in self.encoder:
            layer.build((*source, width))
            cell = layer.forward_layer.cell if self.bidirectional else layer.cell
            width = output_size(cell) * (1 + self.bidirectional)
        last = width // (1 + self.bidirectional)
        self._build_decoder(batch, steps, last, width)

    def _unpacked(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        return inputs[:, 0], inputs[:, 1]

    def _unpacked_shapes(self, shape: Shape) -> tuple[Shape, Shape]:
        return ((shape[0], shape[2]),) * 2

    def encode(self, sources: Tensor, training: bool | None = None) -> Encoded:
        """Reads sources `(B, S)`."""
        sources = ops.cast(sources, "int32")
        if self.reverse_source:
            sources = ops.take_along_axis(sources, _reversed_order(sources), axis=1)
        mask = ops.not_equal(sources, PAD)
        outputs = self.dropout(self.source_embedding(sources), training=training)
        outputs, ends = read_through(self.encoder, outputs, mask=mask)
        # The backward direction has just read the beginning, which the decoder writes
        # first.
        per_direction = len(ends[-1]) // (1 + self.bidirectional)
        last_outputs = ends[-1][self._output_place :: per_direction]
        last = last_outputs[-1]
        attended = self._attended(outputs, mask, training)
        summary = None
        if self.summary is not None:
            summary = self.summary(ops.concatenate(last_outputs, axis=-1))
        states = self._first_states(last, ends, ops.shape(sources)[0], training)
        return Encoded(attended, summary, states)

    def attention_weights(self, inputs: Structure) -> Tensor:
        weights = super().attention_weights(inputs)
        if not self.reverse_source:
            return weights
        # Reversed twice, positions are where they were.
        order = _reversed_order(self.parts(inputs)[0])
        return ops.take_along_axis(weights, order[:, None], axis=2)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "source_tokens": self.source_tokens,
            "encoder": self._given_encoder,
            "bidirectional": self.bidirectional,
            "shared_embeddings": self.shared_embeddings,
            "reverse_source": self.reverse_source,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "SequenceToSequence":
        return super().from_config(
            {**config, "encoder": loaded_layers(config["encoder"])}
        )


def _reversed_order(tokens: Tensor) -> Tensor:
    """The positions of tokens `(B, T)` from the last one to the first; what fills the
    tokens up stays at their ends."""
    steps = ops.arange(ops.shape(tokens)[1])[None]
    last = ops.sum(ops.cast(ops.not_equal(tokens, PAD), "int32"), 1, keepdims=True) - 1
    return ops.where(steps <= last, last - steps, steps)
