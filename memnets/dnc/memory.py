"""The memory of a Differentiable Neural Computer: its state, its heads and its rule."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from .. import backends
from ..checks import check_boolean, check_choice, check_number
from ..memory import access, addressing
from ..memory.base import Memory
from ..memory.initial_state import ZERO_MEMORIES, ZEROS
from ..memory.tracing import MemoryTrace, head_names, row_trace
from ..numerics.tensor_checks import Tensor, check_size
from . import allocation, head_parameters, linkage
from .head_parameters import ReadParameters, WriteParameters


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


@dataclasses.dataclass(frozen=True, kw_only=True)
class DNCMemory(Memory):
    """The memory of a Differentiable Neural Computer. The arguments are documented in
    `DNC`."""

    state_class = DNCState
    rows_last = True

    memory_size: int = 64
    word_size: int = 20
    num_read_heads: int = 1
    num_write_heads: int = 1
    initial_memory: str = ZEROS
    links: bool = True
    deallocate: bool = False
    masks: bool = False
    mask_min: float = 0.1
    sharpen_links: bool = False
    usage_gradient: bool = False
    allocation_bias: float = 0.0

    def __post_init__(self) -> None:
        self.check_sizes("memory_size", "word_size")
        check_size("memory_size * word_size", self.memory_size * self.word_size)
        self.check_sizes("num_read_heads", "num_write_heads")
        flags = ("links", "deallocate", "masks", "sharpen_links", "usage_gradient")
        for name in flags:
            self.set_checked(**{name: check_boolean(name, getattr(self, name))})
        if self.sharpen_links and not self.links:
            raise ValueError(
                "`sharpen_links` must be False where `links` is False. "
                "Received: sharpen_links=True"
            )
        mask_min = check_number("mask_min", self.mask_min, minimum=0, below=1)
        self.set_checked(
            mask_min=float(mask_min),
            allocation_bias=check_number("allocation_bias", self.allocation_bias),
        )
        if self.links:
            links = self.num_write_heads * self.memory_size**2
            check_size("num_write_heads * memory_size ** 2", links)
        check_choice("initial_memory", self.initial_memory, ZERO_MEMORIES)

    @property
    def num_heads(self) -> int:
        """Number of read and write heads together, H."""
        return self.num_read_heads + self.num_write_heads

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        rows, heads = self.memory_size, self.num_write_heads
        links = {"precedence": (heads, rows), "links": (heads, rows, rows)}
        return {
            "reads": (self.num_read_heads, self.word_size),
            "weightings": (self.num_heads, rows),
            "usage": (rows,),
            **(links if self.links else {}),
            "memory": (rows, self.word_size),
        }

    @property
    def initial(self) -> dict[str, Any]:
        return {"memory": self.initial_memory}

    @property
    def head_shapes(self) -> dict[str, tuple[int, int]]:
        read, write = self.num_read_heads, self.num_write_heads
        width = self.word_size
        shapes = {
            "read_key": (read, width),
            "read_beta": (read, 1),
            "write_key": (write, width),
            "write_beta": (write, 1),
            "erase": (write, width),
            "add": (write, width),
            "free_gate": (read, 1),
            "allocation_gate": (write, 1),
            "write_gate": (write, 1),
        }
        if self.links:
            shapes["mode"] = (read, 2 * write + 1)
        if self.masks:
            shapes["read_mask"] = (read, width)
            shapes["write_mask"] = (write, width)
        if self.sharpen_links:
            shapes["gamma"] = (read, 2 * write)
        return shapes

    @property
    def head_biases(self) -> dict[str, Any]:
        return {"allocation_gate": self.allocation_bias}

    def parameters(
        self, raw: dict[str, Tensor]
    ) -> tuple[ReadParameters, WriteParameters]:
        return head_parameters.parameters(raw, self.mask_min)

    def access(
        self, parameters: tuple[ReadParameters, WriteParameters], state: DNCState
    ) -> tuple[Tensor, DNCState]:
        read, write = parameters
        weightings, memory = state.weightings, state.memory
        prev_read, prev_write = backends.current().split(
            weightings, [self.num_read_heads], axis=1
        )
        if not self.usage_gradient:
            # Deviation: DeepMind's code does not differentiate usage with respect to
            # what was written, only with respect to what was freed; the paper does not
            # say.
            prev_write = ops.stop_gradient(prev_write)
        retention = allocation.retention(prev_read, read.free_gate)
        usage = allocation.update_usage(state.usage, prev_write, retention)
        write_weighting = _write_weighting(memory, usage, write)
        if self.deallocate:
            # Csordas, Schmidhuber (2019): what was freed must not be found by content.
            memory = memory * ops.expand_dims(retention, 1)
        memory = access.write(
            memory, write_weighting, write.erase, write.add, row_axis=2
        )
        read_weighting = _content(memory, read)
        if self.links:
            precedence, links = _update_order(state, write_weighting)
            # A product in place of the slice: for each link, XLA for processors would
            # look up the slice of the stored states anew.
            are_read = ops.eye(self.num_read_heads, self.num_heads, dtype=links.dtype)
            prev_read = ops.matmul(are_read, weightings)
            read_weighting = _along_links(links, prev_read, read_weighting, read)
            state = state._replace(precedence=precedence, links=links)
        reads = access.read(memory, read_weighting, row_axis=2)
        weightings = ops.concatenate([read_weighting, write_weighting], axis=1)
        return reads, state._replace(weightings=weightings, usage=usage, memory=memory)

    def trace(
        self, parameters: tuple[ReadParameters, WriteParameters], state: DNCState
    ) -> MemoryTrace:
        read, write = parameters
        modes = []
        if read.mode is not None:
            modes = [
                (f"{name}\nbackward,\ncontent,\nforward", read.mode[:, :, head])
                for head, name in enumerate(head_names("read", read.mode.shape[2]))
            ]
        gates = [
            ("allocation gates", write.allocation_gate),
            ("write gates", write.write_gate),
            ("free gates", read.free_gate),
        ]
        return row_trace(
            state,
            write.add,
            state.weightings,
            row_values=(("usage", state.usage),),
            step_values=(
                *modes,
                *((name, np.squeeze(gate, 3)) for name, gate in gates),
            ),
        )


def _content(memory: Tensor, heads: ReadParameters | WriteParameters) -> Tensor:
    """The content weighting of read or write heads; `memory` is `(B, W, N)`."""
    return addressing.content_weighting(
        memory, heads.key, heads.beta, row_axis=2, mask=heads.mask
    )


def _write_weighting(memory: Tensor, usage: Tensor, write: WriteParameters) -> Tensor:
    """The weighting of the write heads, from the memory before the write."""
    return allocation.write_weighting(
        allocation.allocate(usage, write.write_gate * write.allocation_gate),
        _content(memory, write),
        write.allocation_gate,
        write.write_gate,
    )


def _update_order(state: DNCState, write_weighting: Tensor) -> tuple[Tensor, Tensor]:
    """The new precedence and links."""
    return (
        linkage.update_precedence(state.precedence, write_weighting),
        linkage.update_links(state.links, state.precedence, write_weighting),
    )


def _along_links(
    links: Tensor, prev_read: Tensor, content: Tensor, read: ReadParameters
) -> Tensor:
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


def _sharpened(moved: Tensor, gamma: Tensor) -> Tensor:
    """Moves `(B, R, H, N)`, each sharpened by its own entry of gamma, `(B, R, H)`."""
    # Csordas, Schmidhuber (2019), link distribution sharpness control.
    _, num_read_heads, num_write_heads, num_rows = moved.shape
    pairs = num_read_heads * num_write_heads
    flat = addressing.sharpen(
        ops.reshape(moved, (-1, pairs, num_rows)), ops.reshape(gamma, (-1, pairs, 1))
    )
    return ops.reshape(flat, (-1, num_read_heads, num_write_heads, num_rows))
