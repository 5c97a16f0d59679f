"""What every task that writes characters promises."""

import dataclasses
import json
import random

import hypothesis
import numpy as np
import pytest
from cases import cases
from conformance.task_descriptors import small_tasks
from fuzz.judge import check_error
from hypothesis import strategies as st

from tasks import TASKS, Batch
from tasks.contract.splits import SPLITS
from tasks.registry import get_model
from tasks.runs import TrainingConfig
from tasks.text.characters.addition import Addition
from tasks.text.characters.alphabet import BLANK, Alphabet
from tasks.text.characters.base import CharacterTask
from tasks.text.characters.curriculum import STRATEGIES, split_of
from tasks.text.characters.learning_to_execute import LearningToExecute
from tasks.text.characters.memorization import Memorization
from tasks.training.data import TaskSequence

SMALL = small_tasks(CharacterTask)
NAMES = list(SMALL)


@pytest.fixture(params=NAMES)
def task(request):
    return SMALL[request.param]


def sources(task, batch):
    return [task.source_of(inputs) for inputs in batch.inputs]


def answers(task, batch):
    return [
        task.alphabet.text(row[mask > 0])
        for row, mask in zip(batch.targets, batch.mask, strict=True)
    ]


def right_logits(task, batch):
    """Outputs of a model that is right, and sure of it."""
    return 9.0 * np.eye(task.output_size)[batch.targets]


def test_shapes_are_those_announced(task):
    inputs, targets, mask = task.sample(7, rng=1)
    assert inputs.shape == targets.shape == mask.shape == (7, task.steps)
    assert inputs.dtype == targets.dtype == np.int32 and mask.dtype == np.float32
    read = task.inputs()
    assert read.shape == (None, None) and read.dtype == "int32"
    assert task.every_step and task.output_size == task.alphabet.size


def test_a_step_that_counts_asks_for_the_character_that_is_read_next(task):
    """With teacher forcing the inputs are the source, `ask`, and the answer."""
    batch = task.sample(50, rng=2)
    for inputs, targets, mask in zip(*batch, strict=True):
        text = task.alphabet.text(inputs)
        source, answer = text.split(task.ask)
        due = np.flatnonzero(mask)
        assert due.tolist() == list(range(len(source), len(text)))
        assert task.alphabet.text(targets[due]) == answer + task.stop
        assert task.stop not in text and not inputs[len(text) :].any()
        assert not targets[mask == 0].any()


def test_targets_are_the_solution(task):
    batch = task.sample(64, rng=3)
    np.testing.assert_array_equal(task.solve(batch.inputs), batch.targets)
    # Only the source is read: without the answer the solution is the same.
    asked = np.where(batch.mask.cumsum(axis=1) > 1, BLANK, batch.inputs)
    np.testing.assert_array_equal(task.solve(asked), batch.targets)


def test_same_seed_gives_same_batch_and_another_another(task):
    for one, two in zip(task.sample(4, rng=5), task.sample(4, rng=5), strict=True):
        np.testing.assert_array_equal(one, two)
    assert (task.sample(4, rng=5).inputs != task.sample(4, rng=6).inputs).any()
    rng = np.random.default_rng(5)
    assert (task.sample(4, rng).inputs != task.sample(4, rng).inputs).any()


def test_splits_share_no_source(task):
    drawn = {
        split: set(sources(task, task.on(split).sample(99, 1))) for split in SPLITS
    }
    for split, found in drawn.items():
        assert {split_of(source) for source in found} == {split}
    assert task.split == "train" and task.evaluation.eval_tasks[0].split == "validation"
    with pytest.raises(ValueError, match="`split` must be one of 'train', "):
        task.on("dev")


@pytest.mark.parametrize(
    "smallest", [Addition(digits=1), LearningToExecute(1, 1), Memorization(digits=1)]
)
def test_the_smallest_tasks_have_sources_in_every_split(smallest):
    for split in SPLITS:
        assert smallest.on(split).sample(2, 0).mask.any()


def test_a_third_of_the_sources_is_in_each_split():
    rng = random.Random(1)
    found = [split_of(Addition().draw_example(rng)[0]) for _ in range(6000)]
    for split in SPLITS:
        # Four standard deviations of a share of one third.
        assert abs(found.count(split) - 2000) < 4 * (6000 * 2 / 9) ** 0.5


def test_a_split_is_the_same_in_every_process():
    """CRC-32 of a text is a published function: that of "123456789" is 0xCBF43926."""
    assert split_of("123456789") == SPLITS[0xCBF43926 % 3]


# --- measures ---


def test_right_outputs_have_no_error_and_a_wrong_character_is_one(task):
    batch = task.sample(3, rng=4)
    logits = right_logits(task, batch)
    errors = task.errors(batch, logits)
    assert errors["forced_answers"].tolist() == [1, 1, 1]
    assert errors["forced_characters"].tolist() == [1, 1, 1]
    first = int(batch.mask[1].argmax())
    logits[1, first] = -logits[1, first]
    logits[:, 0] = 0  # no answer is due at the first step
    errors = task.errors(batch, logits)
    assert errors["forced_answers"].tolist() == [1, 0, 1]
    count = batch.mask[1].sum()
    np.testing.assert_allclose(errors["forced_characters"], [1, 1 - 1 / count, 1])
    # NumPy's largest of several numbers is one that is none.
    last = int(np.flatnonzero(batch.mask[2])[-1])
    logits[2, last, batch.targets[2, last]] = np.nan
    assert task.errors(batch, logits)["forced_answers"].tolist() == [1, 0, 0]


def test_keras_measures_agree_with_the_errors(task):
    batch = task.sample(20, rng=5)
    logits = np.random.default_rng(0).normal(size=(*batch.inputs.shape, 1)).astype("f4")
    logits = logits * 4 + right_logits(task, batch).astype("f4")
    wrong = np.random.default_rng(1).random(batch.inputs.shape) < 0.2
    logits[wrong] = -logits[wrong]
    logits[0, 0, 0] = np.nan
    expected = task.errors(batch, logits)
    for measure in task.measures():
        measure.update_state(batch.targets, logits, sample_weight=batch.mask)
        values = np.concatenate([[0], expected[measure.name][1:]])
        assert float(measure.result()) == pytest.approx(values.mean(), abs=1e-6)
        assert 0 < values.mean() < 1


def test_loss_is_the_cross_entropy_of_the_characters_that_count(task):
    batch = task.sample(8, rng=6)
    logits = np.random.default_rng(0).normal(size=(*batch.inputs.shape, 1)) + (
        np.random.default_rng(1).normal(size=task.output_size)
    )
    total = 0.0
    for targets, mask, rows in zip(batch.targets, batch.mask, logits, strict=True):
        for target, row in zip(targets[mask > 0], rows[mask > 0], strict=True):
            total += np.log(np.exp(row).sum()) - row[target]
    found = task.loss()(batch.targets, logits.astype("f4"), sample_weight=batch.mask)
    assert float(found) == pytest.approx(total / batch.mask.sum(), rel=1e-5)


def test_is_right_asks_for_answers_without_teacher_forcing(task):
    assert task.evaluation.is_right({"answers": 0.995, "forced_answers": 0.0})
    assert not task.evaluation.is_right({"answers": 0.98, "forced_answers": 1.0})
    assert task.success.measure == "forced_answers"
    assert all(column.higher_is_better for column in task.columns.values())


# --- strategies ---


def test_stages_grow_to_the_task(task):
    stages = task.stages
    assert dataclasses.replace(stages[-1], strategy=task.strategy) == task
    assert all(stage.strategy == "baseline" for stage in stages)
    assert set(stages[0].size) == {1}
    sizes = [stage.size for stage in stages]
    assert len(set(sizes)) == len(sizes) == np.prod(task.size)
    assert all(stage.steps <= task.steps for stage in stages)


def stage_sizes(task, share, count=400):
    """The sizes of the tasks that blocks are drawn from."""
    rng = np.random.default_rng(0)
    return [task.stream.stage(share, rng) for _ in range(count)]


def test_naive_goes_through_the_stages_in_order(task):
    naive = dataclasses.replace(task, strategy="naive")
    count = len(task.stages)
    for index, stage in enumerate(task.stages):
        found = stage_sizes(naive, (index + 0.5) / count, 5)
        assert [at.size for at in found] == [stage.size] * 5
    assert stage_sizes(naive, 1.0, 1) == [naive]
    batches = naive.stream.sample(9, 3), naive.sample(9, 3)
    np.testing.assert_array_equal(batches[0].inputs, batches[1].inputs)


def test_combined_draws_one_block_in_five_of_any_stage(task):
    combined = dataclasses.replace(task, strategy="combined")
    found = stage_sizes(combined, 0.0)
    mixed = [at for at in found if at.strategy == "mix"]
    # Four standard deviations of a share of one fifth.
    assert abs(len(mixed) - 80) < 4 * (400 * 0.16) ** 0.5
    assert {at.size for at in mixed} == {task.size}
    assert {at.size for at in found if at not in mixed} == {task.stages[0].size}
    assert stage_sizes(combined, 1.0, 1) == [combined]


@pytest.mark.parametrize("strategy", ["baseline", "mix"])
def test_strategies_without_a_schedule_have_no_curriculum(task, strategy):
    fixed = dataclasses.replace(task, strategy=strategy)
    assert stage_sizes(fixed, 1.0, 1) == [fixed]
    with pytest.raises(
        ValueError,
        match=f"`curriculum` must be 0 for .* Received: strategy='{strategy}'",
    ):
        fixed.stream.easier(0.5)


def digits_of(task, batch):
    """The stage of each sequence of a task that memorizes."""
    return np.array([len(answer) - 1 for answer in answers(task, batch)])


def test_mix_draws_every_stage_as_often_and_combined_one_in_five():
    task = Memorization(digits=4, strategy="mix")
    counts = np.bincount(digits_of(task, task.stream.sample(4000, 1)))[1:]
    assert np.all(abs(counts - 1000) < 4 * (4000 * 3 / 16) ** 0.5)
    task = Memorization(digits=4, strategy="combined")
    counts = np.bincount(digits_of(task, task.stream.sample(4000, 1)))[1:]
    # One fifth of a quarter of the sequences for each smaller stage.
    assert np.all(abs(counts[:3] - 200) < 4 * (4000 * 0.05 * 0.95) ** 0.5)
    assert set(digits_of(task, task.sample(99, 1))) == {4}


def test_mix_draws_length_and_nesting_independently():
    task = LearningToExecute(length=3, nesting=2, strategy="mix")
    assert [stage.size for stage in task.stages] == [
        *((1, 1), (2, 1), (3, 1)),
        *((1, 2), (2, 2), (3, 2)),
    ]


def training_stream(task, batch_size, **options):
    """All sequences of a training, in order, as one batch."""
    config = TrainingConfig(sequences=4800, batch_size=batch_size, **options)
    config = config.resolved(task, get_model("lstm"))
    batches = TaskSequence(task, config)
    drawn = []
    for batches.epoch in range(config.epochs):
        drawn += [batches[index] for index in range(len(batches))]
    return Batch(*(np.concatenate(arrays) for arrays in zip(*drawn, strict=True)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_training_follows_the_schedule_whatever_the_batch_size(strategy):
    """So a run that is resumed sees the same: nothing depends on what was learned."""
    task = Memorization(digits=4, strategy=strategy)
    options = {"curriculum": 0.5 if strategy in ("naive", "combined") else 0.0}
    batch = training_stream(task, 16, **options)
    for one, other in zip(batch, training_stream(task, 5, **options), strict=True):
        np.testing.assert_array_equal(one[: len(other)], other[: len(one)])
    eighths = digits_of(task, batch).reshape(8, -1)
    if strategy == "naive":
        expected = [1, 2, 3, 4, 4, 4, 4, 4]
        # The share of a block is that of its end: the last one is of the next stage.
        assert all((e[:-16] == n).all() for e, n in zip(eighths, expected, strict=True))
    elif strategy == "combined":
        commonest = [np.bincount(eighth).argmax() for eighth in eighths]
        assert commonest == [1, 2, 3, 4, 4, 4, 4, 4]
        assert all(set(eighth) == {1, 2, 3, 4} for eighth in eighths)
    else:
        every = {1, 2, 3, 4} if strategy == "mix" else {4}
        assert all(set(eighth) == every for eighth in eighths)


def test_training_sequences_are_of_the_training_split(task):
    for strategy in STRATEGIES:
        chosen = dataclasses.replace(task, strategy=strategy)
        found = sources(task, chosen.stream.sample(30, 1))
        assert {split_of(source) for source in found} == {"train"}


def test_evaluation_has_the_difficulty_of_the_task_and_says_the_split(task):
    (validation,) = task.evaluation.eval_tasks
    assert (validation.size, validation.split) == (task.size, "validation")
    assert (
        validation.evaluation.sizes.endswith(" validation")
        and task.evaluation.sizes in validation.evaluation.sizes
    )
    other = task.evaluation.at_length(1)
    assert other.size == (1, *task.size[1:]) and other.split == "validation"
    assert other.alphabet == task.alphabet


# --- texts ---


@pytest.mark.parametrize(
    ("task", "source", "answer"),
    [
        (Addition(), "345+678", "1023"),
        (Addition(digits=1), "9+9", "18"),
        (Addition(reverse_input=True), "876+543", "1023"),
        (Memorization(digits=3), "120", "120"),
        (Memorization(digits=3, reverse_input=True), "021", "120"),
        (Memorization(digits=3, double_input=True), "120;120", "120"),
        (Memorization(3, reverse_input=True, double_input=True), "021;021", "120"),
        (LearningToExecute(), "a=7;\nprint((a-9))", "-2"),
    ],
)
def test_answers_by_hand(task, source, answer):
    assert task.answer(source) == answer
    batch = task.batch_of([(source, answer)])
    np.testing.assert_array_equal(task.solve(batch.inputs), batch.targets)
    assert answers(task, batch) == [f"{answer}."]


def test_numbers_to_add_have_the_digits_of_the_task():
    batch = Addition(digits=2).sample(500, 1)
    numbers = [source.split("+") for source in sources(Addition(digits=2), batch)]
    values = np.array(numbers, int)
    assert values.min() >= 10 and values.max() <= 99
    # The mean of 10 to 99, within four standard errors.
    assert abs(values.mean() - 54.5) < 4 * 26 / 1000**0.5


def test_render_shows_the_source_as_it_is():
    task = LearningToExecute()
    batch = task.batch_of([("b=96\nfor x in range(7):b-=5\nprint(b)", "61")])
    logits = right_logits(task, batch)
    step = int(batch.mask[0].argmax())
    logits[0, step] = np.eye(task.output_size)[task.alphabet.tokens("-")[0]]
    assert task.presentation.render(batch, logits) == (
        "sequence 0\n  b=96\n  for x in range(7):b-=5\n  print(b)\n"
        "  target  61.\n  output  -1."
    )
    assert task.presentation.render(batch).endswith("  target  61.")


def test_the_picture_has_a_line_for_every_character_of_the_answer():
    task = Addition(digits=2)
    batch = task.batch_of([("85+15", "100")])
    figure = task.presentation.draw(batch, right_logits(task, batch), [])
    target, output = figure.axes
    lines = [label.get_text() for label in output.get_yticklabels()]
    assert lines == ["0", "1", "."]
    read = [label.get_text() for label in output.get_xticklabels()]
    assert "".join(read) == "85+15@100"
    drawn = target.images[0].get_array()
    assert np.argwhere(drawn.T).tolist() == [[5, 1], [6, 0], [7, 0], [8, 2]]


# --- wrong arguments ---


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Addition(digits=0), "`digits` must be a positive integer. Received"),
        (lambda: Addition(digits=19), "`digits` must be an integer of at most 18"),
        (
            lambda: Addition(strategy="easy"),
            "`strategy` must be one of 'baseline', 'na",
        ),
        (lambda: LearningToExecute(length=0), "`length` must be a positive integer"),
        (lambda: LearningToExecute(length=19), "`length` must be an integer of at mo"),
        (lambda: LearningToExecute(nesting=0), "`nesting` must be a positive integer"),
        (lambda: LearningToExecute(nesting=11), "`nesting` must be an integer of at"),
        (lambda: LearningToExecute(strategy=3), "`strategy` must be one of .* Rec"),
        (lambda: Memorization(digits=2.5), "`digits` must be a positive integer"),
        (lambda: Addition().alphabet.tokens("1+é"), r"`text` must have only .*: 'é'"),
        (lambda: Addition().batch_of([("1-1", "0")]), "`text` must have only .*: '-'"),
        (lambda: Addition().batch_of([("1" * 9, "1")]), "`texts` must have at most 7 "),
        (lambda: Addition().batch_of([("1", "12345")]), "`texts` must have at most 7 "),
        (lambda: Addition().solve([[1, 2, 3]]), "has no '@' after its source"),
        (lambda: Addition().solve([[1, 12]]), "addition. Received one that is not a s"),
        (lambda: Addition().solve([[1, 14]]), "`inputs` must be integers from 0 to 13"),
        (lambda: Addition().solve([[0.5]]), "`inputs` must be integers from 0 to 13"),
        (lambda: Addition().solve([1, 2]), "`inputs` must have the shape"),
        (
            lambda: LearningToExecute().solve([[1, 41]]),
            "learning-to-execute. Received one that is no program: no print at the end",
        ),
        (lambda: Addition().sample(0), "`batch_size` must be a positive integer"),
        (lambda: Addition().stream.sample(0), "`batch_size` must be a positive"),
        (
            lambda: Addition().evaluation.at_length(99),
            "`digits` must be an integer of at most 18",
        ),
        (lambda: Addition().stream.easier(1.5), "`share` must be a finite number"),
    ],
)
def test_wrong_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("flag", ["reverse_input", "double_input"])
def test_flags_are_true_or_false(flag):
    with pytest.raises(TypeError, match=f"`{flag}` must be True or False"):
        Memorization(**{flag: 1})


# --- properties ---


@st.composite
def drawn_tasks(draw):
    number = draw(st.sampled_from([int, np.int64, np.int8, np.uint8]))
    strategy, flags = draw(st.sampled_from(STRATEGIES)), st.booleans()
    name = draw(st.sampled_from(NAMES))
    if name == "learning-to-execute":
        length, nesting = draw(st.integers(1, 5)), draw(st.integers(1, 10))
        return LearningToExecute(number(length), number(nesting), strategy=strategy)
    digits, reverse = number(draw(st.integers(1, 12))), draw(flags)
    if name == "addition":
        return Addition(digits, reverse, strategy=strategy)
    return Memorization(digits, reverse, draw(flags), strategy=strategy)


@hypothesis.given(drawn_tasks(), st.integers(1, 4), st.integers(0, 2**70))
@cases(50)
def test_batches_are_as_documented(task, size, seed):
    for batch in (task.sample(size, seed), task.stream.sample(size, seed)):
        assert batch.inputs.shape == (size, task.steps)
        np.testing.assert_array_equal(task.solve(batch.inputs), batch.targets)
        assert set(np.unique(batch.mask)) == {0, 1}
        assert task.presentation.render(batch).count("sequence") == size
    assert TASKS[task.name](**json.loads(json.dumps(task.parameters))) == task


@hypothesis.given(drawn_tasks(), st.data())
@cases(60)
def test_any_inputs_are_solved_or_refused(task, data):
    tokens = st.integers(-1, task.input_size)
    if data.draw(st.booleans()):  # what a network may have written
        tokens = st.integers(0, task.input_size - 1)
    rows = data.draw(st.lists(st.lists(tokens, min_size=9, max_size=9), max_size=3))
    try:
        solved = task.solve(np.array(rows).reshape(-1, 9))
    except (ValueError, TypeError) as error:
        check_error(error, {"inputs"})
    else:
        assert solved.shape == (len(rows), 9)


@pytest.mark.parametrize("name", NAMES)
def test_render_refuses_what_is_not_a_batch(name):
    task = SMALL[name]
    batch = task.sample(2, 0)
    for arguments, argument in (
        ((None,), "batch"),
        ((Batch(batch.inputs[:1], batch.targets, batch.mask),), "batch"),
        ((Batch(batch.inputs, batch.targets, batch.mask[:, 1:]),), "batch"),
        ((Batch(batch.inputs, batch.targets + 99, batch.mask),), "batch"),
        ((batch, batch.targets), "outputs"),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            task.presentation.render(*arguments)
        check_error(caught.value, {argument})


@hypothesis.given(st.text("ab1 \n\u00e9\u2028", max_size=8))
@cases(50)
def test_a_text_and_its_tokens_are_the_same(text):
    alphabet = Alphabet("".join(dict.fromkeys(text)))
    assert alphabet.text(alphabet.tokens(text)) == text
    assert alphabet.size == len(set(text)) + 1
