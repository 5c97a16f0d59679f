"""The search of `minimal_alignment`: from left to right over the reference.

Of all ways to the same state, the search keeps the best one. A state is the used words
of the hypothesis, the position in the hypothesis after the last match (-1 if no match
can continue its chunk), and the position in the reference after the last match.
"""

from collections.abc import Callable, Collection, Sequence

from .matching import Candidate, MatchPath, matches_of
from .minimal_bound import CHUNK, Bound, gain

# Number of states times choices up to which a search with a lower limit runs. Tuned:
# texts that repeat a few words many times then take seconds.
MAX_STEPS = 250_000

State = tuple[int, int, int]
# A match, its words of the hypothesis as bits, where it starts there, and its gain.
Move = tuple[Candidate, int, int, int]
Reached = tuple[int, MatchPath]  # the value of a state, and how it was reached


def search(
    options: Sequence[Sequence[Candidate]],
    interchangeable: Collection[int],
    bound: Callable[[], Bound],
    width: int,
    above: int | None = None,
) -> tuple[int, list[Candidate], bool]:
    """Finds the best matches among the options.

    Args:
        options: For each word of the reference, the matches to choose from.
        interchangeable: Positions of interchangeable words in the reference. They are
            matched only where they may continue a chunk.
        bound: Function that returns the `Bound`. Most sentences do not need it.
        width: Maximum number of states at a word.
        above: If given, the search looks only for values above this one, without the
            distance.
    Returns:
        `(value, matches, complete)`: the value without the distance, the matches from
        the last to the first, and whether no state was left out.
    """
    later = _used_later(options)
    starts = [{match[2] for match in starting} for starting in options] + [set()]
    states: dict[State, Reached] = {(0, -1, 0): (0, None)}
    complete = True
    steps = 0
    for j, starting in enumerate(options):
        steps += len(states) * (1 + len(starting))
        if above is not None and steps > MAX_STEPS:
            return above, [], False
        moves = [
            (m, ((1 << m[3]) - 1) << m[2], m[2], gain(m, j in interchangeable))
            for m in starting
        ]
        states = _reached(states, moves, j, starts[j + 1], later[j + 1])
        if above is not None or len(states) > width:
            states, has_all = _promising(states, bound(), j + 1, width, above)
            complete = complete and has_all
    if not states:
        # Only a search with a lower limit can run out of states.
        return above or 0, [], complete
    value, path = max(states.values(), key=lambda reached: reached[0])
    return _without_distance(value), matches_of(path), complete


def _reached(
    states: dict[State, Reached],
    moves: list[Move],
    j: int,
    continued: set[int],
    needed: int,
) -> dict[State, Reached]:
    """The states after a word of the reference.

    Args:
        states: The states before it.
        moves: The matches to choose from at the word.
        j: Position of the word.
        continued: Positions in the hypothesis where a match at the next word starts.
        needed: The words that options after this word use.
    """
    reached: dict[State, Reached] = {}

    def reach(used: int, last: int, until: int, value: int, path: MatchPath) -> None:
        state = used & needed, last, until
        if state not in reached or value > reached[state][0]:
            reached[state] = value, path

    for (used, last, until), (value, path) in states.items():
        if until > j:
            keep = until > j + 1 or last in continued
            reach(used, last if keep else -1, until, value, path)
            continue
        reach(used, -1, j + 1, value, path)
        for match, words, i, added in moves:
            if not used & words:
                end, until_match = i + match[3], j + match[1]
                if until_match == j + 1 and end not in continued:
                    end = -1
                more = value + added + (CHUNK if i == last else 0)
                reach(used | words, end, until_match, more, (path, match))
    return reached


def _without_distance(value: int) -> int:
    return -(-value // CHUNK) * CHUNK


def _promising(
    states: dict[State, Reached], bound: Bound, j: int, width: int, above: int | None
) -> tuple[dict[State, Reached], bool]:
    """The states that may become the best, and whether these are all of them."""
    bounds = {
        (used, last, until): reached[0] + bound(max(j, until), used, last)
        for (used, last, until), reached in states.items()
    }
    if above is not None:
        bounds = {state: value for state, value in bounds.items() if value > above}
    chosen = sorted(bounds, key=bounds.__getitem__, reverse=True)[:width]
    return {state: states[state] for state in chosen}, len(bounds) <= width


def _used_later(options: Sequence[Sequence[Candidate]]) -> list[int]:
    """For each position in the reference, the words that options from there on use."""
    later = [0]
    for starting in reversed(options):
        words = later[-1]
        for match in starting:
            words |= ((1 << match[3]) - 1) << match[2]
        later.append(words)
    return later[::-1]
