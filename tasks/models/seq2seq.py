"""Networks that read one sequence and write another, by name."""

import dataclasses
import os
import pathlib
from typing import TYPE_CHECKING, Any, ClassVar

from ..checks import (
    check_boolean,
    check_choice,
    check_integer,
    check_number,
    shorten,
)
from ..contract.task import INPUT_PATH, Task
from .base import ModelConfig
from .ntm_layers import NTMLayers

if TYPE_CHECKING:
    import keras

    from memnets.seq2seq import ScheduledSampling

SAMPLINGS = ("none", "linear", "exponential", "inverse-sigmoid")


@dataclasses.dataclass(frozen=True)
class Seq2SeqConfig(ModelConfig):
    """An encoder and a decoder, see `memnets.seq2seq.SequenceToSequence`.

    Args:
        units: Size of each layer of the encoder, in each direction, and of the decoder.
        embedding_size: Numbers for each token.
        num_layers: Layers of the encoder and of the decoder.
        dropout: Share of embeddings that training sets to 0; with attention, also of
            the encoder's outputs; with a tied readout, also of the hidden layer before
            the tokens.
        reverse_source: Whether the source is read from its end, as Sutskever et al.
            (2014) do.
        scheduled_sampling: How the share of the network's own tokens that the decoder
            reads in training grows: none, linear, exponential or inverse-sigmoid, see
            `memnets.seq2seq.ScheduledSampling`.
        sampling_half: Step of the training at which half of them are its own.
        source_vectors: File of word vectors that the embedding of the source begins
            with; as large as the embedding.
    """

    units: int = 256
    embedding_size: int = 256
    num_layers: int = 1
    dropout: float = 0.3
    reverse_source: bool = False
    scheduled_sampling: str = "none"
    sampling_half: int = 5000
    source_vectors: str = dataclasses.field(default="", metadata=INPUT_PATH)

    learning_rate = 3e-3
    clip_norm = 1.0
    sequences = 400_000
    warmup = 200
    # With a large softmax XLA takes twice as long on a CPU.
    xla_on_cpu = False
    # Arguments of SequenceToSequence.
    parts: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        for name in ("units", "embedding_size", "num_layers", "sampling_half"):
            check_integer(name, getattr(self, name))
        check_boolean("reverse_source", self.reverse_source)
        check_choice("scheduled_sampling", self.scheduled_sampling, SAMPLINGS)
        check_number("dropout", self.dropout, minimum=0, below=1)
        if not isinstance(self.source_vectors, str | os.PathLike):
            raise ValueError(
                "`source_vectors` must be a file. "
                f"Received: source_vectors={shorten(self.source_vectors)}"
            )
        object.__setattr__(self, "source_vectors", str(self.source_vectors))

    def build(self, task: Task) -> "keras.Model":
        import keras

        from memnets.seq2seq import SequenceToSequence

        if not hasattr(task, "source_vocabulary"):
            raise ValueError(
                "`task` must read one text and write another for the model "
                f"{self.name}. Received: {task.name}"
            )
        inputs = task.inputs()
        network = SequenceToSequence(
            task.input_size,
            task.output_size,
            encoder=self.encoder(),
            decoder=self.decoder(),
            embedding_size=self.embedding_size,
            dropout=self.dropout,
            shared_embeddings=getattr(task, "shared_vocabulary", False),
            reverse_source=self.reverse_source,
            scheduled_sampling=self._sampling(),
            name="network",
            **self.parts,
        )
        name = self.name.replace("-", "_")
        return keras.Model(inputs, network(inputs), name=name)

    def begin(self, network: "keras.Model", task: Task) -> None:
        """The embedding of the source begins with word vectors, if there is a file."""
        from .source_vectors import begin_with_vectors

        if self.source_vectors:
            embedding = network.get_layer("network").source_embedding
            words = task.source_vocabulary.words  # type: ignore[attr-defined]
            begin_with_vectors(embedding, words, self.source_vectors)

    @classmethod
    def upgrade(cls, parameters: dict) -> dict:
        # Earlier runs began with random embeddings.
        return {"source_vectors": "", **parameters}

    def _sampling(self) -> "ScheduledSampling | None":
        from memnets.seq2seq import ScheduledSampling

        if self.scheduled_sampling == "none":
            return None
        return ScheduledSampling.with_half_at(
            self.scheduled_sampling, self.sampling_half
        )

    def layer(self, units: int) -> "keras.layers.Layer":
        """A recurrent layer of the encoder or the decoder, of `units` numbers."""
        raise NotImplementedError

    def encoder(self) -> list[Any]:
        """The layers that read."""
        return [self.layer(self.units) for _ in range(self.num_layers)]

    def decoder(self) -> list[Any]:
        """The layers that write."""
        return [self.layer(self.units) for _ in range(self.num_layers)]

    @property
    def signature(self) -> str:
        more = "|reversed" if self.reverse_source else ""
        if self.scheduled_sampling != "none":
            more += f"|sampling:{self.scheduled_sampling},{self.sampling_half}"
        if self.source_vectors:
            more += f"|vectors:{pathlib.PurePath(self.source_vectors).name}"
        return (
            f"{self.name}|units:{self.num_layers}x{self.units}"
            f"|embedding:{self.embedding_size}|dropout:{self.dropout:g}{more}"
        )


def _gru(units: int, **options: Any) -> "keras.layers.GRU":
    import keras

    return keras.layers.GRU(units, **options)


def _lstm(units: int) -> "keras.layers.LSTM":
    import keras

    return keras.layers.LSTM(units)


# Without attention the last states of the encoder are all that the decoder
# knows.
PLAIN = {"attention": "none", "bidirectional": False, "bridge": "states"}


class GRUSeq2Seq(Seq2SeqConfig):
    """A GRU that reads and one that writes, without attention."""

    name = "gru-seq2seq"
    parts: ClassVar[dict[str, Any]] = PLAIN

    def layer(self, units: int) -> "keras.layers.Layer":
        return _gru(units)


class LSTMSeq2Seq(Seq2SeqConfig):
    """An LSTM that reads and one that writes, without attention."""

    name = "lstm-seq2seq"
    parts: ClassVar[dict[str, Any]] = PLAIN

    def layer(self, units: int) -> "keras.layers.Layer":
        return _lstm(units)


class GRUAttention(GRUSeq2Seq):
    """A bidirectional GRU that reads, and one that writes, with attention after its
    recurrence: Luong, Pham, Manning (2015)."""

    name = "gru-attention"
    parts: ClassVar[dict[str, Any]] = {}


class LSTMAttention(LSTMSeq2Seq):
    """The same of LSTMs."""

    name = "lstm-attention"
    parts: ClassVar[dict[str, Any]] = {}


class Bahdanau(GRUSeq2Seq):
    """A bidirectional GRU that reads, and one that writes, with attention before each
    step: Bahdanau, Cho, Bengio (2015)."""

    name = "bahdanau"
    parts: ClassVar[dict[str, Any]] = {"attention": "additive"}


@dataclasses.dataclass(frozen=True)
class Cho(Seq2SeqConfig):
    """The RNN Encoder-Decoder of Cho et al. (2014): every step of the decoder reads a
    summary of the source; maxout before the tokens.

    Deviation: the decoder begins with tanh(V' h) of the encoder's last state h, in the
    paper with tanh(V' c) of the summary c; gates have biases.
    """

    units: int = 1000
    embedding_size: int = 100
    dropout: float = 0.0

    name = "cho"
    parts: ClassVar[dict[str, Any]] = {
        "attention": "none",
        "bidirectional": False,
        "tell_summary": True,
        "readout": "maxout",
    }

    def layer(self, units: int) -> "keras.layers.Layer":
        # Equations 5 to 8 reset the state before the product, not after it.
        return _gru(units, reset_after=False)


@dataclasses.dataclass(frozen=True)
class Sutskever(Seq2SeqConfig):
    """Sequence to sequence of Sutskever, Vinyals, Le (2014): deep LSTMs, the source
    read from its end, the states handed on layer by layer."""

    units: int = 1000
    embedding_size: int = 1000
    num_layers: int = 4
    dropout: float = 0.0
    reverse_source: bool = True

    name = "sutskever"
    parts: ClassVar[dict[str, Any]] = {
        **PLAIN,
        "readout": "linear",
    }

    def layer(self, units: int) -> "keras.layers.Layer":
        return _lstm(units)


@dataclasses.dataclass(frozen=True)
class NTMSeq2SeqConfig(NTMLayers, Seq2SeqConfig):
    """An encoder and a decoder of Neural Turing Machines."""


class NTMAttention(NTMSeq2SeqConfig):
    """A bidirectional GRU that reads, and a Neural Turing Machine that writes, with
    attention after its recurrence."""

    name = "ntm-attention"
    parts: ClassVar[dict[str, Any]] = {"bridge": "none"}

    def encoder(self) -> list[Any]:
        return [_gru(self.units) for _ in range(self.num_layers)]


class NTMMemory(NTMSeq2SeqConfig):
    """A Neural Turing Machine that reads, and another one that writes, which begins
    with the memory of the first and knows nothing else of the source."""

    name = "ntm-memory"
    parts: ClassVar[dict[str, Any]] = {**PLAIN, "bridge": "memory"}


class NTMSeq2Seq(NTMSeq2SeqConfig):
    """A Neural Turing Machine that reads, and another one that writes, which begins
    with all states of the first."""

    name = "ntm-seq2seq"
    parts: ClassVar[dict[str, Any]] = PLAIN
