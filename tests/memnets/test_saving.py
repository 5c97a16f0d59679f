"""Files of models: complete, with a checksum, and rejected if anything is wrong."""

import contextlib
import errno
import hashlib
import importlib
import json
import os
import resource
import subprocess
import sys
import textwrap
import zipfile

import keras
import numpy as np
import pytest
from hostile import CANARY, METADATA, archive, damage, make_corpus, small_model
from text_networks import text_inputs

import memnets
from memnets.saving import config as keras_config
from memnets.saving.archive import InvalidModelFile
from memnets.saving.atomic import atomic_write, is_unfinished
from memnets.seq2seq import PictureCells, SequenceToSequence, Writer

FEATURES = 3


@keras.saving.register_keras_serializable("tests")
class CountingCell(keras.layers.Layer):
    """A cell of a user: adds up its inputs."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.state_size = self.output_size = units
        self.dense = keras.layers.Dense(units)

    def build(self, input_shape):
        if not self.dense.built:
            self.dense.build(input_shape)

    def call(self, inputs, states):
        total = states[0] + self.dense(inputs)
        return total, [total]

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@keras.saving.register_keras_serializable("tests")
class Forgetful(keras.layers.Dense):
    """A layer that loads without its weights."""

    def load_own_variables(self, store):
        pass


def ntm(controller="lstm", **arguments):
    return memnets.NTM(
        2,
        memory_size=5,
        word_size=3,
        controller=controller,
        controller_size=4 if isinstance(controller, str) else None,
        **arguments,
    )


LAYERS = {
    "NTM, feedforward": lambda: ntm("feedforward", return_sequences=True),
    "NTM, LSTM": ntm,
    "NTM, clipped LSTM": lambda: ntm(input_clip=0.2, cell_clip=0.1),
    "NTM, a cell of Keras": lambda: ntm(keras.layers.GRUCell(4)),
    "NTM, stateful": lambda: ntm(stateful=True),
    "NTM, half precision": lambda: ntm(dtype="mixed_bfloat16"),
    "DNC": lambda: memnets.DNC(
        2, memory_size=5, word_size=3, controller_size=4, masks=True
    ),
    "StackedLSTM": lambda: memnets.StackedLSTM(2, layer_sizes=(4, 3)),
    "Bidirectional": lambda: keras.layers.Bidirectional(ntm()),
    "MemoryRNN": lambda: memnets.MemoryRNN(keras.layers.LSTMCell(2)),
    "a cell of a user": lambda: keras.layers.RNN(CountingCell(2)),
}
# Loaded on another backend: each computes something that the others do not.
PORTABLE = ("NTM, feedforward", "NTM, clipped LSTM", "DNC", "Bidirectional")


def functional(layer, batch_size=2):
    inputs = keras.Input((None, FEATURES), batch_size=batch_size)
    masked = keras.layers.Masking()(inputs)
    return keras.Model(inputs, keras.layers.Dense(2, "relu")(layer(masked))[..., :1])


def attentive_network():
    """A network that reads one text and writes another, with large weights."""
    keras.utils.set_random_seed(1)
    layers = [[keras.layers.GRU(8)] for _ in range(2)]
    network = SequenceToSequence(20, 20, *layers, embedding_size=8)
    inputs = text_inputs()
    model = keras.Model(inputs, network(inputs))
    for variable in model.trainable_variables:
        variable.assign(variable * 3.0)
    return model


def outputs(model, batch_size=2):
    rng = np.random.default_rng(0)
    return np.asarray(model(rng.standard_normal((batch_size, 4, FEATURES))))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.keras"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The content of a file that `memnets.save` wrote, of a small model."""
    path = tmp_path_factory.mktemp("saved") / "model.keras"
    memnets.save(small_model(), path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def members(saved, tmp_path_factory):
    """The members of that file, `{name: bytes}`."""
    path = tmp_path_factory.mktemp("members") / "model.keras"
    path.write_bytes(saved)
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus"))


def error_of(path):
    """The error of `load`, which must be one line that begins with the path."""
    with pytest.raises(memnets.LoadError) as caught:
        memnets.load(path)
    message = str(caught.value)
    assert message.startswith(f"`{path}` ")
    assert message.isprintable()
    assert caught.value.__suppress_context__
    return message.removeprefix(f"`{path}` ")


# Round trips


@pytest.mark.once
@pytest.mark.parametrize("name", LAYERS)
def test_saved_models_are_loaded(name, path):
    model = functional(LAYERS[name]())
    memnets.save(model, path)
    loaded = memnets.load(path, custom_objects={"CountingCell": CountingCell})
    np.testing.assert_array_equal(outputs(loaded), outputs(model))


@pytest.mark.once
@pytest.mark.parametrize(
    "layer",
    [
        keras.layers.Rescaling(0.5, 1.0),
        keras.layers.SpectralNormalization(keras.layers.Dense(2)),
        keras.layers.SeparableConv1D(2, 3),
        keras.layers.DepthwiseConv1D(3),
        keras.layers.Conv1DTranspose(2, 3),
        keras.layers.UpSampling1D(2),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_layers_of_keras_that_only_compute_are_loaded(layer, path):
    model = keras.Sequential([keras.Input((4, FEATURES)), layer])
    memnets.save(model, path)
    np.testing.assert_allclose(outputs(memnets.load(path)), outputs(model), atol=1e-6)


def test_files_of_keras_are_loaded(path):
    model = small_model()
    model.save(path)
    np.testing.assert_array_equal(outputs(memnets.load(path)), outputs(model))


def test_keras_loads_a_file_with_a_checksum(path):
    model = small_model()
    memnets.save(model, path)
    loaded = keras.saving.load_model(path)
    np.testing.assert_array_equal(outputs(loaded), outputs(model))


def test_a_model_is_loaded_as_it_was_before_compiling(path):
    inner = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    inner.compile("sgd", "mse")
    inputs = keras.Input((None, FEATURES))
    model = keras.Model(inputs, inner(ntm()(inputs)))
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    memnets.save(model, path)
    loaded = memnets.load(path)
    assert not loaded.compiled
    np.testing.assert_array_equal(outputs(loaded), outputs(model))


@pytest.fixture(scope="module")
def portable(tmp_path_factory):
    """A folder with models, their outputs by file, sources, and what is written."""
    folder, expected = tmp_path_factory.mktemp("portable"), {}
    for number, name in enumerate(PORTABLE):
        model = functional(LAYERS[name]())
        memnets.save(model, folder / f"{number}.keras")
        expected[f"{number}.keras"] = outputs(model)
    writer = attentive_network()
    (folder / "text").mkdir()
    memnets.save(writer, folder / "text" / "writer.keras")
    sources = np.random.default_rng(1).integers(4, 20, (64, 6))
    written = Writer(writer.layers[-1], 2, 3, 8, beam_size=1).write(sources)
    assert len(np.unique(written.tokens, axis=0)) > 10
    return folder, expected, sources.tolist(), written.tokens.tolist()


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("other", ["jax", "torch"])
def test_another_backend_gives_the_same_outputs_and_texts_in_another_process(
    other, portable
):
    pytest.importorskip(other)
    folder, expected, sources, written = portable
    code = """
        import json, pathlib, sys, keras, memnets, numpy
        from memnets.seq2seq import Writer
        inputs = numpy.random.default_rng(0).standard_normal((2, 4, 3))
        folder = pathlib.Path(sys.argv[1])
        for path in sorted(folder.glob("*.keras")):
            model = memnets.load(path)
            # JAX would compile each operation by itself.
            on_jax = keras.backend.backend() == "jax"
            outputs = (model.predict_on_batch if on_jax else model)(inputs)
            outputs = keras.ops.convert_to_numpy(outputs)
            print(path.name, outputs.tobytes().hex())
        network = memnets.load(folder / "text" / "writer.keras").layers[-1]
        sources = numpy.array(json.loads(sys.argv[2]))
        print(Writer(network, 2, 3, 8, beam_size=1).write(sources).tokens.tolist())
    """
    arguments = folder, json.dumps(sources)
    *lines, texts = run_python(code, *arguments, KERAS_BACKEND=other).splitlines()
    assert json.loads(texts) == written
    assert len(lines) == len(expected)
    for line in lines:
        name, printed = line.split()
        actual = np.frombuffer(bytes.fromhex(printed), "float32")
        np.testing.assert_allclose(actual, expected[name].ravel(), rtol=0, atol=1e-6)


def run_python(code, *arguments, **environment):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout.strip()


# Saving


@pytest.mark.once
def test_the_checksum_is_the_digest_of_the_file(saved):
    rest, digits = saved[:-64], saved[-64:]
    assert rest.endswith(b"memnets-sha256:")
    assert hashlib.sha256(rest + b"0" * 64).hexdigest().encode() == digits


@contextlib.contextmanager
def full_disk():
    """Limits every file to a kilobyte."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.once
def test_a_file_that_is_written_half_leaves_the_old_one(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("old")
    with pytest.raises(KeyError), atomic_write(path) as unfinished:
        unfinished.write_text("half")
        assert is_unfinished(unfinished)
        assert not is_unfinished(path)
        raise KeyError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["notes.txt"]


def failing(function, error_number, monkeypatch):
    def fail(*arguments, **keywords):
        raise OSError(error_number, os.strerror(error_number))

    monkeypatch.setattr(os, function, fail)
    return contextlib.nullcontext()


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (lambda patch: full_disk(), "File too large"),
        (lambda patch: failing("fsync", errno.ENOSPC, patch), "No space left"),
        # Root may write to a folder that is read-only.
        (lambda patch: failing("replace", errno.EROFS, patch), "Read-only file"),
    ],
    ids=["full disk", "disk full at the end", "read-only folder"],
)
def test_a_file_that_cannot_be_written_leaves_the_old_one(
    trouble, reason, path, monkeypatch
):
    old = small_model()
    memnets.save(old, path)
    before = path.read_bytes()
    with trouble(monkeypatch), pytest.raises(memnets.SaveError, match=reason) as caught:
        memnets.save(small_model(), path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.once
def test_a_folder_that_is_missing_is_named(tmp_path):
    path = tmp_path / "missing" / "model.keras"
    with pytest.raises(memnets.SaveError, match="No such file or directory"):
        memnets.save(small_model(), path)


@pytest.mark.once
def test_a_folder_with_that_name_is_kept(path):
    path.mkdir()
    with pytest.raises(memnets.SaveError, match="Is a directory"):
        memnets.save(small_model(), path)
    assert not any(is_unfinished(file) for file in path.parent.iterdir())


@pytest.mark.parametrize(
    ("make", "name", "error", "message"),
    [
        (object, "model.keras", TypeError, "`model` must be a Keras model. Received"),
        (small_model, "model.h5", ValueError, "`path` must end in .keras. Received"),
        (keras.Sequential, "model.keras", ValueError, "`model` must be built"),
    ],
)
def test_wrong_arguments_of_save_are_named(make, name, error, message, tmp_path):
    with pytest.raises(error, match=message):
        memnets.save(make(), tmp_path / name)
    assert not os.listdir(tmp_path)


# Damage


@pytest.mark.once
def test_damage_is_always_found(path, saved):
    rng = np.random.default_rng(1)
    for _ in range(60):
        path.write_bytes(damage(saved, rng))
        error_of(path)


@pytest.mark.once
def test_damage_without_a_checksum_is_found_where_a_model_would_change(path, members):
    """What is left are the times and modes of the members."""
    content = archive(members)
    path.write_bytes(content)
    expected = memnets.load(path)
    rng = np.random.default_rng(1)
    for _ in range(60):
        path.write_bytes(damage(content, rng))
        try:
            loaded = memnets.load(path)
        except memnets.LoadError as error:
            assert str(error).isprintable()
            continue
        assert loaded.get_config() == expected.get_config()
        pairs = zip(loaded.get_weights(), expected.get_weights(), strict=True)
        assert all(np.array_equal(*pair) for pair in pairs)


@pytest.mark.once
def test_an_archive_packed_again_is_loaded(path, tmp_path, members):
    for name, content in members.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o644)
    with zipfile.ZipFile(path, "w") as packed:
        for name in sorted(members):
            packed.write(tmp_path / name, name)
    assert memnets.load(path).output_shape == small_model().output_shape


@pytest.mark.once
def test_an_archive_packed_again_with_compression_is_refused(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    assert "is compressed" in error_of(path)


@pytest.mark.once
@pytest.mark.parametrize("length", [1, 4, 30, 100, -1, -64, -79, -80, -101, -102])
def test_a_file_that_is_cut_short_is_rejected(length, path, saved):
    path.write_bytes(saved[:length])
    assert "cut short" in error_of(path) or "no zip file" in error_of(path)


@pytest.mark.once
@pytest.mark.parametrize("position", range(-101, 0, 7))
def test_damage_in_any_part_of_the_checksum_is_found(position, path, saved):
    changed = bytearray(saved)
    changed[position] ^= 1
    path.write_bytes(changed)
    assert "damaged" in error_of(path)


@pytest.mark.once
def test_a_file_with_bytes_added_is_rejected(path, saved):
    path.write_bytes(saved + b"\0")
    assert error_of(path) == "is damaged: cut short, or longer than it was."


# Other files


@pytest.mark.once
def test_missing_files_and_folders_are_named(tmp_path):
    assert error_of(tmp_path / "missing.keras") == "is missing."
    assert error_of(tmp_path) == "is a directory, not a file."


@pytest.mark.once
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty."),
        (
            b"\x89HDF\r\n\x1a\n" + bytes(100),
            "is not a file of the format .keras: no zip file. Of older formats, "
            "keras.saving.load_model(path, compile=False) reads .h5, and "
            "model.load_weights reads weights.",
        ),
        (
            archive({"letter.txt": b"dear all"}),
            "is not a Keras model: a zip file with 'letter.txt' in it.",
        ),
        (
            archive({f"{n}.txt": b"" for n in range(100)}),
            "is not a Keras model: a zip file of 100 members.",
        ),
        (
            archive({METADATA: b"{}"}),
            "is not a Keras model: a zip file without config.json.",
        ),
    ],
)
def test_files_that_are_not_models_are_named(content, message, path):
    path.write_bytes(content)
    assert error_of(path) == message


@pytest.mark.once
@pytest.mark.parametrize("metadata", [b"{}", b"[]", b'{"keras_version": "x"}'])
def test_the_version_of_keras_must_be_there(metadata, path, members):
    path.write_bytes(archive(members | {METADATA: metadata}))
    assert "names no version of Keras" in error_of(path)


@pytest.mark.once
def test_a_newer_keras_is_named_where_a_file_does_not_load(path, members):
    newer = {METADATA: b'{"keras_version": "99.0.1"}'}
    path.write_bytes(archive(members | newer))
    assert memnets.load(path)
    newer["config.json"] = members["config.json"].replace(b'"Dense"', b'"Denser"')
    path.write_bytes(archive(members | newer))
    assert error_of(path).endswith(
        f"It was saved with Keras '99.0.1'; this is {keras.__version__}."
    )


def test_an_argument_of_a_newer_memnets_is_named(path, members):
    config = json.loads(members["config.json"])
    config["config"]["layers"][1]["config"]["wisdom"] = 3
    path.write_bytes(archive(members | {"config.json": json.dumps(config).encode()}))
    assert "unexpected keyword argument" in error_of(path) or "wisdom" in error_of(path)


def test_classes_of_others_are_loaded_only_when_they_are_passed(path):
    memnets.save(functional(LAYERS["a cell of a user"]()), path)
    assert error_of(path) == (
        "holds 'tests>CountingCell', a class of another package: pass it in "
        "`custom_objects` if you trust the file."
    )
    with pytest.raises(TypeError, match="`custom_objects` must be a dictionary"):
        memnets.load(path, custom_objects=[CountingCell])
    with pytest.raises(TypeError, match=r"must have classes.*\['CountingCell'\]="):
        memnets.load(path, custom_objects={"CountingCell": CountingCell(3)})
    with pytest.raises(TypeError, match="`path` must be a path. Received: path=3"):
        memnets.load(3)


@pytest.mark.once
def test_a_normalization_is_loaded_only_when_it_is_passed(path):
    """It fills an array of the size that its input claims to have: 8 GB here."""
    layer = keras.layers.Normalization(mean=0.0, variance=4.0)
    model = keras.Sequential([keras.Input((4, FEATURES)), layer])
    memnets.save(model, path)
    passed = {"Normalization": keras.layers.Normalization}
    loaded = memnets.load(path, custom_objects=passed)
    np.testing.assert_array_equal(outputs(loaded), outputs(model))
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    config = parts["config.json"].decode()
    huge = config.replace(f", {FEATURES}]", f", {2 * 10**9}]")
    assert huge != config
    path.write_bytes(archive(parts | {"config.json": huge.encode()}))
    assert "'keras.layers.Normalization', which is not one of" in error_of(path)


@pytest.mark.once
def test_a_class_that_is_not_registered_is_loaded_when_it_is_passed(path):
    class Mine(keras.layers.Layer):
        def call(self, inputs):
            return 2 * inputs

    model = keras.Sequential([keras.Input((4, FEATURES)), Mine()])
    memnets.save(model, path)
    message = error_of(path)
    assert "Mine', which is not one of the classes that are known" in message
    assert "pass the class in `custom_objects`, such as {'Mine': ...}" in message
    loaded = memnets.load(path, custom_objects={"Mine": Mine})
    np.testing.assert_array_equal(outputs(loaded), outputs(model))


@pytest.mark.once
@pytest.mark.parametrize(
    ("module", "name"),
    [
        (module, name)
        for module, names in keras_config.ALLOWED.items()
        for name in names
    ],
)
def test_the_classes_that_are_trusted_exist(module, name):
    assert isinstance(getattr(importlib.import_module(module), name), type)


# Hostile files


@pytest.mark.once
def test_hostile_files_are_rejected_and_nothing_is_run(corpus):
    messages = {name: error_of(path) for name, path in corpus.items()}
    assert len(messages) > 60
    assert not (corpus["Lambda"].parent / CANARY).exists()
    assert not [name for name, message in messages.items() if len(message) > 400]


@pytest.mark.once
def test_the_hostile_lambda_would_run_if_it_were_trusted(corpus):
    canary = corpus["Lambda"].parent / CANARY
    try:
        keras.saving.load_model(corpus["Lambda"], safe_mode=False)
        assert canary.exists()
    finally:
        canary.unlink(missing_ok=True)


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Lambda", "holds a Lambda layer, whose code would be executed; "),
        ("Lambda as activation", "holds a Lambda layer, whose code"),
        ("shell", "holds 'os.system'"),
        ("function of a foreign module", "holds 'os.system'"),
        ("function of Python", "holds 'builtins.exec'"),
        ("class of a newer memnets", "holds 'memnets>Abacus', which this version of"),
        ("absolute path", "a zip file with '/tmp/evil' in it"),
        ("path to a parent", "a zip file with '../evil' in it"),
        ("symbolic link", "model.weights.h5 is compressed, a link"),
        ("zip bomb", "model.weights.h5 is compressed, a link"),
        ("deep JSON", "config.json is not JSON"),
        ("large JSON", "config.json is larger than 1048576 B"),
        ("many cells", "config.json describes too many layers"),
        ("calls within calls", "config.json describes too many layers"),
        ("product of constants", "called on constants"),
        ("huge dense layer", "shape"),
        ("huge batch", "the states of its model would fill the memory"),
        ("HDF5 compressed bomb", "is compressed, in pieces or in another file"),
        ("HDF5 bomb of a fill value", "is not all in the file"),
        ("HDF5 external link", "a ExternalLink in model.weights.h5"),
        ("HDF5 soft link", "a SoftLink in model.weights.h5"),
        ("HDF5 external file", "is compressed, in pieces or in another file"),
        ("HDF5 cycle", "is linked twice"),
        ("HDF5 text", "does not hold numbers"),
        ("HDF5 array missing", "expected 2 variables, but received 1"),
    ],
)
def test_the_hostile_part_is_named(name, message, corpus):
    assert message in error_of(corpus[name])


@pytest.mark.once
def test_no_more_weights_are_made_than_the_file_has(path, members):
    config = json.loads(members["config.json"])
    dense = config["config"]["layers"][2]
    dense |= {"registered_name": "tests>Forgetful", "build_config": None}
    dense["config"]["units"] = 10**9
    path.write_bytes(archive(members | {"config.json": json.dumps(config).encode()}))
    with pytest.raises(memnets.LoadError, match="model needs 3000000[0-9]* weights"):
        memnets.load(path, custom_objects={"Forgetful": Forgetful})


@pytest.mark.once
@pytest.mark.slow
def test_hostile_files_take_little_memory(corpus):
    code = """
        import pathlib, re, sys, memnets
        def peak():  # not ru_maxrss, which starts at that of the parent process
            status = pathlib.Path("/proc/self/status").read_text()
            return int(re.search("VmHWM:(.*)kB", status)[1])
        def read(path):
            try:
                memnets.load(path)
            except memnets.LoadError:
                return
            raise SystemExit(path)
        paths = sorted(pathlib.Path(sys.argv[1]).iterdir())
        read(paths[0])
        before = peak()
        for path in paths:
            read(path)
        print(peak() - before)
    """
    # What reads hangs on no backend; this one is imported faster.
    growth = int(run_python(code, corpus["Lambda"].parent, KERAS_BACKEND="jax"))
    assert growth < 128 * 1024  # in KiB; the bombs have gigabytes in them


@pytest.mark.once
@pytest.mark.parametrize("name", ["intent_from_text", "int8_from_float32", "awq_from_"])
def test_a_layer_may_have_the_name_of_a_quantized_policy(name, path):
    inputs = keras.Input((3,), name=name)
    memnets.save(
        keras.Model(inputs, keras.layers.Dense(2, name=f"{name}_")(inputs)), path
    )
    assert memnets.load(path).layers[0].name == name


@pytest.mark.once
def test_a_quantized_policy_of_a_layer_is_rejected(path, members):
    config = json.loads(members["config.json"])
    policy = config["config"]["layers"][2]["config"]["dtype"]
    assert policy["class_name"] == "DTypePolicy"
    policy["config"]["name"] = "int8_from_float32"
    path.write_bytes(archive(members | {"config.json": json.dumps(config).encode()}))
    assert "holds a quantized layer" in error_of(path)


@pytest.mark.once
@pytest.mark.parametrize("layer", [memnets.StackRNN, memnets.StackCell])
def test_places_of_a_stack_cost_nothing(layer, tmp_path):
    path = tmp_path / "config.json"
    config = keras.saving.serialize_keras_object(layer(4, depth=10**6))
    path.write_text(json.dumps(config))
    assert keras_config.read_config(path, {}) == config
    # Keras would make what is registered under the name, whatever its class is called.
    config["registered_name"] = "memnets>DeepTransitionRNNCell"
    path.write_text(json.dumps(config))
    with pytest.raises(InvalidModelFile, match="describes too many layers"):
        keras_config.read_config(path, {})


@pytest.mark.once
@pytest.mark.parametrize(
    ("layer", "name"),
    [
        (lambda: memnets.MemoryNetwork(9, embedding_size=4), "hops"),
        (lambda: memnets.cells.DeepTransitionRNNCell(4), "depth"),
        (lambda: PictureCells((4,)), "context_layers"),
        (lambda: memnets.NTMCell(4), "num_read_heads"),
        (lambda: memnets.NTMCell(4), "num_write_heads"),
        (lambda: memnets.SAMCell(4), "num_rows_read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_number_of_things_counts_as_so_many(layer, name, tmp_path):
    config = keras.saving.serialize_keras_object(layer())
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    keras_config.read_config(path, {})
    config["config"][name] = 2**31 - 1
    path.write_text(json.dumps(config))
    with pytest.raises(InvalidModelFile, match="describes too many layers"):
        keras_config.read_config(path, {})


def _with_rows(layer_class, rows, **arguments):
    arguments = {"word_size": 3, "controller_size": 4, **arguments}
    layer = layer_class(2, memory_size=rows, return_sequences=True, **arguments)
    return keras.Sequential([keras.Input((None, FEATURES)), layer])


@pytest.mark.parametrize(
    ("layer_class", "arguments"),
    [
        (memnets.NTM, {"initial_memory": "constant"}),
        (memnets.DNC, {}),
        (memnets.LRUA, {}),
        (memnets.SAM, {}),
    ],
)
@pytest.mark.parametrize("rows", [4, 32])
def test_weights_load_into_a_memory_of_another_size(
    layer_class, arguments, rows, tmp_path
):
    trained = _with_rows(layer_class, 8, num_read_heads=1, **arguments)
    other = _with_rows(layer_class, rows, num_read_heads=1, **arguments)
    trained.save_weights(tmp_path / "trained.weights.h5")
    other.load_weights(tmp_path / "trained.weights.h5")
    for value, like in zip(other.weights, trained.weights, strict=True):
        if value.shape == like.shape:
            np.testing.assert_array_equal(value, like)
        else:  # the rows of a constant memory
            assert (np.array(value) == np.array(like)[0, 0]).all()
    assert np.isfinite(other.predict_on_batch(np.ones((2, 5, FEATURES)))).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"initial_memory": "learned"},
        {"initial_memory": "constant", "initial_weightings": "learned"},
    ],
)
def test_weights_of_each_row_are_refused_by_a_memory_of_another_size(
    arguments, tmp_path
):
    _with_rows(memnets.NTM, 8, **arguments).save_weights(tmp_path / "a.weights.h5")
    message = "`memory_size` must be 8, as in the file, .* Received: memory_size=32"
    with pytest.raises(ValueError, match=message):
        _with_rows(memnets.NTM, 32, **arguments).load_weights(tmp_path / "a.weights.h5")


def test_weights_of_a_layer_are_those_of_a_loop_over_its_cell():
    inputs = np.random.default_rng(0).standard_normal((2, 5, FEATURES))
    sizes = {"memory_size": 4, "word_size": 3, "controller_size": 4}
    for layer, loop in (
        (memnets.NTM(2, **sizes), keras.layers.RNN(memnets.NTMCell(2, **sizes))),
        (keras.layers.LSTM(2), memnets.MemoryRNN(keras.layers.LSTMCell(2))),
    ):
        one, other = (
            keras.Sequential([keras.Input((None, FEATURES)), each])
            for each in (layer, loop)
        )
        other.set_weights(one.get_weights())
        np.testing.assert_allclose(
            *(model.predict_on_batch(inputs) for model in (one, other)), atol=1e-6
        )
