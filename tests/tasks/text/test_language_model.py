"""The task of a language model."""

import dataclasses
import math

import keras
import numpy as np
import pytest

import metrics
import tasks
from tasks import LanguageModeling
from tasks.contract.altered import altered
from tasks.evaluation import table_of
from tasks.registry import get_model
from tasks.text import base, language_evaluation, network
from tasks.text.network import NetworkModel
from tasks.text.probes import closing_probabilities
from tasks.text.vocabulary import CODE_POINTS
from tasks.text.windows import windows_in_order
from tasks.training.data import TaskSequence
from tasks.training_options.training_config import TrainingConfig

# See tests/tasks/conftest.py.
IN_GRAPHS = True

RHYME = "one two three four five. " * 40


class Silent:
    """A model that gives every character the same probability."""

    def __init__(self, task):
        self.size = task.output_size

    def predict_on_batch(self, inputs):
        return np.zeros((*inputs.shape, self.size))


@pytest.fixture
def short_pieces(monkeypatch):
    """Long texts are read in pieces of 16."""
    for module in (base, language_evaluation, network):
        monkeypatch.setattr(module, "PIECE", 16)


def test_a_batch_is_windows_of_the_training_part(book):
    batch = book.sample(50, 1)
    text = RHYME[:900]
    for inputs, targets, mask in zip(*batch, strict=True):
        read, due = map(book.vocabulary.decode, (inputs, targets))
        assert len(read) == len(due) == 12 and read[1:] == due[:-1]
        assert read + due[-1] in text
        np.testing.assert_array_equal(mask, [0] * 4 + [1] * 8)
    assert batch.inputs.dtype == np.int32
    starts = {book.vocabulary.decode(inputs) for inputs in batch.inputs}
    assert len(starts) > 15  # of 25 that there are


def test_a_batch_depends_on_seed_and_index_only(book):
    config = TrainingConfig(seed=3, sequences=3200, batch_size=32)
    one, other = TaskSequence(book, config), TaskSequence(book, config)
    other[5]
    for array, same in zip(one[7], other[7], strict=True):
        np.testing.assert_array_equal(array, same)
    assert (one[7][0] != one[8][0]).any()
    # Half the batch size: the same windows in the same order.
    halves = TaskSequence(book, dataclasses.replace(config, batch_size=16))
    np.testing.assert_array_equal(
        np.concatenate([halves[0][0], halves[1][0]]), one[0][0]
    )


def test_evaluation_reads_the_split_once_in_order(book, short_pieces):
    for split, text in (("validation", RHYME[900:950]), ("test", RHYME[950:])):
        task = book.on(split)
        evaluation = task.evaluation
        batches = list(evaluation.eval_batches(evaluation.num_eval_sequences, None))
        assert [batch.inputs.shape for batch in batches] == [(1, 16)] * 4
        counts = [batch.mask[0] > 0 for batch in batches]
        parts = zip(batches, counts, strict=True)
        read = [book.vocabulary.decode(b.inputs[0][c]) for b, c in parts]
        parts = zip(batches, counts, strict=True)
        due = [book.vocabulary.decode(b.targets[0][c]) for b, c in parts]
        assert "".join(read) == text[:-1] and "".join(due) == text[1:]
        model = Silent(book)
        weights = [evaluation.measured(model, batch)[1].tolist() for batch in batches]
        assert weights == [[16], [16], [16], [1]]


def test_an_evaluation_is_the_log_probability_of_the_whole_part(
    book, network, short_pieces
):
    """The state is carried: pieces of 16 are one stream of 49 predictions."""
    [result] = tasks.evaluate(network, book, split="test")
    text = RHYME[950:]
    tokens = book.vocabulary.encode(text)[None]
    logits = network.predict_on_batch(tokens[:, :-1]).astype(float)[0]
    values = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    values = values[np.arange(49), tokens[0, 1:]]
    expected = metrics.bits_per_character([values], [text[1:]])
    assert result.bits_per_character == pytest.approx(expected, rel=1e-5)
    assert result.accuracy == pytest.approx((logits.argmax(1) == tokens[0, 1:]).mean())
    assert (result.unknown, result.size, result.sequences) == (0, "test", 4)
    # From where nothing is read, the first character costs as much as any other.
    model = NetworkModel(network, book.vocabulary)
    found = model.log_probabilities(text)
    np.testing.assert_allclose(found[1:], values, atol=1e-5)
    assert found[0] == pytest.approx(-math.log(book.vocabulary.size))
    [first] = tasks.evaluate(network, book, split="test", num_sequences=1)
    assert first.bits_per_character == pytest.approx(-values[:16].mean() / math.log(2))


def test_another_text_than_that_of_the_run_is_read_whole(book, network, tmp_path):
    """Nothing of it was trained on. It may be shorter than what is trained on."""
    text = "five. four three. " * 5
    (tmp_path / "other.txt").write_text(text)
    other = tasks.altered(book, data=str(tmp_path / "other.txt"))
    [result] = tasks.evaluate(network, other)
    values = NetworkModel(network, book.vocabulary).log_probabilities(text)[1:]
    assert result.size == "all"
    bits = -values.mean() / math.log(2)
    assert result.bits_per_character == pytest.approx(bits, rel=1e-5)
    assert math.log2(metrics.perplexity([values])) == pytest.approx(bits)
    [result] = tasks.evaluate(network, other, split="test")
    assert (result.size, other.on("test").tokens.size) == ("test", 5)
    # The same text in another place was trained on.
    (tmp_path / "moved.txt").write_text(RHYME)
    [result] = tasks.evaluate(
        network, tasks.altered(book, data=str(tmp_path / "moved.txt"))
    )
    assert result.size == "validation"


def test_a_text_with_another_vocabulary_is_named_and_what_keeps_it(network, tmp_path):
    (tmp_path / "other.txt").write_text("ab" * 100)
    task = LanguageModeling(tmp_path / "other.txt")
    message = "must have the vocabulary that the model was trained with, of 14 tokens. "
    message += "Received: one of 3 tokens. .* `tasks.altered.run.task, data=....` keeps"
    with pytest.raises(ValueError, match=f"^`task` {message}"):
        tasks.evaluate(network, task)
    with pytest.raises(ValueError, match=f"^`vocabulary` {message}"):
        NetworkModel(network, task.vocabulary)


def test_a_split_of_few_characters_is_noted(tmp_path):
    path = tmp_path / "book.txt"
    for size, notes in ((19_000, 1), (20_000, 0)):
        path.write_text("ab" * (size // 2))
        task = LanguageModeling(path)
        for split in ("train", "validation", "test"):
            assert len(task.on(split).presentation.notes) == notes
        assert not task.on("all").presentation.notes
    path.write_text("ab" * 500)
    (note,) = LanguageModeling(path).on("test").presentation.notes
    assert note == (
        "The split test has 50 characters: bits per character of less than 1,000 are "
        "mostly chance."
    )


def test_unknown_characters_cost_their_share(tmp_path, network):
    """They are in the test part only, whose predictions are all but even."""
    path = tmp_path / "book.txt"
    path.write_text(RHYME[:975] + "éü" + RHYME[:23], encoding="utf-8")
    task = LanguageModeling(path)
    assert task.characters == "".join(sorted(set(RHYME)))
    [result] = tasks.evaluate(network, task, split="test")
    assert result.unknown == pytest.approx(2 / 49)
    values = NetworkModel(network, task.vocabulary)
    tokens = task.on("test").tokens[None]
    [found], _ = values.read(tokens, values.initial_states(1))
    cost = math.log(CODE_POINTS - len(task.characters))
    bits = (2 * cost - found[1:].sum()) / 49 / math.log(2)
    assert result.bits_per_character == pytest.approx(bits, rel=1e-5)
    [result] = tasks.evaluate(network, task)
    assert result.unknown == 0


def test_outputs_that_are_no_numbers_cost_infinitely(book):
    batch = book.sample(2, 1)
    outputs = np.zeros((2, 12, book.output_size))
    outputs[1, 6] = np.nan
    errors = book.errors(batch, outputs)
    assert errors["bits_per_character"].tolist() == [
        pytest.approx(math.log2(book.output_size)),
        math.inf,
    ]
    right = np.eye(book.output_size)[batch.targets]
    right[0, -1, batch.targets[0, -1]] = np.nan
    wrong = 1 / batch.mask[0].sum()
    assert book.errors(batch, right)["accuracy"].tolist() == pytest.approx(
        [1 - wrong, 1]
    )


def test_errors_count_what_the_mask_counts(book):
    batch = book.sample(2, 1)
    outputs = 50.0 * np.eye(book.output_size)[batch.targets]
    outputs[:, :4] = 0  # the context
    errors = book.errors(batch, outputs)
    np.testing.assert_allclose(errors["bits_per_character"], 0, atol=1e-12)
    np.testing.assert_array_equal(errors["accuracy"], 1)
    outputs[1, -1] = 50.0 * np.eye(book.output_size)[0]
    errors = book.errors(batch, outputs)
    np.testing.assert_allclose(
        errors["bits_per_character"], [0, 50 / math.log(2) / 8], atol=1e-9
    )
    np.testing.assert_array_equal(errors["accuracy"], [1, 7 / 8])


def test_chance_is_the_entropy_of_the_characters(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text("aabc" * 20)
    task = LanguageModeling(path, window=4, context=0)
    assert task.recipe.chance_loss == pytest.approx(1.5 * math.log(2))


def test_the_measure_of_training_is_in_bits(book):
    batch = book.sample(3, 1)
    outputs = np.random.default_rng(1).normal(size=(3, 12, book.output_size))
    [measure] = book.measures()
    measure.update_state(batch.targets, outputs, batch.mask)
    expected = book.errors(batch, outputs)["bits_per_character"].mean()
    assert float(measure.result()) == pytest.approx(expected, rel=1e-6)
    # A batch without numbers is left out; without any other there is no number.
    measure.update_state(batch.targets, np.full_like(outputs, np.nan), batch.mask)
    assert float(measure.result()) == pytest.approx(expected, rel=1e-6)
    measure.reset_state()
    measure.update_state(batch.targets, np.full_like(outputs, np.nan), batch.mask)
    assert np.isnan(float(measure.result()))
    loss = book.loss()(batch.targets, outputs, batch.mask)
    assert float(loss) / math.log(2) == pytest.approx(expected, rel=1e-6)


def test_a_run_knows_another_file(book, tmp_path):
    saved = dict(book.parameters)
    (tmp_path / "book.txt").write_text("oyster " * 200)
    again = LanguageModeling(**saved)
    # Names and sizes need no file.
    assert again == book and again.signature == book.signature
    assert again.input_size == 14
    with pytest.raises(ValueError, match="`data` must be the file of the run, whose"):
        again.sample(1, 1)
    # On purpose: the vocabulary stays.
    (tmp_path / "new.txt").write_text("oyster " * 200)
    other = altered(again, data=str(tmp_path / "new.txt"))
    assert set(other.vocabulary.decode(other.sample(1, 1).inputs[0])) <= set(
        "oter \ufffd"
    )
    assert altered(book, window=20).digest == book.digest


def test_the_signature_names_the_file_and_its_checksum(book):
    assert book.signature == (
        f"language-model|data:book.txt|sha256:{book.digest[:12]}|unit:character"
        "|characters:13|window:12|context:4"
    )


def test_windows_are_drawn_as_text(book):
    batch = book.sample(2, 1)
    outputs = 9.0 * np.eye(book.output_size)[batch.targets]
    drawn = book.presentation.render(batch, outputs).splitlines()
    read = book.vocabulary.decode(batch.inputs[0])
    due = book.vocabulary.decode(batch.targets[0])
    assert drawn[0] == "sequence 0" and drawn[1] == f"   input  {read}".rstrip()
    assert drawn[2] == f"  target      {due[4:]}".rstrip()
    assert drawn[3] == drawn[2].replace("target", "output")
    assert len(drawn) == 9
    figure = book.presentation.draw(batch, outputs, [])
    shown = "".join(text.get_text() for text in figure.axes[0].texts)
    assert shown == due


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"unit": "word"}, "`unit` must be one of 'character'"),
        ({"window": 1}, "`window` must be an integer of at least 2"),
        ({"context": -1}, "`context` must be a non-negative integer"),
        ({"window": 5, "context": 5}, "`context` must be less than `window`. Received"),
        ({"data": "gone.txt"}, "`data` 'gone.txt' cannot be read: No such file"),
        ({"data": None}, "`data` must be a path. Received: data=None"),
        ({"window": 9_999_999}, "`window` must be an integer of at most 10000"),
    ],
)
def test_wrong_parameters_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        LanguageModeling(**arguments).load()


def test_a_text_without_a_window_is_named(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text("short " * 40)
    with pytest.raises(ValueError, match="more than 216 characters to .*Received: 216"):
        LanguageModeling(path, window=216).load()
    assert LanguageModeling(path, window=215).sample(1, 0).inputs.shape == (1, 215)
    # The other parts may be shorter than a window.
    test = LanguageModeling(path, window=100).on("test")
    assert test.sample(2, 0).inputs.shape == (2, 11)


@pytest.mark.parametrize("model", ["lstm", "gru", "simple-rnn", "mrnn", "ntm-lstm"])
def test_models_are_built_for_the_task(book, model):
    config = tasks.get_model(model, book)
    network = config.build(book)
    assert network.output_shape == (None, None, 14)
    weights = sum(np.size(w) for w in network.trainable_weights)
    expected = {
        "lstm": 4 * 256 * (14 + 256 + 1) + 257 * 14,
        "simple-rnn": 500 * (14 + 500 + 1) + 501 * 14,
        "mrnn": 350 * (14 + 14 + 350 + 350) + 351 * 14,
    }
    assert weights == expected.get(model, weights)


def test_a_network_learns_the_rhyme(book, tmp_path):
    """After each word only one can follow: next to nothing is left to say."""
    result = tasks.train(
        book,
        tasks.get_model("gru", book, units=24),
        sequences=1600,
        learning_rate=2e-2,
        progress=False,
        out=tmp_path / "run",
    )
    assert result.summary is not None
    assert result.summary["evaluation"][0]["values"]["bits_per_character"] < 0.2
    found = tasks.evaluate(result.model, book)
    assert table_of(book, found)[0][-1] == "pieces of 1,000"
    run = tasks.open_run(tmp_path / "run")
    (tmp_path / "book.txt").unlink()  # to write, a run needs no text
    written = tasks.generate(run, "one two", length=18, temperature=0)
    assert written == " three four five. "
    assert keras.backend.backend() in run.versions["backend"]


# --- validation while it trains ---


def test_validation_reads_each_character_of_the_part_once(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text("".join(chr(97 + n % 26) for n in range(4_000)))
    task = LanguageModeling(path, window=12, context=4)
    tokens = task.on("validation").tokens
    batches = windows_in_order(tokens, 12, 4)
    assert len({batch.inputs.shape for batch in batches}) == 1
    read = np.concatenate([batch.inputs[batch.mask > 0] for batch in batches])
    due = np.concatenate([batch.targets[batch.mask > 0] for batch in batches])
    np.testing.assert_array_equal(read[1:], due[:-1])
    # The first four are context; what is left of the end is shorter than a window.
    np.testing.assert_array_equal(due, tokens[5 : 5 + len(due)])
    assert len(due) > len(tokens) - 5 - 8


@pytest.mark.parametrize("length", [2, 3, 12, 13, 14])
def test_a_text_shorter_than_a_window_is_one_window(length):
    tokens = np.arange(1, length + 1)
    batch = windows_in_order(tokens, 12, 4)[0]
    np.testing.assert_array_equal(batch.inputs[0], tokens[: min(12, length - 1)])
    assert batch.mask.sum(axis=1).min() >= 1


def test_validation_is_the_mean_of_the_bits_of_its_windows(book, network):
    [(name, value)] = book.evaluation.validator(network)().items()
    tokens = book.on("validation").tokens
    bits = []
    for start in range(0, len(tokens) - 12, 8):
        window = tokens[start : start + 13]
        logits = network.predict_on_batch(window[None, :-1]).astype(float)[0]
        log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        bits += list(-log_probs[np.arange(4, 12), window[5:]] / math.log(2))
    assert name == book.recipe.validation_measure
    assert value == pytest.approx(np.mean(bits), rel=1e-5)


def test_validation_is_not_on_what_is_trained_on(tmp_path, without_xla):
    """The validation part has other words than the training part: a network that learns
    the one by heart becomes worse on the other, and the best epoch is kept."""
    path = tmp_path / "book.txt"
    path.write_text("ab" * 450 + "ba aab bba " * 10)
    task = LanguageModeling(path, window=12, context=4)
    options = {"epoch_steps": 20, "learning_rate": 0.02, "progress": False}
    result = tasks.train(
        task, get_model("gru", task, units=8), sequences=3_200, **options
    )
    values = [row["val_bits_per_character"] for row in result.history]
    assert result.config.keep == "best"
    assert result.history[-1]["loss"] < result.history[0]["loss"]
    assert values.index(min(values)) < len(values) - 1
    found = task.evaluation.validator(result.model)()["val_bits_per_character"]
    assert found == pytest.approx(min(values), rel=1e-5)


# --- a text without line breaks ---


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("one. two.\n", "\n"),
        ("one. two. ", " "),
        ("windows\r", "\r"),
        ("一二三。", "。"),
        ("cab", "a"),
    ],
)
def test_generate_begins_with_what_the_text_has(text, beginning):
    model = tasks.NGramModel(text * 20, order=3)
    assert model.vocabulary.beginning == beginning
    written = tasks.generate(model, length=9, seed=3)
    assert written == tasks.generate(model, beginning, length=9, seed=3)
    assert len(written) == 9


def test_probes_begin_with_what_the_text_has():
    model = tasks.NGramModel("(ab) ab (ba) ba " * 20, order=5)
    opened, _ = closing_probabilities(model, ["ab ", "ba "], length=2)
    given, _ = closing_probabilities(model, ["ab ", "ba "], length=2, context=" ")
    np.testing.assert_array_equal(opened, given)
