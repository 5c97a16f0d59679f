"""Tasks over strings: what each promises, and its answers against other algorithms."""

import re

import numpy as np
import pytest
from conformance.task_descriptors import small_tasks

from tasks import (
    BigramFlip,
    Counting,
    Dyck,
    Reversal,
    TransduceAddition,
)
from tasks.formal_languages.strings import StringTask

pytestmark = pytest.mark.once

SMALL = small_tasks(StringTask)
EACH_TASK = pytest.mark.parametrize("task", SMALL.values(), ids=SMALL)


def texts(task, count=64, rng=1):
    """The inputs and the answers of some sequences, as text without padding."""
    batch = task.sample(count, rng)
    for block in task.presentation.render(batch).split("\n\n"):
        _, inputs, answer = block.split("\n")
        yield inputs[9:].rstrip("·"), answer[9:].split(" ")[-1]


@EACH_TASK
def test_batches_are_those_announced(task):
    batch = task.sample(7, rng=1)
    steps = task.steps(task.max_length)
    assert batch.inputs.shape == (7, steps, task.input_size)
    assert batch.targets.shape == (7, steps, task.output_size)
    for one, two in zip(batch, task.sample(7, rng=1), strict=True):
        np.testing.assert_array_equal(one, two)
        assert one.dtype == np.float32
    assert (batch.inputs != task.sample(7, rng=2).inputs).any()
    np.testing.assert_array_equal(batch.targets, task.solve(batch.inputs))
    np.testing.assert_array_equal(batch.targets.sum(axis=-1), batch.mask)
    errors = task.errors(batch, 2 * batch.targets)
    assert not errors["symbol_errors"].any()
    assert errors["perfect"].all()


@EACH_TASK
def test_sizes_are_those_asked_for(task):
    longest = task.evaluation.at_length(2 * task.max_length)
    assert longest.evaluation.sizes == str(2 * task.max_length)
    batch = longest.sample(3, rng=1)
    assert batch.inputs.shape[1] == longest.steps(2 * task.max_length)
    lengths = [length.size[0] for length in task.evaluation.eval_tasks]
    assert lengths[0] == task.max_length < lengths[-1]
    assert task.stream.easier(0).max_length == task.min_length
    assert task.stream.easier(1) == task


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("anbn", lambda n: "a" * n + "b" * n),
        ("anbncn", lambda n: "a" * n + "b" * n + "c" * n),
        ("anbncndn", lambda n: "a" * n + "b" * n + "c" * n + "d" * n),
        ("anb2n", lambda n: "a" * n + "b" * 2 * n),
    ],
)
def test_words_count(pattern, form):
    """All but the first symbol of the second kind are certain, and the end."""
    seen = set()
    for word, answer in texts(Counting(1, 7, pattern)):
        n = word.count("a")
        seen.add(n)
        assert word == form(n)
        assert answer == f"{word[n + 1 :]}."
    assert seen == set(range(1, 8))


def test_words_of_two_numbers_count_their_sum():
    seen = set()
    for word, answer in texts(SMALL["counting"], 200):
        n, m, both = map(word.count, "abc")
        seen.add((n, m))
        assert word == "a" * n + "b" * m + "c" * both
        assert n + m == both
        assert answer == "c" * (both - 1) + "."
    assert seen == {(n, s - n) for s in range(1, 7) for n in range(1, s + 1)}


def test_dyck_is_reduced_to_the_brackets_that_are_open():
    """By removing pairs from each prefix as long as there are any."""
    deepest = 0
    for word, answer in texts(SMALL["dyck"]):
        assert 2 <= len(word) == len(answer) <= 12
        for step, due in enumerate(answer):
            rest, count = word[: step + 1], 1
            while count:
                rest, count = re.subn(r"\(\)|\[\]|\{\}", "", rest)
            assert not set(rest) & set(")]}")
            closing = dict(zip("([{", ")]}", strict=True))
            assert due == (closing[rest[-1]] if rest else ".")
            deepest = max(deepest, len(rest))
    assert deepest == 3


def test_copying_reversal_and_flipping_move_letters():
    for text, answer in texts(SMALL["letter-copy"]):
        assert answer == text.removesuffix("=")
    for text, answer in texts(SMALL["reversal"]):
        source = text.removesuffix("=")
        assert [answer[-1 - i] for i in range(len(source))] == list(source)
    for text, answer in texts(SMALL["bigram-flip"]):
        source = text.removesuffix("=")
        assert [answer[i ^ 1] for i in range(len(source))] == list(source)


def test_addition_carries():
    for text, answer in texts(SMALL["transduce-addition"]):
        first, second = text.removesuffix("=").split("+")
        carry, bits = 0, []
        for one, two in zip(first[::-1], second[::-1], strict=True):
            carry, bit = divmod(carry + int(one) + int(two), 2)
            bits.append(str(bit))
        assert answer == "".join(bits) + str(carry)


@pytest.mark.parametrize(
    ("task", "string", "what"),
    [
        (Counting(1, 3, "anbn"), "aab", "is no word of a^n b^n: 'aab'"),
        (Counting(1, 3, "anbn"), "abab", "is no word of a^n b^n: 'abab'"),
        (Counting(1, 3, "anbn"), "", "is no word of a^n b^n: ''"),
        (Dyck(), "(]", "has a bracket that closes none"),
        (Dyck(), "", "is empty"),
        (Reversal(1, 2), "ab", "has no '=' after its source"),
        (Reversal(1, 2), "=", "has no letters before '='"),
        (Reversal(1, 2), "aaaa=", "has not the blank steps of its answer"),
        (BigramFlip(2, 2), "a=", "has an odd number of letters"),
        (TransduceAddition(1, 2), "01+1=", "has no sum of two numbers before '='"),
        (Counting(1, 3, "anbn"), "aaaabbbb", "has more than 6 steps"),
    ],
)
def test_what_is_no_string_of_the_task_is_said(task, string, what):
    message = f"`inputs` must be sequences of the task {task.name}. "
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        task.batch_of([string])
    assert what in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Counting(pattern="anbk"), "`pattern` must be one of 'anbn', "),
        (lambda: Dyck(kinds=5), "`kinds` must be an integer of at most 4. "),
        (lambda: BigramFlip(7, 8), "`min_length` must be even: "),
        (lambda: BigramFlip().evaluation.at_length(9), "`min_length` must be even: "),
        (lambda: Reversal(5, 4), "`min_length` must be at most `max_length`. "),
    ],
)
def test_wrong_parameter_is_named(make, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        make()
