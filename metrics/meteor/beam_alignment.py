"""The alignment search of the METEOR 1.5 program, its errors included.

Its numbers are the ones that papers report. They are not those of its own description:
integers cut off what an isolated inexact match adds, distances are charged to the wrong
candidate, and a beam of 40 misses some alignments with fewer chunks. What searches
without these errors is `minimal_alignment`.

Reference:
    Denkowski and Lavie (2014), Meteor Universal; the behaviour of the program.
"""

from operator import itemgetter

from .matching import Candidate, definite

# A state's key orders states by more matched words, fewer chunks, smaller distance. The
# distances of long texts add up to millions.
_CHUNK = 1 << 64
_WORD = 1 << 96

_key = itemgetter(0)


def beam_alignment(
    candidates: list[list[Candidate]], beam: int = 40
) -> list[Candidate]:
    """Searches from left to right over the reference.

    Args:
        candidates: For each word of the reference, the matches that start there; of the
            stages, the first is exact.
        beam: States kept at each word.
    Returns:
        The chosen matches, by place in the reference.
    """
    sure = definite(candidates)
    # (key, words of the hypothesis used, its place after the last match or -1 if there
    # is none adjacent, place in the reference after the last match, matches so far)
    states: list[tuple] = [(0, 0, -1, 0, None)]
    # The place after the last match where it is the same for all states. What then
    # changes all keys by the same amount need not be done at all.
    shared: int | None = -1
    covered = 0  # the reference up to here, by the last sure match
    for j, own in enumerate(candidates):
        match = sure[j]
        if j < covered:
            continue  # inside a sure phrase
        if match is not None:
            covered = j + match[1]
            if shared is None:
                states = _joined(states, match)
            shared = match[2] + match[3]
        elif own:
            states = _branches(states, own, j, shared)
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
    # The last chunk is closed only now, after the states were put in order.
    best = min(states, key=lambda state: state[0] + (_CHUNK if state[2] >= 0 else 0))
    matches, path = [match for match in sure if match is not None], best[4]
    while path is not None:
        path, match = path
        matches.append(match)
    return sorted(matches)


def _gain(match):
    """What words matched on both sides do to a key; all but exact count half, and in
    integers: a word on either side counts nothing."""
    _, reference_length, _, length, stage = match
    if stage == 0:
        return -(reference_length + length) * _WORD
    return -(reference_length // 2 + length // 2) * _WORD


def _joined(states, match):
    """Each state with a sure match, whose words and distance are the same for all."""
    i = match[2]
    return [
        (key + _CHUNK if last >= 0 and last != i else key, used, -1, 0, path)
        for key, used, last, _, path in states
    ]


def _interrupted(states, j):
    """Each state with its chunk closed, unless the word is inside its last match."""
    return [
        (key + _CHUNK, used, -1, until, path)
        if last >= 0 and j >= until
        else (key, used, last, until, path)
        for key, used, last, until, path in states
    ]


def _branches(states, own, j, shared):
    """Each state with each candidate that is free, then without any."""
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
        for match in own
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
                # The program adds the distance to what is left of the state: later
                # candidates and the branch without any pay for it.
                key += distance
        branches.append((key + closed, used, -1, until, path))
    return branches
