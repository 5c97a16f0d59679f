"""What networks share that have read something and then write a sequence."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

import keras
from keras import ops

from ..cells.states import (
    cell_step,
    flat_initial_state,
    free_state_size,
    output_size,
    packed_states,
)
from ..checks import (
    check_boolean,
    check_choice,
    check_integer,
    check_number,
    shorten,
)
from ..numerics.precision import KeepsPolicies
from ..numerics.tensor_checks import Shape, Structure, Tensor
from .attention import Attended, Encoded
from .attention_kinds import ATTENTIONS, AttentionKind
from .bridge import Bridge, check_bridge
from .readout import MaxoutReadout, TiedReadout
from .recurrent_layers import (
    checked_layers,
    loaded_layers,
    returning_all,
    saved_layers,
)
from .scheduled_sampling import ScheduledSampling

READOUTS = ("tied", "linear", "maxout")


class WritingNetwork(KeepsPolicies, abc.ABC):
    """A decoder, with or without attention, and what it begins with.

    A subclass reads: `encode`. It makes its own layers, and then those of the decoder
    with `_make_decoder`, which it builds with `_build_decoder`.

    Args:
        target_tokens: Number of tokens of the target; 0 is padding.
        decoder: Recurrent layers, the first reads the target. The network makes
            layers like them.
        embedding_size: Numbers for each token.
        attention: general, additive or none.
        tell_summary: Whether every step of the decoder reads tanh(V h) besides, where
            h is the last output of the encoder.
        readout: tied (to the embedding of the target), linear or maxout.
        dropout: Share of the embeddings that training sets to 0; with attention, also
            of what it looks at; with `readout="tied"`, also of its hidden layer.
        scheduled_sampling: How often the decoder reads its own tokens in training;
            never if None.
    Raises:
        ValueError: If an argument is out of its range, or two do not fit.
        TypeError: If a flag is not a boolean, or `scheduled_sampling` something else.
    """

    # The names of the inputs: of what is read, and of what the decoder reads.
    input_names: ClassVar[tuple[str, str]]

    def __init__(
        self,
        target_tokens: int,
        decoder: Sequence[Any],
        *,
        embedding_size: int = 256,
        attention: str = "general",
        tell_summary: bool = False,
        readout: str = "tied",
        dropout: float = 0.0,
        scheduled_sampling: ScheduledSampling | None = None,
        **kwargs: Any,
    ) -> None:
        # Half precision would round tokens. The layers in here cast their inputs.
        kwargs.setdefault("autocast", False)
        super().__init__(**kwargs)
        self.target_tokens = check_integer("target_tokens", target_tokens)
        self.embedding_size = check_integer("embedding_size", embedding_size)
        self.attention_kind = check_choice("attention", attention, ATTENTIONS)
        self.tell_summary = check_boolean("tell_summary", tell_summary)
        self.readout_kind = check_choice("readout", readout, READOUTS)
        self.dropout_share = check_number("dropout", dropout, minimum=0, below=1)
        decoder = checked_layers("decoder", decoder)
        if self.attention_kind == "additive" and len(decoder) != 1:
            raise ValueError(
                "`attention` 'additive' needs a decoder of one layer. "
                f"Received: {len(decoder)}"
            )
        if not isinstance(scheduled_sampling, ScheduledSampling | None):
            raise TypeError(
                "`scheduled_sampling` must be a ScheduledSampling, or None. "
                f"Received: scheduled_sampling={shorten(scheduled_sampling)}"
            )
        # Not the layers, which stay unbuilt: Keras on JAX would run a model that has
        # such layers operation by operation before each batch.
        self._given_decoder = saved_layers(decoder)
        self.target_embedding = self._embedding(self.target_tokens, "target_embedding")
        self.scheduled_sampling = scheduled_sampling

    @abc.abstractmethod
    def encode(self, sources: Structure, training: bool | None = None) -> Encoded:
        """Reads sources."""

    @abc.abstractmethod
    def _unpacked(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """The two parts of inputs that are one tensor, as in earlier versions."""

    @abc.abstractmethod
    def _unpacked_shapes(self, shape: Shape) -> tuple[Shape, Shape]:
        """The shapes of the two parts of inputs that are one tensor."""

    def parts(self, inputs: Structure) -> tuple[Tensor, Tensor]:
        """What is read, and the tokens `(B, T)` that the decoder reads.

        Args:
            inputs: As of `call`.
        Raises:
            ValueError: If they do not have the names of `input_names`.
        """
        if isinstance(inputs, dict):
            sources, tokens = self._named(inputs)
        else:
            sources, tokens = self._unpacked(inputs)
        return sources, ops.cast(tokens, "int32")

    def _part_shapes(self, shape: Shape | dict[str, Shape]) -> tuple[Shape, Shape]:
        """The shapes of what is read and of what the decoder reads."""
        if isinstance(shape, dict):
            return self._named(shape)
        return self._unpacked_shapes(shape)

    def _named(self, inputs: dict[str, Any]) -> tuple[Any, Any]:
        first, second = self.input_names
        if set(inputs) != {first, second}:
            raise ValueError(
                f"`inputs` must be a dict of `{first}` and `{second}`. "
                f"Received: {', '.join(map(str, inputs)) or 'none'}"
            )
        return inputs[first], inputs[second]

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
        """Makes what writes.

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

    def call(self, inputs: Structure, training: bool | None = None) -> Tensor:
        """Logits of the target with teacher forcing.

        Args:
            inputs: Two tensors by the names of `input_names`: what is read, and what
                the decoder reads, tokens `(B, T)`: the start token and the target
                without its last token.
            training: Whether dropout acts.
        Returns:
            Logits `(B, T, target_tokens)`.
        """
        sources, tokens = self.parts(inputs)
        encoded = self.encode(sources, training)
        if training and self.scheduled_sampling is not None:
            logits = self._logits(tokens, encoded, False)
            tokens = self.scheduled_sampling(tokens, logits)
        return self._logits(tokens, encoded, training)

    def compute_output_shape(self, inputs_shape: Shape | dict[str, Shape]) -> Shape:
        _, (batch, steps) = self._part_shapes(inputs_shape)
        return batch, steps, self.target_tokens

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

    def check_built(self) -> None:
        """Raises ValueError if the network has no weights yet."""
        if not self.built:
            raise ValueError(
                "`network` must have weights before it writes: train, call or load it. "
                f"Received: {self.name}, which is not built"
            )

    def start(self, sources: Tensor) -> tuple[Any, list]:
        """Reads sources and begins to write, see `memnets.decoders`.

        Args:
            sources: The sources, batch first.
        Returns:
            A step, see `memnets.decoders.Step`, and the first states.
        Raises:
            ValueError: If the network has no weights yet.
        """
        self.check_built()
        encoded = self.encode(sources, False)

        def step(
            tokens: Tensor, states: list[list[Tensor]]
        ) -> tuple[Tensor, list[list[Tensor]]]:
            # As one text of B with K hypotheses, which are taken for K steps.
            rows = ops.reshape(tokens, (ops.shape(sources)[0], -1))
            embedded = self._embedded(rows, encoded, False)
            outputs = ops.reshape(embedded, (-1, embedded.shape[-1]))
            after = []
            with self._attention.holding(encoded.attended):
                for layer, before in zip(self.decoder, states, strict=True):
                    outputs, state = cell_step(layer.cell, outputs, before)
                    after.append(state)
            outputs = ops.reshape(outputs, (*ops.shape(rows), outputs.shape[-1]))
            logits = self._read_out(outputs, embedded, encoded, False)
            logits = ops.reshape(logits, (-1, self.target_tokens))
            return ops.log_softmax(ops.cast(logits, "float32"), axis=-1), after

        return step, encoded.states

    def attention_weights(self, inputs: Structure) -> Tensor:
        """How much each step of the decoder attends to each position of the source.

        Args:
            inputs: As of `call`.
        Returns:
            Weights `(B, T, S)`, which sum to 1 over the positions.
        Raises:
            ValueError: If there is no attention.
        """
        sources, tokens = self.parts(inputs)
        encoded = self.encode(sources, False)
        embedded = self._embedded(tokens, encoded, False)
        return self._attention.weights(self, embedded, encoded)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "target_tokens": self.target_tokens,
            "decoder": self._given_decoder,
            "embedding_size": self.embedding_size,
            "attention": self.attention_kind,
            "bridge": self.bridge.kind,
            "tell_summary": self.tell_summary,
            "readout": self.readout_kind,
            "dropout": self.dropout_share,
            "scheduled_sampling": keras.saving.serialize_keras_object(
                self.scheduled_sampling
            ),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "WritingNetwork":
        schedule = config.get("scheduled_sampling")
        return cls(
            **{
                **config,
                "decoder": loaded_layers(config["decoder"]),
                "scheduled_sampling": keras.saving.deserialize_keras_object(schedule),
            }
        )
