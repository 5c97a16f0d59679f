"""The compiled alignment search of METEOR's preset "1.5".

`compiled_search` uses it if it was built. Otherwise `beam_alignment` does the same
search in Python, with the same results.
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
    """Loads the compiled library.

    Returns:
        A `ctypes.CDLL`. `None` if the library was not built (there was no C++
        compiler), cannot be loaded, or is switched off by `MEMNETS_NATIVE=0` in the
        environment.
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
    """Returns the matches that the search chooses. It needs the library of `load`.

    Args:
        reference: For each word, the records of its stages in sequence. A record has
            int32 numbers: the number of identifiers, then the sorted identifiers. Words
            match in a stage if they share an identifier. Words that share one in the
            first stage are equal.
        hypothesis: The same for the hypothesis.
        phrases: Further candidates, each packed as `MATCH`.
        num_stages: Number of records of a word.
        beam: Number of states that are kept at each word.
    Returns:
        Matches ordered by their position in the reference, with the fields of
        `alignment.Match`.
    Raises:
        MemoryError: If there is not enough memory.
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
