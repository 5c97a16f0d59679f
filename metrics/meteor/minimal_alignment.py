"""The alignment with the most matches and, of those, the fewest chunks.

Each matched word of both texts counts by the stage of its match: 1 for exact, 1/2 for
the other stages. The search is exact (`minimal_search.py`). Two ideas keep the number
of its states small.

First, interchangeable words: words that occur r times in the reference and h times in
the hypothesis, and match nothing else. Every best alignment has min(r, h) matches of
them, and any choice of some of these matches can be completed. So the search decides
only matches that may continue a chunk. The other matches are added afterwards. Second,
of the used words only those count that a later candidate could use.

Texts that repeat a few words hundreds of times have too many states and matches. For
them the search is limited, and the alignment is not called minimal.

`native/minimal_search.h` does the same, match by match: a change here is one there too.

Reference:
    Denkowski and Lavie (2011), Meteor 1.3, section 2: the most words, then the fewest
    chunks, then the smallest distance.
"""

import collections
import functools

from .matching import Candidate
from .minimal_bound import MAX_EXACT_WORDS, Bound
from .minimal_search import MAX_STEPS, search

# States that are kept at one word of the reference: in the first search, and in the
# second one, which proves the result. Heuristic: English sentences of a hundred words
# need fewer. If a text needs more, its alignment is not proven to be minimal.
FIRST_WIDTH = 64
MAX_WIDTH = 5000
# Matches at one word that the first search chooses from. Tuned: if there are more,
# matches of the longest runs are better than more choices with fewer states.
MAX_CHOICES = 16


def minimal_alignment(
    candidates: list[list[Candidate]], width: int = MAX_WIDTH
) -> tuple[list[Candidate], bool]:
    """Finds the alignment with the most matches and then the fewest chunks.

    Args:
        candidates: For each word of the reference, the matches that start there. The
            first stage is exact.
        width: Maximum number of states at one word.
    Returns:
        The matches ordered by their position in the reference, and whether they are
        proven to be minimal.
    """
    interchangeable = _interchangeable(candidates)
    starts, ends = _starts_and_ends(candidates)
    # An interchangeable word is decided only where it may continue a chunk.
    options = [
        [m for m in starting if (ends[j] | starts[j + 1] >> 1) >> m[2] & 1]
        if j in interchangeable
        else starting
        for j, starting in enumerate(candidates)
    ]
    matches, minimal = _search_twice(options, interchangeable, ends, width)
    return _completed(matches, candidates), minimal


def _starts_and_ends(candidates: list[list[Candidate]]) -> tuple[list[int], list[int]]:
    """For each position in the reference, and the one after the last: the positions in
    the hypothesis where a match starts, and where a match has ended, as bits."""
    starts = [0] * (len(candidates) + 1)
    ends = [0] * (len(candidates) + 1)
    for starting in candidates:
        for j, reference_length, i, length, _ in starting:
            starts[j] |= 1 << i
            ends[j + reference_length] |= 1 << i + length
    return starts, ends


def _search_twice(
    options: list[list[Candidate]],
    interchangeable: set[int],
    ends: list[int],
    width: int,
) -> tuple[list[Candidate], bool]:
    """A narrow search, then a wide search for a better result if it left out states.

    Returns the matches and whether they are proven to be minimal.
    """
    few = _in_longest_runs(options, MAX_CHOICES)
    bound = functools.cache(lambda: Bound(few, interchangeable, ends))
    first_width = MAX_STEPS // (len(few) + sum(map(len, few)) + 1)
    first_width = max(4, min(FIRST_WIDTH, first_width))
    value, matches, complete = search(few, interchangeable, bound, first_width)
    if few is not options:
        complete = False
        bound = functools.cache(lambda: Bound(options, interchangeable, ends))
    if complete or len(options) > MAX_EXACT_WORDS:
        return matches, complete
    if value >= bound()(0, 0, -1):
        return matches, True
    better, others, complete = search(options, interchangeable, bound, width, value)
    return others if better > value else matches, complete


def _in_longest_runs(
    options: list[list[Candidate]], keep: int
) -> list[list[Candidate]]:
    """The `keep` best options at each word; all options if no word has more.

    The best options are those of the first stage, then of the longest runs of matches
    of one stage, then those with the smallest distance.
    """
    if all(len(starting) <= keep for starting in options):
        return options
    runs, lengths = _runs(options)
    kept = []
    for starting, numbers in zip(options, runs, strict=True):
        ranked = sorted(
            zip(starting, numbers, strict=True),
            key=lambda pair: (
                pair[0][4],
                -lengths[pair[1]],
                abs(pair[0][0] - pair[0][2]),
            ),
        )
        kept.append(sorted(match for match, _ in ranked[:keep]))
    return kept


def _runs(options: list[list[Candidate]]) -> tuple[list[list[int]], list[int]]:
    """The number of the run of each option, and the length of each run."""
    lengths: list[int] = []
    runs: list[list[int]] = []
    # For each position in the reference: the runs that end there, by the position in
    # the hypothesis and the stage that continue them.
    open_runs: dict[int, dict[tuple, int]] = collections.defaultdict(dict)
    for j, starting in enumerate(options):
        here = open_runs.pop(j, {})
        runs.append([])
        for _, reference_length, i, length, stage in starting:
            run = here.get((i, stage), len(lengths))
            if run == len(lengths):
                lengths.append(0)
            lengths[run] += reference_length
            open_runs[j + reference_length][i + length, stage] = run
            runs[j].append(run)
    return runs, lengths


def _interchangeable(candidates: list[list[Candidate]]) -> set[int]:
    """Positions of words of the reference whose candidates are all pairs of one set of
    words with another set."""
    by_kind: dict[tuple, set[int]] = {}
    takers: dict[int, int] = collections.defaultdict(int)
    in_phrases: set[int] = set()
    for j, starting in enumerate(candidates):
        stages, are_words = set(), True
        for _, reference_length, i, length, stage in starting:
            stages.add(stage)
            takers[i] += 1
            if reference_length != 1 or length != 1:
                are_words = False
                in_phrases.update(range(j + 1, j + reference_length))
                for k in range(i + 1, i + length):
                    takers[k] += 1
        positions = tuple([match[2] for match in starting])
        are_different = len(set(positions)) == len(positions)
        if are_words and len(stages) == 1 and are_different:
            by_kind.setdefault((stages.pop(), positions), set()).add(j)
    interchangeable: set[int] = set()
    for (_, positions), words in by_kind.items():
        takers_are_words = all(takers[i] == len(words) for i in positions)
        if takers_are_words and not words & in_phrases:
            interchangeable |= words
    return interchangeable


def _completed(
    matches: list[Candidate], candidates: list[list[Candidate]]
) -> list[Candidate]:
    """The matches, and for each word that is still free the nearest free match of the
    first stage that has one. Ordered by their position in the reference."""
    used = 0
    reference_used: set[int] = set()
    for j, reference_length, i, length, _ in matches:
        reference_used.update(range(j, j + reference_length))
        used |= ((1 << length) - 1) << i
    added = []
    for starting in candidates:
        free = [
            m
            for m in starting
            if not used >> m[2] & ((1 << m[3]) - 1)
            and reference_used.isdisjoint(range(m[0], m[0] + m[1]))
        ]
        if free:
            match = min(free, key=lambda m: (m[4], abs(m[0] - m[2])))
            reference_used.update(range(match[0], match[0] + match[1]))
            used |= ((1 << match[3]) - 1) << match[2]
            added.append(match)
    return sorted(matches + added)
