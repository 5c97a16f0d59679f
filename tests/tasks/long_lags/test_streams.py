"""The grammar and the streams of bits, against other ways to make them."""

import re

import numpy as np
import pytest

import tasks
from tasks.long_lags.embedded_reber import SYMBOLS, EmbeddedReber, legal_symbols
from tasks.long_lags.temporal_xor import TemporalXOR
from tasks.long_lags.timed_spikes import TimedSpikes

TASK = EmbeddedReber()


def texts(split):
    batch = TASK.examples(split)
    found = []
    for inputs, targets, mask in zip(*batch, strict=True):
        steps = int(mask.sum())
        symbols = [*inputs[:steps].argmax(axis=1), targets[steps - 1, :7].argmax()]
        found.append("".join(SYMBOLS[i] for i in symbols))
    return found


def inner_strings(longest):
    """All strings of Reber's grammar up to a length, by its rules of replacement."""
    rules = {
        "a": ["Bb"],
        "b": ["Tc", "Pd"],
        "c": ["Sc", "Xe"],
        "d": ["Td", "Vf"],
        "e": ["Xd", "Sg"],
        "f": ["Pe", "Vg"],
        "g": ["E"],
    }
    open_strings, done = ["a"], set()
    while open_strings:
        text = open_strings.pop()
        if text[-1] not in rules:
            done.add(text)
            continue
        for right in rules[text[-1]]:
            if len(text) - 1 + len(right) <= longest:
                open_strings.append(text[:-1] + right)
    return done


INNER = inner_strings(12)


def test_strings_are_of_the_grammar():
    assert len(INNER) > 100
    for text in texts("train"):
        first, inner, last = text[1], text[2:-2], text[-2]
        assert text[0] == "B" and text[-1] == "E" and first == last and first in "TP"
        assert inner in INNER or len(inner) > 12
    assert {text[1] for text in texts("train")} == {"T", "P"}


def test_what_may_follow_is_what_follows_in_some_string():
    """By looking at all strings with the same beginning."""
    every = [f"B{told}{inner}{told}E" for inner in INNER for told in "TP"]
    short = [text for text in every if len(text) <= 12]
    assert len(short) > 20
    for text in short:
        legal = legal_symbols(text)
        assert legal.shape == (len(text) - 1, 7)
        for step, row in enumerate(legal):
            beginning = text[: step + 1]
            following = {t[step + 1] for t in every if t.startswith(beginning)}
            assert {SYMBOLS[i] for i in np.flatnonzero(row)} == following


def test_splits_have_different_strings():
    train, validation, test = map(texts, ("train", "validation", "test"))
    assert len(train) == len(validation) == len(test) == 256
    assert len({*train, *validation, *test}) == 3 * 256
    other = EmbeddedReber(data_seed=1).examples("train")
    assert other.inputs.shape[0] == 256


def test_the_solution_is_right_and_the_reverse_is_wrong():
    batch = TASK.examples("test")
    solved = TASK.solve(batch.inputs)
    counted = batch.mask > 0
    np.testing.assert_array_equal(solved[counted], batch.targets[counted][:, 7:])
    assert TASK.errors(batch, solved)["wrong"].sum() == 0
    assert TASK.errors(batch, 1 - solved)["wrong"].all()
    assert TASK.errors(batch, np.nan * solved)["wrong"].all()
    assert TASK.evaluation.is_right({"wrong": 0.0}) and not TASK.evaluation.is_right(
        {"wrong": 1 / 256}
    )


def test_an_answer_that_forgot_the_second_symbol_is_wrong():
    """A network without a long memory says T or P before the last."""
    batch = TASK.examples("test")
    outputs = TASK.solve(batch.inputs)
    places = batch.mask.sum(axis=1).astype(int) - 2
    for row, place in enumerate(places):
        outputs[row, place, [SYMBOLS.index("T"), SYMBOLS.index("P")]] = 1
    assert TASK.errors(batch, outputs)["wrong"].all()


@pytest.mark.parametrize("text", ["BTBX", "T", "BTBTXXVVPE", "BPBTSXST"])
def test_no_string_begins_so(text):
    with pytest.raises(ValueError, match="of the task embedded-reber. Received one"):
        legal_symbols(text)


def test_a_string_is_shown_with_what_may_follow():
    batch = TASK.sample(2, 1)
    shown = TASK.presentation.render(batch, np.zeros((2, batch.inputs.shape[1], 7)))
    first = shown.splitlines()[0].removeprefix("sequence 0: ")
    assert re.fullmatch("B[TP]B[BTPSXVE]*E[TP]E", first)
    assert shown.splitlines()[1].split()[2] == "T/P"


# --- temporal XOR ---


def test_every_third_bit_is_the_exclusive_or():
    batch = TemporalXOR(7).sample(50, 1)
    stream = np.concatenate([batch.inputs[:, :1], batch.targets], axis=1)[..., 0]
    assert stream.shape == (50, 21)
    triples = stream.reshape(50, 7, 3).astype(int)
    assert (triples[..., 0] ^ triples[..., 1] == triples[..., 2]).all()
    assert triples[..., :2].mean() == pytest.approx(0.5, abs=0.06)
    np.testing.assert_array_equal(batch.inputs[:, 1:], batch.targets[:, :-1])


@pytest.mark.parametrize("segments", [1, 20])
def test_the_best_costs_a_bit_for_each_coin(segments):
    task = TemporalXOR(segments)
    batch = task.sample(30, 1)
    chances = task.solve(batch.inputs)
    logits = np.log(chances) - np.log1p(-chances)
    errors = task.errors(batch, logits)
    np.testing.assert_allclose(errors["bits"], 2 * segments - 1, atol=1e-6)
    np.testing.assert_allclose(errors["best_bits"], 2 * segments - 1, atol=1e-6)
    assert not errors["third_bits"].any()
    np.testing.assert_array_equal(errors["coins"], errors["bit_errors"])
    # Guessing costs a bit each: the third bits are what can be won.
    guess = task.errors(batch, np.zeros_like(logits))["bits"]
    np.testing.assert_allclose(guess, 3 * segments - 1)
    assert task.success.reached({"bits_per_sequence": 2 * segments - 1})


def test_other_lengths_and_parameters():
    assert TemporalXOR().evaluation.at_length(40) == TemporalXOR(40)
    with pytest.raises(ValueError, match="`segments` must be a positive integer"):
        TemporalXOR(0)
    with pytest.raises(ValueError, match="`strings` must be a positive integer"):
        EmbeddedReber(strings=0)
    assert set(tasks.TASKS) >= {"temporal-xor", "embedded-reber"}


# --- timed spikes ---


def counted(inputs, interval):
    """The answers of someone who counts steps since the last spike."""
    answers, since = [], None
    for spike in inputs:
        since = 0 if spike else None if since is None else since + 1
        answers.append(float(since == interval))
    return answers


@pytest.mark.parametrize("sizes", [(30, 10, 3), (1, 1, 1), (4, 1, 5)])
def test_a_spike_is_answered_after_the_interval(sizes):
    task = TimedSpikes(*sizes)
    interval, wait, spikes = sizes
    batch = task.sample(200, 1)
    assert batch.inputs.shape == (200, spikes * (interval + wait), 1)
    assert (batch.inputs.sum(axis=1) == spikes).all()
    assert (batch.targets.sum(axis=1) == spikes).all()
    for inputs, targets in zip(*(part[..., 0] for part in batch[:2]), strict=True):
        assert counted(inputs, interval) == targets.tolist()
    # Each time to wait is drawn.
    times = np.nonzero(batch.inputs[..., 0])[1].reshape(200, spikes)
    assert {*times[:, 0]} == set(range(wait))
    gaps = {*np.diff(times).ravel().tolist()}
    assert gaps == (
        set(range(interval + 1, interval + wait + 1)) if spikes > 1 else set()
    )


def test_an_answer_a_step_late_has_two_wrong_bits():
    task = TimedSpikes(5, 3, 2)
    batch = task.sample(9, 1)
    logits = 2 * batch.targets - 1
    assert not task.errors(batch, logits)["bit_errors"].any()
    late = np.roll(logits, 1, axis=1)
    in_time = batch.targets[:, -1, 0] == 0
    assert (task.errors(batch, late)["bit_errors"][in_time] == 4).all()
    assert not task.errors(batch, -np.ones_like(logits))["perfect"].any()


def test_spikes_that_overlap_are_no_sequence_of_the_task():
    inputs = np.zeros((1, 8, 1))
    inputs[0, [1, 4]] = 1
    assert TimedSpikes(2).solve(inputs)[0, :, 0].nonzero()[0].tolist() == [3, 6]
    with pytest.raises(ValueError, match="has a spike before the answer to another"):
        TimedSpikes(3).solve(inputs)
    with pytest.raises(ValueError, match="`wait` must be a positive integer"):
        TimedSpikes(wait=0)
    assert TimedSpikes().evaluation.at_length(9) == TimedSpikes(spikes=9)
