"""The contract of the tasks whose models describe pictures."""

import abc
import dataclasses

import numpy as np

from ..parts import Batch
from ..text.tokens import PAD
from ..text.writing_task import WritingTask, tokens_of


@dataclasses.dataclass(frozen=True)
class CaptioningTask(WritingTask, abc.ABC):
    """A picture in, a text out.

    The inputs of a batch are `(B, width + numbers of a picture)`: what the decoder
    reads, which is the start token and the caption, and then the picture. They are one
    array, as those of all tasks.
    """

    input_dtype = "int32"

    @property
    @abc.abstractmethod
    def picture_shape(self) -> tuple[int, ...]:
        """Shape of a picture, `(H, W, C)`."""

    @property
    @abc.abstractmethod
    def width(self) -> int:
        """Most tokens of a caption, its end included."""

    @property
    def input_size(self) -> int:
        return self.output_size

    @property
    def input_shape(self) -> tuple:
        return (self.width + int(np.prod(self.picture_shape)),)

    @property
    def output_shape(self) -> tuple:
        return (self.width, self.output_size)

    def batch_of(self, pictures: np.ndarray, captions: list[str]) -> Batch:
        """Pictures `(B, *picture_shape)` with a caption each as a batch."""
        tokens = [self.target_vocabulary.encode(caption) for caption in captions]
        read, targets = tokens_of(tokens, self.width)
        flat = pictures.reshape(len(pictures), -1).astype(np.int32)
        mask = (targets != PAD).astype(np.float32)
        return Batch(np.concatenate([read, flat], axis=1), targets, mask)

    def pictures_of(self, inputs: np.ndarray) -> np.ndarray:
        """The pictures of inputs of a batch, uint8."""
        pictures = inputs[:, self.width :].astype(np.uint8)
        return pictures.reshape(-1, *self.picture_shape)

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws captions as text.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, tokens)` of a model with teacher forcing; the most
                probable tokens are drawn below.
        """
        lines = []
        for index, targets in enumerate(batch.targets):
            counts = batch.mask[index] > 0
            caption = self.target_vocabulary.decode(targets)
            lines += [f"picture {index}", f"  target  {caption}"]
            if outputs is not None:
                found = self.predict(outputs[index])[counts]
                lines.append(f"  output  {self.target_vocabulary.decode(found)}")
            lines.append("")
        return "\n".join(lines[:-1])
