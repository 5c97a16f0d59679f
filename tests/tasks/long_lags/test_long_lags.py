"""The tasks with one answer at the end, against the definitions of the paper."""

import math
import re

import numpy as np
import pytest

import tasks
from tasks.long_lags.base import PADDING
from tasks.long_lags.delayed_xor import DelayedXOR
from tasks.long_lags.long_lag import LongLag
from tasks.long_lags.marked_pairs import Adding, Multiplication
from tasks.long_lags.step_count import StepCount
from tasks.long_lags.temporal_order import SYMBOLS, TemporalOrder
from tasks.long_lags.two_sequence import TwoSequence

EXACT = [
    Adding(),
    Adding(10),
    Multiplication(),
    TemporalOrder(),
    TemporalOrder(3),
    LongLag("a", 10),
    LongLag("b", 10),
    LongLag("c", 7, 5),
    DelayedXOR(),
    DelayedXOR(10, outputs="sigmoid"),
    StepCount(),
    StepCount(10),
    TwoSequence(variant="a", informative=1),
    TwoSequence(variant="a"),
    TwoSequence(variant="c", informative=3),
    Adding(10, outputs="sigmoid"),
    TemporalOrder(outputs="sigmoid"),
    TwoSequence(variant="c", outputs="sigmoid"),
]
EVERY = [*EXACT, TwoSequence(variant="b")]


def name(task):
    return task.signature


def outputs_for(task, answers):
    """Outputs of a model whose answers these are."""
    if answers.ndim == 1:
        return 40.0 * np.eye(task.output_size)[answers] - 20
    if task.outputs == "sigmoid":
        certain = np.clip(answers[:, -1:], 1e-7, 1 - 1e-7)
        return np.log(certain / (1 - certain))
    return answers[:, -1:]


def rows(task, count=300, seed=1):
    """Sequences without padding, and their targets."""
    batch = task.sample(count, seed)
    return task.checked_sequences(batch.inputs), batch.targets


@pytest.mark.parametrize("task", EXACT, ids=name)
def test_the_solution_is_the_target(task):
    batch = task.sample(200, 3)
    solved = task.solve(batch.inputs)
    np.testing.assert_allclose(solved[..., -1:], batch.targets[..., -1:], atol=1e-6)
    outputs = outputs_for(task, solved)
    errors = task.errors(batch, outputs)
    assert errors["wrong"].sum() == 0 and errors["abs_error"].max() < 1e-6
    assert task.evaluation.is_right({"wrong": 0.0, "abs_error": 0.0})
    assert not task.evaluation.is_right({"wrong": 0.03, "abs_error": 0.0})


@pytest.mark.parametrize("task", EVERY, ids=name)
def test_sequences_end_together_and_have_the_lengths_of_the_task(task):
    batch = task.sample(300, 2)
    lengths = [len(sequence) for sequence in task.checked_sequences(batch.inputs)]
    least, most = task.steps
    assert least <= min(lengths) and max(lengths) <= most == batch.inputs.shape[1]
    assert (batch.inputs[:, -1] != PADDING).any(axis=1).all()
    for sequence, length in zip(batch.inputs, lengths, strict=True):
        assert (sequence[: most - length] == PADDING).all()
    assert batch.mask.shape == (300,) and batch.mask.all()
    same = task.sample(300, 2)
    for one, other in zip(batch, same, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("task", [Adding(), TwoSequence(), TemporalOrder()], ids=name)
def test_lengths_are_drawn_evenly(task):
    lengths = [len(sequence) for sequence in rows(task, 2200)[0]]
    counts = np.bincount(lengths)[100:]
    assert len(counts) == 11 and counts.min() > 140 and counts.max() < 260


@pytest.mark.parametrize("task", [Adding(40), Multiplication(40)], ids=name)
def test_two_numbers_are_marked(task):
    """One of the first ten and another of the first T/2; the ends have -1."""
    first, second = np.zeros(44), np.zeros(44)
    low = -1 if isinstance(task, Adding) else 0
    for sequence, target in zip(*rows(task, 3000), strict=True):
        numbers, marks = sequence.T
        assert low <= numbers.min() and numbers.max() <= 1
        assert marks[0] == marks[-1] == -1 and set(marks[1:-1]) <= {0, 1}
        places = np.flatnonzero(marks == 1)
        assert 1 <= len(places) <= 2 and places[0] < 20 and places[-1] < 20
        assert min(places) < 10 or len(places) == 1
        if len(places) == 2:
            x, y = numbers[places]
        else:  # the first pair had the other mark
            x, y = numbers[places[0]], 0 if low else 1
        expected = 0.5 + (x + y) / 4 if low else x * y
        assert target[0] == pytest.approx(expected, abs=1e-6)
        first[places[0]] += 1
        second[places[-1]] += 1
    assert (first[1:10] > 0).all() and (second[10:20] > 0).all()


def test_the_chance_that_the_first_pair_is_marked():
    """One tenth for the first mark, and 0.9 / 19 for the second."""
    sequences, _ = rows(Adding(40), 6000)
    lost = np.mean([(sequence[:, 1] == 1).sum() == 1 for sequence in sequences])
    assert lost == pytest.approx(0.1 + 0.9 / 19, abs=0.02)


@pytest.mark.parametrize("marks", [2, 3])
def test_the_order_of_the_xs_and_ys_is_the_class(marks):
    places = {2: [(10, 20), (50, 60)], 3: [(10, 20), (33, 43), (66, 76)]}[marks]
    names = {2: "XX XY YX YY", 3: "XXX XXY XYX XYY YXX YXY YYX YYY"}[marks].split()
    seen = set()
    task = TemporalOrder(marks)
    for sequence, target in zip(*rows(task, 400), strict=True):
        assert (sequence.sum(axis=1) == 1).all()
        text = "".join(SYMBOLS[i] for i in sequence.argmax(axis=1))
        assert re.fullmatch("E[abcdXY]{98,108}B", text)
        found = [at for at, symbol in enumerate(text) if symbol in "XY"]
        assert [
            low <= at <= high for at, (low, high) in zip(found, places, strict=True)
        ]
        assert names[target] == "".join(text[at] for at in found)
        seen.add(int(target))
    assert len(seen) == 2**marks
    assert "".join(task.classes) == {2: "QRSU", 3: "QRSUVABC"}[marks]


def test_one_bit_of_a_delayed_xor_tells_nothing():
    bits, answers = [], []
    for sequence, target in zip(*rows(DelayedXOR(), 4000), strict=True):
        first, second = np.flatnonzero(sequence[:, 1])
        assert first < len(sequence) / 10
        assert len(sequence) / 2 - 1 < second < 0.6 * len(sequence)
        bits.append(sequence[[first, second], 0])
        answers.append(target)
    bits, answers = np.array(bits), np.array(answers)
    np.testing.assert_array_equal(answers, bits.prod(axis=1) < 0)
    for bit in bits.T:
        # Four standard deviations of the mean of so many answers.
        assert abs(answers[bit > 0].mean() - 0.5) < 4 * 0.5 / math.sqrt(1900)
        assert abs(answers[bit < 0].mean() - 0.5) < 4 * 0.5 / math.sqrt(1900)


def test_steps_are_counted_from_the_signal_to_the_end():
    task, before = StepCount(50), {0: set(), 1: set()}
    for sequence, target in zip(*rows(task, 600), strict=True):
        text = task.text_of(sequence)
        assert text.count("x") == 1 and set(text) == {"x", "."}
        assert len(text) - text.index("x") == int(task.classes[target])
        before[int(target)].add(text.index("x"))
    assert task.classes == ("49", "50")
    assert before == {0: set(range(6)), 1: set(range(6))}


def test_the_three_variants_of_long_lags():
    for variant in "ab":
        sequences, targets = rows(LongLag(variant, 6), 200)
        for sequence, target in zip(sequences, targets, strict=True):
            symbols = sequence.argmax(axis=1)
            assert symbols[0] == 5 + target  # x, or y after it
            assert len(symbols) == 6 and symbols[1:].max() < 5
            if variant == "a":
                assert symbols[1:].tolist() == [0, 1, 2, 3, 4]
    task = LongLag("c", 6, 5)
    lengths = []
    for sequence, target in zip(*rows(task, 4000), strict=True):
        symbols = sequence.argmax(axis=1)
        assert symbols[0] == 7 and symbols[1] == 8 + target and symbols[-1] == 6
        assert symbols[2:-1].max() < 6
        lengths.append(len(symbols) + 1)  # with the symbol that is asked for
    assert min(lengths) == 5 + 4
    assert np.mean(lengths) == pytest.approx(5 + 13, abs=0.5)


def test_two_sequences_begin_with_their_class():
    for informative in (1, 3):
        numbers, targets = rows(TwoSequence(variant="a", informative=informative), 500)
        first = np.array([sequence[:informative, 0] for sequence in numbers])
        assert (first == np.where(targets > 0.5, 1, -1)).all()
        rest = np.concatenate([sequence[informative:, 0] for sequence in numbers])
        assert rest.mean() == pytest.approx(0, abs=0.02)
        assert rest.var() == pytest.approx(0.2, rel=0.03)
    numbers, targets = rows(TwoSequence(variant="b", informative=3), 2000)
    first = np.array([sequence[:3, 0] for sequence in numbers])
    noise = first - np.where(targets > 0.5, 1, -1)
    assert noise.var() == pytest.approx(0.2, rel=0.1)


def test_noisy_targets_have_their_means_beside_them():
    batch = TwoSequence(variant="c").sample(4000, 1)
    noisy, mean = batch.targets.T
    np.testing.assert_allclose(np.unique(mean), [0.2, 0.8], atol=1e-6)
    assert (noisy - mean).var() == pytest.approx(0.1, rel=0.1)
    assert np.mean(mean == batch.targets[0, 1]) == pytest.approx(0.5, abs=0.05)
    errors = TwoSequence(variant="c").errors(batch, mean[:, None] + 0.05)
    np.testing.assert_allclose(errors["abs_error"], 0.05, atol=1e-6)
    assert not errors["wrong"].any()


def test_noise_loses_the_sign_as_often_as_it_must():
    """Of the mean of three numbers with variance 0.2 each."""
    task = TwoSequence(variant="b", informative=3)
    batch = task.sample(8000, 1)
    lost = np.mean(task.solve(batch.inputs) != batch.targets)
    expected = 0.5 * math.erfc(1 / math.sqrt(0.2 / 3) / math.sqrt(2))
    assert lost == pytest.approx(expected, abs=4e-4)


@pytest.mark.parametrize("task", EVERY, ids=name)
def test_answers_beyond_the_tolerance_are_wrong(task):
    batch = task.sample(20, 1)
    if batch.targets.ndim == 1:
        logits = np.zeros((20, task.output_size))
        assert task.errors(batch, logits)["wrong"].all()
        chance = 1 - 1 / task.output_size
        mean = (chance + (task.output_size - 1) / task.output_size) / task.output_size
        mean = 0.5 if task.outputs == "sigmoid" else mean
        np.testing.assert_allclose(task.errors(batch, logits)["abs_error"], mean)
        return
    right = batch.targets[:, -1:]
    inwards = np.where(right < 0.5, 1, -1) * task.tolerance
    for shift, wrong in [(0.9, 0), (1.1, 1)]:
        outputs = outputs_for(task, right + shift * inwards)
        assert (task.errors(batch, outputs)["wrong"] == wrong).all()


@pytest.mark.parametrize("task", EVERY, ids=name)
def test_what_is_not_a_number_is_wrong(task):
    batch = task.sample(4, 1)
    outputs = np.full((4, task.output_size), np.nan)
    assert task.errors(batch, outputs)["wrong"].all()


@pytest.mark.parametrize("task", EVERY, ids=name)
def test_sequences_are_shown(task):
    batch = task.sample(2, 1)
    outputs = np.zeros((2, task.output_size))
    text = task.presentation.render(batch, outputs)
    assert text.count("sequence ") == 2 and text.count("output") == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Adding(9), "`min_steps` must be an integer of at least 10"),
        (lambda: Multiplication("100"), "`min_steps` must be"),
        (lambda: Adding(outputs="softmax"), "`outputs` must be one of 'linear', 'sig"),
        (lambda: TemporalOrder(outputs="linear"), "`outputs` must be one of 'softmax'"),
        (lambda: TemporalOrder(1), "`marks` must be an integer of at least 2"),
        (lambda: TemporalOrder(4), "`marks` must be an integer of at most 3"),
        (lambda: LongLag("d"), "`variant` must be one of 'a', 'b', 'c'"),
        (lambda: LongLag("a", 1), "`symbols` must be an integer of at least 2"),
        (lambda: LongLag("c", 5, 0), "`lag` must be a positive integer"),
        (lambda: TwoSequence(variant="x"), "`variant` must be one of 'a', 'b', 'c'"),
        (
            lambda: TwoSequence(variant="a", informative=0),
            "`informative` must be a positive integer",
        ),
        (
            lambda: TwoSequence(variant="a", informative=11, min_steps=10),
            "`informative` must be an integer of at mo",
        ),
        (lambda: Adding().sample(0), "`batch_size` must be a positive integer"),
        (
            lambda: Adding().solve(np.zeros((1, 20, 2))),
            "one that has not two marked numbers",
        ),
        (
            lambda: TemporalOrder().solve(np.eye(8)[None, :5]),
            r"one that is not E\.\.B with 2 of X and Y",
        ),
        (
            lambda: LongLag("c", 3, 2).solve(np.eye(7)[None, :3]),
            "one that has no x or y at step 1",
        ),
        (lambda: TwoSequence().solve(np.ones((1, 9, 1)) / 2), "begin with 1 or -1"),
        (lambda: DelayedXOR(9), "`min_steps` must be an integer of at least 10"),
        (lambda: DelayedXOR().solve(np.ones((1, 9, 2))), "bits of which two are mark"),
        (lambda: StepCount().solve(np.ones((1, 9, 1))), "not one signal of 99 or 100"),
    ],
)
def test_what_cannot_be_is_an_error(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# --- epochs ---

IN_A_ROW = [Adding(), Multiplication(), TemporalOrder(), LongLag()]


def resolved(task, model, **options):
    model = tasks.get_model(model, task)
    return tasks.TrainingConfig(**options).resolved(task, model)


@pytest.mark.parametrize("task", IN_A_ROW, ids=name)
@pytest.mark.parametrize("options", [{}, {"batch_size": 8}, {"batch_size": 7}])
def test_an_epoch_has_room_for_two_thousand_right_answers(task, options):
    for model in tasks.MODELS:
        config = resolved(task, model, **options)
        assert config.sequences_per_epoch >= 2_000, model


def test_epochs_that_leave_no_room_for_a_success_are_refused():
    message = re.escape(
        "`epoch_steps` must be at least 250 for the task adding with batches of 8, as "
        "its success takes an epoch of 2,000 sequences. Received: epoch_steps=249"
    )
    with pytest.raises(ValueError, match=message):
        resolved(Adding(), "gru", batch_size=8, epoch_steps=249)
    assert resolved(Adding(), "gru", batch_size=8, epoch_steps=250).epoch_steps == 250
    # The shares of wrong answers of these can be judged in any epoch.
    for task in (TwoSequence(), Multiplication(wrong_of_2000=13)):
        assert resolved(task, "gru", batch_size=8, epoch_steps=10).epoch_steps == 10


def test_a_budget_that_is_too_short_for_a_success_trains():
    config = resolved(Adding(), "gru", sequences=160, epoch_steps=2)
    assert config.sequences_per_epoch == 32 and config.epochs == 5


# --- networks ---


@pytest.mark.parametrize("model", Adding.recipe.compared_models)
def test_padding_changes_no_answer(model):
    """A sequence alone, and behind padding, has the same answer."""
    task = Adding(10)
    network = tasks.get_model(model, task).build(task)
    batch = task.sample(8, 1)
    together = np.asarray(network.predict_on_batch(batch.inputs))
    for sequence, expected in zip(
        task.checked_sequences(batch.inputs), together, strict=True
    ):
        alone = np.asarray(network(sequence[None]))[0]
        np.testing.assert_allclose(alone, expected, atol=1e-6)


@pytest.mark.slow
def test_an_lstm_with_a_long_memory_learns_the_first_symbol():
    result = tasks.train(
        LongLag("b", 12),
        "long-memory-lstm",
        seed=1,
        sequences=12_800,
        stop_when_solved=True,
        progress=False,
    )
    assert result.solved_at is not None
    assert result.history[-1]["right_in_a_row"] >= 2_000
    [found] = tasks.evaluate(result.model, result.task, num_sequences=500)
    assert found.wrong == 0


def test_lstm_1997_needs_whole_blocks():
    with pytest.raises(ValueError, match="`units` must be a multiple of the 3 blocks"):
        tasks.get_model("lstm-1997", units=4, blocks=3)


def first_weights(model, task):
    """The weights of the inputs of a new LSTM."""
    network = tasks.get_model("long-memory-lstm", task, **model).build(task)
    return np.abs(network.get_weights()[0])


def first_input_gate_bias(model, task):
    """The biases of the input gates of a new LSTM, its first quarter."""
    return model.build(task).get_weights()[2][: model.units]


def test_the_first_weights_of_the_inputs_fill_their_range():
    task = TwoSequence(10)
    usual = first_weights({}, task)
    assert usual.max() <= math.sqrt(6 / (1 + 4 * 64))  # Glorot, 1 input and 4 parts
    wide = first_weights({"input_range": 3}, task)
    assert 2.9 < wide.max() <= 3 and 1.2 < wide.mean() < 1.8
    with pytest.raises(ValueError, match="`input_range` must be a finite number at"):
        tasks.get_model("long-memory-lstm", task, input_range=-1)


@pytest.mark.parametrize(
    "task, one_of_many",
    [
        (TwoSequence(1_000, "b", 1), True),
        (TwoSequence(1_000, "a", 3), False),
        (TwoSequence(100, "b", 1), False),
    ],
)
def test_one_number_among_a_thousand_has_larger_weights(task, one_of_many):
    model = tasks.get_model("long-memory-lstm", task)
    assert model.input_range == (3 if one_of_many else 0)
    longest = task.steps[1]
    assert model.memory_steps == (10 * longest if one_of_many else longest)
    # The input gates of both begin alike, though one remembers ten times as long.
    bias = first_input_gate_bias(model, task)
    np.testing.assert_allclose(bias, -math.log(longest), rtol=1e-6)
    assert resolved(task, "long-memory-lstm").batch_size == (16 if one_of_many else 32)
    assert ("inputs:3" in model.signature) == one_of_many
