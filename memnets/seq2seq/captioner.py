"""The network that looks at a picture and then writes a text."""

import math
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from ..cells.states import output_size
from ..checks import check_integer, shorten
from ..numerics.tensor_checks import Shape, Tensor
from .attention import Encoded
from .encoder_decoder import EncoderDecoder
from .recurrent_layers import (
    checked_layers,
    loaded_layers,
    read_through,
    returning_all,
    saved_layers,
)

# Numbers of a picture are from 0 to so much.
WHITE = 255.0


@keras.saving.register_keras_serializable("memnets")
class PictureCells(keras.layers.Layer):
    """A small convolutional network: pictures as cells of numbers.

    Layers halve width and height; then come some that keep them, so that each cell
    knows of what lies around it. The outputs of each are normalised over the batch:
    without that, it takes several times the pictures to learn colors and shapes. Two
    numbers are added to each cell that say where it is, from -1 to 1, as texts say
    where things are.

    Args:
        channels: Channels of each layer that halves.
        context_layers: Number of layers that keep width and height, with the channels
            of the last one.
    Raises:
        ValueError: If there is no layer that halves, or a number is out of its range.
    Reference:
        Ioffe, Szegedy (2015), Batch Normalization.
    Example:
        >>> cells = PictureCells((4, 8))(np.zeros((2, 16, 16, 3)))
        >>> tuple(cells.shape)
        (2, 16, 10)
    """

    def __init__(
        self,
        channels: Sequence[int] = (16, 32, 64, 64),
        context_layers: int = 2,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.channels = _sizes("channels", channels)
        if not self.channels:
            raise ValueError("`channels` must name a layer. Received: channels=()")
        self.context_layers = check_integer("context_layers", context_layers, 0)
        sizes = [(size, 2) for size in self.channels]
        sizes += [(self.channels[-1], 1)] * self.context_layers
        self.layers = [
            keras.layers.Conv2D(
                size,
                3,
                strides=strides,
                padding="same",
                use_bias=False,
                kernel_initializer="he_normal",
                dtype=self.dtype_policy,
            )
            for size, strides in sizes
        ]
        # An average over some twenty batches: a training has only a few thousand.
        self.norms = [
            keras.layers.BatchNormalization(momentum=0.95, dtype=self.dtype_policy)
            for _ in self.layers
        ]

    def build(self, pictures_shape: Shape) -> None:
        shape = tuple(pictures_shape)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            layer.build(shape)
            shape = layer.compute_output_shape(shape)
            norm.build(shape)
        self.built = True

    def call(self, pictures: Tensor) -> Tensor:
        """Cells `(B, cells, channels + 2)`, row by row, of pictures `(B, H, W, C)` of
        numbers from 0 to 255."""
        values = ops.cast(pictures, self.compute_dtype) / (WHITE / 2) - 1
        for layer, norm in zip(self.layers, self.norms, strict=True):
            values = ops.relu(norm(layer(values)))
        height, width, size = values.shape[1:]
        places = ops.meshgrid(
            ops.linspace(-1.0, 1.0, height),
            ops.linspace(-1.0, 1.0, width),
            indexing="ij",
        )
        places = ops.cast(ops.stack(places, axis=-1), values.dtype)
        cells = ops.reshape(values, (-1, height * width, size))
        places = ops.broadcast_to(
            ops.reshape(places, (1, height * width, 2)),
            (ops.shape(cells)[0], height * width, 2),
        )
        return ops.concatenate([cells, places], axis=-1)

    def compute_output_shape(
        self, pictures_shape: tuple[int | None, int, int, int]
    ) -> tuple:
        halved = [-(-size // 2 ** len(self.channels)) for size in pictures_shape[1:3]]
        return pictures_shape[0], math.prod(halved), self.channels[-1] + 2

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "channels": self.channels,
            "context_layers": self.context_layers,
        }


@keras.saving.register_keras_serializable("memnets")
class Captioner(EncoderDecoder):
    """A picture is read as cells; a decoder attends to them, or begins with their mean.

    With a `reader`, recurrent layers first read the cells one after the other. The
    decoder then attends to their outputs, or begins with their last output or states.

    Args:
        picture_shape: Shape of a picture, `(H, W, C)`, or of its features, `(cells,
            width)`.
        target_tokens: Number of tokens of the text; 0 is padding.
        encoder: Layer from pictures `(B, *picture_shape)` to cells `(B, cells, width)`
            or `(B, H', W', width)`; features are taken as they are if None.
        decoder: Recurrent layers, the first reads the text.
        reader: Recurrent layers that read the cells, row by row; or none.
        bridge: How the decoder begins. `learned`: with states that are learned from the
            mean of the cells, or from the last output of the reader. `input`: after it
            has read that as its first input. `states`, `memory`: with those of the
            reader. `none`: by itself. See `Bridge`.
        **options: Other arguments of the decoder, see `EncoderDecoder`: embedding_size,
            attention, tell_summary, readout, dropout, scheduled_sampling.
    Raises:
        ValueError: If an argument is out of its range, or two do not fit.
        TypeError: If a flag is not a boolean, or `scheduled_sampling` something else.
    Call arguments:
        inputs: A dict: `picture`, `(B, *picture_shape)`, numbers from 0 to 255, or
            features; and `caption`, tokens `(B, T)` that the decoder reads: the start
            token and the text without its last token. Inputs of earlier versions,
            `(B, T + numbers of a picture)` with both in one tensor, are read too.
    Reference:
        Vinyals, Toshev, Bengio, Erhan (2015), Show and Tell; Xu et al. (2015), Show,
        Attend and Tell, sections 3.1.1 and 3.1.2.

        Deviation: attention is softmax over all cells, "soft" in the paper, without its
        doubly stochastic penalty; the readout is as in `SequenceToSequence`.
    Example:
        >>> network = Captioner((8, 8, 3), 9, PictureCells((4,)), [keras.layers.GRU(5)])
        >>> picture, caption = np.ones((2, 8, 8, 3)), np.ones((2, 3), "int32")
        >>> tuple(network({"picture": picture, "caption": caption}).shape)
        (2, 3, 9)
    """

    input_names = ("picture", "caption")

    def __init__(
        self,
        picture_shape: Sequence[int],
        target_tokens: int,
        encoder: Any,
        decoder: Sequence[Any],
        *,
        reader: Sequence[Any] = (),
        bridge: str = "learned",
        **options: Any,
    ) -> None:
        super().__init__(target_tokens, decoder, **options)
        self.picture_shape = tuple(_sizes("picture_shape", picture_shape))
        if len(self.picture_shape) != (2 if encoder is None else 3):
            raise ValueError(
                "`picture_shape` must be (height, width, channels), or (cells, width) "
                f"of features, without an encoder. Received: {self.picture_shape}"
            )
        if encoder is not None and not isinstance(encoder, keras.layers.Layer):
            raise ValueError(
                "`encoder` must be a Keras layer from pictures to cells, or None. "
                f"Received: {shorten(encoder)}"
            )
        self.encoder = encoder
        reader = checked_layers("reader", reader) if reader else []
        self._given_reader = saved_layers(reader)
        self.reader = [returning_all(layer) for layer in reader]
        width = output_size(reader[-1].cell) if reader else self._cell_width
        self._make_decoder(decoder, width, bridge, [layer.cell for layer in reader])

    def _cells(self) -> tuple[int, int]:
        """Number and width of the cells of a picture."""
        shape = self.picture_shape
        if self.encoder is not None:
            shape = self.encoder.compute_output_shape((None, *shape))[1:]
        return math.prod(shape[:-1]), shape[-1]

    @property
    def _cell_width(self) -> int:
        return self._cells()[1]

    @property
    def num_cells(self) -> int:
        """Cells of a picture."""
        return self._cells()[0]

    @property
    def num_pixels(self) -> int:
        """Numbers of a picture."""
        return math.prod(self.picture_shape)

    def build(self, inputs_shape: Shape | dict[str, Shape]) -> None:
        picture, (batch, steps) = self._part_shapes(inputs_shape)
        if tuple(picture[1:]) not in (self.picture_shape, (self.num_pixels,)):
            sizes = ", ".join(map(str, self.picture_shape))
            raise ValueError(
                f"`picture` must have the shape (B, {sizes}). "
                f"Received: {tuple(picture)}"
            )
        if self.encoder is not None and not self.encoder.built:
            self.encoder.build((batch, *self.picture_shape))
        width = self._cell_width
        for layer in self.reader:
            layer.build((batch, self.num_cells, width))
            width = output_size(layer.cell)
        self._build_decoder(batch, steps, width, width)

    def _unpacked(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        return inputs[:, -self.num_pixels :], inputs[:, : -self.num_pixels]

    def _unpacked_shapes(self, shape: Shape) -> tuple[Shape, Shape]:
        batch, size = shape
        steps = None if size is None else size - self.num_pixels
        return (batch, self.num_pixels), (batch, steps)

    def encode(self, sources: Tensor, training: bool | None = None) -> Encoded:
        """Looks at pictures `(B, *picture_shape)`, which may also be flat."""
        cells = ops.reshape(sources, (-1, *self.picture_shape))
        if self.encoder is not None:
            cells = self.encoder(cells)
        cells = ops.cast(cells, self.compute_dtype)
        cells = ops.reshape(cells, (-1, *self._cells()))
        cells, ends = read_through(self.reader, cells)
        last = cells[:, -1] if self.reader else ops.mean(cells, axis=1)
        summary = None if self.summary is None else self.summary(last)
        attended = self._attended(cells, None, training)
        return Encoded(
            attended,
            summary,
            self._first_states(last, ends, ops.shape(sources)[0], training),
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "picture_shape": self.picture_shape,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "reader": self._given_reader,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "Captioner":
        encoder = keras.saving.deserialize_keras_object(config["encoder"])
        reader = loaded_layers(config.get("reader", []))
        return super().from_config({**config, "encoder": encoder, "reader": reader})


def _sizes(name: str, values: Any) -> list[int]:
    if not hasattr(values, "__iter__"):
        raise ValueError(
            f"`{name}` must be a sequence of positive integers. "
            f"Received: {name}={shorten(values)}"
        )
    return [check_integer(name, value) for value in values]
