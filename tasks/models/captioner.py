"""Networks that look at a picture and write a text, by name."""

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

from ..checks import check_boolean, check_integer, check_number, shorten
from ..contract.task import Task
from .base import ModelConfig
from .ntm_layers import NTMLayers

if TYPE_CHECKING:
    import keras

    from memnets.seq2seq import ApplicationCells, PictureCells


@dataclasses.dataclass(frozen=True)
class CaptionerConfig(ModelConfig):
    """A convolutional network and a decoder, see `memnets.seq2seq.Captioner`.

    Args:
        units: Size of the decoder.
        embedding_size: Numbers for each token.
        channels: Channels of the last two of four layers of the convolutional network
            that halve width and height; the second has half as many, the first a
            quarter.
        context_layers: Layers after them that keep width and height.
        dropout: Share of embeddings that training sets to 0; with attention, also of
            the cells of the picture.
        encoder: A network of keras.applications in place of the convolutional one, such
            as ResNet50; see `memnets.seq2seq.ApplicationCells`.
        encoder_weights: File of its weights without the top, which are then kept; or
            imagenet, which Keras downloads. If none are given, it is trained too.
        tune_encoder: Whether an encoder with given weights is trained too.
    """

    units: int = 128
    embedding_size: int = 64
    channels: int = 64
    context_layers: int = 2
    dropout: float = 0.0
    encoder: str = ""
    encoder_weights: str = ""
    tune_encoder: bool = False

    learning_rate = 8e-3
    clip_norm = 1.0
    sequences = 400_000
    warmup = 200
    xla_on_cpu = False
    # Arguments of Captioner.
    parts: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        for name in ("units", "embedding_size"):
            check_integer(name, getattr(self, name))
        check_integer("channels", self.channels, 4)
        check_integer("context_layers", self.context_layers, 0)
        check_number("dropout", self.dropout, minimum=0, below=1)
        check_boolean("tune_encoder", self.tune_encoder)
        if self.encoder_weights and not self.encoder:
            raise ValueError(
                "`encoder` must be given with `encoder_weights`. Received: none"
            )

    def build(self, task: Task) -> "keras.Model":
        import keras

        from memnets.seq2seq import Captioner

        if not hasattr(task, "picture_shape"):
            raise ValueError(
                "`task` must be one of pictures and captions for the model "
                f"{self.name}. Received: {task.name}"
            )
        inputs = task.inputs()
        network = Captioner(
            task.picture_shape,
            task.output_size,
            self._picture_encoder(len(task.picture_shape) == 3),
            [self.layer(self.units)],
            reader=self.reader(),
            embedding_size=self.embedding_size,
            dropout=self.dropout,
            name="network",
            **self.parts,
        )
        if network.attention_kind != "none" and network.num_cells == 1:
            raise ValueError(
                f"`model` {self.name} must have several cells to attend to; cnn-gru "
                "needs none. Received: one cell of each picture"
            )
        return keras.Model(inputs, network(inputs), name=self.name.replace("-", "_"))

    def reader(self) -> list[Any]:
        """Recurrent layers that read the cells of a picture, if there are any."""
        return []

    def _picture_encoder(
        self, has_pictures: bool
    ) -> "ApplicationCells | PictureCells | None":
        """What looks at pictures; None if a task has features in their place."""
        from memnets.seq2seq import ApplicationCells, PictureCells

        if not has_pictures:
            if self.encoder:
                raise ValueError(
                    "`encoder` must be left out for features, which are from another "
                    f"network. Received: encoder={shorten(self.encoder)}"
                )
            return None
        if self.encoder:
            return ApplicationCells(
                self.encoder,
                self.encoder_weights or None,
                trainable=self.tune_encoder or not self.encoder_weights,
            )
        size = self.channels
        return PictureCells((size // 4, size // 2, size, size), self.context_layers)

    @property
    def signature(self) -> str:
        text = (
            f"{self.name}|units:{self.units}|embedding:{self.embedding_size}"
            f"|channels:{self.channels}|context:{self.context_layers}"
            f"|dropout:{self.dropout:g}"
        )
        if not self.encoder:
            return text
        is_kept = self.encoder_weights and not self.tune_encoder
        return f"{text}|encoder:{self.encoder},{'kept' if is_kept else 'trained'}"


# A readout that does not see the last token: the picture has to say which comes next.
LINEAR: dict[str, Any] = {"readout": "linear"}
# Without attention the picture is all that the decoder reads first.
FIRST = LINEAR | {"attention": "none", "bridge": "input"}
# What was looked at is part of the state: a text goes from object to object.
ATTENTIVE = LINEAR | {"attention": "additive"}


class CNNGRU(CaptionerConfig):
    """A GRU that writes after it has read the picture: Show and Tell, Vinyals et al.
    (2015), which has an LSTM."""

    name = "cnn-gru"
    parts: ClassVar[dict[str, Any]] = FIRST

    def layer(self, units: int) -> "keras.layers.Layer":
        import keras

        return keras.layers.GRU(units)


class CNNLSTM(CaptionerConfig):
    """An LSTM that writes after it has read the picture: Show and Tell, Vinyals et al.
    (2015)."""

    name = "cnn-lstm"
    parts: ClassVar[dict[str, Any]] = FIRST

    def layer(self, units: int) -> "keras.layers.Layer":
        import keras

        return keras.layers.LSTM(units)


class CNNGRUAttention(CNNGRU):
    """A GRU that writes, with attention to the cells of the picture before each step:
    Show, Attend and Tell, Xu et al. (2015), which has an LSTM."""

    name = "cnn-gru-attention"
    parts: ClassVar[dict[str, Any]] = ATTENTIVE


class CNNLSTMAttention(CNNLSTM):
    """An LSTM that writes, with attention to the cells of the picture before each step:
    Show, Attend and Tell, Xu et al. (2015)."""

    name = "cnn-lstm-attention"
    parts: ClassVar[dict[str, Any]] = ATTENTIVE


@dataclasses.dataclass(frozen=True)
class NTMCaptionerConfig(NTMLayers, CaptionerConfig):
    """A decoder that is a Neural Turing Machine."""

    memory_size: int = 32
    word_size: int = 16


class CNNNTM(NTMCaptionerConfig):
    """A Neural Turing Machine that writes after it has read the picture."""

    name = "cnn-ntm"
    parts: ClassVar[dict[str, Any]] = FIRST


class CNNNTMMemory(NTMCaptionerConfig):
    """A Neural Turing Machine that reads the cells of the picture, and another one that
    writes. The second begins with the memory of the first and sees nothing else."""

    name = "cnn-ntm-memory"
    parts: ClassVar[dict[str, Any]] = LINEAR | {"attention": "none", "bridge": "memory"}

    def reader(self) -> list[Any]:
        return [self.layer(self.units)]


class CNNNTMAttention(NTMCaptionerConfig):
    """A Neural Turing Machine that writes, with attention to the cells of the picture
    after its recurrence."""

    name = "cnn-ntm-attention"
    parts: ClassVar[dict[str, Any]] = LINEAR | {"bridge": "none"}
