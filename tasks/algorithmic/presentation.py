"""How the algorithmic tasks are shown: bits over time."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..contract.batch_checks import check_batch
from ..contract.parts import Batch, Section
from ..contract.presentation import Presentation

if TYPE_CHECKING:
    from ..figures.figure import Figure

# Bits in print; a step whose output does not count is blank.
OFF, ON, UNMASKED = "·", "█", " "


class BitPresentation(Presentation):
    """A line of text, or of a picture, for each channel."""

    headline = "bit_errors"

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        """Draws a batch as text: time from left to right, a line for each channel.

        Args:
            batch: What to draw.
            outputs: Logits `(B, T, output_size)` of a model, drawn under the targets;
                `x` marks a wrong bit.
        Raises:
            TypeError: If `batch` is not a batch of arrays of numbers.
            ValueError: If an array has another shape than those of this task.
        """
        check_batch(self.task, batch, outputs)
        drawn = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            steps = int(np.flatnonzero(mask)[-1]) + 1 if mask.any() else len(mask)
            shown = mask[:steps] > 0
            rows = [f"sequence {index}"]
            rows += _rows("input", inputs[:steps], np.ones(steps, bool))
            rows += _rows("target", targets[:steps], shown)
            if outputs is not None:
                bits = self.task.predict(outputs[index, :steps])
                rows += _rows("output", bits, shown, wrong=bits != targets[:steps])
            drawn.append("\n".join(rows))
        return "\n\n".join(drawn)

    def draw(self, batch: Batch, outputs: np.ndarray, heads: list) -> "Figure | None":
        from .figures import draw_sequence

        return draw_sequence(
            batch.inputs[0],
            batch.targets[0],
            1 / (1 + np.exp(-outputs[0])),
            batch.mask[0],
            heads,
        )


class BitsPresentation(BitPresentation):
    """The same of a task whose paper counts bits a sequence, not wrong bits."""

    headline = "bits"


class SortPresentation(BitsPresentation):
    """The same of vectors with priorities."""

    def sections(self, batch: Batch, heads: list) -> list[Section]:
        from .figures import draw_write_locations

        vectors = slice(0, self.task.num_vectors)
        written = [
            (head.name, head.weighting[0, vectors])
            for head in heads
            if head.kind == "write"
        ]
        if not written:  # a stack has no heads
            return []
        priorities = batch.inputs[0, vectors, self.task.num_bits]
        return [
            Section(
                "write-locations",
                "Where each vector was written, by its priority",
                "Each point is a vector of one sequence. If the rows are in the order "
                "of the priorities, the write head sorts; if they are in the order of "
                "the input, the read head does.",
                draw_write_locations(priorities, written),
            )
        ]


def _rows(label, values, shown, wrong=None) -> Iterator[str]:
    """A line of text for each channel; `values` is `(T, channels)`."""
    for channel in range(values.shape[1]):
        glyphs = [
            _glyph(value) if show else UNMASKED
            for value, show in zip(values[:, channel], shown, strict=True)
        ]
        if wrong is not None:
            glyphs = [
                "x" if is_wrong and show else glyph
                for glyph, is_wrong, show in zip(
                    glyphs, wrong[:, channel], shown, strict=True
                )
            ]
        yield f"{label if channel == 0 else '':>8} {channel:>2} {''.join(glyphs)}"


def _glyph(value: float) -> str:
    if value in (0.0, 1.0):
        return ON if value else OFF
    # A real number from -1 to 1, such as a priority.
    return "▁▂▃▄▅▆▇█"[int(np.clip((value + 1) * 4, 0, 7))]
