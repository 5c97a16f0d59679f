"""Promises that every task keeps, and what each task means."""

import dataclasses
import re

import numpy as np
import pytest

import tasks
from tasks import (
    TASKS,
    AssociativeRecall,
    Copy,
    DynamicNGrams,
    PrioritySort,
    RepeatCopy,
)
from tasks.models import get_model

SMALL = {
    "associative-recall": AssociativeRecall(num_bits=3, item_length=2, max_items=4),
    "copy": Copy(num_bits=3, min_length=2, max_length=5),
    "dynamic-ngrams": DynamicNGrams(context=2, num_steps=7),
    "priority-sort": PrioritySort(num_bits=3, num_vectors=6, num_outputs=4),
    "repeat-copy": RepeatCopy(num_bits=3, min_length=2, max_length=5, max_repeats=3),
}


EXACT = [name for name in sorted(TASKS) if TASKS[name].exact]


@pytest.fixture(params=sorted(TASKS))
def task(request):
    return SMALL[request.param]


@pytest.fixture(params=EXACT)
def exact_task(request):
    return SMALL[request.param]


def test_every_task_is_in_the_table():
    assert set(SMALL) == set(TASKS)


def test_targets_are_the_solution_under_the_mask(exact_task):
    batch = exact_task.sample(32, rng=1)
    shown = batch.mask[..., None] > 0
    np.testing.assert_array_equal(
        np.where(shown, exact_task.solve(batch.inputs), 0), batch.targets
    )


def test_shapes_are_those_announced(task):
    inputs, targets, mask = task.sample(7, rng=1)
    steps = inputs.shape[1]
    assert inputs.shape == (7, steps, task.input_size)
    assert targets.shape == (7, steps, task.target_size)
    assert mask.shape == (7, steps)
    assert {inputs.dtype, targets.dtype, mask.dtype} == {np.dtype(np.float32)}


def test_same_seed_gives_same_batch(task):
    for one, two in zip(task.sample(4, rng=5), task.sample(4, rng=5), strict=True):
        np.testing.assert_array_equal(one, two)


def test_other_seed_gives_other_batch(task):
    assert (task.sample(4, rng=5).inputs != task.sample(4, rng=6).inputs).any()


def test_a_generator_moves_on(task):
    rng = np.random.default_rng(5)
    assert (task.sample(4, rng).inputs != task.sample(4, rng).inputs).any()


def test_inputs_are_blank_while_the_answer_is_due(exact_task):
    batch = exact_task.sample(16, rng=2)
    assert not batch.inputs[batch.mask > 0].any()


def test_bits_are_fair(exact_task):
    batch = exact_task.sample(2000, rng=3)
    # The first two vectors of the answer, which every sequence has.
    steps = batch.mask.argmax(axis=1)[:, None] + [0, 1]
    answers = batch.targets[np.arange(2000)[:, None], steps, : exact_task.num_bits]
    # Four standard deviations of a fair coin.
    assert abs(answers.mean() - 0.5) < 4 * 0.5 / np.sqrt(answers.size)


def test_at_length_draws_only_that_length(task):
    longer = task.at_length(9)
    assert longer.train_lengths == (9, 9)
    assert longer.input_size == task.input_size
    assert longer.sample(3, rng=1).inputs.shape[1] > task.sample(3, 1).inputs.shape[1]


@pytest.mark.parametrize("length", [0, -1, 2.5, "9", True])
def test_at_length_refuses_what_is_no_length(task, length):
    with pytest.raises(
        ValueError, match=r"must be an integer of at least \d. Received"
    ):
        task.at_length(length)


@pytest.mark.parametrize("batch_size", [0, -1, 2.5, None])
def test_batch_size_must_be_positive(task, batch_size):
    with pytest.raises(ValueError, match="`batch_size` must be an integer of at least"):
        task.sample(batch_size)


def test_lengths_that_no_machine_holds_are_refused(task):
    with pytest.raises(ValueError, match="of at most 10000. Received"):
        task.at_length(10**6)
    longest = task.at_length(10_000)
    assert max(longest.eval_lengths) == 10_000


def test_every_parameter_is_checked(task):
    for field in dataclasses.fields(task):
        kind = "an integer" if field.type is int else "a finite number"
        with pytest.raises(ValueError, match=f"`{field.name}` must be {kind}"):
            dataclasses.replace(task, **{field.name: 0 if field.type is int else -1})


def test_batches_to_train_with_have_the_form_of_the_others(task):
    trained, drawn = task.sample_for_training(5, rng=1), task.sample(5, rng=1)
    for ours, theirs in zip(trained, drawn, strict=True):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
    assert not trained.targets[trained.mask == 0].any()
    for ours, again in zip(trained, task.sample_for_training(5, rng=1), strict=True):
        np.testing.assert_array_equal(ours, again)
    with pytest.raises(ValueError, match="`batch_size` must be"):
        task.sample_for_training(0)


def test_evaluation_goes_beyond_training(task):
    assert max(task.eval_lengths) > max(task.train_lengths)


def test_render_marks_exactly_the_wrong_bits(task):
    batch = task.sample(2, rng=1)
    logits = batch.targets * 2 - 1
    assert "x" not in task.render(batch, logits)
    step = int(np.flatnonzero(batch.mask[1])[0])
    logits[1, step, 0] *= -1
    first, second = task.render(batch, logits).split("\n\n")
    assert "x" not in first
    assert second.count("x") == 1


def test_unknown_task_is_refused_with_the_names_that_exist():
    from tasks.registry import get_task

    with pytest.raises(ValueError, match="repeat-copy. Received: task="):
        get_task("sort")


class TestCopy:
    def test_answer_is_the_sequence_one_step_after_the_delimiter(self):
        inputs, targets, mask = Copy(2, 3, 3).sample(1, rng=0)
        np.testing.assert_array_equal(inputs[0, :, 2], [0, 0, 0, 1, 0, 0, 0])
        np.testing.assert_array_equal(mask[0], [0, 0, 0, 0, 1, 1, 1])
        np.testing.assert_array_equal(targets[0, 4:], inputs[0, :3, :2])

    def test_every_length_in_the_range_is_drawn(self):
        lengths = Copy(2, 3, 6).sample(500, rng=1).mask.sum(axis=1)
        assert set(lengths) == {3, 4, 5, 6}

    def test_batches_have_one_shape(self):
        shapes = {Copy(2, 1, 6).sample(2, rng=seed).inputs.shape for seed in range(20)}
        assert shapes == {(2, 13, 3)}

    def test_render_draws_the_example_of_the_docstring(self):
        inputs = np.zeros((1, 7, 3), np.float32)
        inputs[0, :4] = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
        task = Copy(2, 1, 3)
        mask = np.array([[0, 0, 0, 0, 1, 1, 1]], np.float32)
        drawn = task.render(tasks.Batch(inputs, task.solve(inputs), mask))
        assert drawn.splitlines() == [
            "sequence 0",
            "   input  0 █·█····",
            "          1 ·██····",
            "          2 ···█···",
            "  target  0     █·█",
            "          1     ·██",
        ]

    def test_shortest_must_not_exceed_longest(self):
        with pytest.raises(ValueError, match="`min_length` must be at most"):
            Copy(8, 5, 4)

    def test_same_seed_gives_the_same_batch_for_ever(self):
        # No oracle but a pin, drawn once with NumPy 2.4: runs are repeated by seed.
        inputs = Copy(4, 2, 2).sample(1, rng=7).inputs
        assert inputs[0, :2, :4].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]


class TestPrioritySort:
    def test_answer_is_ordered_by_priority(self):
        inputs = np.zeros((1, 6, 4), np.float32)
        inputs[0, :, :2] = [[1, 0], [0, 1], [1, 1], [0, 0], [0, 0], [0, 0]]
        inputs[0, :3, 2] = [-0.7, 0.9, 0.1]
        inputs[0, 3, 3] = 1
        answer = PrioritySort(2, 3, 2).solve(inputs)[0, 4:]
        np.testing.assert_array_equal(answer, [[0, 1], [1, 1]])

    def test_the_target_depends_on_the_priorities(self):
        # A peer's generator sorts each column by itself, whatever the priorities.
        task = PrioritySort(4, 8, 8)
        inputs = task.sample(1, rng=1).inputs
        turned = inputs.copy()
        turned[..., 4] *= -1
        forward, backward = task.solve(inputs)[0, 9:], task.solve(turned)[0, 9:]
        np.testing.assert_array_equal(forward, backward[::-1])
        assert (forward != backward).any()

    def test_all_outputs_is_the_whole_sequence(self):
        inputs, targets, _ = PrioritySort(8, 20, 20).sample(1, rng=1)
        vectors = {tuple(vector) for vector in inputs[0, :20, :8]}
        assert {tuple(vector) for vector in targets[0, 21:]} == vectors

    def test_priorities_are_distinct_and_in_range(self):
        priorities = PrioritySort(2, 20, 4).sample(500, rng=1).inputs[:, :20, 2]
        assert all(len(set(row)) == 20 for row in priorities)
        assert -1 <= priorities.min() < -0.99 and 0.99 < priorities.max() <= 1

    def test_ties_are_drawn_again(self, monkeypatch):
        from tasks.algorithmic import priority_sort

        draws = iter([np.zeros((2, 3)), np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])])

        class Rng:
            def uniform(self, low, high, size):
                return next(draws)

        distinct = priority_sort._distinct_priorities(Rng(), 2, 3)
        assert (
            distinct.tolist() == np.float32([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]).tolist()
        )

    def test_no_more_outputs_than_vectors(self):
        with pytest.raises(ValueError, match="`num_outputs` must be at most"):
            PrioritySort(8, 4, 5)


class TestRepeatCopy:
    def example(self):
        task = RepeatCopy(2, max_length=2, max_repeats=2)
        inputs = np.zeros((1, 9, 4), np.float32)
        # Mean 5.5 and variance 8.25 of a number drawn evenly from 1 to 10.
        count = (2 - 5.5) / np.sqrt(8.25)
        inputs[0, :2, :2] = [[1, 0], [0, 1]]
        inputs[0, 2:4, 2:] = [[0, count], [1, 0]]
        mask = np.array([[0, 0, 0, 0, 1, 1, 1, 1, 1]], np.float32)
        return task, tasks.Batch(inputs, task.solve(inputs), mask)

    def test_answer_is_the_vectors_again_and_again_and_the_end_marker(self):
        _, batch = self.example()
        answer = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        np.testing.assert_array_equal(batch.targets[0, 4:], answer)

    def test_render_draws_the_example_of_the_docstring(self):
        task, batch = self.example()
        assert_drawn(task, batch)

    def test_a_delimiter_has_a_count_before_it(self):
        task, batch = self.example()
        with pytest.raises(ValueError, match="has no count before its delimiter"):
            task.solve(batch.inputs[:, 3:])

    def test_every_length_and_count_is_drawn(self):
        task = RepeatCopy(2, 1, 3, 2, 4)
        inputs, targets, mask = task.sample(1000, rng=1)
        lengths = inputs[..., 2].argmax(axis=1) - 1
        repeats = (targets[..., 2].argmax(axis=1) - 2) / lengths - 1
        assert set(zip(lengths, repeats, strict=True)) == {
            (length, count) for length in (1, 2, 3) for count in (2, 3, 4)
        }
        np.testing.assert_array_equal(mask.sum(axis=1), lengths * repeats + 1)

    def test_what_goes_on_after_the_end_are_the_vectors_but_the_first(self):
        task = RepeatCopy(2, 1, 3, 1, 4, go_on=1.0)
        batch = task.sample_for_training(200, rng=1)
        paper = task.sample(200, rng=1)
        np.testing.assert_array_equal(batch.inputs, paper.inputs)
        for sequence, target, mask, end in zip(
            *batch, paper.targets[..., 2].argmax(axis=1), strict=True
        ):
            length = int(sequence[:, 2].argmax()) - 1
            wanted, asked = np.zeros_like(target), np.zeros_like(mask)
            step = length + 2
            for _ in range(4):  # rounds, whatever the count
                for place in range(length):
                    if step < end or place > 0:
                        wanted[step, :2] = sequence[place, :2]
                        asked[step] = 1
                    step += 1
            wanted[end, 2] = asked[end] = 1
            np.testing.assert_array_equal(target, wanted)
            np.testing.assert_array_equal(mask, asked)

    @pytest.mark.parametrize("repeats", [(1, 10), (1, 20), (5, 5), (3, 4)])
    @pytest.mark.parametrize("scale", [2, 10, 100])
    def test_no_count_of_training_is_clipped(self, repeats, scale):
        task = RepeatCopy(2, 1, 2, *repeats, scale)
        largest = np.abs(task.sample(500, rng=1).inputs).max()
        for name in ("ntm-feedforward", "ntm-lstm"):
            assert largest <= get_model(name, task).input_clip < 2 * largest

    def test_a_share_goes_on_and_none_where_it_is_not_trained(self):
        task = RepeatCopy(2, 2, 3, 1, 3)
        paper = task.sample(4000, rng=1)
        trained = task.sample_for_training(4000, rng=1)
        longer = (trained.mask != paper.mask).any(axis=1)
        # Those of the most repeats have nowhere to go.
        assert np.mean(longer) == pytest.approx(task.go_on * 2 / 3, abs=0.03)
        np.testing.assert_array_equal(trained.targets[~longer], paper.targets[~longer])
        none = dataclasses.replace(task, go_on=0.0).sample_for_training(99, rng=1)
        for ours, theirs in zip(none, task.sample(99, rng=1), strict=True):
            np.testing.assert_array_equal(ours, theirs)

    @pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "a", None])
    def test_the_share_that_goes_on_is_a_share(self, share):
        with pytest.raises(ValueError, match="`go_on` must be"):
            RepeatCopy(go_on=share)

    def test_counts_have_mean_0_and_variance_1_in_training(self):
        counts = RepeatCopy().sample(20_000, rng=1).inputs[..., 9].sum(axis=1)
        assert abs(counts.mean()) < 4 / np.sqrt(20_000)
        assert counts.var() == pytest.approx(1, abs=0.03)

    def test_a_count_beyond_training_is_a_number_beyond_those_seen(self):
        task = RepeatCopy()
        seen = task.sample(1000, rng=1).inputs[..., 9]
        beyond = task.at_repeats(20).sample(1, rng=1).inputs[..., 9]
        assert beyond.max() > seen.max()
        assert task.at_repeats(20, length=3).train_lengths == (3, 3)


class TestAssociativeRecall:
    def example(self):
        task = AssociativeRecall(2, 2, 2, 2)
        inputs = np.zeros((1, 12, 4), np.float32)
        inputs[0, [0, 3], 2] = 1
        inputs[0, [6, 9], 3] = 1
        inputs[0, [1, 2, 4, 5], :2] = [[0, 1], [1, 1], [1, 0], [0, 1]]
        inputs[0, [7, 8], :2] = [[0, 1], [1, 1]]
        mask = np.zeros((1, 12), np.float32)
        mask[0, 10:] = 1
        return task, tasks.Batch(inputs, task.solve(inputs), mask)

    def test_answer_is_the_item_after_the_one_asked_for(self):
        _, batch = self.example()
        np.testing.assert_array_equal(batch.targets[0, 10:], [[1, 0], [0, 1]])

    def test_render_draws_the_example_of_the_docstring(self):
        task, batch = self.example()
        assert_drawn(task, batch)

    def test_every_item_but_the_last_is_asked_for(self):
        task = AssociativeRecall(num_bits=16, item_length=2, min_items=2, max_items=4)
        places = set()
        for sequence in task.sample(300, rng=1).inputs:
            starts = np.flatnonzero(sequence[:, 16])
            items = [sequence[s + 1 : s + 3, :16].tolist() for s in starts]
            query = np.flatnonzero(sequence[:, 17])[0] + 1
            asked = items.index(sequence[query : query + 2, :16].tolist())
            places.add((len(items), asked))
        assert places == {(2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2)}

    def test_items_are_alike_in_training_and_only_there(self):
        task = AssociativeRecall(num_bits=16, min_items=3, max_items=5, alike=1.0)

        def common(batch):
            """Of the items not asked for, the share with so many vectors in common."""
            counts = np.zeros(4)
            for sequence in batch.inputs:
                starts = np.flatnonzero(sequence[:, 16])
                query = np.flatnonzero(sequence[:, 17])[0] + 1
                wanted = sequence[query : query + 3, :16]
                same = [
                    int((sequence[s + 1 : s + 4, :16] == wanted).all(axis=1).sum())
                    for s in starts
                ]
                same.remove(3)  # the item itself
                counts += np.bincount(same, minlength=4)
            return counts / counts.sum()

        # By chance two vectors of 16 bits are never the same here.
        np.testing.assert_array_equal(common(task.sample(200, rng=1)), [1, 0, 0, 0])
        trained = task.sample_for_training(200, rng=1)
        np.testing.assert_array_equal(common(trained), [0, 1, 0, 0])
        np.testing.assert_array_equal(trained.targets, task.solve(trained.inputs))
        some = AssociativeRecall(num_bits=16, min_items=3, max_items=5)
        shares = common(some.sample_for_training(2000, rng=1))
        assert shares[1] == pytest.approx(some.alike, abs=0.02)

    def test_items_of_one_vector_are_never_alike(self):
        task = AssociativeRecall(num_bits=16, item_length=1, alike=1.0)
        for ours, theirs in zip(
            task.sample_for_training(50, rng=1), task.sample(50, rng=1), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)

    def test_the_first_of_two_equal_items_is_meant(self):
        task = AssociativeRecall(1, 1, 3, 3)
        inputs = np.zeros((1, 10, 3), np.float32)
        inputs[0, [0, 2, 4], 1] = 1
        inputs[0, [6, 8], 2] = 1
        inputs[0, [1, 5, 7], 0] = 1  # items 1, 0, 1; 1 is asked for
        assert task.solve(inputs)[0, 9, 0] == 0
        inputs[0, [1, 3], 0] = [0, 1]  # items 0, 1, 1; 1 is asked for
        assert task.solve(inputs)[0, 9, 0] == 1

    def test_a_single_item_has_no_answer(self):
        with pytest.raises(
            ValueError, match="`min_items` must be an integer of at lea"
        ):
            AssociativeRecall(min_items=1)


class TestDynamicNGrams:
    def test_render_draws_the_example_of_the_docstring(self):
        task = DynamicNGrams(1, 6)
        targets = np.array([[1, 0, 1, 0, 1, 1]], np.float32)[..., None]
        inputs = np.zeros_like(targets)
        inputs[:, 1:] = targets[:, :-1]
        assert_drawn(task, tasks.Batch(inputs, targets, np.ones((1, 6))))

    def test_each_step_sees_the_bit_before(self):
        inputs, targets, _ = DynamicNGrams(2, 9).sample(5, rng=1)
        np.testing.assert_array_equal(inputs[:, 1:], targets[:, :-1])
        assert not inputs[:, 0].any()

    def test_solution_counts_what_followed_each_context(self):
        # Bits 1 1 0 1 1 1; context of one. By hand, (N1 + 1/2) / (N1 + N0 + 1).
        inputs = np.array([[0, 1, 1, 0, 1, 1]], np.float32)[..., None]
        expected = [1 / 2, 1 / 2, 1.5 / 2, 1 / 2, 1.5 / 3, 2.5 / 4]
        got = DynamicNGrams(1, 6).solve(inputs)[0, :, 0]
        np.testing.assert_allclose(got, expected, rtol=1e-6)

    def test_optimum_is_that_of_the_paper(self):
        # 133 bits on average, section 4.4; and no constant predicts better than 200.
        inputs, targets, _ = DynamicNGrams().sample(2000, rng=1)
        chances = DynamicNGrams().solve(inputs)
        bits = -np.log2(np.where(targets > 0, chances, 1 - chances)).sum(axis=(1, 2))
        assert bits.mean() == pytest.approx(133, abs=4 * bits.std() / np.sqrt(2000))

    def test_tables_differ_from_sequence_to_sequence(self):
        # Over all sequences a bit is fair whatever came before.
        inputs, targets, _ = DynamicNGrams(1, 50).sample(4000, rng=1)
        after_one = targets[:, 10:][inputs[:, 10:] > 0].mean()
        within = targets[:, 10:, 0].mean(axis=1)
        assert after_one > 0.55  # a table that likes ones has more of them
        assert within.mean() == pytest.approx(0.5, abs=0.02)
        assert within.std() > 0.2

    def test_context_must_leave_a_bit_to_predict(self):
        with pytest.raises(ValueError, match="`context` must be less than `num_steps`"):
            DynamicNGrams(5, 5)


def assert_drawn(task, batch):
    """That the docstring of the task draws the batch, comments aside."""
    line = re.compile(r" *(input|target|) +(\d) (.*)")
    picture = [
        found.groups() for found in map(line.fullmatch, task_lines(task)) if found
    ]
    rendered = task.render(batch).splitlines()[1:]
    for (label, channel, glyphs), expected in zip(picture, rendered, strict=True):
        want = line.fullmatch(expected).groups()
        assert (label, channel) == want[:2]
        assert glyphs.startswith(want[2].rstrip())


def task_lines(task):
    return [at for at in type(task).__doc__.splitlines() if at.startswith(" " * 8)]
