"""Settings of all tests."""

import atexit
import collections
import gc
import importlib.metadata
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
    # Most of the time of these tests on JAX is compiling small loops, each run once:
    # every direct call of a recurrent layer compiles its loop anew. JAX reads this when
    # it is imported: here, in the other workers and in the processes that tests start.
    _cache = tempfile.mkdtemp(prefix="memnets-jax-")
    atexit.register(shutil.rmtree, _cache, ignore_errors=True)
    os.environ |= {
        "JAX_COMPILATION_CACHE_DIR": _cache,
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }

# Tests run beside each other, a process on each core: threads of one would only wait
# for those of another. Tests of threads ask for theirs.
for _number in ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
    os.environ.setdefault(_number, "1")

# XLA emits code in one piece, without fusing operations first: a small loop compiles in
# half the time. It has one thread, as above. TensorFlow and JAX read this, and end at
# once where they do not know a flag: it is set only for versions that know it.
_XLA_FLAGS = (
    "--xla_cpu_multi_thread_eigen=false",
    "--xla_cpu_parallel_codegen_split_count=1",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_enable_concurrency_optimized_scheduler=false",
)
_VERSIONS = {"jaxlib": "0.10.", "tensorflow": "2.21."}


def _is_installed(name, version):
    try:
        return importlib.metadata.version(name).startswith(version)
    except importlib.metadata.PackageNotFoundError:
        return False


if all(_is_installed(*known) for known in _VERSIONS.items()):
    os.environ.setdefault("XLA_FLAGS", " ".join(_XLA_FLAGS))

import keras  # noqa: E402, it imports JAX

# Looked through for examples, it would be imported under a second name, and register
# its classes again.
collect_ignore = ["own_memory.py"]
if keras.backend.backend() != "torch":  # It imports PyTorch, which takes seconds.
    collect_ignore.append("memnets/test_torch.py")


@pytest.fixture(autouse=True, scope="module")
def _frozen_objects():
    """What imports and earlier files have left is not looked through by the garbage
    collection, which Keras starts at each attribute that it deletes."""
    gc.collect()
    gc.freeze()


if keras.backend.backend() == "jax":
    import jax

    @pytest.fixture(autouse=True, scope="module")
    def _forgotten_programs():
        """Compiled programs are forgotten after each file. Each of them maps pieces of
        memory. Linux ends a process that needs more than 65,530 of these."""
        yield
        jax.clear_caches()


if keras.backend.backend() == "torch":
    import torch

    _array = torch.Tensor.__array__
    _root = pathlib.Path(__file__).parent.parent
    _LIBRARY = tuple(
        f"{_root / name}{os.sep}" for name in ("memnets", "metrics", "tasks")
    )

    def _array_of_result(tensor, dtype=None, copy=None):
        """Tests look at results as arrays, whether they have gradients or not. This
        library does not: it must detach them."""
        caller = sys._getframe(1).f_code.co_filename
        if tensor.dtype == torch.bfloat16:  # which NumPy lacks
            tensor = tensor.float()
        array = _array(
            tensor if caller.startswith(_LIBRARY) else tensor.detach(), dtype
        )
        return array.copy() if copy else array

    torch.Tensor.__array__ = _array_of_result
    # What a function of NumPy makes of them is an array too.
    torch.Tensor.__array_wrap__ = lambda self, array, *_: array


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests that need another backend, see the marker `only`. Files with
    slow tests come first, then those with many: at the end of a run in parallel, no
    worker waits long for another."""
    marks = [(item, item.get_closest_marker("only")) for item in items]
    here = keras.backend.backend()
    others = [item for item, mark in marks if mark and here not in mark.args]
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]
    slow = collections.Counter(i.path for i in items if i.get_closest_marker("slow"))
    count = collections.Counter(item.path for item in items)
    # In the order in which files were found, where nothing else decides.
    items.sort(key=lambda item: (-slow[item.path], -count[item.path]))


# They run other programs, which the tests do not need.
collect_ignore_glob = ["golden/*.py", "two_processes.py"]


@pytest.fixture
def registries():
    """Tasks, models and classes of Keras that a page or an example registers are
    forgotten afterwards."""
    from tasks import registry

    classes = keras.saving.get_custom_objects()
    tables = (registry.TASKS, registry.MODELS, classes)
    kept = [(known, dict(known)) for known in tables]
    yield
    # Classes of the library that were imported meanwhile stay imported, and known.
    own = ("memnets", "metrics", "tasks", "keras")
    kept[-1][1].update(
        {
            name: value
            for name, value in classes.items()
            if name not in kept[-1][1] and value.__module__.startswith(own)
        }
    )
    for known, before in kept:
        known.clear()
        known.update(before)
    examples = str(pathlib.Path(__file__).parent.parent / "examples")
    for name, module in list(sys.modules.items()):
        # A file that `--import` has imported would not be run again.
        if str(getattr(module, "__file__", "")).startswith(examples):
            del sys.modules[name]


def _without_xla():
    """Compiling for XLA would take most of the time of small trainings."""
    compile_model = keras.Model.compile

    def compile_without(self, *args, **kwargs):
        compile_model(self, *args, **{**kwargs, "jit_compile": False})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keras.Model, "compile", compile_without)
        yield


without_xla = pytest.fixture(_without_xla)
# For what several tests of a file look at.
module_without_xla = pytest.fixture(_without_xla, scope="module")


# Making TensorFlow's graph of a step takes longer than so many steps without one.
FEW_STEPS = 20


def _without_graphs():
    """On TensorFlow, trainings of a few steps and models that were only loaded or built
    run eagerly."""
    from memnets import backends
    from tasks.training import compiled_model, training

    if keras.backend.backend() != "tensorflow":
        yield
        return
    make, trainer = compiled_model.compiled_model, keras.src.trainers.trainer.Trainer

    def made(task, model, config, *plain):
        network = make(task, model, config, *plain)
        steps = config.sequences / (config.batch_size or 1)
        network.run_eagerly = not config.jit_compile and steps <= FEW_STEPS
        return network

    def runs_eagerly(model):
        return model._run_eagerly or not model.compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "compiled_model", made)
        eagerly = property(runs_eagerly, trainer.run_eagerly.fset)
        patch.setattr(trainer, "run_eagerly", eagerly)
        # A trace of a memory.
        backend = type(backends.current())
        patch.setattr(backend, "compiled", lambda self, function: function)
        yield


without_graphs = pytest.fixture(_without_graphs)
module_without_graphs = pytest.fixture(_without_graphs, scope="module")
