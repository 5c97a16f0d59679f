"""Answers without teacher forcing: a model reads what it has written."""

import keras
import numpy as np
import pytest
from reference import lstm_step

import tasks
from tasks.evaluation import evaluate, table_of
from tasks.registry import get_model
from tasks.text.characters.addition import Addition
from tasks.text.characters.alphabet import BLANK
from tasks.text.characters.memorization import Memorization
from tasks.text.characters.writing import write_answers

TASK = Memorization(digits=4, strategy="baseline")
STOP = TASK.alphabet.tokens(".")[0]
STOP_OF_SUMS = Addition().alphabet.tokens(".")[0]
ASK = TASK.alphabet.tokens("@")[0]


class Rule:
    """A model that puts out, after each character, what a function of the text so far
    says."""

    def __init__(self, task, follows):
        self.task = task
        self.follows = follows
        self.calls = 0

    def predict_on_batch(self, inputs):
        self.calls += 1
        logits = np.zeros((*inputs.shape, self.task.output_size), np.float32)
        for row, sequence in enumerate(inputs):
            for step in range(len(sequence)):
                read = self.task.alphabet.text(sequence[: step + 1])
                found = self.follows(read) if self.task.ask in read else "0"
                logits[row, step, self.task.alphabet.tokens(found)[0]] = 1
        return logits


def repeat(read):
    source, _, answer = read.partition("@")
    return source[len(answer)] if len(answer) < len(source) else "."


def lose_place_after_nine(read):
    """Repeats the source, but after a 9 begins again."""
    source, _, answer = read.partition("@")
    place = answer[::-1].find("9") if "9" in answer else len(answer)
    return source[place] if place < len(source) else "."


def eight_for_nine(read):
    """Repeats the source with an 8 where it has a 9, but knows a 9 that it reads."""
    return repeat(read).replace("9", "8")


def written(task, model, batch, limit=9):
    stop = task.alphabet.tokens(task.stop)[0]
    found = write_answers(model, batch, stop, limit)
    return [task.alphabet.text(row) for row in found]


def test_a_model_that_is_right_writes_the_answers():
    batch = TASK.sample(20, rng=1)
    model = Rule(TASK, repeat)
    np.testing.assert_array_equal(
        write_answers(model, batch, STOP, TASK.longest_answer + 1), batch.targets
    )
    assert model.calls == 5  # four digits and the stop
    values, _ = TASK.evaluation.measured(model, batch)
    assert all(value.tolist() == [1.0] * 20 for value in values.values())


def test_a_character_that_is_written_is_the_next_input():
    batch = TASK.batch_of([("1290", "1290"), ("1234", "1234")])
    model = Rule(TASK, lose_place_after_nine)
    # 1, 2, 9; the 9 is not followed by 0, but by the first character again.
    assert written(TASK, model, batch, 5) == ["12912", "1234."]
    values, _ = TASK.evaluation.measured(model, batch)
    assert values["answers"].tolist() == [0, 1]
    np.testing.assert_allclose(values["characters"], [3 / 5, 1])


def test_teacher_forcing_hides_what_an_error_leads_to():
    """The 8 in place of a 9 is one wrong character where the right one is read next,
    and here it is also one without: the rule depends on its place only."""
    batch = TASK.batch_of([("1290", "1290")])
    values, _ = TASK.evaluation.measured(Rule(TASK, eight_for_nine), batch)
    assert values["forced_characters"].tolist() == [4 / 5]
    assert values["characters"].tolist() == [4 / 5]

    def lost_after_an_error(read):
        source, _, answer = read.partition("@")
        return eight_for_nine(read) if source.startswith(answer) else "0"

    values, _ = TASK.evaluation.measured(Rule(TASK, lost_after_an_error), batch)
    assert values["forced_characters"].tolist() == [4 / 5]
    # 1, 2, 8, 0, 0: the 0 of the answer is right by chance, the stop is wrong.
    np.testing.assert_allclose(values["characters"], [3 / 5])


def test_nothing_is_written_after_the_stop():
    batch = TASK.batch_of([("1234", "1234"), ("5678", "5678")])

    def stop_early(read):
        return "." if read.endswith("12") or read.count(".") else repeat(read)

    model = Rule(TASK, stop_early)
    assert written(TASK, model, batch) == ["12.", "5678."]
    values, _ = TASK.evaluation.measured(model, batch)
    np.testing.assert_allclose(values["characters"], [2 / 5, 1])
    assert values["answers"].tolist() == [0, 1]
    # Once all have stopped, the model is not run again.
    model.calls = 0
    assert written(TASK, model, TASK.batch_of([("1234", "1234")])) == ["12."]
    assert model.calls == 3


def test_an_answer_that_does_not_stop_is_wrong():
    batch = TASK.sample(3, rng=2)
    model = Rule(TASK, lambda read: "7")
    assert written(TASK, model, batch, limit=2) == ["77"] * 3
    assert written(TASK, model, batch) == ["77777"] * 3  # as many as the batch has room
    assert TASK.evaluation.measured(model, batch)[0]["answers"].tolist() == [0, 0, 0]


def test_the_model_does_not_see_the_right_answer():
    batch = TASK.sample(5, rng=3)

    class Watch(Rule):
        def predict_on_batch(self, inputs):
            first = (inputs == ASK).argmax(axis=1)
            for row, start in enumerate(first):
                assert (inputs[row, start + 1 + self.calls :] == BLANK).all()
            return super().predict_on_batch(inputs)

    before = batch.inputs.copy()
    assert written(TASK, Watch(TASK, lambda read: "5"), batch) == ["55555"] * 5
    np.testing.assert_array_equal(batch.inputs, before)


def test_a_keras_model_writes_as_an_lstm_that_reads_character_by_character():
    """The oracle is a loop in NumPy, one sequence and one character at a time."""
    keras.utils.set_random_seed(1)
    task = Addition(digits=2, strategy="baseline")
    model = get_model("lstm", task, num_layers=1, layer_size=8).build(task)
    # Large weights, so that what an untrained network writes is no constant.
    for weight in model.trainable_weights:
        weight.assign(6 * weight)
    *lstm, kernel, bias = (np.array(w) for w in model.trainable_weights)
    batch, limit = task.sample(6, rng=1), task.longest_answer + 1
    expected = []
    for inputs in batch.inputs:
        read = [*inputs[: inputs.tolist().index(task.alphabet.tokens("@")[0]) + 1]]
        state, answer = [np.zeros(8), np.zeros(8)], []
        while len(answer) < limit and not answer[-1:] == [STOP_OF_SUMS]:
            for token in read:
                _, state = lstm_step(np.eye(task.input_size)[token], state, lstm)
            answer.append(int(np.argmax(state[0] @ kernel + bias)))
            read = answer[-1:]
        expected.append(answer)
    found = write_answers(model, batch, STOP_OF_SUMS, limit)
    first = batch.mask.argmax(axis=1)
    for row, start, answer in zip(found, first, expected, strict=True):
        assert row[start : start + len(answer)].tolist() == answer
        assert not row[:start].any() and not row[start + len(answer) :].any()
    assert len({tuple(answer) for answer in expected}) > 2


def test_an_evaluation_has_both_ways_of_scoring():
    (result,) = evaluate(Rule(TASK, eight_for_nine), TASK, num_sequences=200)
    assert result.size == "4 validation"
    # Without a 9: 0.9 to the fourth of the numbers.
    assert result.answers == result.forced_answers
    assert result.answers == pytest.approx(0.9**4, abs=0.12)
    assert result.characters == result.forced_characters
    assert result.characters == pytest.approx(1 - 0.4 / 5, abs=0.03)
    headings = table_of(TASK, [result])[0]
    assert headings == [
        *("size", "answers", "characters"),
        *("answers (forced)", "characters (forced)", "sequences"),
    ]
    (test,) = evaluate(Rule(TASK, repeat), TASK, split="test", num_sequences=20)
    assert (test.size, test.answers) == ("4 test", 1.0)
    (short,) = evaluate(Rule(TASK, repeat), TASK, [2], num_sequences=20)
    assert (short.length, short.answers) == (2, 1.0)


def test_a_run_is_trained_resumed_and_evaluated(tmp_path):
    """With the schedule of the task, and its stages in one shape."""
    task = Memorization(digits=3, strategy="combined")
    model = get_model("lstm", task, num_layers=1, layer_size=4)
    options = {"sequences": 96, "batch_size": 16, "jit_compile": False}
    options |= {"progress": False, "curriculum": 0.5, "out": tmp_path}
    result = tasks.train(task, model, **options)
    values = result.summary["evaluation"][0]["values"]
    assert list(values) == [
        *("answers", "characters", "forced_answers", "forced_characters")
    ]
    assert {"forced_answers", "forced_characters"} <= set(result.history[0])
    run = tasks.open_run(tmp_path)
    assert run.task == task
    assert run.load_model().output_shape == (None, None, task.output_size)
