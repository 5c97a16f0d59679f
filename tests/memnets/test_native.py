"""The compiled kernel against the portable path, against float64 and at its limits."""

import concurrent.futures
import dataclasses
import functools
import math
import os
import pathlib
import re
import shutil
import signal
import time

import keras
import numpy as np
import pytest
import reference
from both_paths import (
    TOLERANCE,
    assert_both_paths_agree,
    each_controller,
    layer_and_arguments,
    relative_to,
)
from gradients import layer_gradients
from keras import ops
from layer_weights import ntm_initial_state, ntm_weights, randomise

import memnets
from memnets import native
from memnets.memory import addressing
from memnets.native import library
from memnets.ntm.kernel_layout import NTMLayout

needs_kernel = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)


@pytest.fixture(autouse=True)
def switch_on_again():
    yield
    native.set_enabled(True)


def test_kernel_is_built_where_there_is_a_compiler():
    if os.environ.get("MEMNETS_NATIVE") == "0":
        pytest.skip("switched off by MEMNETS_NATIVE=0")
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        pytest.skip("no C++ compiler")
    compiled, description = library.load()
    assert compiled is not None, description


# The same numbers on both paths


CONFIGURATIONS = {
    "one step": {"steps": 1},
    "one sequence": {"batch": 1},
    "blocks of uneven size": {"batch": 19},
    "25 steps": {"batch": 2, "steps": 25},
    "mask": {"has_mask": True, "batch": 9, "steps": 12},
    "backwards under a mask": {"has_mask": True, "go_backwards": True},
    "zeros under a mask": {"has_mask": True, "zero_output_for_mask": True},
    "stack": {"controller_size": (12, 7, 17)},
    "one unit": {"controller_size": 1},
    "no shift": {"shift_range": 0},
    "shift range 3": {"shift_range": 3},
    "shift over all rows": {"shift_range": 3, "memory_size": 7},
    "8 read heads": {"num_read_heads": 8},
    "8 write heads": {"num_write_heads": 8},
    "3 and 2 heads under a mask": {
        "num_read_heads": 3,
        "num_write_heads": 2,
        "has_mask": True,
    },
    "odd sizes": {"memory_size": 37, "word_size": 5, "controller_size": 33},
    # After 7 steps both paths would be further than 5e-5 from float64: a cosine of
    # single numbers near 0 jumps from -1 to 1.
    "one component": {"word_size": 1},
    "one row": {"memory_size": 1, "shift_range": 0},
    "4096 rows": {"memory_size": 4096, "batch": 2, "steps": 3},
    "learned start": {
        "initial_memory": "learned",
        "initial_weightings": "learned",
        "initial_reads": "learned",
    },
}
if keras.backend.backend() != "tensorflow":
    # Each row compiles for seconds on JAX, and the portable path takes seconds on
    # PyTorch: only those that differ in Python code.
    kept = ("stack", "3 and 2 heads under a mask")
    CONFIGURATIONS = {name: CONFIGURATIONS[name] for name in kept}


# The number of threads

VARIABLES = {"tensorflow": "TF_NUM_INTRAOP_THREADS", "jax": "NPROC"}
BACKEND = keras.backend.backend()


@needs_kernel
@pytest.mark.skipif(BACKEND not in VARIABLES, reason="PyTorch has a function for it")
@pytest.mark.parametrize(
    ("text", "threads"),
    [("1", 1), ("3", 3), (" +05 ", 5), ("", None), ("0", None), ("-2", None)]
    + [("2.5", None), ("two", None)],
)
def test_the_kernel_has_the_threads_that_the_environment_names(
    text, threads, monkeypatch
):
    used = []
    run = library.forward

    def forward(layout, count, *arguments):
        used.append(count)
        return run(layout, count, *arguments)

    monkeypatch.setattr(library, "forward", forward)
    monkeypatch.setenv(VARIABLES[BACKEND], text)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")  # of neither backend
    if BACKEND == "jax":  # tests run on several devices, each with one thread
        monkeypatch.delenv("XLA_FLAGS", raising=False)
        monkeypatch.setattr("memnets.native.jax_op.devices_here", lambda: 1)
    expected = threads or len(native.available_cores())
    assert f", {expected} threads)" in native.status()
    if BACKEND == "tensorflow":
        memnets.NTM(3, memory_size=4, word_size=2)(np.ones((2, 3, 2), "float32"))
        assert used == [expected]


# On other backends one with each controller.
PAIRS = [("stack", "lstm"), ("3 and 2 heads under a mask", "feedforward")]


@needs_kernel
@(
    each_controller(CONFIGURATIONS)
    if BACKEND == "tensorflow"
    else pytest.mark.parametrize(("name", "controller"), PAIRS)
)
def test_values_and_gradients_are_those_of_the_portable_path(name, controller):
    assert_both_paths_agree(memnets.NTM, controller=controller, **CONFIGURATIONS[name])


@needs_kernel
@pytest.mark.parametrize(
    "changes",
    [
        # On JAX, which compiles each for seconds, a stack has what one cell has, and
        # masks are tried without a bound.
        pytest.param({}, marks=pytest.mark.once),
        {"controller_size": (12, 7, 17)},
        pytest.param({"has_mask": True, "batch": 9}, marks=pytest.mark.once),
    ],
)
def test_clipped_carries_are_those_of_the_portable_path(changes):
    assert_both_paths_agree(
        memnets.NTM, controller="lstm", cell_clip=0.05, steps=12, **changes
    )
    shape = {"batch": 3, "steps": 12, "features": 5, "has_mask": False, **changes}
    layer, inputs, *_ = layer_and_arguments(memnets.NTM, **shape, cell_clip=0.05)
    carries = np.abs(layer.trace(inputs).controller[1])
    at_bound = np.mean(carries == np.float32(0.05))
    assert np.max(carries) <= np.float32(0.05)
    assert 0.05 < at_bound < 0.95  # otherwise a case was not tested


@needs_kernel
def test_gradients_reach_the_initial_state_that_is_learned():
    layer = memnets.NTM(
        3,
        memory_size=16,
        initial_memory="learned",
        initial_weightings="learned",
        initial_reads="learned",
    )
    inputs = np.random.default_rng(0).standard_normal((2, 4, 3)).astype("float32")
    layer(inputs)

    def gradients():
        return layer_gradients(layer, lambda y: ops.sum(ops.square(y)), inputs)

    fast = gradients()
    native.set_enabled(False)
    for name, gradient in gradients().items():
        np.testing.assert_allclose(fast[name], gradient, atol=relative_to(gradient))
        assert np.any(gradient), name


# Against float64


@needs_kernel
@pytest.mark.parametrize(
    ("controller", "control", "cell_clip"),
    [
        ("feedforward", reference.feedforward_step, None),
        ("lstm", reference.lstm_step, None),
        ("lstm", functools.partial(reference.lstm_step, clip=0.2), 0.2),
    ],
)
@pytest.mark.parametrize("heads", [1, 2])
def test_gradients_are_central_differences_of_the_paper(
    controller, control, cell_clip, heads
):
    """Compared in float64 along random directions in one group of values at a time."""
    layer = memnets.NTM(
        3,
        memory_size=6,
        word_size=4,
        num_read_heads=heads,
        num_write_heads=heads,
        controller=controller,
        controller_size=5,
        initial_memory="learned",
        cell_clip=cell_clip,
        return_sequences=True,
    )
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((1, 4, 2)).astype("float32")
    layer.build(inputs.shape)
    randomise(layer, scale=0.5)
    factors = rng.standard_normal((4, 3))

    gradients = layer_gradients(
        layer, lambda y: ops.sum(y[0] * ops.cast(factors, "float32")), inputs
    )
    state, weights = ntm_initial_state(layer.cell), ntm_weights(layer.cell)
    arrays = [*weights.controller, *weights.heads, *weights.projection, state.memory]
    owners = [layer.cell.controller, layer.cell.heads, layer.cell.projection]
    names = [v.path for owner in owners for v in owner.trainable_variables]
    names.append(layer.cell.initial.memory.path)

    def loss(arrays):
        *rest, memory = arrays
        cut = len(weights.controller)
        moved = reference.NTMWeights(
            tuple(rest[:cut]), tuple(rest[cut : cut + 2]), tuple(rest[cut + 2 :])
        )
        outputs, _ = reference.ntm_run(
            inputs[0],
            state._replace(memory=memory),
            moved,
            control,
            layer.cell.shift_range,
            addressing.NORM_EPSILON,
            addressing.SHARPEN_EPSILON,
        )
        return np.sum(outputs * factors)

    step = 1e-6
    for i, name in enumerate(names):
        direction = rng.standard_normal(arrays[i].shape)
        direction /= np.linalg.norm(direction)

        def moved(sign, i=i, direction=direction):
            return [
                array + sign * step * direction if i == j else array
                for j, array in enumerate(arrays)
            ]

        expected = (loss(moved(1)) - loss(moved(-1))) / (2 * step)
        actual = np.sum(gradients[name] * direction)
        scale = max(np.linalg.norm(gradients[name]), 1e-3)
        assert abs(actual - expected) < TOLERANCE * scale, name


# The library by itself

LAYOUT = NTMLayout(3, 16, 4, 1, 1, True, math.inf, (8,), shift_range=1)


def library_arguments(layout=LAYOUT, batch=5, steps=9):
    rng = np.random.default_rng(0)
    layer = memnets.NTM(
        1,
        memory_size=layout.memory_size,
        word_size=layout.word_size,
        controller_size=layout.controller_size[0],
    )
    layer.build((1, 1, layout.input_size))
    draws = [
        0.3 * rng.standard_normal((batch, steps, layout.input_size)),
        0.3 * rng.random((batch, layout.state_size)),
        0.3 * rng.standard_normal(native.kernel_layout.weights_of(layer.cell).shape),
    ]
    inputs, state, weights = (draw.astype("float32") for draw in draws)
    return [inputs, np.zeros((0, 0), "uint8"), state, weights]


def run_library(threads=1, arguments=None, **keywords):
    arguments = arguments or library_arguments(**keywords)
    features, last_state, ticket = library.forward(LAYOUT, threads, True, *arguments)
    gradients = library.backward(
        LAYOUT, threads, *arguments, ticket, features, last_state
    )
    return [features, last_state, *gradients]


@needs_kernel
def test_same_call_gives_the_same_bits():
    for first, second in zip(run_library(2), run_library(2), strict=True):
        np.testing.assert_array_equal(first, second)


@needs_kernel
@pytest.mark.parametrize("threads", [2, 3, 64])
def test_number_of_threads_changes_the_last_digits_only(threads):
    for one, many in zip(run_library(1), run_library(threads), strict=True):
        np.testing.assert_allclose(many, one, rtol=0, atol=relative_to(one))


@needs_kernel
def test_calls_from_several_threads_do_not_disturb_each_other():
    arguments = library_arguments()
    expected = run_library(2, arguments)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for values in pool.map(lambda _: run_library(2, arguments), range(16)):
            for value, like in zip(values, expected, strict=True):
                assert (value == like).all()


@needs_kernel
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="counts threads")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_forked_process_has_its_own_threads():
    arguments = library_arguments()  # Keras does not survive a fork
    expected = run_library(2, arguments)  # leaves threads that the child does not have
    child = os.fork()
    if child == 0:
        failed = True
        try:
            before = len(os.listdir("/proc/self/task"))
            same = zip(run_library(2, arguments), expected, strict=True)
            failed = not all((value == like).all() for value, like in same)
            failed |= len(os.listdir("/proc/self/task")) <= before
        finally:
            os._exit(int(failed))
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert status == 0


@needs_kernel
@pytest.mark.parametrize("level", library.LEVELS)
def test_every_instruction_set_gives_the_same_results(level, monkeypatch):
    expected = run_library()
    path = library.path_of(level)
    best, _ = library.load()
    if path is None or list(library.LEVELS).index(level) > (
        best.memnets_processor_level()
    ):
        pytest.skip("not for this processor")
    chosen = library.open_library(path)
    monkeypatch.setattr(library, "load", lambda: (chosen, level))
    for value, like in zip(run_library(), expected, strict=True):
        np.testing.assert_allclose(value, like, rtol=0, atol=relative_to(like))


@needs_kernel
def test_gradients_are_the_same_from_a_history_that_is_no_longer_kept():
    arguments = library_arguments(batch=5, steps=20)
    *results, ticket = library.forward(LAYOUT, 2, True, *arguments)
    once, twice, never = (
        library.backward(LAYOUT, 2, *arguments, which, *results)
        for which in (ticket, ticket, np.zeros_like(ticket))
    )
    for gradient, *others in zip(once, twice, never, strict=True):
        for other in others:
            np.testing.assert_array_equal(gradient, other)


STATUS = pathlib.Path("/proc/self/status")


@needs_kernel
@pytest.mark.once
@pytest.mark.skipif(not STATUS.exists(), reason="the system does not say what is used")
def test_forward_passes_that_nobody_differentiates_do_not_fill_the_memory():
    def used():
        kilobytes = re.search(r"VmRSS:\s+(\d+)", STATUS.read_text())[1]
        return 1000 * int(kilobytes)

    sizes, count = LAYOUT.sizes(640, 200, 2, True), 20
    arguments = library_arguments(batch=640, steps=200)
    before = used()
    for _ in range(count):
        library.forward(LAYOUT, 2, True, *arguments)
    assert count * 4 * library.history_size(LAYOUT, sizes) > 1.5e9
    assert used() - before < 1e9


@needs_kernel
def test_forward_without_history_is_the_same():
    arguments = library_arguments()
    for kept, not_kept in zip(
        library.forward(LAYOUT, 1, True, *arguments)[:2],
        library.forward(LAYOUT, 1, False, *arguments)[:2],
        strict=True,
    ):
        np.testing.assert_array_equal(kept, not_kept)


@needs_kernel
def test_empty_batch_and_zero_steps_are_allowed():
    for batch, steps in ((0, 3), (3, 0)):
        arguments = library_arguments(batch=batch, steps=steps)
        features, last_state, _ = library.forward(LAYOUT, 2, True, *arguments)
        assert features.shape[:2] == (batch, steps)
        np.testing.assert_array_equal(last_state, arguments[2])
        *_, d_weights = run_library(batch=batch, steps=steps)
        assert not d_weights.any()


@needs_kernel
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_input_that_is_not_a_number_stays_in_its_sequence(value):
    arguments = library_arguments()
    expected = library.forward(LAYOUT, 1, True, *arguments)[0]
    arguments[0][2, 4, 0] = value
    features = library.forward(LAYOUT, 1, True, *arguments)[0]
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(features[others], expected[others])
    np.testing.assert_array_equal(features[2, :4], expected[2, :4])
    if np.isnan(value):
        assert np.isnan(features[2, 4:]).all()
    else:
        assert np.isfinite(features[2]).all()


@needs_kernel
@pytest.mark.parametrize(
    "changes",
    [
        {"memory_size": 2**30, "word_size": 2**10},
        {"memory_size": 2, "shift_range": 1},
        {"word_size": 0},
        {"input_size": -1},
        {"input_size": 2**30},
        {"controller_size": (2**20,)},
        {"controller_size": (0,)},
        {"cell_clip": 0.0},
        {"cell_clip": math.nan},
    ],
)
def test_sizes_out_of_range_are_rejected(changes):
    layout = dataclasses.replace(LAYOUT, **changes)
    with pytest.raises(ValueError, match="memory_size="):
        library.history_size(layout, layout.sizes(1, 1, 1, True))


@needs_kernel
def test_history_beyond_any_memory_is_rejected():
    with pytest.raises(ValueError, match="batch=2147483647"):
        library.history_size(LAYOUT, LAYOUT.sizes(2**31 - 1, 2**31 - 1, 1, True))


@needs_kernel
@pytest.mark.parametrize(
    ("place", "shape", "name"),
    [(0, (5, 9, 4), "sequences"), (1, (5, 8), "mask"), (2, (4, 3), "initial_state")],
)
def test_library_rejects_arrays_with_wrong_shapes(place, shape, name):
    arguments = library_arguments()
    arguments[place] = np.zeros(shape, arguments[place].dtype)
    with pytest.raises(ValueError, match=f"^`{name}` must have the shape .*Received: "):
        library.forward(LAYOUT, 1, True, *arguments)
