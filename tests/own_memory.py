"""The memory of docs/tutorials/own_memory.md: the neural stack of Grefenstette et al.
(2015), Learning to Transduce with Unbounded Memory, arXiv:1506.02516, section 3.1."""

import dataclasses
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from memnets.memory import Memory, MemoryCell, MemoryLayer, row_trace


class NeuralStackState(NamedTuple):
    """The state of a neural stack: what the cell keeps, then what the memory keeps."""

    output: Any  # (B, units)
    controller: Any  # the state of the controller
    reads: Any  # (B, 1, W)
    strengths: Any  # (B, N), that of the newest value first
    memory: Any  # (B, N, W), the newest value first


class NeuralStackParameters(NamedTuple):
    """What the controller does to the stack."""

    push: Any  # (B, 1, 1) in (0, 1), d, the strength of the new value
    pop: Any  # (B, 1, 1) in (0, 1), u, how much strength is removed
    value: Any  # (B, 1, W) in (-1, 1), v, what is pushed


def above(strengths):
    """The sum of the strengths of newer values, `(..., N)`."""
    return ops.cumsum(strengths, axis=-1) - strengths


def read_weighting(strengths):
    """How much of each value is read: from the top down, 1 in all."""
    return ops.minimum(strengths, ops.relu(1.0 - above(strengths)))


@dataclasses.dataclass(frozen=True, kw_only=True)
class NeuralStackMemory(Memory):
    """Values with strengths; the newest value is on top.

    Deviation: the stack has N places, and a push drops the oldest value.
    """

    state_class = NeuralStackState

    memory_size: int = 16
    word_size: int = 8

    def __post_init__(self):
        self.check_sizes("memory_size", "word_size")

    @property
    def shapes(self):
        return {
            "reads": (1, self.word_size),
            "strengths": (self.memory_size,),
            "memory": (self.memory_size, self.word_size),
        }

    @property
    def head_shapes(self):
        return {"push": (1, 1), "pop": (1, 1), "value": (1, self.word_size)}

    @property
    def head_biases(self):
        return {"pop": -1.0}  # at first, what is pushed stays

    def parameters(self, raw):
        return NeuralStackParameters(
            push=ops.sigmoid(raw["push"]),
            pop=ops.sigmoid(raw["pop"]),
            value=ops.tanh(raw["value"]),
        )

    def access(self, parameters, state):
        push, pop, value = parameters
        # Values lose strength from the top down, as much in all as the pop says.
        lost = ops.relu(pop[:, 0] - above(state.strengths))
        kept = ops.relu(state.strengths - lost)
        strengths = ops.concatenate([push[:, 0], kept[:, :-1]], axis=1)  # eq. 2
        memory = ops.concatenate([value, state.memory[:, :-1]], axis=1)  # eq. 1
        reads = ops.einsum("bn,bnw->bw", read_weighting(strengths), memory)  # eq. 3
        return reads[:, None], state._replace(strengths=strengths, memory=memory)

    def trace(self, parameters, state):
        read = ops.convert_to_numpy(read_weighting(state.strengths))
        write = np.zeros_like(read)
        write[..., 0] = parameters.push[..., 0, 0]
        gates = np.concatenate([parameters.push, parameters.pop], axis=2)[..., 0]
        return row_trace(
            state,
            parameters.value,
            np.stack([read, write], axis=2),
            row_values=(("strengths", state.strengths),),
            step_values=(("push,\npop", gates),),
        )


@keras.saving.register_keras_serializable("own_memory")
class NeuralStackCell(MemoryCell):
    """One step of a network with a neural stack."""

    memory_class = NeuralStackMemory


@keras.saving.register_keras_serializable("own_memory")
class NeuralStack(MemoryLayer):
    """A network with a neural stack."""

    cell_class = NeuralStackCell
