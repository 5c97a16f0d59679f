"""Which path an NTM takes, the compiled kernel or the portable one, and why."""

import functools
import os
import shutil
import subprocess
import sys

import keras
import numpy as np
import pytest

import memnets
from memnets import native
from memnets.backends.exporting import is_exporting
from memnets.cells import ClippedLSTMCell
from memnets.native import library

BACKEND = keras.backend.backend()
needs_kernel = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)


@pytest.fixture(autouse=True)
def switch_on_again():
    yield
    native.set_enabled(True)


@pytest.mark.once
@needs_kernel
@pytest.mark.parametrize(
    "changes",
    [
        {"dtype": "mixed_bfloat16"},
        {"controller": keras.layers.GRUCell(4)},
        {"controller": keras.layers.LSTMCell(4, activation="relu")},
        {"controller": memnets.cells.FeedforwardCell(4, activation="relu")},
        {
            "controller": keras.layers.StackedRNNCells(
                [ClippedLSTMCell(4, clip) for clip in (1.0, 2.0)]
            )
        },
    ],
    ids=["half precision", "cell", "activation", "feedforward", "two bounds"],
)
def test_cells_that_the_kernel_cannot_compute_take_the_portable_path(changes):
    layer = memnets.NTM(3, memory_size=8, **changes)
    layer.build((2, 4, 3))
    assert not native.covers(layer.cell)
    assert layer(np.ones((2, 4, 3), "float32")).shape == (2, 3)


@needs_kernel
@pytest.mark.parametrize(
    "make",
    [
        keras.layers.LSTMCell,
        functools.partial(ClippedLSTMCell, cell_clip=2.0),
    ],
)
def test_cells_passed_in_take_the_kernel(make):
    cells = [make(4), make(5)]
    layer = memnets.NTM(3, controller=keras.layers.StackedRNNCells(cells))
    layer.build((2, 4, 3))
    assert native.covers(layer.cell)


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


STATUS = "import memnets; print(memnets.native.status())"


@pytest.mark.once
def test_environment_variable_switches_the_kernel_off():
    # It hangs on no backend; this one is imported faster.
    environment = {"MEMNETS_NATIVE": "0", "KERAS_BACKEND": "jax"}
    assert "MEMNETS_NATIVE=0" in run_python(STATUS, **environment)


@pytest.mark.once
@needs_kernel
def test_environment_variable_forces_a_level(monkeypatch):
    """Each level in turn, up to the best one, which is what runs by default."""
    if library.wanted() != library.ANY:
        pytest.skip("MEMNETS_NATIVE is set")
    compiled, best = library.load()
    for name in list(library.NAMES)[: compiled.memnets_processor_level() + 1]:
        monkeypatch.setenv("MEMNETS_NATIVE", name)
        _, level = library.load.__wrapped__()
        assert level == library.LEVELS[library.NAMES[name]]
    assert level == best


@pytest.mark.once
def test_levels_that_cannot_be_used_are_an_error(monkeypatch):
    monkeypatch.setenv("MEMNETS_NATIVE", "fastest")
    with pytest.raises(ValueError, match="1, 0, generic, avx2, avx512"):
        library.load.__wrapped__()
    monkeypatch.setenv("MEMNETS_NATIVE", "AVX512")
    monkeypatch.setattr(library, "path_of", lambda level: None)
    with pytest.raises(ValueError, match="was not built"):
        library.load.__wrapped__()


@pytest.mark.once
@needs_kernel
def test_levels_that_the_processor_lacks_are_an_error(monkeypatch):
    class OldProcessor:
        @staticmethod
        def memnets_processor_level():
            return 0

    monkeypatch.setenv("MEMNETS_NATIVE", "avx2")
    monkeypatch.setattr(library, "path_of", lambda level: level)
    monkeypatch.setattr(library, "open_library", lambda path: OldProcessor)
    with pytest.raises(ValueError, match="this processor has no AVX2"):
        library.load.__wrapped__()


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """An installation of memnets, and the file of its metadata that names its kind."""
    (tmp_path / "memnets").mkdir()
    (tmp_path / "memnets" / "__init__.py").touch()
    information = tmp_path / "memnets-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: memnets\nVersion: 1.0\n")
    (information / "WHEEL").write_text("Root-Is-Purelib: false\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path, information / "WHEEL"


@pytest.mark.once
def test_sources_that_hide_an_installation_are_named(installed, monkeypatch, tmp_path):
    folder, _ = installed
    checkout = tmp_path / "checkout"
    shutil.copytree(folder / "memnets", checkout / "memnets")
    # As `pip install .` leaves it behind.
    (checkout / "memnets.egg-info").mkdir()
    (checkout / "memnets.egg-info" / "PKG-INFO").write_text("Name: memnets\n")
    monkeypatch.syspath_prepend(checkout)
    reason = library.why_not_built(checkout)
    assert f"sources in {checkout}, which are not compiled" in reason
    assert f"installed in {folder}. " in reason and "pip install -e ." in reason
    monkeypatch.setattr(library, "path_of", lambda level: None)
    monkeypatch.setenv("MEMNETS_NATIVE", "1")
    assert library.load.__wrapped__() == (None, library.why_not_built(library.FOLDER))


@pytest.mark.once
@pytest.mark.parametrize("is_pure", [True, False])
def test_a_wheel_without_a_kernel_is_named(is_pure, installed):
    folder, wheel = installed
    wheel.write_text(f"Root-Is-Purelib: {str(is_pure).lower()}\n")
    assert ("for every platform" in library.why_not_built(folder)) == is_pure
    assert ("compiler" in library.why_not_built(folder)) != is_pure


def test_switch_is_named_in_the_status():
    native.set_enabled(False)
    assert "switched off" in native.status()
    assert not native.is_available()


@functools.cache
def results_of_training(enabled, jit_compile):
    """Weights and predictions, for reading only."""
    rng = np.random.default_rng(0)
    inputs = rng.random((5, 6, 3)).astype("float32")
    inputs[:, 4:] *= rng.random((5, 2, 1)) < 0.5
    targets = rng.random((5, 6, 2))
    native.set_enabled(enabled)
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((None, 3)),
            keras.layers.Masking(),
            memnets.NTM(2, memory_size=16, return_sequences=True),
        ]
    )
    model.compile("sgd", "mse", jit_compile=jit_compile)
    model.fit(inputs, targets, batch_size=2, epochs=2, shuffle=False, verbose=0)
    return [*model.get_weights(), model.predict(inputs, verbose=0)]


# Without jit_compile, JAX compiles every operation separately, which is slow.
JIT_COMPILE = {"jax": [True], "torch": [False]}.get(BACKEND, [True, False])


@needs_kernel
@pytest.mark.parametrize("jit_compile", JIT_COMPILE)
def test_training_is_that_of_the_portable_path(jit_compile):
    """Ragged batches under a mask: sizes that are unknown when the step is traced. The
    portable path under XLA is in tests/conformance/test_matrix.py."""
    portable = results_of_training(False, jit_compile=JIT_COMPILE[-1])
    fast = results_of_training(True, jit_compile=jit_compile)
    for value, like in zip(fast, portable, strict=True):
        np.testing.assert_allclose(value, like, atol=1e-5)


@needs_kernel
@pytest.mark.only("tensorflow")
@pytest.mark.parametrize("way", ["eager", "graph", "XLA"])
def test_a_gradient_of_a_gradient_is_an_error_and_never_0(way):
    import tensorflow as tf

    layer = memnets.NTM(2, memory_size=8)
    layer.build((1, 3, 2))

    def penalty_gradient(inputs):
        with tf.GradientTape() as outer:
            outer.watch(inputs)
            with tf.GradientTape() as inner:
                inner.watch(inputs)
                output = tf.reduce_sum(layer(inputs))
            penalty = tf.reduce_sum(inner.gradient(output, inputs) ** 2)
        return outer.gradient(penalty, inputs)

    run = {
        "eager": penalty_gradient,
        "graph": tf.function(penalty_gradient),
        "XLA": tf.function(penalty_gradient, jit_compile=True),
    }[way]
    inputs = tf.constant(np.random.default_rng(0).random((1, 3, 2)), "float32")
    with pytest.raises(NotImplementedError, match="no gradients of gradients. Call"):
        run(inputs)
    native.set_enabled(False)
    assert (np.abs(penalty_gradient(inputs)) > 0).any()


@needs_kernel
@pytest.mark.only("jax")
def test_a_gradient_of_a_gradient_on_jax_says_what_to_switch():
    import jax

    layer = memnets.NTM(2, memory_size=8)
    layer.build((1, 3, 2))
    inputs = np.random.default_rng(0).random((1, 3, 2)).astype("float32")
    output = jax.grad(lambda inputs: layer(inputs).sum())

    def penalty(inputs):
        return (output(inputs) ** 2).sum()

    with pytest.raises(NotImplementedError, match="no gradients of gradients. Call"):
        jax.grad(penalty)(inputs)
    native.set_enabled(False)
    assert (np.abs(jax.grad(penalty)(inputs)) > 0).any()


@needs_kernel
def test_a_library_of_other_sources_is_not_used(monkeypatch):
    monkeypatch.setattr(library, "INTERFACE", library.INTERFACE + 1)
    compiled, reason = library.load.__wrapped__()
    assert compiled is None and "compiled from other sources" in reason


@needs_kernel
def test_a_backend_that_refuses_the_kernel_takes_the_portable_path(monkeypatch):
    def missing():
        raise ImportError("no module named gen_xla_ops")

    monkeypatch.setattr(native, "_operation", missing)
    assert not native.is_available()
    assert "lacks a part: no module named gen_xla_ops" in native.status()
    assert native.level() == "portable"


@needs_kernel
@pytest.mark.only("tensorflow")
def test_kernel_runs_under_xla_of_tensorflow():
    from memnets.native import tensorflow_xla

    assert tensorflow_xla.why_not() is None


@needs_kernel
@pytest.mark.only("tensorflow")
@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("XLA's interface is another", "XLA's interface is another"),
        (OSError("no"), "no"),
    ],
)
def test_an_xla_that_does_not_take_the_kernel_is_named_in_one_line(
    monkeypatch, result, reason
):
    import tensorflow as tf

    from memnets.native import tensorflow_xla

    def register():
        if isinstance(result, Exception):
            raise result
        return result

    tensorflow_xla.why_not.cache_clear()
    monkeypatch.setattr(tensorflow_xla, "_register", register)
    lines = []
    try:
        layer = memnets.NTM(2, memory_size=8)
        tf.function(
            lambda x: (lines.append(native.status()), layer(x))[1], jit_compile=True
        )(tf.zeros((1, 2, 2)))
    finally:
        tensorflow_xla.why_not.cache_clear()
    assert lines[0].startswith(
        "portable path, without the compiled kernel: this version"
    )
    assert lines[0].endswith(reason) and "\n" not in lines[0]


@needs_kernel
@pytest.mark.only("tensorflow")
# Of Keras' own export.
@pytest.mark.filterwarnings("ignore:The .native_serialization:DeprecationWarning")
def test_export_takes_the_portable_path_as_tried_with_keras_3_15(tmp_path, monkeypatch):
    seen = []

    def watched(cell, sequences=None):
        seen.append((is_exporting(), covers(cell)))
        return seen[-1][1]

    covers = native.covers
    monkeypatch.setattr(native, "covers", watched)
    model = keras.Sequential([keras.Input((4, 3)), memnets.NTM(2, memory_size=16)])
    model(np.zeros((2, 4, 3), "float32"))
    assert set(seen) == {(False, True)}
    seen.clear()
    model.export(tmp_path / "model", verbose=False)
    # If this fails, Keras has moved its export: `is_exporting` looks for its module.
    assert seen, "Keras no longer traces the layer to export it"
    assert set(seen) == {(True, False)}
    assert not is_exporting()


@needs_kernel
@pytest.mark.only("tensorflow")
def test_exported_model_runs_without_the_package(tmp_path):
    model = keras.Sequential([keras.Input((4, 3)), memnets.NTM(2, memory_size=16)])
    inputs = np.random.default_rng(0).random((2, 4, 3)).astype("float32")
    np.save(tmp_path / "inputs.npy", inputs)
    model.export(tmp_path / "model", verbose=False)
    code = (
        "import numpy as np, tensorflow as tf; "
        f"model = tf.saved_model.load({str(tmp_path / 'model')!r}); "
        f"inputs = np.load({str(tmp_path / 'inputs.npy')!r}); "
        f"np.save({str(tmp_path / 'outputs.npy')!r}, model.serve(inputs))"
    )
    run_python(code)
    outputs = np.load(tmp_path / "outputs.npy")
    np.testing.assert_allclose(outputs, model(inputs), atol=1e-5)


@needs_kernel
@pytest.mark.only("jax")
@pytest.mark.parametrize("layer_class", [memnets.NTM, memnets.DNC, memnets.LRUA])
@pytest.mark.parametrize("shape", ["2, 3, 4", "b, 3, 4", "b, t, 4"])
def test_a_function_that_jax_exports_takes_the_portable_path(layer_class, shape):
    import jax
    from jax import export

    layer = layer_class(2, memory_size=8)
    inputs = np.random.default_rng(0).random((2, 3, 4)).astype("float32")
    expected = layer(inputs)
    specification = jax.ShapeDtypeStruct(export.symbolic_shape(shape), "float32")
    exported = export.export(jax.jit(lambda x: layer(x)))(specification)
    assert "@memnets_" not in exported.mlir_module()
    again = export.deserialize(exported.serialize())
    np.testing.assert_allclose(again.call(inputs), expected, atol=1e-5)
    if "b" in shape:
        assert again.call(np.ones((5, 3, 4), "float32")).shape == (5, 2)
    # A function that is not exported goes on with the kernel.
    assert "@memnets_" in jax.jit(lambda x: layer(x)).lower(inputs).as_text()


@pytest.mark.parametrize("enabled", [True, False])
def test_sequence_without_steps_is_rejected(enabled):
    native.set_enabled(enabled)
    with pytest.raises(ValueError, match="at least one step"):
        memnets.NTM(2, memory_size=8)(np.zeros((2, 0, 3), "float32"))


@needs_kernel
@pytest.mark.only("tensorflow")
@pytest.mark.parametrize("jit_compile", [True, False])
@pytest.mark.parametrize(
    "shapes",
    [((3, 4), 2), ((2, 5), 2), ((2, 4), 5), ((2, 4), 1)],
    ids=["batch of the mask", "steps of the mask", "larger state", "smaller state"],
)
def test_sizes_that_disagree_are_rejected_at_run_time(shapes, jit_compile):
    """They are unknown when the graph is traced. Without a check, the library would
    read beyond the arrays."""
    import tensorflow as tf

    mask, states = shapes
    layer = memnets.NTM(2, memory_size=8)
    layer.build((None, None, 3))
    sizes = layer.cell.state_size

    @tf.function(
        jit_compile=jit_compile,
        input_signature=[
            tf.TensorSpec((None, None, 3)),
            tf.TensorSpec((None, None), "bool"),
            *[tf.TensorSpec((None, size)) for size in sizes],
        ],
    )
    def run(inputs, mask, *states):
        return layer(inputs, mask=mask, initial_state=list(states))

    def call(mask, states):
        states = [tf.zeros((states, size)) for size in sizes]
        return run(tf.zeros((2, 4, 3)), tf.ones(mask, "bool"), *states)

    assert call((2, 4), 2).shape == (2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(mask, states)


# macOS has no os.sched_getaffinity.


def test_layer_runs_where_the_system_has_no_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    output = memnets.NTM(2, memory_size=8)(np.ones((2, 4, 3), "float32"))
    assert output.shape == (2, 2)
    assert native.status()
    assert native.available_cores() == list(range(os.cpu_count()))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
def test_available_cores_are_those_that_the_process_may_use():
    assert native.available_cores() == sorted(os.sched_getaffinity(0))
