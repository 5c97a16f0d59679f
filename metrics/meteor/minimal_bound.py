"""Values of alignments, and an upper bound of the value of the rest of a search.

The value of an alignment orders alignments by matched words, then by fewer chunks, then
by smaller distance.
"""

from collections.abc import Collection, Sequence

from .matching import Candidate

MATCHED = 1 << 40
CHUNK = 1 << 20

# Words of the reference above which the bound is looser, and the search is done once.
# Tuned: texts that repeat a few words many times then take seconds.
MAX_EXACT_WORDS = 200


def gain(match: Candidate, is_interchangeable: bool) -> int:
    """The value that a match adds, apart from the chunk that it may continue.

    The number of matches of interchangeable words is given. Only their chunks vary.

    Args:
        match: The match.
        is_interchangeable: Whether its words are interchangeable.
    """
    j, reference_length, i, length, stage = match
    value = -abs(i - j)
    if not is_interchangeable:
        weight = 2 if stage == 0 else 1
        value += weight * (reference_length + length) * MATCHED - CHUNK
    return value


class Bound:
    """An upper bound of the value that the rest of the reference can add.

    Chunks: each continuation of a chunk uses words of its own in both texts. So there
    are at most as many as the largest matching of words with positions has, and at most
    as many as there are free words after a free word. Matches: the best choice in each
    set of conflicting matches, given the used words.

    Args:
        options: For each word of the reference, the matches to choose from.
        interchangeable: Positions of interchangeable words in the reference.
        ends: For each position in the reference, the positions in the hypothesis where
            a match has ended, as bits.
    """

    def __init__(
        self,
        options: Sequence[Sequence[Candidate]],
        interchangeable: Collection[int],
        ends: Sequence[int],
    ) -> None:
        positions = [
            {m[2] for m in starting if ends[j] >> m[2] & 1}
            for j, starting in enumerate(options)
        ]
        self._matchings = _largest_matchings(positions)
        # Words that may continue a chunk at this position of the reference or later.
        self._continuing = [0, 0]
        for starts in reversed(positions):
            words = self._continuing[-1]
            for i in starts:
                words |= 1 << i
            self._continuing.append(words)
        self._continuing.reverse()
        self._conflicts = _conflict_sets(options, interchangeable)

    def __call__(self, j: int, used: int, last: int) -> int:
        """The bound of a state.

        Args:
            j: Position in the reference from which on words are not decided yet.
            used: Used words of the hypothesis, as bits.
            last: Position in the hypothesis after the open chunk, or -1.
        """
        free = self._continuing[j + 1] & ~(used | used << 1)
        chunks = min(self._matchings[j], free.bit_count() + (last >= 0))
        matched = sum(conflict.best(j, used) for conflict in self._conflicts)
        return chunks * CHUNK + matched


def _largest_matchings(positions: Sequence[set[int]]) -> list[int]:
    """For each start, the size of the largest matching of the words from there on."""
    if len(positions) > MAX_EXACT_WORDS:  # a bound: at most one match for each word
        return [sum(map(bool, positions[j:])) for j in range(len(positions) + 1)]
    taken: dict[int, int] = {}

    def take(k: int, tried: set[int]) -> bool:
        for i in positions[k] - tried:
            tried.add(i)
            if i not in taken or take(taken[i], tried):
                taken[i] = k
                return True
        return False

    sizes = [0]
    for k in reversed(range(len(positions))):
        sizes.append(sizes[-1] + take(k, set()))
    return sizes[::-1]


class ConflictSet:
    """Matches that share words, directly or through other matches of the set.

    Args:
        matches: The matches, ordered by their position in the reference.
        size: Number of words of the reference.
    """

    # A set with more matches ignores the used words: a looser bound, but a quick one.
    MAX_EXACT_MATCHES = 60
    # So does a set that has gone through so many states: their number may double with
    # each match.
    MAX_EXACT_STATES = 10_000

    def __init__(self, matches: Sequence[Candidate], size: int) -> None:
        self._matches: dict[int, list[tuple[int, int, int]]] = {}
        self._words = 0
        for match in matches:
            words = ((1 << match[3]) - 1) << match[2]
            value = gain(match, False) + abs(match[0] - match[2])
            self._matches.setdefault(match[0], []).append((match[1], words, value))
            self._words |= words
        self._is_large = len(matches) > self.MAX_EXACT_MATCHES
        self._known: dict[tuple[int, int], int] = {}
        # For each position in the reference: the next position with a match, and the
        # most that the matches from there on add.
        self._next, self._most = [size], [0]
        for j in reversed(range(size)):
            starting = self._matches.get(j, [])
            self._next.append(j if starting else self._next[-1])
            self._most.append(self._most[-1] + max((m[2] for m in starting), default=0))
        self._next.reverse()
        self._most.reverse()

    def best(self, j: int, used: int) -> int:
        """The most that matches add, apart from the chunks that they continue.

        Args:
            j: Position in the reference where the matches begin.
            used: Used words of the hypothesis, as bits.
        """
        j = self._next[j]
        if self._is_large or not self._most[j]:
            return self._most[j]
        state = j, used & self._words
        if state not in self._known:
            if len(self._known) >= self.MAX_EXACT_STATES:
                return self._most[j]
            best = self.best(j + 1, used)
            for length, words, value in self._matches[j]:
                if not used & words:
                    best = max(best, value + self.best(j + length, used | words))
            self._known[state] = best
        return self._known[state]


def _conflict_sets(
    options: Sequence[Sequence[Candidate]], interchangeable: Collection[int]
) -> list[ConflictSet]:
    """The sets of matches that share words, without those of interchangeable words."""
    sets: list[tuple[set, list]] = []
    for j, starting in enumerate(options):
        if j in interchangeable or not starting:
            continue
        words = {("reference", j + k) for match in starting for k in range(match[1])}
        words |= {
            ("hypothesis", match[2] + k) for match in starting for k in range(match[3])
        }
        matches = list(starting)
        separate = []
        for others in sets:
            if others[0].isdisjoint(words):
                separate.append(others)
            else:
                words |= others[0]
                matches += others[1]
        sets = [*separate, (words, matches)]
    return [ConflictSet(matches, len(options)) for _, matches in sets]
