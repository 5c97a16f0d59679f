"""One step of the Differentiable Neural Computer, as a Keras cell."""

from typing import Any, NamedTuple

import keras
from keras import ops

from ..checks import check_boolean, check_choice, check_number
from ..memory import access, addressing
from ..memory.initial_state import ZERO_MEMORIES, ZEROS
from ..memory.memory_cell import MemoryCell
from ..numerics.tensor_checks import Tensor, check_size
from . import allocation, linkage
from .heads import DNCHeadLayout
from .kernel_layout import DNCLayout


class DNCState(NamedTuple):
    """The state of a DNC with its parts named.

    The leading axes `...` are the batch, or batch and time.

    Attributes:
        output: `(..., units)`, the last output.
        controller: List of `(..., size)`, the state of the controller.
        reads: `(..., R, W)`, read vectors.
        weightings: `(..., H, N)`, read heads first, then write heads.
        usage: `(..., N)` in [0, 1], how much each row is in use.
        memory: `(..., N, W)`, the memory matrix.
        precedence: `(..., write heads, N)`, how much each row was the last that a head
            wrote to. None without links.
        links: `(..., write heads, N, N)`; entry i, j is how much row i was written just
            after row j. None without links.
    """

    output: Tensor
    controller: list[Tensor]
    reads: Tensor
    weightings: Tensor
    usage: Tensor
    memory: Tensor
    precedence: Tensor | None = None
    links: Tensor | None = None


@keras.saving.register_keras_serializable("memnets")
class DNCCell(MemoryCell):
    """One step of a Differentiable Neural Computer.

    1. The controller sees the input and the vectors that were read in the previous
       step. Its output sets the parameters of all heads.
    2. Rows that were written are in use, until free gates free what was read
       (`memnets.dnc.allocation`).
    3. The write heads find free rows, or rows by content, and change the memory, M =
       M_prev (1 - w e) + w v.
    4. Links keep which row was written after which (`memnets.dnc.linkage`).
    5. The read heads find rows by content, or move along the links in either direction,
       and read, r = w M.
    6. The output is a linear function of the controller's output and of the reads.

    Not to be confused with the NTM, whose heads shift to neighbouring rows instead. All
    rows are equal for a DNC: it cannot depend on their order.

    `keras.layers.RNN(DNCCell(...))` works; `DNC` can also be traced, and its
    `reset_state()` restores an initial memory that is not zero. The cell follows the
    contract of `memnets.cells.base`.

    Args:
        units: Size of the output.
        **kwargs: The other arguments are keyword-only and documented in `DNC`, which
            passes them on. Also `name`, `dtype`, `trainable`.
    Call arguments:
        inputs: Tensor `(B, features)`.
        states: List of tensors `(B, size)`, sizes in `state_size`; see `unpack`.
    Returns:
        `(output, states)`, output `(B, units)`.
    Raises:
        ValueError: See `DNC`.
        TypeError: If a flag is not a boolean.
    Reference:
        Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network
        with Dynamic External Memory, Nature 538, Methods.
    Example:
        >>> tuple(keras.layers.RNN(DNCCell(8))(np.zeros((2, 5, 3))).shape)
        (2, 8)
    """

    kernel_layout = DNCLayout

    def __init__(
        self,
        units: int,
        *,
        memory_size: int = 64,
        word_size: int = 20,
        num_read_heads: int = 1,
        num_write_heads: int = 1,
        controller: Any = "lstm",
        controller_size: int | tuple[int, ...] | list[int] | None = None,
        links: bool = True,
        deallocate: bool = False,
        masks: bool = False,
        mask_min: float = 0.1,
        sharpen_links: bool = False,
        usage_gradient: bool = False,
        allocation_bias: float = 0.0,
        initial_memory: str = ZEROS,
        input_clip: float | None = None,
        cell_clip: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            memory_size=memory_size,
            word_size=word_size,
            num_read_heads=num_read_heads,
            num_write_heads=num_write_heads,
            controller=controller,
            controller_size=controller_size,
            input_clip=input_clip,
            cell_clip=cell_clip,
            **kwargs,
        )
        self.links = check_boolean("links", links)
        self.deallocate = check_boolean("deallocate", deallocate)
        self.masks = check_boolean("masks", masks)
        self.mask_min = float(check_number("mask_min", mask_min, minimum=0, below=1))
        self.sharpen_links = self._check_sharpening(sharpen_links)
        self.usage_gradient = check_boolean("usage_gradient", usage_gradient)
        self.allocation_bias = check_number("allocation_bias", allocation_bias)
        self.head_layout = DNCHeadLayout(
            self.num_read_heads,
            self.num_write_heads,
            self.word_size,
            self.links,
            self.mask_min if self.masks else None,
            self.sharpen_links,
        )
        self._make_memory(
            DNCState,
            self._state_shapes(),
            check_choice("initial_memory", initial_memory, ZERO_MEMORIES),
            initial_weightings=ZEROS,
            initial_reads=ZEROS,
            bias_initializer=self._heads_bias,
        )

    def _check_sharpening(self, sharpen_links):
        sharpen_links = check_boolean("sharpen_links", sharpen_links)
        if sharpen_links and not self.links:
            raise ValueError(
                "`sharpen_links` must be False where `links` is False. "
                "Received: sharpen_links=True"
            )
        return sharpen_links

    def _heads_bias(self, shape, dtype=None):
        bias = self.head_layout.initial_bias(self.allocation_bias)
        return ops.convert_to_tensor(bias, dtype)

    def _state_shapes(self):
        """Shapes of the parts between reads and memory."""
        num_rows, num_write_heads = self.memory_size, self.num_write_heads
        shapes: dict[str, tuple[int, ...]] = {
            "weightings": (self.num_heads, num_rows),
            "usage": (num_rows,),
        }
        if self.links:
            check_size(
                "num_write_heads * memory_size ** 2", num_write_heads * num_rows**2
            )
            shapes["precedence"] = (num_write_heads, num_rows)
            shapes["links"] = (num_write_heads, num_rows, num_rows)
        return shapes

    def _access_memory(self, raw: Tensor, *parts: Tensor) -> list[Tensor]:
        weightings, usage, *order, memory = parts  # precedence and links, or nothing
        read, write = self.head_layout.split(raw)
        prev_read, prev_write = ops.split(weightings, [self.num_read_heads], axis=1)
        if not self.usage_gradient:
            # Deviation: DeepMind's code does not differentiate usage with respect to
            # what was written, only with respect to what was freed; the paper does not
            # say.
            prev_write = ops.stop_gradient(prev_write)
        retention = allocation.retention(prev_read, read.free_gate)
        usage = allocation.update_usage(usage, prev_write, retention)
        write_weighting = _write_weighting(memory, usage, write)
        if self.deallocate:
            # Csordas, Schmidhuber (2019): what was freed must not be found by content.
            memory = memory * ops.expand_dims(retention, 1)
        memory = access.write(
            memory, write_weighting, write.erase, write.add, row_axis=2
        )
        read_weighting = _content(memory, read)
        if self.links:
            order = _update_order(order, write_weighting)
            _, links = order
            # A product in place of the slice: for each link, XLA for processors would
            # look up the slice of the stored states anew.
            are_read = ops.eye(self.num_read_heads, self.num_heads, dtype=links.dtype)
            prev_read = ops.matmul(are_read, weightings)
            read_weighting = _along_links(links, prev_read, read_weighting, read)
        reads = access.read(memory, read_weighting, row_axis=2)
        weightings = ops.concatenate([read_weighting, write_weighting], axis=1)
        return [reads, weightings, usage, *order, memory]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "links": self.links,
            "deallocate": self.deallocate,
            "masks": self.masks,
            "mask_min": self.mask_min,
            "sharpen_links": self.sharpen_links,
            "usage_gradient": self.usage_gradient,
            "allocation_bias": self.allocation_bias,
        }


def _content(memory, heads):
    """The content weighting of read or write heads; `memory` is `(B, W, N)`."""
    return addressing.content_weighting(
        memory, heads.key, heads.beta, row_axis=2, mask=heads.mask
    )


def _write_weighting(memory, usage, write):
    """The weighting of the write heads, from the memory before the write."""
    return allocation.write_weighting(
        allocation.allocate(usage, write.write_gate * write.allocation_gate),
        _content(memory, write),
        write.allocation_gate,
        write.write_gate,
    )


def _update_order(order, write_weighting):
    """The new precedence and links."""
    precedence, links = order
    return [
        linkage.update_precedence(precedence, write_weighting),
        linkage.update_links(links, precedence, write_weighting),
    ]


def _along_links(links, prev_read, content, read):
    """The weighting of the read heads."""
    backward, forward = linkage.follow_links(links, prev_read)
    if read.gamma is not None:
        backward, forward = (
            _sharpened(moved, gamma)
            for moved, gamma in zip(
                (backward, forward), ops.split(read.gamma, 2, axis=2), strict=True
            )
        )
    return linkage.read_weighting(backward, content, forward, read.mode)


def _sharpened(moved, gamma):
    """Moves `(B, R, H, N)`, each sharpened by its own entry of gamma, `(B, R, H)`."""
    # Csordas, Schmidhuber (2019), link distribution sharpness control.
    _, num_read_heads, num_write_heads, num_rows = moved.shape
    pairs = num_read_heads * num_write_heads
    flat = addressing.sharpen(
        ops.reshape(moved, (-1, pairs, num_rows)), ops.reshape(gamma, (-1, pairs, 1))
    )
    return ops.reshape(flat, (-1, num_read_heads, num_write_heads, num_rows))
