"""The protocol of a layer whose memory can be inspected step by step."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..numerics.tensor_checks import Structure, Tensor


class HeadTrace(NamedTuple):
    """What one head did at every step.

    Attributes:
        name: Such as "read head", or "write head 2" if there are several.
        kind: "write", "read", or "hop": a head whose steps are the hops of a memory
            network, which are not the steps of a sequence.
        vectors: `(B, T, W)`, what the head added to the memory or read from it.
        weighting: `(B, T, N)`, its attention over the rows of the memory.
    """

    name: str
    kind: str
    vectors: np.ndarray
    weighting: np.ndarray


class MemoryTrace(NamedTuple):
    """What the memory of a layer held, and what its heads did, at every step.

    Steps are in the order of processing.

    Attributes:
        heads: One `HeadTrace` for each head, write heads first.
        memory: `(B, T, N, W)`, the memory after each step.
        row_values: What else is known of each row, such as its usage: titles and arrays
            `(B, T, N)`.
        step_values: What else is known of each step, such as gates: titles and arrays
            `(B, T, channels)`.
    """

    heads: list[HeadTrace]
    memory: np.ndarray
    row_values: tuple[tuple[str, np.ndarray], ...] = ()
    step_values: tuple[tuple[str, np.ndarray], ...] = ()


@runtime_checkable
class TraceableMemory(Protocol):
    """A layer with a memory that can be traced, such as `memnets.NTM`.

    Reports ask for this protocol and not for a class:
    `isinstance(layer, TraceableMemory)`.
    """

    def trace_memory(self, sequences: Tensor) -> MemoryTrace:
        """Runs the layer over `sequences` `(B, T, features)` and records its memory."""


def with_skipped_steps(trace: MemoryTrace, skipped: np.ndarray) -> MemoryTrace:
    """A trace that is NaN at some steps, `(B, T)`, but for the memory, which stays."""

    def blank(values: np.ndarray) -> np.ndarray:
        return np.where(skipped[..., None], np.nan, values)

    heads = [
        head._replace(vectors=blank(head.vectors), weighting=blank(head.weighting))
        for head in trace.heads
    ]
    return trace._replace(
        heads=heads,
        row_values=tuple((name, blank(values)) for name, values in trace.row_values),
        step_values=tuple((name, blank(values)) for name, values in trace.step_values),
    )


def row_trace(
    state: Structure, added: np.ndarray, weightings: np.ndarray, **others: Any
) -> MemoryTrace:
    """The trace of a memory whose heads read and write rows by weightings.

    Args:
        state: The named state with a time axis: `reads` `(B, T, R, W)` and `memory`.
        added: `(B, T, heads, W)`, what the write heads add.
        weightings: `(B, T, H, N)`, of the read heads, then of the write heads.
        **others: The other fields of `MemoryTrace`.
    Raises:
        ValueError: If there are not as many weightings as heads.
    """
    heads = state.reads.shape[2] + added.shape[2]
    if weightings.ndim != 4 or weightings.shape[2] != heads:
        raise ValueError(
            f"`weightings` must have the shape (B, T, {heads}, N), one for each read "
            f"head, then one for each write head. Received: {weightings.shape}"
        )
    read, written = np.split(weightings, [state.reads.shape[2]], axis=2)
    traces = [
        *split_heads("write", added, written),
        *split_heads("read", state.reads, read),
    ]
    return MemoryTrace(traces, state.memory, **others)


def split_heads(
    kind: str, vectors: np.ndarray, weightings: np.ndarray
) -> list[HeadTrace]:
    """One `HeadTrace` for each head of a kind.

    Args:
        kind: "write" or "read".
        vectors: `(B, T, H, W)`.
        weightings: `(B, T, H, N)`.
    """
    return [
        HeadTrace(name, kind, vectors[:, :, index], weightings[:, :, index])
        for index, name in enumerate(head_names(kind, vectors.shape[2]))
    ]


def head_names(kind: str, count: int) -> list[str]:
    """The names of the heads of a kind."""
    if count == 1:
        return [f"{kind} head"]
    return [f"{kind} head {index + 1}" for index in range(count)]
