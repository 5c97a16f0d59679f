"""Property tests: a task draws sequences as documented, or names the wrong argument."""

import dataclasses
import json

import hypothesis
import numpy as np
import pytest
from cases import cases
from fuzz.judge import check_error
from hypothesis import strategies as st

from tasks import TASKS, Batch, BitTask

NAMES = sorted(name for name, kind in TASKS.items() if issubclass(kind, BitTask))

# Valid arguments


@st.composite
def drawn_tasks(draw):
    """A small task of any kind, its numbers from Python or from NumPy."""
    number = draw(st.sampled_from([int, np.int64, np.int8, np.uint8]))

    def integers(low, high):
        return number(draw(st.integers(low, high)))

    bits = {"num_bits": integers(1, 9)}
    name = draw(st.sampled_from(NAMES))
    if name == "copy":
        low = integers(1, 8)
        parameters = {**bits, "min_length": low, "max_length": integers(low, 9)}
    elif name == "repeat-copy":
        low, fewest = integers(1, 4), integers(1, 12)
        parameters = {
            **bits,
            "min_length": low,
            "max_length": integers(low, 5),
            "min_repeats": fewest,
            "max_repeats": integers(fewest, 15),
            "scale_repeats": integers(2, 100),
            "continue_rate": draw(st.floats(0, 1)),
        }
    elif name == "repeat-blocks":
        low, fewest = integers(1, 4), integers(1, 4)
        parameters = {
            **bits,
            "min_length": low,
            "max_length": integers(low, 5),
            "min_blocks": fewest,
            "max_blocks": integers(fewest, 5),
        }
    elif name in ("key-value", "recall-pairs"):
        low = integers(1, 6)
        parameters = {**bits, "min_pairs": low, "max_pairs": integers(low, 7)}
    elif name == "associative-recall":
        low = integers(2, 6)
        parameters = {
            **bits,
            "item_length": integers(1, 4),
            "min_items": low,
            "max_items": integers(low, 7),
            "similar_items": draw(st.floats(0, 1)),
        }
    elif name == "priority-sort":
        vectors = integers(1, 12)
        outputs = integers(1, vectors)
        parameters = {**bits, "num_vectors": vectors, "num_outputs": outputs}
    elif name == "temporal-xor":
        parameters = {"segments": integers(1, 9)}
    elif name == "timed-spikes":
        names = ("interval", "wait", "spikes")
        parameters = {name: integers(1, 9) for name in names}
    else:
        context = integers(1, 8)
        parameters = {"context": context, "num_steps": integers(context + 1, 20)}
    return TASKS[name](**parameters)


seeds = st.one_of(
    st.none(),
    st.integers(0, 2**70),
    st.lists(st.integers(0, 9), max_size=3),
    st.builds(np.random.default_rng, st.integers(0, 9)),
)


@hypothesis.given(drawn_tasks(), st.integers(1, 5), seeds)
@cases(100)
def test_batches_are_as_documented(task, batch_size, seed):
    batch = task.sample(batch_size, seed)
    assert_documented(task, batch, batch_size)
    assert_same_form(task.stream.sample(batch_size, 1), task.sample(batch_size, 1))


@hypothesis.given(drawn_tasks(), st.integers(9, 30), st.floats(0, 1))
@cases(50)
def test_batches_of_other_sizes_are_as_documented(task, length, share):
    other = task.evaluation.at_length(length)
    assert other.size_ranges[0] == (length, length)
    assert_documented(other, other.sample(2, 0), 2)
    try:
        easier = task.stream.easier(share)
    except ValueError as error:
        assert task.name == "dynamic-ngrams"
        check_error(error, {"curriculum"})
    else:
        assert all(
            small <= large for small, large in zip(easier.size, task.size, strict=True)
        )
        assert_documented(easier, easier.sample(2, 0), 2)
        assert_same_form(easier.stream.sample(2, 0), easier.sample(2, 0))


def assert_same_form(batch, other):
    """That two batches have one form, and the first counts all that the second does."""
    for one, two in zip(batch, other, strict=True):
        assert one.shape == two.shape
        assert one.dtype == two.dtype
    assert (batch.mask >= other.mask).all()
    assert not batch.targets[batch.mask == 0].any()


def assert_documented(task, batch, batch_size):
    inputs, targets, mask = batch
    steps = mask.shape[1]
    assert inputs.shape == (batch_size, steps, task.input_size)
    assert targets.shape == (batch_size, steps, task.output_size)
    for array in batch:
        assert array.dtype == np.float32
        assert np.all(np.isfinite(array))
    assert set(np.unique(mask)) <= {0, 1}
    assert mask.any(axis=1).all()
    shown = mask[..., None] > 0
    assert not targets[~shown[..., 0]].any()
    solution = task.solve(inputs)
    assert np.all((solution >= 0) & (solution <= 1))
    if task.exact:
        np.testing.assert_array_equal(np.where(shown, solution, 0), targets)
    assert set(np.unique(targets)) <= {0, 1}
    assert (
        task.presentation.render(batch, targets * 2 - 1).count("sequence") == batch_size
    )
    assert TASKS[task.name](**json.loads(json.dumps(task.parameters))) == task
    for larger in task.evaluation.eval_tasks:
        assert isinstance(larger, type(task))


# Invalid arguments

NOT_INTEGERS = st.sampled_from(
    [
        *(0, -1, -(10**400), True, False, None, 1.0, 2.5, float("nan"), 1j, "", "8"),
        *(b"8", (), [3], {}, {2}, np.array(3), np.array([3]), np.float32(3), object),
    ]
)
TOO_LARGE = st.sampled_from([10_001, 2**31, 2**63, 10**400])
NOT_SHARES = st.sampled_from([-0.1, 1.1, float("nan"), "1", None, 1j, [0.5], True])
FIELDS = [
    (name, field.name, field.type)
    for name in NAMES
    for field in dataclasses.fields(TASKS[name])
]


@hypothesis.given(
    st.sampled_from(FIELDS), st.one_of(NOT_INTEGERS, TOO_LARGE), NOT_SHARES
)
@cases(100)
def test_errors_name_the_wrong_parameter(where, no_integer, no_share):
    name, field, kind = where
    value = no_integer if kind is int else no_share
    with pytest.raises((ValueError, TypeError)) as caught:
        TASKS[name](**{field: value})
    check_error(caught.value, {field})


NOT_SEEDS = st.sampled_from(
    [-1, 2.5, float("nan"), 1j, "abc", b"1", [-1], ["a"], {"a"}, object(), np.ones(1)]
)


@hypothesis.given(
    drawn_tasks(), st.one_of(NOT_INTEGERS, st.just(10**9)), NOT_SEEDS, NOT_SHARES
)
@cases(60)
def test_errors_name_the_wrong_argument(task, number, seed, share):
    refused = {
        "batch_size": lambda: task.sample(number),
        "rng": lambda: task.sample(1, seed),
        "length": lambda: task.evaluation.at_length(number),
    }
    if task.name != "dynamic-ngrams":
        refused["share"] = lambda: task.stream.easier(share)
    if task.name == "repeat-copy":
        refused["repeats"] = lambda: task.at_repeats(number)
    for name, ask in refused.items():
        with pytest.raises((ValueError, TypeError)) as caught:
            ask()
        check_error(caught.value, {name})


@st.composite
def drawn_inputs(draw, task):
    """Arrays of any kind; a few are sequences of the task by chance."""
    width = task.input_size + draw(st.sampled_from([0, 0, 0, 1, -1]))
    shape = draw(
        st.sampled_from([(2, 30, width), (1, 1, width), (1, 0, width), (9, width), ()])
    )
    kind = draw(st.sampled_from(["zeros", "ones", "bits", "large", "nan", "text"]))
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    return {
        "zeros": lambda: np.zeros(shape),
        "ones": lambda: np.ones(shape).tolist(),
        "bits": lambda: rng.integers(0, 2, shape),
        "large": lambda: rng.normal(0, 1e4, shape),
        "nan": lambda: np.full(shape, np.nan),
        "text": lambda: np.full(shape, "a"),
    }[kind]()


@hypothesis.given(st.data())
@cases(60)
def test_any_inputs_are_solved_or_refused(data):
    task = data.draw(drawn_tasks())
    inputs = data.draw(drawn_inputs(task))
    try:
        solution = task.solve(inputs)
    except (ValueError, TypeError) as error:
        check_error(error, {"inputs"})
    else:
        assert np.all(np.isfinite(solution))
        assert solution.shape == (*np.shape(inputs)[:2], task.output_size)


@pytest.mark.parametrize("name", NAMES)
def test_render_refuses_what_is_not_a_batch(name):
    task = TASKS[name]()
    batch = task.sample(1, 0)
    for arguments, argument in (
        ((None,), "batch"),
        ((batch[0],), "batch"),
        ((batch, batch.targets[:, 1:]), "outputs"),
        ((Batch(batch.inputs, batch.targets[:, 1:], batch.mask),), "batch"),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            task.presentation.render(*arguments)
        check_error(caught.value, {argument})


@pytest.mark.parametrize(
    "small", [np.int8, np.uint8, np.int16], ids=lambda kind: kind.__name__
)
def test_small_integers_of_numpy_do_not_overflow(small):
    # Otherwise evaluation lengths are negative, and parameters are not JSON.
    task = TASKS["copy"](small(2), small(3), small(100))
    assert task.eval_lengths == (100, 200, 400, 600)
    assert task == TASKS["copy"](2, 3, 100)
