"""The compiled alignment searches of METEOR.

`compiled_search` uses them if they were built. Otherwise `beam_alignment` and
`minimal_alignment` do the same searches in Python, with the same results.
"""

import ctypes
import functools
import importlib.machinery
import os
import pathlib
import struct
import sys
from typing import Any, TypeAlias

from ..minimal_alignment import MAX_WIDTH
from ..score import NUM_STATISTICS

MATCH = struct.Struct("5i")
# The longest texts for the fewest chunks: so many words have a bit in a set, but one.
MAX_WORDS = 64 * 64 - 1

# The records of the words of the reference and their number, the same for the
# hypothesis, the number of stages, further candidates and their number.
#
# The record of a word has int32 numbers: its size, whether it is a function word, and
# for each stage the number of identifiers, then the sorted identifiers. Words match in
# a stage if they share an identifier. Words that share one in the first stage are
# equal. A candidate is packed as `MATCH`.
Texts: TypeAlias = tuple[bytes, int, bytes, int, int, bytes, int]

# The statistics, and whether the alignment is proven to be minimal.
_Counts = ctypes.c_int64 * (NUM_STATISTICS + 1)

LIBRARY = pathlib.Path(__file__).with_name(
    f"_alignment{importlib.machinery.EXTENSION_SUFFIXES[-1]}"
)


@functools.cache
def load() -> Any:
    """Loads the compiled library.

    Returns:
        A `ctypes.CDLL`. `None` if the library was not built (there was no C++
        compiler, or it is of an earlier version), cannot be loaded, or is switched off
        by `MEMNETS_NATIVE=0` in the environment.
    """
    if os.environ.get("MEMNETS_NATIVE") == "0":
        return None
    try:
        library = ctypes.CDLL(str(LIBRARY))
        functions = library.memnets_align, library.memnets_align_minimal
    except (OSError, AttributeError):
        return None
    integer, pointer = ctypes.c_int32, ctypes.c_void_p
    counted: list[Any] = [pointer, integer]
    width, matches, counts = ctypes.c_int64, pointer, pointer
    for function in functions:
        function.argtypes = [*counted * 2, integer, *counted, width, matches, counts]
        function.restype = integer
    return library


def align(
    texts: Texts, beam: int | None, width: int = MAX_WIDTH
) -> tuple[list[tuple[int, int, int, int, int]], bool]:
    """Returns the matches that a search chooses. It needs the library of `load`.

    Args:
        texts: The texts.
        beam: Number of states that the search of the program METEOR 1.5 keeps at each
            word. `None` means the search for the fewest chunks.
        width: As of `minimal_alignment`, for the fewest chunks.
    Returns:
        Matches ordered by their position in the reference, with the fields of
        `alignment.Match`, and whether they are proven to have the fewest chunks.
    Raises:
        MemoryError: If there is not enough memory.
    """
    matches = ctypes.create_string_buffer(MATCH.size * texts[1])
    counts = _Counts()
    found = _search(texts, beam, width, matches, counts)
    chosen = MATCH.iter_unpack(matches.raw[: MATCH.size * found])
    return list(chosen), bool(counts[NUM_STATISTICS])


def count(texts: Texts, beam: int | None) -> list[float]:
    """Returns the statistics of the matches that a search chooses, with all chunks.

    Args:
        texts, beam: As of `align`.
    Raises:
        MemoryError: If there is not enough memory.
    """
    counts: Any = _Counts()
    _search(texts, beam, MAX_WIDTH, None, counts)
    return counts[:NUM_STATISTICS]


def _search(
    texts: Texts, beam: int | None, width: int, matches: Any, counts: Any
) -> int:
    """Fills `matches` and `counts`, and returns the number of matches."""
    library = load()
    if beam is None:
        found = library.memnets_align_minimal(*texts, width, matches, counts)
    else:
        found = library.memnets_align(*texts, min(beam, sys.maxsize), matches, counts)
    if found < 0:
        raise MemoryError("The alignment of a segment does not fit in memory.")
    return found
