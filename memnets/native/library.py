"""Finds, loads and calls the compiled library."""

import ctypes
import importlib.machinery
import importlib.metadata
import os
import pathlib
from collections.abc import Collection
from typing import Any

import numpy as np

from ..backends.torch_compiling import remembered
from .kernel_layout import Layout

# The processors that it is compiled for, in the order of `memnets_processor_level`.
LEVELS = {"generic": "any processor", "x86_64_v3": "AVX2", "x86_64_v4": "AVX-512"}
# What MEMNETS_NATIVE may say: the best level or a certain one. Each rounds differently.
ANY = "1"
OFF = "0"
NAMES = {"generic": "generic", "avx2": "x86_64_v3", "avx512": "x86_64_v4"}

INTERFACE = 2  # as in `src/entry_points.cpp`
OUT_OF_MEMORY = 2  # status, see `src/entry_points.h`
# Where the package lies from which Python runs.
FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent


def wanted() -> str:
    """What the environment variable MEMNETS_NATIVE asks for.

    Raises:
        ValueError: If it asks for something unknown.
    """
    value = os.environ.get("MEMNETS_NATIVE", "").lower() or ANY
    if value not in (ANY, OFF, *NAMES):
        raise ValueError(
            f"`MEMNETS_NATIVE` must be one of {ANY}, {OFF}, {', '.join(NAMES)}. "
            f"Received: MEMNETS_NATIVE={os.environ['MEMNETS_NATIVE']}"
        )
    return value


NO_SECOND_GRADIENTS = (
    "The compiled kernel has no gradients of gradients. Call "
    "memnets.native.set_enabled(False) before: the portable path has them."
)


@remembered
def load() -> tuple[Any, str]:
    """The compiled library for this processor.

    Returns:
        `(library, description)`. If no library runs here, `library` is None and the
        description says why.
    Raises:
        ValueError: If MEMNETS_NATIVE asks for a level that is unknown, that this
            processor lacks, or that was not built.
    """
    asked = wanted()
    if asked == OFF:
        return None, "MEMNETS_NATIVE=0"
    paths = {level: path for level in LEVELS if (path := path_of(level))}
    if "generic" not in paths:
        _check_level(asked, [], paths)
        return None, why_not_built(FOLDER)
    try:
        best = open_library(paths["generic"]).memnets_processor_level()
        usable = list(LEVELS)[: best + 1]
        _check_level(asked, usable, paths)
        level = NAMES.get(asked) or [level for level in usable if level in paths][-1]
        return open_library(paths[level]), LEVELS[level]
    except (OSError, AttributeError) as error:
        return None, f"it could not be loaded: {error}"


def _check_level(asked: str, usable: Collection[str], paths: Collection[str]) -> None:
    """Raises `ValueError` if a level is asked for by name that cannot run here."""
    level = NAMES.get(asked)
    if level is None:
        return
    if level not in paths:
        reason = "the kernel was not built for it"
    elif level not in usable:
        reason = f"this processor has no {LEVELS[level]}"
    else:
        return
    raise ValueError(f"MEMNETS_NATIVE={asked} cannot be used here: {reason}.")


def path_of(level: str) -> str | None:
    """The path of the library of a level, or None."""
    suffix = importlib.machinery.EXTENSION_SUFFIXES[-1]  # as in setup.py
    path = FOLDER / "memnets" / "native" / f"_kernel_{level}{suffix}"
    return str(path) if path.exists() else None


def why_not_built(folder: pathlib.Path) -> str:
    """Why there is no library in the package that lies in `folder`."""
    copies = {}
    for found in importlib.metadata.distributions(name="memnets"):
        place, wheel = found.locate_file(""), found.read_text("WHEEL")
        # Sources that were built have no file WHEEL beside them, and an editable
        # installation has no package.
        if wheel and os.path.exists(os.path.join(str(place), "memnets", "__init__.py")):
            copies[pathlib.Path(str(place)).resolve()] = wheel
    if copies and folder not in copies:
        return (
            f"Python runs the sources in {folder}, which are not compiled, and not the "
            f"copy that is installed in {next(iter(copies))}. Start Python in another "
            "folder, or type `pip install -e .` in this one"
        )
    if "Root-Is-Purelib: true" in copies.get(folder, ""):
        return "the installed wheel is the one for every platform, which has none"
    return "it was not built: there was no C++ compiler, or compiling failed"


def open_library(path: str) -> ctypes.CDLL:
    """Loads a library and declares its functions.

    Raises:
        OSError: If it was compiled from other sources, whose sizes it would read.
    """
    library = ctypes.CDLL(path)
    # The first libraries have no such number.
    if getattr(library, "memnets_interface", lambda: 1)() != INTERFACE:
        raise OSError("it was compiled from other sources; install memnets again")
    pointer: Any = ctypes.c_void_p
    sizes: list[Any] = [ctypes.c_void_p, ctypes.c_int64]
    library.memnets_message.restype = ctypes.c_char_p
    library.memnets_message.argtypes = [ctypes.c_int]
    library.memnets_lend_threads.argtypes = [pointer]
    library.memnets_register_xla.restype = ctypes.c_char_p
    library.memnets_register_xla.argtypes = [pointer]
    for kind in kinds_of(library):
        history_size = getattr(library, f"memnets_{kind}_history_size")
        history_size.restype = ctypes.c_int64
        history_size.argtypes = sizes
        forward = getattr(library, f"memnets_{kind}_forward")
        forward.argtypes = [*sizes, *[pointer] * 7]
        backward = getattr(library, f"memnets_{kind}_backward")
        backward.argtypes = [*sizes, *[pointer] * 10]
    return library


def kinds_of(library: ctypes.CDLL) -> list[str]:
    """The networks that are compiled, as `Layout.kind` names them."""
    library.memnets_kinds.restype = ctypes.c_char_p
    return library.memnets_kinds().decode().split()


def history_size(layout: Layout, sizes: np.ndarray) -> int:
    """Number of values that a forward pass keeps for the backward pass.

    Args:
        layout: A `Layout`.
        sizes: See `Layout.sizes`.
    Raises:
        ValueError: If a size is out of range.
    """
    library, _ = load()
    function = getattr(library, f"memnets_{layout.kind}_history_size")
    size = function(sizes.ctypes.data, sizes.size)
    if size < 0:
        raise ValueError(
            "The batch, the number of steps, the memory and the controller must be "
            f"small enough for the compiled kernel. Received: batch={sizes[0]}, "
            f"steps={sizes[1]}, layout={layout}"
        )
    return size


def forward(
    layout: Layout,
    threads: int,
    saves: bool,
    inputs: np.ndarray,
    mask: np.ndarray,
    state: np.ndarray,
    weights: np.ndarray,
) -> list[np.ndarray]:
    """Runs the kernel on float32 arrays; an empty mask means no mask.

    Returns:
        `(features, last_state, ticket)`, see `src/entry_points.h`.
    """
    check_shapes(layout, inputs, mask, state)
    batch, steps = inputs.shape[:2]
    sizes = layout.sizes(batch, steps, threads, saves)
    results = [
        np.empty((batch, steps, layout.features_size), "float32"),
        np.empty((batch, layout.state_size), "float32"),
        np.empty(2, "int32"),
    ]
    call(
        f"memnets_{layout.kind}_forward", sizes, [inputs, mask, state, weights], results
    )
    return results


def check_shapes(layout: Layout, inputs: Any, mask: Any, state: Any) -> None:
    """Raises `ValueError` if the shapes do not agree: the library trusts the sizes and
    would read beyond the end of an array."""
    batch, steps = inputs.shape[:2]
    expected: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
        "sequences": (inputs, [(batch, steps, layout.input_size)]),
        "mask": (mask, [(batch, steps), (0, 0)]),
        "initial_state": (state, [(batch, layout.state_size)]),
    }
    for name, (array, shapes) in expected.items():
        if array is not None and not any(_is_shape(array, shape) for shape in shapes):
            raise ValueError(
                f"`{name}` must have the shape {shapes[0]}. Received: {name} of shape "
                f"{tuple(array.shape)}"
            )


def _is_shape(array: Any, shape: tuple[int, ...]) -> bool:
    """Whether an array has a shape, by axis: `torch.compile` may know no numbers."""
    return len(array.shape) == len(shape) and all(
        size == expected for size, expected in zip(array.shape, shape, strict=True)
    )


def backward(
    layout: Layout,
    threads: int,
    inputs: np.ndarray,
    mask: np.ndarray,
    state: np.ndarray,
    weights: np.ndarray,
    ticket: np.ndarray,
    d_features: np.ndarray,
    d_last_state: np.ndarray,
) -> list[np.ndarray]:
    """Gradients of all arguments, from the gradients of features and last state.

    Returns:
        `(d_inputs, d_state, d_weights)`.
    """
    batch, steps = inputs.shape[:2]
    sizes = layout.sizes(batch, steps, threads, True)
    results = [
        np.empty(inputs.shape, "float32"),
        np.empty((batch, layout.state_size), "float32"),
        np.empty(weights.shape, "float32"),
    ]
    arguments = [inputs, mask, state, weights, ticket, d_features, d_last_state]
    call(f"memnets_{layout.kind}_backward", sizes, arguments, results)
    return results


def call(
    name: str, sizes: np.ndarray, arguments: list[np.ndarray], results: list[np.ndarray]
) -> None:
    """Calls a function of the library.

    Args:
        name: Its name.
        sizes: See `Layout.sizes`.
        arguments: Arrays to read; an empty one is passed as null.
        results: Contiguous arrays to write to.
    Raises:
        ValueError: If it refuses the sizes.
        MemoryError: If there is not enough memory.
    """
    library, _ = load()
    # The list keeps contiguous copies alive while the library uses their pointers.
    arrays = [*map(np.ascontiguousarray, arguments), *results]
    status = getattr(library, name)(
        sizes.ctypes.data,
        sizes.size,
        *(array.ctypes.data if array.size else None for array in arrays),
    )
    if status:
        error = MemoryError if status == OUT_OF_MEMORY else ValueError
        raise error(library.memnets_message(status).decode())
