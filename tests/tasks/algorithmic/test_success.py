"""`Task.success` follows from the parameters: chance never counts as solved."""

import numpy as np
import pytest

from tasks import AssociativeRecall, Copy, DynamicNGrams, PrioritySort, RepeatCopy
from tasks.contract.success import Success


@pytest.mark.parametrize(
    ("success", "solved", "not_solved", "text"),
    [
        (Success("bit_errors", 0.5), 0.4, 0.5, "bit errors below 0.5"),
        (Success("accuracy", above=0.9), 0.95, 0.9, "accuracy above 0.9"),
        (Success("ratio", 2.0, 1.0), 1.5, 2.5, "ratio above 1 and below 2"),
        (Success("loss", 0.5), 0.4, float("nan"), "loss below 0.5"),
    ],
)
def test_success_is_strictly_within_its_bounds(success, solved, not_solved, text):
    assert success.reached({success.measure: solved})
    assert not success.reached({success.measure: not_solved})
    assert str(success) == text


def best_and_chance(task, count=4000):
    """Bits per sequence of the best possible probabilities, and of guessing."""
    batch = task.sample(count, rng=3)
    outputs = np.zeros(batch.targets.shape)
    values = task.errors(batch, outputs)
    return values["best_bits"].mean(), values["bits"].mean()


@pytest.mark.parametrize("num_steps", [100, 200, 400])
def test_ngrams_are_solved_between_the_best_possible_and_chance(num_steps):
    task = DynamicNGrams(num_steps=num_steps)
    best, chance = best_and_chance(task)
    assert chance == pytest.approx(num_steps)
    # At about two percent of the way from the best possible to chance.
    assert best < task.success.below < best + 0.05 * (chance - best)


def test_bounds_of_the_papers_sizes_are_those_of_earlier_versions():
    assert DynamicNGrams().success == Success("bits_per_sequence", 134.0)
    assert PrioritySort().success == Success("bits_per_sequence", 10.0)


SMALL = [
    *(Copy(bits, length, length) for bits in (1, 8) for length in (1, 20)),
    *(RepeatCopy(1, 1, 1, 1, repeats) for repeats in (1, 2, 10)),
    *(AssociativeRecall(bits, 1, 2, 2) for bits in (1, 6)),
    *(DynamicNGrams(context, context + 2) for context in (1, 5)),
    *(DynamicNGrams(context, 50) for context in (1, 5)),
    *(PrioritySort(bits, 2, outputs) for bits in (1, 8) for outputs in (1, 2)),
    PrioritySort(8, 20, 1),
]


@pytest.mark.parametrize("task", SMALL, ids=lambda task: task.signature)
@pytest.mark.parametrize("logit", [0.0, 1.0, -1.0])
def test_a_model_that_guesses_has_not_solved_the_task(task, logit):
    batch = task.sample(400, rng=1)
    values = task.errors(batch, np.full(batch.targets.shape, logit))
    row = {
        "bit_errors": values["bit_errors"].mean(),
        "bits_per_sequence": values["bits"].mean(),
    }
    assert not task.success.reached(row)


def test_fair_coins_are_never_solved():
    assert DynamicNGrams(5, 6).success is None


def test_large_contexts_need_little_memory():
    task = DynamicNGrams(16, 24)
    assert 23 < task.success.below <= 24


@pytest.mark.parametrize(
    "task", [task for task in SMALL if task.exact], ids=lambda task: task.signature
)
def test_the_best_possible_model_has_solved_the_task(task):
    batch = task.sample(400, rng=1)
    chances = np.clip(task.solve(batch.inputs), 1e-6, 1 - 1e-6)
    values = task.errors(batch, np.log(chances / (1 - chances)))
    row = {
        "bit_errors": values["bit_errors"].mean(),
        "bits_per_sequence": values["bits"].mean(),
    }
    assert task.success.reached(row)
