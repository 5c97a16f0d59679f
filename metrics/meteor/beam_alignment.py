"""The alignment search of the METEOR 1.5 program, including its errors.

Papers report its numbers. They differ from the description of the program: integer
division rounds the gain of a single inexact match to 0, distances are charged to the
wrong candidate, and a beam of 40 misses some alignments with fewer chunks.
`minimal_alignment` searches without these errors.

Reference:
    Denkowski and Lavie (2014), Meteor Universal; the behaviour of the program.
"""

from operator import itemgetter

from .matching import Candidate, MatchPath, definite, matches_of

# The key of a state orders states by matched words, then chunks, then distance; the
# smallest key is the best. The distances of long texts add up to millions.
_CHUNK = 1 << 64
_WORD = 1 << 96

_key = itemgetter(0)

State = tuple[int, int, int, int, MatchPath]


def beam_alignment(
    candidates: list[list[Candidate]], beam: int = 40
) -> list[Candidate]:
    """Searches from left to right over the reference.

    Args:
        candidates: For each word of the reference, the matches that start there. The
            first stage is exact.
        beam: Number of states that are kept at each word.
    Returns:
        The chosen matches, ordered by their position in the reference.
    """
    sure = definite(candidates)
    # A state is (key, used words of the hypothesis as bits, position in the hypothesis
    # after the open chunk or -1, position in the reference after the last match, path
    # of the matches so far).
    states: list[State] = [(0, 0, -1, 0, None)]
    # The position after the open chunk, if it is the same for all states. Steps that
    # change all keys by the same amount are then skipped.
    shared: int | None = -1
    covered = 0  # position in the reference after the last definite match
    for j, starting in enumerate(candidates):
        match = sure[j]
        if j < covered:
            continue  # inside a definite phrase
        if match is not None:
            covered = j + match[1]
            if shared is None:
                states = _joined(states, match)
            shared = match[2] + match[3]
        elif starting:
            states = _branches(states, starting, j, shared)
            shared = None
        elif shared is None:
            states = _interrupted(states, j)
            if all(state[2] < 0 for state in states):
                shared = -1
        else:
            shared = -1
            continue
        if len(states) > 1:
            states.sort(key=_key)
            del states[beam:]
    # As in the program, the last chunk is closed only after the states were sorted.
    best = min(states, key=lambda state: state[0] + (_CHUNK if state[2] >= 0 else 0))
    definite_matches = [match for match in sure if match is not None]
    return sorted(definite_matches + matches_of(best[4]))


def _gain(match: Candidate) -> int:
    """The change of a key by a match. Inexact words count half, in integer division:
    a single word counts nothing."""
    _, reference_length, _, length, stage = match
    if stage == 0:
        return -(reference_length + length) * _WORD
    return -(reference_length // 2 + length // 2) * _WORD


def _joined(states: list[State], match: Candidate) -> list[State]:
    """The states after a definite match. Its words and distance are equal for all."""
    i = match[2]
    return [
        (key + _CHUNK if last >= 0 and last != i else key, used, -1, 0, path)
        for key, used, last, _, path in states
    ]


def _interrupted(states: list[State], j: int) -> list[State]:
    """The states with the chunk closed, unless the word is inside the last match."""
    return [
        (key + _CHUNK, used, -1, until, path)
        if last >= 0 and j >= until
        else (key, used, last, until, path)
        for key, used, last, until, path in states
    ]


def _branches(
    states: list[State], starting: list[Candidate], j: int, shared: int | None
) -> list[State]:
    """The states after each free candidate, and after no match at this word.

    Args:
        states: The states before the word.
        starting: The candidates that start at the word.
        j: Position of the word in the reference.
        shared: Position after the open chunk if it is the same for all states, or None.
    """
    options = [
        (
            match,
            ((1 << match[3]) - 1) << match[2],
            _gain(match),
            match[2],
            match[2] + match[3],
            match[0] + match[1],
            abs(match[0] - match[2]),
        )
        for match in starting
    ]
    branches = []
    for state in states:
        key, used, last, until, path = state
        if shared is not None:
            last = shared
        elif j < until:
            branches.append(state)
            continue
        closed = _CHUNK if last >= 0 else 0
        for match, words, gain, i, end, until_match, distance in options:
            if not used & words:
                more = gain if i == last else gain + closed
                branches.append(
                    (key + more, used | words, end, until_match, (path, match))
                )
                # The program adds the distance to the old state: later candidates and
                # the branch without a match pay for it.
                key += distance
        branches.append((key + closed, used, -1, until, path))
    return branches
