"""Networks that translate and begin with word vectors."""

import re

import keras
import numpy as np
import pytest

import tasks
from tasks.cli.main import main
from tasks.models.source_vectors import begin_with_vectors
from tasks.text.subwords import Subwords
from tasks.text.tokens import SPECIAL
from tasks.text.words import Words

SMALL = {"units": 8, "embedding_size": 6}
TASK = tasks.get_task("toy-translation")
OPTIONS = {
    "sequences": 16,
    "batch_size": 4,
    "epoch_steps": 1,
    "seed": 3,
    "save_seconds": 0,
    "progress": False,
    "evaluate": False,
}


class Stop(keras.callbacks.Callback):
    """Kills a training after some epochs."""

    def __init__(self, epochs):
        super().__init__()
        self.epochs = epochs

    def on_epoch_end(self, epoch, logs=None):
        if epoch + 1 == self.epochs:
            raise RuntimeError("killed")


@pytest.fixture
def vectors(tmp_path):
    """A file with a vector for every third word of the toy language, and others."""
    words = TASK.source_vocabulary.words[len(SPECIAL) :][::3]
    values = np.random.default_rng(1).normal(2, 5, (len(words) + 1, 6))
    file = tmp_path / "vectors.txt"
    tasks.WordVectors([*words, "elsewhere"], values).save(file)
    return file


def embedding_of(network):
    return network.get_layer("network").source_embedding.get_weights()[0]


def first_rows(model):
    keras.utils.set_random_seed(3)
    network = model.build(TASK)
    model.begin(network, TASK)
    return embedding_of(network)


def weights_of(result):
    return np.concatenate([w.ravel() for w in result.model.get_weights()])


# --- which tokens are words ---


def test_special_tokens_are_no_words():
    words = Words(["up", "<pad>"]).words
    assert words == [None, None, None, None, "up", "<pad>"]


def test_a_piece_with_a_blank_before_it_is_a_word():
    vocabulary = Subwords.learn(["a horse walks by horses"] * 5, 290)
    words = dict(zip(vocabulary.shown(range(290)), vocabulary.words, strict=True))
    assert words["\u2581horse"] == "horse"
    assert words["s"] is words["<pad>"] is words["<0x41>"] is None


# --- the rows ---


def test_tokens_with_a_vector_have_it_and_others_stay_random(vectors):
    loaded = tasks.WordVectors.load(vectors)
    random_rows = first_rows(tasks.get_model("gru-attention", **SMALL))
    rows = first_rows(tasks.get_model("gru-attention", source_vectors=vectors, **SMALL))
    words = TASK.source_vocabulary.words
    known = np.array([word in loaded for word in words])
    assert 0 < known.sum() < len(words)
    assert np.array_equal(rows[~known], random_rows[~known])
    values = np.stack([loaded[word] for word in words if word in loaded])
    scale = np.linalg.norm(random_rows[known]) / np.linalg.norm(values)
    np.testing.assert_allclose(rows[known], values * scale, rtol=1e-5)


def layer_of(size, tokens=4):
    layer = keras.layers.Embedding(tokens, size)
    layer.build((None, None))
    return layer


def test_words_are_also_looked_up_in_lower_case(tmp_path):
    tasks.WordVectors(["up", "Up"], [[1, 0], [0, 2]]).save(tmp_path / "v")
    layer = layer_of(2)
    count = begin_with_vectors(layer, [None, "up", "Up", "UP"], tmp_path / "v")
    _, lower, exact, capitals = layer.get_weights()[0]
    assert count == 3
    assert lower.tolist() == capitals.tolist() == [exact[1] / 2, 0]


def test_vectors_of_zeros_stay_zero(tmp_path):
    tasks.WordVectors(["up"], [[0, 0]]).save(tmp_path / "v")
    layer = layer_of(2, tokens=1)
    begin_with_vectors(layer, ["up"], tmp_path / "v")
    assert layer.get_weights()[0].tolist() == [[0, 0]]


# --- errors ---


@pytest.mark.once
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the 1 2 3\n", "of `--embedding-size` numbers, here 256. Received: .*have 3$"),
        ("the 1 x\n", "line 1: values must be numbers. Received: 'x'"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_vectors_that_do_not_fit_are_refused_in_one_line(
    tmp_path, capsys, content, message
):
    file, out = tmp_path / "vectors.txt", tmp_path / "run"
    if content is not None:
        file.write_text(content)
    words = f"train toy-translation --model gru-seq2seq --source-vectors {file}"
    with pytest.raises(SystemExit) as error:
        main([*words.split(), "--out", str(out)])
    captured = capsys.readouterr()
    assert (error.value.code, captured.out, out.exists()) == (2, "", False)
    [line] = captured.err.splitlines()
    assert re.search(message, line)


def test_vectors_of_other_words_are_refused(tmp_path):
    tasks.WordVectors(["down"], [[1, 0]]).save(tmp_path / "v")
    with pytest.raises(ValueError, match="of words of the source. Received: .*none"):
        begin_with_vectors(layer_of(2), [None, "up"], tmp_path / "v")


def test_source_vectors_must_be_a_file():
    with pytest.raises(ValueError, match="`source_vectors` must be a file. Received"):
        tasks.get_model("gru-seq2seq", source_vectors=3)


# --- runs ---


def test_a_resumed_run_needs_no_vectors(vectors, tmp_path):
    model = tasks.get_model("gru-seq2seq", source_vectors=vectors, **SMALL)
    # With `resume` but no run yet, a run begins.
    whole = tasks.train(TASK, model, out=tmp_path / "w", resume=True, **OPTIONS)
    out = tmp_path / "run"
    with pytest.raises(RuntimeError, match="killed"):
        tasks.train(TASK, model, out=out, callbacks=[Stop(1)], **OPTIONS)
    vectors.unlink()
    resumed = tasks.train(TASK, model, out=out, resume=True, **OPTIONS)
    assert np.array_equal(weights_of(resumed), weights_of(whole))
    assert "vectors:vectors.txt" in resumed.run.signature
    opened = tasks.open_run(out)
    assert opened.model == model
    assert opened.load_model().count_params() == resumed.model.count_params()


def test_every_start_begins_with_the_vectors(vectors, tmp_path):
    model = tasks.get_model("gru-seq2seq", source_vectors=vectors, **SMALL)
    loaded = tasks.WordVectors.load(vectors)
    known = [word in loaded for word in TASK.source_vocabulary.words]
    begins = []

    class Recorder(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            begins.append(embedding_of(self.model)[known])

    options = {**OPTIONS, "starts": 2, "start_sequences": 4}
    out = tmp_path / "run"
    with pytest.raises(RuntimeError, match="killed"):
        callbacks = [Recorder(), Stop(3)]
        tasks.train(TASK, model, out=out, callbacks=callbacks, **options)
    # Directions are those of the file; the factor is that of the random rows.
    factor = begins[1] / begins[0]
    np.testing.assert_allclose(factor, factor[0, 0], rtol=1e-5)
    assert factor[0, 0] != 1
    # All starts are over.
    vectors.unlink()
    tasks.train(TASK, model, out=out, resume=True, **options)


def test_runs_of_earlier_versions_began_at_random():
    model = tasks.get_model("gru-seq2seq")
    saved = dict(model.parameters)
    del saved["source_vectors"]
    assert model.upgrade(saved) == model.parameters
