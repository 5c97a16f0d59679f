import pathlib
import re

import numpy as np
import pytest

import tasks
from tasks.evaluation import (
    EvaluationResult,
    evaluate,
    evaluated_tasks,
    longest_right,
    table_of,
)

TASK = tasks.Copy(2, 1, 3)


class Solver:
    """A model that solves the task, except one vector of some sequences."""

    def __init__(self, task, wrong_every=0):
        self.task = task
        self.wrong_every = wrong_every
        self.seen = 0

    def predict_on_batch(self, inputs):
        logits = self.task.solve(inputs) * 2 - 1
        for sequence, logit in zip(inputs, logits, strict=True):
            self.seen += 1
            if self.wrong_every and self.seen % self.wrong_every == 0:
                delimiter = int(np.argmax(sequence[:, -1]))
                logit[delimiter + 1] *= -1
        return logits


@pytest.mark.once
def test_lengths_must_be_a_list():
    message = re.escape("`lengths` must be a list of lengths, such as [20, 40]. ")
    with pytest.raises(TypeError, match=f"{message}Received: lengths=40"):
        evaluated_tasks(tasks.Copy(), 40)


class OfARun:
    def load_model(self):
        raise NotImplementedError


@pytest.mark.once
@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("runs/py", "Load it: tasks.open_run('runs/py').load_model()"),
        (pathlib.Path("runs/py"), "Load it: tasks.open_run('runs/py').load_model()"),
        ("a/model.keras", "Load it: memnets.load('a/model.keras')"),
        (OfARun(), "Its `load_model()` gives one."),
        (None, "Received: model=None"),
    ],
)
def test_what_is_no_model_is_refused_with_how_to_load_it(model, hint):
    for call in (
        lambda: evaluate(model, TASK, [3]),
        lambda: longest_right(model, TASK),
    ):
        with pytest.raises(TypeError, match="`model` must be a Keras model.") as error:
            call()
        assert str(error.value).endswith(hint)


def test_the_solver_makes_no_errors():
    results = evaluate(Solver(TASK), TASK, [3, 50], num_sequences=7)
    assert [(r.length, r.sequences) for r in results] == [(3, 7), (50, 7)]
    assert all(r.bit_errors == 0 and r.perfect == 1 for r in results)


def test_errors_are_counted_per_sequence():
    # Every fourth sequence of 20 has both bits of one vector wrong.
    (result,) = evaluate(Solver(TASK, wrong_every=4), TASK, [3], num_sequences=20)
    assert result.bit_errors == pytest.approx(5 * 2 / 20)
    assert result.perfect == pytest.approx(15 / 20)


def test_bits_that_are_not_numbers_are_wrong():
    class Broken:
        def predict_on_batch(self, inputs):
            return np.full((*inputs.shape[:2], 2), np.nan)

    (result,) = evaluate(Broken(), TASK, [1], num_sequences=50)
    assert (result.bit_errors, result.perfect) == (2, 0)


def test_guessing_gets_half_of_the_bits_wrong():
    class Guess:
        def predict_on_batch(self, inputs):
            return np.ones((*inputs.shape[:2], 2))

    (result,) = evaluate(Guess(), TASK, [10], num_sequences=400)
    assert result.bit_errors == pytest.approx(10, rel=0.05)
    assert result.perfect == 0


def test_bits_are_the_cross_entropy():
    class Constant:
        def predict_on_batch(self, inputs):
            return np.zeros((*inputs.shape[:2], 2))

    (result,) = evaluate(Constant(), TASK, [10], num_sequences=4)
    assert result.bits == pytest.approx(20)  # a bit for each of 10 x 2 bits
    assert "best_bits" not in result.values
    with pytest.raises(AttributeError, match="must be one of bit_errors, perfect, bit"):
        result.best_bits  # noqa: B018


def test_the_best_predictor_has_no_regret():
    task = tasks.DynamicNGrams(2, 50)

    class Best:
        def predict_on_batch(self, inputs):
            chances = task.evaluation.at_length(inputs.shape[1]).solve(inputs)
            return np.log(chances / (1 - chances))

    for result in evaluate(Best(), task, num_sequences=50):
        assert result.bits == pytest.approx(result.best_bits, rel=1e-6)
        assert 0.5 * result.length < result.bits < result.length


def test_lengths_default_to_those_of_the_task():
    results = evaluate(Solver(TASK), TASK, num_sequences=1)
    assert tuple(r.length for r in results[1:]) == TASK.eval_lengths
    assert results[0].size == "1-3"


def test_long_sequences_are_evaluated_in_small_batches():
    class Watch(Solver):
        largest = 0

        def predict_on_batch(self, inputs):
            self.largest = max(self.largest, inputs.shape[0] * inputs.shape[1])
            return super().predict_on_batch(inputs)

    watch = Watch(TASK)
    evaluate(watch, TASK, [3000], num_sequences=4)
    assert watch.largest <= 20_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lengths": [0]}, "must be a positive integer. Received"),
        ({"num_sequences": 0}, "`num_sequences` must be a positive integer"),
        ({"seed": -1}, "`seed` must be a non-negative integer"),
        (
            {"lengths": [10**6]},
            "`length` must be an integer of at most 10000. Received: length=1000000",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        evaluate(Solver(TASK), TASK, **arguments)


def test_kinds_of_errors_are_counted_separately():
    task = tasks.RepeatCopy(2, 1, 2, 1, 3)

    class NoEndMarker(Solver):
        def predict_on_batch(self, inputs):
            logits = super().predict_on_batch(inputs)
            logits[..., -1] = -1
            return logits

    for result in evaluate(NoEndMarker(task), task, num_sequences=10):
        assert (result.vector_errors, result.marker_errors) == (0.0, 1.0)
        assert result.bit_errors == 1.0 and result.perfect == 0.0


def test_errors_beside_a_wrong_end_marker_count_as_its_errors():
    """Two vectors of 1s, three times: steps 4 to 9; the end at step 10."""
    task = tasks.RepeatCopy(2, 2, 2, 3, 3)
    inputs = np.zeros((1, 11, 4), np.float32)
    inputs[0, :2, :2] = 1
    inputs[0, 2, 3] = task.sample(1, 0).inputs[0, 2, 3]
    inputs[0, 3, 2] = 1
    right = task.solve(inputs) > 0
    outputs = right.copy()
    outputs[0, 6] = [False, False, True]  # an early end, and no vector with it
    outputs[0, 8] = [False, True, True]  # an early end beside a wrong vector
    outputs[0, 9, 0] = False  # a wrong bit
    outputs[0, 10] = [True, True, False]  # no end, but one more round
    parts = task.error_parts(outputs != right, outputs)
    assert {name: np.argwhere(part[0]).tolist() for name, part in parts.items()} == {
        "vector_errors": [[8, 0], [9, 0]],
        "marker_errors": [[6, 0], [6, 1], [6, 2], [8, 2], [10, 0], [10, 1], [10, 2]],
    }


def test_sizes_say_what_is_beyond_training():
    task = tasks.RepeatCopy(2, 1, 2, 1, 3)
    results = evaluate(Solver(task), task, num_sequences=1)
    assert [(r.size, r.beyond) for r in results] == [
        ("1-2 x 1-3", False),
        ("2 x 3", False),
        ("4 x 3", True),
        ("2 x 6", True),
    ]


def test_a_range_of_sizes_is_evaluated_on_more_sequences():
    task = tasks.Copy(2, 1, 3)
    results = evaluate(Solver(task), task)
    assert [(r.size, r.sequences) for r in results] == [
        ("1-3", 1000),
        *((size, 100) for size in ("3", "6", "12", "18")),
    ]


def test_a_task_of_one_size_is_evaluated_once():
    for task in (tasks.Copy(2, 3, 3), tasks.PrioritySort(2, 4, 3)):
        sizes = [r.size for r in evaluate(Solver(task), task, num_sequences=1)]
        assert len(set(sizes)) == len(sizes)
        assert sizes[0] == task.evaluation.sizes


def test_the_first_result_is_of_the_sizes_of_training():
    class Short(Solver):
        """Right on sequences of one vector, all wrong on the others."""

        def predict_on_batch(self, inputs):
            logits = super().predict_on_batch(inputs)
            return np.where(inputs[:, 1:2, -1:] > 0, logits, -logits)

    task = tasks.Copy(2, 1, 4)
    several, *single = evaluate(Short(task), task, num_sequences=2000)
    assert several.perfect == pytest.approx(1 / 4, abs=0.04)
    assert {r.perfect for r in single} == {0}


def test_beyond_is_beyond_what_the_model_was_trained_on():
    trained = tasks.RepeatCopy(2, 1, 2, 1, 3)
    task = tasks.RepeatCopy(2, 1, 2, 5, 5)
    (result,) = evaluate(Solver(task), task, [2], num_sequences=1, trained=trained)
    assert (result.size, result.beyond) == ("2 x 5", True)


@pytest.mark.parametrize("order", [[10, 3], [3, 10]])
def test_a_value_that_not_every_result_has_is_an_empty_cell(order):
    task = tasks.OneShot(num_classes=2, instances=10)
    results = [
        EvaluationResult(f"{n}", n, False, 1, dict.fromkeys(names, 0.5))
        for n, names in ((n, [f"instance_{i}" for i in (1, 3, n)]) for n in order)
    ]
    headings, *rows = table_of(task, results)
    assert sorted(headings) == sorted(
        ["size", "instance 1", "instance 3", "instance 10", "sequences"]
    )
    cells = {row[0]: dict(zip(headings, row, strict=True)) for row in rows}
    assert cells["3"]["instance 10"] == ""
    assert cells["10"]["instance 10"] == cells["3"]["instance 3"] == "50.0%"


def test_table_has_a_column_for_each_value():
    task = tasks.RepeatCopy(2, 1, 2, 1, 3)
    headings, *rows = table_of(task, evaluate(Solver(task), task, num_sequences=4))
    assert headings == [
        *("size", "wrong bits", "perfect", "bits"),
        *("wrong in vectors", "wrong in end marker", "sequences"),
    ]
    assert rows[0][:3] == ["1-2 x 1-3", "0.000", "100%"]
    assert rows[0][-1] == "4"
    assert all(len(row) == len(headings) for row in rows)


class Forgetful(Solver):
    """A model that solves sequences of the task up to a length, and of each longer one
    a share."""

    def __init__(self, task, longest, share=0.0):
        super().__init__(task)
        self.longest = longest
        self.share = share
        self.lengths = []

    def predict_on_batch(self, inputs):
        logits = super().predict_on_batch(inputs)
        length = (inputs.shape[1] - 1) // 2  # of copy
        self.lengths.append(length)
        if length > self.longest:
            logits[int(self.share * len(logits)) :] *= -1
        return logits


@pytest.mark.once
@pytest.mark.parametrize("longest", [0, 1, 2, 3, 4, 37, 38, 99, 100, 101])
def test_the_longest_right_length_is_found(longest):
    model = Forgetful(TASK, longest)
    found = longest_right(model, TASK, num_sequences=10, limit=100)
    assert found == min(longest, 100)
    assert model.lengths[0] == 3  # the longest of training
    assert len(model.lengths) == len(set(model.lengths)) < 25


@pytest.mark.once
def test_a_length_is_right_if_the_share_of_its_sequences_is():
    model = Forgetful(TASK, 5, share=0.9)
    assert longest_right(model, TASK, 0.9, num_sequences=10, limit=8) == 8
    assert longest_right(model, TASK, 0.91, num_sequences=10, limit=8) == 5


@pytest.mark.once
def test_a_task_without_short_sequences_is_tried_from_its_shortest_on():
    class Wrong:
        def predict_on_batch(self, inputs):
            return 1 - 2 * task.solve(inputs)

    task = tasks.AssociativeRecall(2, 1, 2, 4)
    assert longest_right(Wrong(), task, num_sequences=4, limit=9) == 0
    assert longest_right(Solver(task), task, num_sequences=4, limit=9) == 9


@pytest.mark.once
@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_from_0_to_1(share):
    with pytest.raises(ValueError, match="`share` must be"):
        longest_right(Forgetful(TASK, 5), TASK, share)


@pytest.mark.once
def test_a_task_without_perfect_sequences_has_no_longest_right_length():
    class Even:
        def predict_on_batch(self, inputs):
            return np.zeros((*inputs.shape[:2], 5), "float32")

    # Its first images can only be guessed.
    with pytest.raises(ValueError, match="`perfect`.*task=one-shot"):
        longest_right(Even(), tasks.OneShot(), num_sequences=2)
