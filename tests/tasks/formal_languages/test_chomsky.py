"""The tasks of Delétang et al. (2023): answers, what is drawn, and what counts."""

import dataclasses
import re

import keras
import language_oracles
import numpy as np
import pytest

import tasks
from tasks.contract.earlier import NAMES
from tasks.losses.symbol_measures import StringCrossEntropy, SymbolAccuracy
from tasks.registry import LANGUAGES, get_task
from tasks.runs.files import read_json, write_json
from tasks.runs.saved_config import saved_task

TASKS = {kind.name: kind() for kind in LANGUAGES}
EACH_TASK = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
# The table of the paper, by class.
CLASSES = {
    "regular": "even-pairs modular-arithmetic-simple parity-check cycle-navigation",
    "context-free": "stack-manipulation reverse-string modular-arithmetic "
    "solve-equation",
    "context-sensitive": "duplicate-string missing-duplicate odds-first "
    "binary-addition binary-multiplication compute-sqrt bucket-sort",
}
ONE_IN_FIVE = (
    "modular-arithmetic-simple cycle-navigation modular-arithmetic solve-equation "
    "bucket-sort"
)

once = pytest.mark.once


def strings_of(task, length, count=20_000):
    """Fresh strings of one length."""
    batch = task.evaluation.at_length(length).sample(count, rng=7)
    return [text.rstrip("_") for text, _ in language_oracles.texts(task.name, batch)]


def assert_frequencies(values, chances):
    """That values are drawn with these chances: Pearson's statistic is less than five
    standard deviations above its mean."""
    values = list(values)
    total = len(values)
    assert set(values) == set(chances)
    expected = {value: total * chance for value, chance in chances.items()}
    assert sum(expected.values()) == pytest.approx(total)
    statistic = sum(
        (values.count(value) - often) ** 2 / often for value, often in expected.items()
    )
    degrees = len(chances) - 1
    assert statistic < degrees + 5 * np.sqrt(2 * degrees), statistic


def equally(values):
    values = list(values)
    return dict.fromkeys(values, 1 / len(values))


# --- answers ---


@once
def test_the_tasks_are_those_of_the_paper():
    for name, words in CLASSES.items():
        for task in words.split():
            assert TASKS[task].language_class == name
            chance = 0.2 if task in ONE_IN_FIVE.split() else 0.5
            assert TASKS[task].chance == pytest.approx(chance)
    assert list(TASKS) == " ".join(CLASSES.values()).split()
    assert list(TASKS) == list(language_oracles.ORACLES)


@once
@EACH_TASK
@pytest.mark.parametrize(
    ("length", "count"),
    [(length, 200) for length in (1, 2, 3, 4, 5, 6, 7, 13, 40, 64)] + [(500, 20)],
)
def test_answers_are_those_of_another_algorithm(task, length, count):
    strings = language_oracles.check(task, length, count)
    string = strings[0]
    answer = language_oracles.ORACLES[task.name][2](string)
    assert task.answer_to(string) == answer
    assert task.chance == 1 / len(set(task.answers) - {"$"})


@once
@EACH_TASK
def test_batches_are_those_announced(task):
    batch = task.sample(33, rng=1)
    steps = task.steps(task.max_length)
    assert batch.inputs.shape == (33, steps, task.input_size)
    assert batch.targets.shape == (33, steps, task.output_size)
    for one, two in zip(batch, task.sample(33, rng=1), strict=True):
        np.testing.assert_array_equal(one, two)
        assert one.dtype == np.float32
    assert (batch.inputs != task.sample(33, rng=2).inputs).any()
    np.testing.assert_array_equal(batch.targets, task.solve(batch.inputs))
    np.testing.assert_array_equal(batch.targets.sum(axis=-1), batch.mask)
    for text, answer in language_oracles.texts(task.name, batch):
        string = text[: text.index("_")]
        empty = text[len(string) :].rstrip(" ")
        assert set(empty) == {"_"}
        assert len(empty) == task.answer_steps(len(string))
        # All of the answer is due at empty symbols, from the first one on.
        assert answer[: len(string)].isspace()
        assert len(string) < len(answer.rstrip()) <= len(string) + len(empty)
        assert answer[len(string)] != " "


@once
@EACH_TASK
def test_nothing_counts_after_the_end_symbol(task):
    batch = task.sample(64, rng=3)
    answers = [answer.strip() for _, answer in language_oracles.texts(task.name, batch)]
    if "$" not in task.answers:
        assert not any("$" in answer for answer in answers)
        return
    assert all(answer.index("$") == len(answer) - 1 for answer in answers)
    outputs = 2 * batch.targets
    ends = batch.mask.shape[1] - batch.mask[:, ::-1].argmax(axis=1)
    for row, end in enumerate(ends):
        outputs[row, end:] = [9, 0, 0]
    errors = task.errors(batch, outputs)
    assert errors["perfect"].all() and (errors["accuracy"] == 1).all()


@once
@EACH_TASK
def test_steps_of_computation_come_between_a_string_and_its_answer(task):
    longer = dataclasses.replace(task, computation_steps=2)
    plain, slow = task.sample(9, rng=4), longer.sample(9, rng=4)
    assert slow.inputs.shape[-1] == plain.inputs.shape[-1] + 1
    np.testing.assert_array_equal(slow.targets, longer.solve(slow.inputs))
    sizes = (plain.inputs[..., : len(task.alphabet)]).any(axis=-1).sum(axis=1)
    for row, size in enumerate(sizes):
        assert slow.inputs[row, size : 3 * size, -1].all()
        answer = plain.targets[row, size:]
        np.testing.assert_array_equal(
            slow.targets[row, 3 * size : 3 * size + len(answer)],
            answer[: slow.targets.shape[1] - 3 * size],
        )


@once
@pytest.mark.parametrize(
    ("name", "string", "answer"),
    [
        ("even-pairs", "0", "0"),
        ("stack-manipulation", "1", "1$"),
        ("stack-manipulation", "0<", "$"),
        ("stack-manipulation", "0<<<i", "1$"),
        ("modular-arithmetic", "-3", "2"),
        ("modular-arithmetic", "(-4)", "1"),
        ("modular-arithmetic", "(2--4)", "1"),
        ("solve-equation", "00", "0"),
        ("solve-equation", "x=3", "3"),
        ("missing-duplicate", "1", "1"),
        ("missing-duplicate", "?0-", "0"),
        ("odds-first", "1", "1"),
        ("binary-addition", "00", "0$"),
        ("binary-addition", "01", "01$"),
        ("binary-addition", "1+1", "01$"),
        ("binary-multiplication", "1", "$"),
        ("binary-multiplication", "11", "0$"),
        ("compute-sqrt", "1", "1"),
        ("compute-sqrt", "10", "1"),
    ],
)
def test_short_strings_have_answers(name, string, answer):
    assert TASKS[name].answer_to(string) == answer


@once
@pytest.mark.parametrize(
    ("name", "string"),
    [
        ("modular-arithmetic-simple", "1+"),
        ("modular-arithmetic-simple", "11+"),
        ("stack-manipulation", "<0"),
        ("stack-manipulation", "0<1"),
        *[
            ("modular-arithmetic", string)
            for string in ("1+1", "(1", "1)", "()", "--1", "(1+2*3)", "-(1)", "(+)")
        ],
        ("solve-equation", "1=1"),
        ("solve-equation", "(x+x)=1"),
        ("solve-equation", "x3="),
        ("solve-equation", "01"),
        ("missing-duplicate", "01"),
        ("missing-duplicate", "?001"),
        ("missing-duplicate", "??"),
        ("missing-duplicate", "?01"),
        ("missing-duplicate", "0"),
        ("binary-addition", "+11"),
        ("binary-addition", "11+"),
        ("binary-addition", "1+1+1"),
        ("binary-addition", "111"),
        ("binary-multiplication", "1*"),
    ],
)
def test_what_is_no_string_of_the_task_is_said(name, string):
    message = f"`inputs` must be sequences of the task {name}. "
    with pytest.raises(ValueError, match=re.escape(message)):
        TASKS[name].answer_to(string)


@once
@pytest.mark.parametrize("string", ["", "2", "01 "])
def test_symbols_that_the_task_does_not_have_are_named_as_the_string(string):
    with pytest.raises(
        ValueError, match="`string` must have symbols of '01'.*Received"
    ):
        tasks.ReverseString().answer_to(string)


@once
def test_inputs_that_do_not_keep_to_the_protocol_are_refused():
    task = tasks.ReverseString(3, 3)
    inputs = task.sample(1, rng=1).inputs
    for change in (
        inputs[:, :-1],  # a step of the answer is missing
        inputs[:, 1:],
        np.roll(inputs, 1, axis=1),
        np.zeros_like(inputs),
        inputs * 2,
    ):
        with pytest.raises(ValueError, match="must be sequences of the task reverse"):
            task.solve(change)


@once
@EACH_TASK
def test_render_shows_strings_and_marks_wrong_symbols(task):
    batch = task.evaluation.at_length(5).sample(2, rng=1)
    logits = batch.targets * 2 - 1
    assert "x" not in task.presentation.render(batch, logits).replace("(x", "")
    step = int(np.flatnonzero(batch.mask[1])[0])
    logits[1, step] *= -1
    last = task.presentation.render(batch, logits).split("\n")[-1]
    assert last.split() == ["wrong", "x"]


@once
def test_parameters_are_checked():
    with pytest.raises(ValueError, match="`min_length` must be at most `max_length`"):
        tasks.EvenPairs(3, 2)
    with pytest.raises(ValueError, match="`computation_steps` must be "):
        tasks.EvenPairs(computation_steps=-1)
    assert tasks.EvenPairs().eval_lengths == (40, 80, 200, 500)


# --- what is drawn ---


@once
@pytest.mark.parametrize(
    ("name", "symbols"),
    [
        *[
            (name, "01")
            for name in "even-pairs parity-check reverse-string duplicate-string "
            "odds-first".split()
        ],
        ("cycle-navigation", "<=>"),
        ("bucket-sort", "01234"),
    ],
)
def test_all_strings_are_equally_likely(name, symbols):
    strings = strings_of(TASKS[name], 3)
    assert_frequencies(
        strings, equally(a + b + c for a in symbols for b in symbols for c in symbols)
    )


@once
def test_expressions_without_brackets_have_equally_likely_symbols():
    strings = strings_of(TASKS["modular-arithmetic-simple"], 6, 5_000)
    for place in range(5):
        symbols = "+-*" if place % 2 else "01234"
        assert_frequencies([s[place] for s in strings], equally(symbols))


@once
def test_sizes_of_stacks_and_actions_are_equally_likely():
    strings = strings_of(TASKS["stack-manipulation"], 9)
    stacks = [s.rstrip("<oi") for s in strings]
    assert_frequencies(map(len, stacks), equally(range(1, 9)))
    assert_frequencies("".join(stacks), equally("01"))
    assert_frequencies("".join(s.lstrip("01") for s in strings), equally("<oi"))
    assert set(strings_of(TASKS["stack-manipulation"], 1, 50)) == {"0", "1"}


def left_of(expression):
    """The left part of an expression with two parts, and the operator after it."""
    depth = 0
    for place, symbol in enumerate(expression):
        depth += (symbol == "(") - (symbol == ")")
        after_value = place and expression[place - 1] in "01234x)"
        if depth == 1 and symbol in "+-*" and after_value:
            return expression[1:place], symbol
    raise AssertionError(expression)


@once
def test_expressions_are_split_at_every_place():
    strings = strings_of(TASKS["modular-arithmetic"], 12)
    parts = [left_of(string) for string in strings]
    assert_frequencies((len(left) for left, _ in parts), equally(range(1, 9)))
    assert_frequencies((sign for _, sign in parts), equally("+-*"))
    assert_frequencies(re.findall("[0-4]", "".join(strings)), equally("01234"))
    # In the left part again.
    inner = [left_of(left) for left, _ in parts if len(left) == 8]
    assert_frequencies((len(left) for left, _ in inner), equally(range(1, 5)))
    forms = {1: "d", 2: "-d", 3: "(d)", 4: "(-d)"}
    for length, form in forms.items():
        drawn = strings_of(TASKS["modular-arithmetic"], length, 2_000)
        assert_frequencies(drawn, equally(form.replace("d", d) for d in "01234"))


@once
def test_equations_hide_the_first_digit_from_a_random_place_on():
    strings = strings_of(TASKS["solve-equation"], 7, 5_000)
    # (d+d): from places 0, 1 and 4 on, the last one around the end, it is the first.
    assert_frequencies((s.index("x") for s in strings), {1: 3 / 5, 3: 2 / 5})
    assert_frequencies((left_of(s)[1] for s in strings), equally("+-"))
    assert_frequencies((s[-1] for s in strings), equally("01234"))
    answers = [language_oracles.solve_equation(s) for s in strings]
    assert_frequencies(answers, equally("01234"))
    assert set(strings_of(TASKS["solve-equation"], 2, 50)) == {"00"}


@once
def test_all_bits_are_hidden_equally_often():
    for length, last in ((8, ""), (9, "-")):
        strings = strings_of(TASKS["missing-duplicate"], length)
        assert_frequencies((s.index("?") for s in strings), equally(range(8)))
        assert all(s[8:] == last for s in strings)
        answers = [language_oracles.missing_duplicate(s) for s in strings]
        assert_frequencies(answers, equally("01"))


@once
@pytest.mark.parametrize(
    ("name", "sign"), [("binary-addition", "+"), ("binary-multiplication", "*")]
)
def test_sizes_of_numbers_and_numbers_are_equally_likely(name, sign):
    pairs = [string.split(sign) for string in strings_of(TASKS[name], 7)]
    assert_frequencies((len(first) for first, _ in pairs), equally(range(1, 6)))
    numbers = {f"{number:03b}" for number in range(1, 8)}
    for place in (0, 1):
        drawn = [pair[place] for pair in pairs if len(pair[0]) == 3]
        assert_frequencies(drawn, equally(numbers))
    single = strings_of(TASKS[name], 2, 2_000)
    assert_frequencies(single, equally(("00", "01", "10", "11")))


@once
def test_numbers_from_one_on_are_equally_likely_to_have_their_root_asked_for():
    numbers = equally(f"{number:04b}" for number in range(1, 16))
    assert_frequencies(strings_of(TASKS["compute-sqrt"], 4), numbers)


@once
def test_samples_have_strings_of_all_lengths():
    task = tasks.DuplicateString(2, 9)
    lengths = task.sample(8_000, rng=1).mask.sum(axis=1) / 2
    assert_frequencies(lengths.astype(int).tolist(), equally(range(2, 10)))


# --- training ---


def lengths_of(task, batch):
    return np.unique(batch.inputs[..., : len(task.alphabet)].any(axis=-1).sum(axis=1))


@once
@EACH_TASK
def test_a_batch_of_training_has_one_length(task):
    stream, shapes, lengths = task.stream, [], []
    for index in range(60):
        batch = stream.batch(index, 8, seed=1)
        (length,) = lengths_of(task, batch)
        lengths.append(length)
        shapes.append(batch.inputs.shape[1])
        assert task.steps(length) <= shapes[-1] <= task.steps(40)
        np.testing.assert_array_equal(batch.targets, task.solve(batch.inputs))
    assert len(set(shapes)) <= 12
    # Keras finds by the first two that shapes differ.
    assert shapes[0] == task.steps(40) > shapes[1]
    again, other = (stream.batch(5, 8, seed) for seed in (1, 2))
    np.testing.assert_equal(stream.batch(5, 8, 1), again)
    assert (
        again.inputs.shape != other.inputs.shape or (again.inputs != other.inputs).any()
    )


@once
def test_lengths_of_training_are_equally_likely():
    task = tasks.EvenPairs(3, 12)
    lengths = [
        int(lengths_of(task, task.stream.batch(index, 1, seed=3))[0])
        for index in range(2, 5_002)
    ]
    assert_frequencies(lengths, equally(range(3, 13)))


@once
def test_strings_grow_in_a_curriculum():
    task = tasks.EvenPairs(3, 23)

    def drawn(share):
        """Lengths of the third batch of a training and of those that follow."""
        batches = [task.stream.staged_batch(share, n, 1, 3) for n in range(2, 5_002)]
        return [int(lengths_of(task, batch)[0]) for batch in batches], batches

    halfway, batches = drawn(0.5)
    # Four in five batches have up to 13 symbols, one in five up to 23.
    shares = {n: 0.8 / 11 * (n <= 13) + 0.2 / 21 for n in range(3, 24)}
    assert_frequencies(halfway, shares)
    # A shape is compiled once: there is none that the whole task has not.
    shapes = {len(task.stream.batch(n, 1, 3).inputs[0]) for n in range(200)}
    assert {len(batch.inputs[0]) for batch in batches} == shapes
    assert np.mean([length == 3 for length in drawn(0.0)[0]]) == pytest.approx(
        0.8 + 0.2 / 21, abs=0.02
    )
    first = [len(task.stream.staged_batch(0.0, n, 1, 3).inputs[0]) for n in (0, 1)]
    assert first == [24, 4]


def test_the_loss_is_a_sum_over_the_answer_and_a_mean_over_strings():
    task = tasks.BinaryAddition(4, 9)
    batch = task.sample(6, rng=1)
    logits = np.random.default_rng(2).normal(size=batch.targets.shape)
    total = 0.0
    for targets, outputs, mask in zip(batch.targets, logits, batch.mask, strict=True):
        for target, output, counts in zip(targets, outputs, mask, strict=True):
            if counts:
                chances = np.exp(output) / np.exp(output).sum()
                total -= np.log(chances[target.argmax()])
    loss = task.loss()(batch.targets, logits, sample_weight=batch.mask)
    assert float(loss) == pytest.approx(total / 6, rel=1e-5)
    flat = task.loss()(batch.targets, 0 * logits, sample_weight=batch.mask)
    assert float(flat) == pytest.approx(np.log(3) * batch.mask.sum() / 6, rel=1e-5)


def test_the_loss_of_a_guess_is_that_of_the_recipe():
    task = tasks.ReverseString(3, 5)
    # 4 bits on average.
    assert task.recipe.chance_loss == pytest.approx(4 * np.log(2), rel=0.05)
    assert tasks.EvenPairs().recipe.chance_loss == pytest.approx(np.log(2))


def test_accuracy_is_the_share_of_all_symbols():
    """Of a string with 3 symbols 2 are right, of one with 1 symbol none."""
    targets = np.eye(2)[[[0, 1, 1], [0, 0, 0]]]
    outputs = np.eye(2)[[[0, 1, 0], [1, 0, 0]]]
    mask = np.array([[1.0, 1, 1], [1, 0, 0]])
    metric = SymbolAccuracy([2])
    metric.update_state(targets, outputs, mask)
    assert float(metric.result()) == pytest.approx(2 / 4)
    metric.reset_state()
    assert np.isnan(float(metric.result()))


def test_losses_and_metrics_are_saved():
    loss, metric = StringCrossEntropy([3]), SymbolAccuracy([3])
    for one in (loss, metric):
        config = keras.saving.serialize_keras_object(one)
        again = keras.saving.deserialize_keras_object(config)
        assert again.get_config() == one.get_config()
    assert again.name == "accuracy"


class Answers:
    """A model that gives the right answers, but for the first symbols of some."""

    def __init__(self, task, wrong):
        self.task, self.wrong = task, wrong

    def predict_on_batch(self, inputs):
        outputs = 2 * self.task.solve(inputs)
        steps = outputs.any(axis=-1).argmax(axis=1)
        for row in range(self.wrong):
            outputs[row, steps[row]] = np.roll(outputs[row, steps[row]], 1)
        return outputs


@once
def test_an_evaluation_counts_symbols():
    task = tasks.StackManipulation(1, 12)
    scores = task.evaluation.score(Answers(task, 30), 40, np.random.default_rng(5))
    (batch,) = task.evaluation.eval_batches(40, np.random.default_rng(5))
    expected = 1 - 30 / batch.mask.sum()
    assert scores.values["accuracy"] == pytest.approx(expected)
    assert scores.values["perfect"] == pytest.approx(10 / 40)
    assert set(scores.values) == {"accuracy", "symbol_errors", "perfect", "bits"}
    # Shorter answers are wrong in a larger share of their symbols.
    of_strings = task.errors(batch, Answers(task, 30).predict_on_batch(batch.inputs))
    assert of_strings["accuracy"].mean() < expected
    assert task.evaluation.is_right({"accuracy": 0.99})
    assert not task.evaluation.is_right({"accuracy": 0.98})


@pytest.mark.slow
def test_training_runs_from_end_to_end(tmp_path):
    task = tasks.ReverseString(1, 2)
    result = tasks.train(
        task,
        tasks.get_model("lstm", num_layers=1, layer_size=8),
        sequences=256,
        epoch_steps=4,
        out=tmp_path / "run",
        progress=False,
        evaluate=False,
    )
    assert {"accuracy", "symbol_errors", "loss"} <= set(result.history[-1])
    (at,) = tasks.evaluate(result.model, task, [9], num_sequences=20)
    assert 0.2 < at.accuracy < 0.8
    assert at.beyond
    assert tasks.open_run(tmp_path / "run").task == task


# --- the name that another task had ---


@once
def test_runs_of_the_earlier_binary_addition_are_of_transduce_addition(tmp_path):
    saved = {"name": "binary-addition", "min_length": 2, "max_length": 3}
    assert saved_task(saved) == tasks.TransduceAddition(2, 3)
    task = tasks.BinaryAddition(2, 3)
    assert saved_task({"name": task.name, **task.parameters}) == task
    for earlier, (today, parameter) in NAMES.items():
        assert today in tasks.TASKS
        assert parameter in get_task(earlier).parameters
        assert parameter not in get_task(today).parameters


@pytest.mark.slow
def test_a_run_of_the_earlier_binary_addition_is_read_and_continued(tmp_path):
    task, model = tasks.TransduceAddition(1, 2), tasks.get_model("gru", units=4)
    settings = {"epoch_steps": 1, "progress": False, "evaluate": False}
    tasks.train(task, model, sequences=32, out=tmp_path / "run", **settings)
    path = tmp_path / "run" / "config.json"
    config = read_json(path)
    config["task"]["name"] = "binary-addition"
    write_json(path, config)
    assert tasks.open_run(tmp_path / "run").task == task
    with pytest.warns(UserWarning, match="was begun with a budget of 32 sequences"):
        result = tasks.train(
            task, model, sequences=64, out=tmp_path / "run", resume=True, **settings
        )
    assert len(result.history) == 4
