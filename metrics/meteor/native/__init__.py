"""The compiled alignment search of preset "1.5" of METEOR.

`metrics.beam_search` uses it by itself where it was built; elsewhere the same search
runs in Python, with the same results.
"""

import ctypes
import functools
import importlib.util
import os
import struct
import sys
from typing import Any

MATCH = struct.Struct("5i")


@functools.cache
def load() -> Any:
    """The compiled library.

    Returns:
        A `ctypes.CDLL`; or `None` if it was not built, for lack of a C++ compiler,
        cannot be loaded, or is switched off by `MEMNETS_NATIVE=0` in the environment.
    """
    spec = importlib.util.find_spec(f"{__name__}._alignment")
    if spec is None or spec.origin is None or os.environ.get("MEMNETS_NATIVE") == "0":
        return None
    try:
        library = ctypes.CDLL(spec.origin)
    except OSError:
        return None
    integer, pointer = ctypes.c_int32, ctypes.c_void_p
    counted: list[Any] = [pointer, integer]
    texts, phrases = counted * 2, counted
    beam, matches = ctypes.c_int64, pointer
    library.memnets_align.argtypes = [*texts, integer, *phrases, beam, matches]
    library.memnets_align.restype = integer
    return library


def align(
    reference: list[bytes],
    hypothesis: list[bytes],
    phrases: bytes,
    *,
    num_stages: int,
    beam: int,
) -> list[tuple[int, int, int, int, int]]:
    """The matches that the search chooses; only if `load` found the library.

    Args:
        reference: For each word, the records of its stages one after another. A record
            is int32: the number of identifiers and these, in order. Words match in a
            stage if they share one; those that do in the first stage are equal.
        hypothesis: The same for the hypothesis.
        phrases: More candidates, each as `MATCH`.
        num_stages: Number of records of a word.
        beam: States kept at each word.
    Returns:
        Matches by place in the reference, each as `metrics.alignment.Match`.
    """
    matches = ctypes.create_string_buffer(MATCH.size * len(reference))
    count = load().memnets_align(
        b"".join(reference),
        len(reference),
        b"".join(hypothesis),
        len(hypothesis),
        num_stages,
        phrases,
        len(phrases) // MATCH.size,
        min(beam, sys.maxsize),
        matches,
    )
    if count < 0:
        raise MemoryError("The alignment of a segment does not fit in memory.")
    return list(MATCH.iter_unpack(matches.raw[: MATCH.size * count]))
