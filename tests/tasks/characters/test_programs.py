"""Programs and what they print: Python itself is the oracle."""

import ast
import builtins
import contextlib
import io
import random
import re

import numpy as np
import pytest

from tasks.text.characters.interpreter import ProgramError, run_program
from tasks.text.characters.learning_to_execute import LearningToExecute
from tasks.text.characters.programs import NAMES, ROUNDS, Writer


def python_prints(text):
    """What Python prints when it runs a program."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(text, {"__builtins__": {"print": builtins.print, "range": range}})
    return printed.getvalue().removesuffix("\n")


def programs(length, nesting, count=150, seed=0):
    rng = random.Random(seed)
    return [Writer(length, rng).program(nesting) for _ in range(count)]


@pytest.mark.parametrize("nesting", [1, 2, 3, 10])
@pytest.mark.parametrize("length", [1, 2, 5, 18])
def test_python_prints_the_value_and_so_does_the_interpreter(length, nesting):
    for text, value in programs(length, nesting, seed=length):
        assert python_prints(text) == str(value) == str(run_program(text))


def test_a_sequence_has_a_program_and_what_python_prints():
    task = LearningToExecute(length=3, nesting=3)
    batch = task.sample(100, 1)
    for inputs, targets in zip(batch.inputs, batch.targets, strict=True):
        printed = python_prints(task.source_of(inputs))
        assert task.alphabet.text(targets) == f"{printed}."
    np.testing.assert_array_equal(task.solve(batch.inputs), batch.targets)


# A pattern for programs of one round of each kind, with numbers for n and variables
# for v, as section 3 of the paper describes them.
KINDS = {
    "add": r"print\(\(n[-+]n\)\)",
    "multiply": r"print\(\(n\*n\)\)",
    "keep": r"print\(n\)",
    "assign": r"v=n;\nprint\(\(v[-+]n\)\)",
    "loop": r"v=n\nfor x in range\(n\):v[-+]=n\nprint\(v\)",
    "choose": r"print\(\(n if n[<>]n else n\)\)",
}


def kind_of(text):
    shape = re.sub(r"\b[a-j]\b", "v", re.sub(r"[0-9]+", "n", text))
    (kind,) = [name for name, pattern in KINDS.items() if re.fullmatch(pattern, shape)]
    return kind


def test_every_kind_of_round_is_as_frequent():
    kinds = [kind_of(program.text) for program in programs(2, 1, 6000)]
    assert len(ROUNDS) == len(KINDS)
    for name in KINDS:
        # Four standard deviations of a share of one sixth.
        assert kinds.count(name) == pytest.approx(1000, abs=4 * (6000 * 5 / 36) ** 0.5)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_numbers_go_to_ten_to_the_length_and_factors_to_four_times_it(length):
    numbers, factors = [], []
    for text, _ in programs(length, 1, 12_000):
        found = [int(number) for number in re.findall("[0-9]+", text)]
        kind = kind_of(text)
        if kind == "loop":
            factors.append(found.pop(1))
        if kind != "multiply":  # which of the two is the factor, the text does not say
            numbers += found
        else:
            assert min(found) <= 4 * length
    assert min(numbers) == min(factors) == 1
    assert max(factors) == 4 * length
    assert max(numbers) <= 10**length
    assert max(numbers) == 10**length or length == 3
    # Drawn evenly: the mean of 1 to 10^length.
    assert np.mean(numbers) == pytest.approx((10**length + 1) / 2, rel=0.03)


def test_each_round_uses_the_result_of_the_one_before():
    """No round is lost: a program of many rounds has an operation for each, but for
    those that keep the term."""
    operations = [
        sum(
            isinstance(node, ast.BinOp | ast.IfExp | ast.For)
            for node in ast.walk(ast.parse(text))
        )
        for text, _ in programs(1, 6, 600)
    ]
    assert max(operations) == 6
    # Five of six rounds make an operation.
    assert np.mean(operations) == pytest.approx(5, abs=0.15)


def test_variables_have_different_names_and_a_value_before_they_are_used():
    for text, _ in programs(1, 10, 300):
        made = re.findall(r"^([a-j])=", text, re.M)
        assert len(set(made)) == len(made) <= len(NAMES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("print(12)", 12),
        ("print((7-9))", -2),
        ("print((3*(4+5)))", 27),
        ("print((5 if 1>2 else 6))", 6),
        ("print((5 if 1<2 else 6))", 5),
        ("print((5 if 2<2 else 6))", 6),
        ("print((5 if 2>2 else 6))", 6),
        ("a=4;\nprint((a-10))", -6),
        ("b=4\nfor x in range(3):b-=(2*5)\nprint(b)", -26),
        ("a=1;\nb=(a+2);\nprint((b*3))", 9),
    ],
)
def test_programs_by_hand(text, value):
    assert run_program(text) == value == int(python_prints(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no print at the end: ''"),
        ("12", "no print at the end"),
        ("print()", "no print at the end"),
        ("print(a)", "no value: 'a'"),
        ("print((1+))", "no value: '\\)'"),
        ("print((1+2)", "ends too early"),
        ("print((1/2))", "no expression"),
        ("print(12 12)", "no expression"),
        ("print((1+2+3))", "'\\)' is missing before '\\+'"),
        ("print((1 else 2))", "no operator: ' else '"),
        ("print((1 if 2+3 else 4))", "no relation: '\\+'"),
        ("print((1 if 2>3))", "' else ' is missing before '\\)'"),
        ("a=1\nb=2", "no print at the end: 'b=2'"),
        ("import os\nprint(1)", "no statement: 'import os'"),
        ("for x in range(2):a+=1\nprint(1)", "no value: 'a'"),
        ("for x in range(9999):a+=1\nprint(1)", "no statement"),
        ("print(" + "(" * 5000 + ")", "no expression"),
        ("print(" + "9" * 5000 + ")", "no expression"),
        ("print(__import__('os'))", "no expression"),
    ],
)
def test_other_texts_are_no_programs(text, message):
    with pytest.raises(ProgramError, match=message):
        run_program(text)


def test_the_longest_program_and_answer_fit():
    """The bounds hold, and the one of short programs is reached."""
    for length, nesting in [(1, 1), (1, 2), (2, 1), (3, 4)]:
        task = LearningToExecute(length=length, nesting=nesting)
        drawn = programs(length, nesting, 1000)
        assert max(len(text) for text, _ in drawn) <= task.longest_source
        assert max(len(str(value)) for _, value in drawn) <= task.longest_answer
    task = LearningToExecute(length=1, nesting=1)
    loops = [text for text, _ in programs(1, 1, 6000) if kind_of(text) == "loop"]
    assert max(map(len, loops)) == task.longest_source == 37
    # The smallest value: 10 - 4 * 10, or 1 - 4 * 10.
    assert task.longest_answer == len("-39")
