"""A memory of one's own, which the package does not know: `own_memory.py`, which the
tutorial goes through. Its rows of the conformance tests are in `descriptors.py`."""

import dataclasses
import pathlib
import re

import keras
import numpy as np
import own_memory
import pytest
from keras import ops
from layer_weights import randomise
from memnets.tasks.figures.memory_figures import draw_memory, draw_steps, draw_values

import memnets
from memnets import native
from memnets.memory import Memory, MemoryCell, MemoryLayer, row_trace

B, T, FEATURES, W = 2, 7, 3, 4
TESTS = pathlib.Path(own_memory.__file__).parent
TUTORIAL = TESTS.parent / "docs" / "tutorials" / "own_memory.md"


def sequences(time=T):
    rng = np.random.default_rng(0)
    return rng.standard_normal((B, time, FEATURES)).astype("float32")


def neural_stack(**arguments):
    sizes = {"memory_size": T, "word_size": W, "controller_size": 6}
    layer = own_memory.NeuralStack(5, **{**sizes, **arguments})
    layer.build((B, None, FEATURES))
    return randomise(layer)


def stack_of_the_paper(pushes, pops, values):
    """Equations 1 to 3 for one sequence: the reads, the strengths and the values of the
    last step, the oldest first. The paper counts steps from 1, and the stack has no
    end."""
    strengths, held, reads = [], [], []
    for t in range(len(values)):
        before = list(strengths)
        for i in range(t):  # eq. 2
            left = pops[t] - sum(before[j] for j in range(i + 1, t))
            strengths[i] = max(0.0, before[i] - max(0.0, left))
        strengths.append(pushes[t])
        held.append(values[t])  # eq. 1
        total = np.zeros_like(values[0])
        for i in range(t + 1):  # eq. 3
            free = max(0.0, 1.0 - sum(strengths[j] for j in range(i + 1, t + 1)))
            total = total + min(strengths[i], free) * held[i]
        reads.append(total)
    return np.array(reads), np.array(strengths), np.array(held)


def run(pushes, pops, values, memory_size):
    """The rule from step to step, for one sequence: the reads and the last state."""
    memory = own_memory.NeuralStackMemory(
        memory_size=memory_size, word_size=values.shape[1]
    )
    zeros = {name: np.zeros((1, *shape)) for name, shape in memory.shapes.items()}
    state = own_memory.NeuralStackState(
        None, None, **{name: ops.cast(x, "float32") for name, x in zeros.items()}
    )
    reads = []
    for push, pop, value in zip(pushes, pops, values, strict=True):
        scalars = (ops.full((1, 1, 1), float(x)) for x in (push, pop))
        parameters = own_memory.NeuralStackParameters(
            *scalars, ops.cast(value[None, None], "float32")
        )
        read, state = memory.access(parameters, state)
        reads.append(np.asarray(read)[0, 0])
    return np.array(reads), state


@pytest.mark.parametrize("seed", range(3))
def test_rule_agrees_with_the_paper(seed):
    rng = np.random.default_rng(seed)
    pushes, pops = rng.uniform(size=(2, T))
    values = rng.standard_normal((T, W))
    reads, state = run(pushes, pops, values, memory_size=T)
    expected, strengths, held = stack_of_the_paper(pushes, pops, values)
    np.testing.assert_allclose(reads, expected, atol=1e-6)
    np.testing.assert_allclose(np.asarray(state.strengths)[0], strengths[::-1], 1e-5)
    np.testing.assert_allclose(np.asarray(state.memory)[0], held[::-1], 1e-5)


def test_certain_pushes_and_pops_are_those_of_a_stack():
    values = np.eye(4)
    # Push a, push b, pop b (and push nothing), push d.
    reads, _ = run([1, 1, 0, 1], [0, 0, 1, 0], values, memory_size=4)
    np.testing.assert_allclose(reads, values[[0, 1, 0, 3]], atol=1e-6)


def test_a_full_stack_drops_its_oldest_value():
    values = np.eye(3)
    reads, state = run([1, 1, 1], [0, 0, 0], values, memory_size=2)
    np.testing.assert_allclose(reads, values, atol=1e-6)
    np.testing.assert_array_equal(state.memory[0], values[[2, 1]])


def test_layer_does_what_its_heads_say():
    layer = neural_stack(return_sequences=True)
    heads, state = layer.trace_heads(sequences()), layer.trace(sequences())
    for b in range(B):
        push, pop, value = (np.asarray(part)[b, :, 0] for part in heads)
        reads, strengths, held = stack_of_the_paper(push[:, 0], pop[:, 0], value)
        np.testing.assert_allclose(state.reads[b, :, 0], reads, atol=1e-5)
        np.testing.assert_allclose(state.strengths[b, -1], strengths[::-1], atol=1e-5)
        np.testing.assert_allclose(state.memory[b, -1], held[::-1], atol=1e-5)
    assert not native.covers(layer.cell)


def test_masked_step_leaves_the_stack_unchanged():
    layer = neural_stack(return_sequences=True)
    mask = np.array([[1, 0, 1, 1, 0, 1, 1], [1, 1, 1, 0, 1, 1, 0]], bool)
    state = layer.trace(sequences(), mask=mask)
    for b in range(B):
        shown = layer.trace(sequences()[b : b + 1, mask[b]])
        np.testing.assert_allclose(state.memory[b, -1], shown.memory[0, -1], atol=1e-5)


def test_stateful_layer_goes_on_and_begins_again():
    whole = neural_stack()(sequences())
    layer = neural_stack(stateful=True)
    layer.reset_state()
    layer(sequences()[:, :3])
    np.testing.assert_allclose(layer(sequences()[:, 3:]), whole, atol=1e-5)
    layer.reset_state()
    np.testing.assert_allclose(layer(sequences()), whole, atol=1e-5)


def test_saved_model_is_loaded(tmp_path):
    inputs = keras.Input((T, FEATURES))
    model = keras.Model(inputs, neural_stack(return_sequences=True)(inputs))
    memnets.save(model, tmp_path / "own.keras")
    classes = {"NeuralStack": own_memory.NeuralStack}
    loaded = memnets.load(tmp_path / "own.keras", custom_objects=classes)
    np.testing.assert_array_equal(
        loaded.predict_on_batch(sequences()), model.predict_on_batch(sequences())
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_near(dtype):
    outputs = neural_stack(dtype=dtype)(sequences())
    assert keras.backend.standardize_dtype(outputs.dtype) == dtype
    expected = neural_stack()(sequences())
    np.testing.assert_allclose(ops.cast(outputs, "float32"), expected, atol=0.1)


@pytest.mark.once
def test_pictures_of_a_report_are_drawn():
    layer = neural_stack(return_sequences=True)
    assert isinstance(layer, memnets.TraceableMemory)
    trace = layer.trace_memory(sequences())
    assert [head.kind for head in trace.heads] == ["write", "read"]
    state = layer.trace(sequences())
    for head in trace.heads:
        assert head.weighting.shape == (B, T, T)
    # What is read is the sum of the rows under the weighting of the picture.
    read = np.einsum("btn,btnw->btw", trace.heads[1].weighting, trace.memory)
    np.testing.assert_allclose(read, np.asarray(state.reads)[:, :, 0], atol=1e-5)
    panels = [("inputs", sequences()[0])]
    assert draw_steps(panels, trace.heads) is not None
    assert draw_values(trace) is not None
    assert draw_memory(trace.memory[0, -1], slice(0, T)) is not None


@pytest.mark.once
def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="`word_size` must be a positive integer"):
        own_memory.NeuralStack(5, word_size=0)
    with pytest.raises(TypeError, match="abstract"):
        Memory()


@pytest.mark.once
def test_the_tutorial_shows_the_file_and_the_file_is_short():
    source = (TESTS / "own_memory.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) < 120
    _, _, code = source.partition('"""\n\n')
    page = TUTORIAL.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    count = next(i for i, block in enumerate(blocks) if "class NeuralStack(" in block)
    assert "\n\n".join(blocks[: count + 1]) == code


# --- parts that do not fit together are refused by name ---

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


@pytest.mark.once
def test_the_names_of_raw_values_are_said():
    layer = layer_of(parameters=lambda memory, raw: raw["puhs"])
    said = r"'puhs'; `head_shapes` of OwnMemory has \['push', 'pop', 'value'\]"
    with pytest.raises(KeyError, match=said):
        layer(sequences())


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
