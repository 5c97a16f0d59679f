"""What the encoder-decoders share: they read something, then write a sequence."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

import keras
from keras import ops

from ..cells.states import cell_step
from ..checks import check_boolean, check_choice, check_integer, check_number, shorten
from ..numerics.tensor_checks import Shape, Structure, Tensor
from .attention import Encoded
from .attention_kinds import ATTENTIONS
from .decoding_network import DecodingNetwork
from .recurrent_layers import checked_layers, loaded_layers, saved_layers
from .scheduled_sampling import ScheduledSampling

READOUTS = ("tied", "linear", "maxout")


class EncoderDecoder(DecodingNetwork, abc.ABC):
    """An encoder of a subclass, and a decoder with or without attention.

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
    def from_config(cls, config: dict[str, Any]) -> "EncoderDecoder":
        schedule = config.get("scheduled_sampling")
        return cls(
            **{
                **config,
                "decoder": loaded_layers(config["decoder"]),
                "scheduled_sampling": keras.saving.deserialize_keras_object(schedule),
            }
        )
