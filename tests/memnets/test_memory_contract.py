"""A memory of one's own whose parts do not fit together is refused by name."""

import dataclasses

import numpy as np
import own_memory
import pytest

from memnets.memory import MemoryCell, MemoryLayer, row_trace

Good = own_memory.NeuralStackMemory


def layer_of(**changed):
    """A layer whose memory is the neural stack with other methods."""
    kind = dataclasses.dataclass(frozen=True, kw_only=True)(
        type("OwnMemory", (Good,), changed)
    )
    cell = type("OwnCell", (MemoryCell,), {"memory_class": kind})
    layer = type("OwnLayer", (MemoryLayer,), {"cell_class": cell})
    return layer(5, memory_size=4, word_size=3, controller="feedforward")


def shapes(*names):
    """Parts of the state in another order, or others."""
    sizes = {"reads": (1, 3), "strengths": (4,), "memory": (4, 3), "usage": (4,)}
    return property(lambda memory: {name: sizes[name] for name in names})


@pytest.mark.once
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"head_biases": property(lambda memory: {"popp": -1.0})},
            r"`OwnMemory.head_biases` must have names of `head_shapes`, which are "
            r"push, pop, value. Received: popp$",
        ),
        (
            {"initial": property(lambda memory: {"strength": "learned"})},
            "`OwnMemory.initial` must have names of `shapes`, .* Received: strength$",
        ),
        (
            {"shapes": shapes("reads", "strengths", "usage", "memory")},
            "`OwnMemory.shapes` must have names of `NeuralStackState`, which are "
            "output, controller, reads, strengths, memory. Received: usage$",
        ),
        (
            {"shapes": shapes("memory", "strengths", "reads")},
            "must begin with `reads` and end with `memory`. Received: memory, streng",
        ),
        ({"shapes": shapes("strengths", "memory")}, "must begin with `reads`"),
        ({"shapes": shapes()}, "must begin with `reads`"),
    ],
)
def test_names_that_are_not_known_are_refused(changed, message):
    """A bias of an unknown parameter would have no effect, in silence."""
    with pytest.raises(ValueError, match=message):
        layer_of(**changed)


def without_a_row(memory, parameters, state):
    reads, state = Good.access(memory, parameters, state)
    return reads, state._replace(memory=state.memory[:, :-1])


@pytest.mark.parametrize(
    ("access", "error", "message"),
    [
        (lambda *given: Good.access(*given)[1], TypeError, r"return \(reads, state\)"),
        (lambda *given: Good.access(*given)[0], TypeError, r"return \(reads, state\)"),
        (
            lambda *given: (Good.access(*given)[0], None),
            TypeError,
            r"`OwnMemory.access` must return \(reads, state\), the state a Neural",
        ),
        (
            without_a_row,
            ValueError,
            r"must return `memory` of shape \(B, 4, 3\). Received: \(\w+, 3, 3\)",
        ),
    ],
)
def test_what_a_step_returns_is_checked(access, error, message):
    with pytest.raises(error, match=message):
        layer_of(access=access)(np.zeros((2, 3, 2), "float32"))


@pytest.mark.once
@pytest.mark.parametrize("axes", [(2, 3, 4), (2, 3, 1, 4)])
def test_a_trace_has_a_weighting_for_each_head(axes):
    state = own_memory.NeuralStackState(
        *(None, None, np.zeros((2, 3, 1, 5)), None, np.zeros((2, 3, 4, 5)))
    )
    added = np.zeros((2, 3, 1, 5))
    assert len(row_trace(state, added, np.zeros((2, 3, 2, 4))).heads) == 2
    with pytest.raises(ValueError, match=r"must have the shape \(B, T, 2, N\)"):
        row_trace(state, added, np.zeros(axes))


@pytest.mark.once
@pytest.mark.parametrize(
    ("base", "name"), [(MemoryCell, "memory_class"), (MemoryLayer, "cell_class")]
)
def test_a_subclass_without_its_class_is_told_so(base, name):
    with pytest.raises(TypeError, match=f"The class Own must have `{name}`, the"):
        type("Own", (base,), {})(5)
