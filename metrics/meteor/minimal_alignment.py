"""The alignment with the most matches and, of those, the fewest chunks.

Every match counts by its stage: 1 for exact, 1/2 for the others, for each word on
either side. The search is exact: it goes over the reference from left to right and
keeps, of all ways to get to the same situation, the best. Two things keep the
situations few.

Words that occur r times in the reference and h times in the hypothesis, and match
nothing else, are matched min(r, h) times in every best alignment, and any choice of
some of these matches can be completed. So only those that may continue a chunk are
decided in the search; the others are added afterwards. And of the words used up
only those matter that a later candidate could use.

Texts that repeat a few words hundreds of times have more situations and matches than
can be gone over. There the search is bounded, and the alignment not called minimal.

Reference:
    Denkowski and Lavie (2011), Meteor 1.3, section 2: the most words, then the fewest
    chunks, then the smallest distance.
"""

import collections
import functools

from .matching import Candidate

# Situations kept at one word of the reference, in a first search and in the one that
# proves it. English of a hundred words stays below; beyond it the best found is not
# proven to be minimal.
FIRST = 64
LIMIT = 5000
# Matches at one word that the first search chooses from. Where there are more, those of
# the longest runs serve better than a wider choice with fewer situations.
CHOICES = 16
# Chosen so that texts that repeat a few words again and again take seconds: situations
# times choices up to which the second search goes on, and up to which the first has its
# width; and words of the reference up to which there is a second.
STEPS = 250_000
LONG = 200


def minimal_alignment(
    candidates: list[list[Candidate]], limit: int = LIMIT
) -> tuple[list[Candidate], bool]:
    """Finds the alignment with the most matches and then the fewest chunks.

    Args:
        candidates: For each word of the reference, the matches that start there; of the
            stages, the first is exact.
        limit: Situations kept at one word.
    Returns:
        The matches by place in the reference, and whether they are proven minimal.
    """
    exchangeable = _exchangeable(candidates)
    starts, ends = _starts_and_ends(candidates)
    # An exchangeable word is decided only where it may continue a chunk.
    options = [
        [m for m in own if (ends[j] | starts[j + 1] >> 1) >> m[2] & 1]
        if j in exchangeable
        else own
        for j, own in enumerate(candidates)
    ]
    matches, minimal = _search_twice(options, exchangeable, ends, limit)
    return _completed(matches, candidates), minimal


def _starts_and_ends(candidates):
    """For each place in the reference, and that after the last, the places in the
    hypothesis where a match starts, and where one has ended, as bits."""
    starts = [0] * (len(candidates) + 1)
    ends = [0] * (len(candidates) + 1)
    for own in candidates:
        for j, reference_length, i, length, _ in own:
            starts[j] |= 1 << i
            ends[j + reference_length] |= 1 << i + length
    return starts, ends


def _in_longest_runs(options, keep):
    """So many of the options at each word, of the first stage that has them, of the
    longest runs of matches by one stage and nearest; all of them if that is no more."""
    if all(len(own) <= keep for own in options):
        return options
    lengths: list[int] = []
    runs = []  # for each option its run
    # By place in the reference: those that have come so far, by how they would go on.
    arrived: dict[int, dict[tuple, int]] = collections.defaultdict(dict)
    for j, own in enumerate(options):
        here = arrived.pop(j, {})
        runs.append([])
        for _, reference_length, i, length, stage in own:
            run = here.get((i, stage), len(lengths))
            if run == len(lengths):
                lengths.append(0)
            lengths[run] += reference_length
            arrived[j + reference_length][i + length, stage] = run
            runs[j].append(run)
    kept = []
    for own, numbers in zip(options, runs, strict=True):
        ranked = sorted(
            zip(own, numbers, strict=True),
            key=lambda pair: (
                pair[0][4],
                -lengths[pair[1]],
                abs(pair[0][0] - pair[0][2]),
            ),
        )
        kept.append(sorted(match for match, _ in ranked[:keep]))
    return kept


def _search_twice(options, exchangeable, ends, limit):
    """A narrow search, and where it left something out a wide one for what is better.

    Returns the matches and whether they are proven minimal.
    """
    few = _in_longest_runs(options, CHOICES)
    bound = functools.cache(lambda: Bound(few, exchangeable, ends))
    width = STEPS // (len(few) + sum(map(len, few)) + 1)
    width = max(4, min(FIRST, width))
    value, matches, complete = _search(few, exchangeable, bound, width)
    if few is not options:
        complete = False
        bound = functools.cache(lambda: Bound(options, exchangeable, ends))
    if complete or len(options) > LONG:
        return matches, complete
    if value >= bound()(0, 0, -1):
        return matches, True
    better, others, complete = _search(options, exchangeable, bound, limit, value)
    return others if better > value else matches, complete


def _exchangeable(candidates):
    """Words of the reference whose candidates are all pairs of one set of words with
    another."""
    by_kind: dict[tuple, set[int]] = {}
    takers: dict[int, int] = collections.defaultdict(int)
    in_phrases = set()
    for j, own in enumerate(candidates):
        stages, are_words = set(), True
        for _, reference_length, i, length, stage in own:
            stages.add(stage)
            takers[i] += 1
            if reference_length != 1 or length != 1:
                are_words = False
                in_phrases.update(range(j + 1, j + reference_length))
                for k in range(i + 1, i + length):
                    takers[k] += 1
        places = tuple([match[2] for match in own])
        if are_words and len(stages) == 1 and len(set(places)) == len(places):
            by_kind.setdefault((stages.pop(), places), set()).add(j)
    exchangeable: set[int] = set()
    for (_, places), alike in by_kind.items():
        if not alike & in_phrases and all(takers[i] == len(alike) for i in places):
            exchangeable |= alike
    return exchangeable


# A value orders the ways to a situation: more matched, fewer chunks, less distance.
_MATCHED = 1 << 40
_CHUNK = 1 << 20


def _gain(match, is_exchangeable):
    """What a match adds to a value, apart from the chunk it may continue.

    Of exchangeable words the number of matches is given: only the chunks vary.
    """
    j, reference_length, i, length, stage = match
    gain = -abs(i - j)
    if not is_exchangeable:
        weight = 2 if stage == 0 else 1
        gain += weight * (reference_length + length) * _MATCHED - _CHUNK
    return gain


def _search(options, exchangeable, bound, width, above=None):
    """The best matches among the options, without exchangeable words left for later.

    A situation is the words of the hypothesis that are used, its place after the last
    match if that may be continued, else -1, and the place in the reference after it.

    Args:
        bound: Function that gives the `Bound`: most sentences can do without it.
        width: Situations kept at a word.
        above: If given, only what is better than this value, apart from distance.
    Returns:
        The value, without distance, the matches, and whether nothing was left out.
    """
    later = _used_later(options)
    starts = [{match[2] for match in own} for own in options] + [set()]
    situations: dict[tuple, tuple] = {(0, -1, 0): (0, None)}
    complete = True
    steps = 0
    for j, own in enumerate(options):
        steps += len(situations) * (1 + len(own))
        if above is not None and steps > STEPS:
            return above, [], False
        moves = [
            (m, ((1 << m[3]) - 1) << m[2], m[2], _gain(m, j in exchangeable))
            for m in own
        ]
        reached: dict[tuple, tuple] = {}
        continued, needed = starts[j + 1], later[j + 1]

        def reach(used, last, until, value, path, j=j, found=reached, n=needed):
            situation = used & n, last, until
            if situation not in found or value > found[situation][0]:
                found[situation] = value, path

        for (used, last, until), (value, path) in situations.items():
            if until > j:
                keep = until > j + 1 or last in continued
                reach(used, last if keep else -1, until, value, path)
                continue
            reach(used, -1, j + 1, value, path)
            for match, words, i, gain in moves:
                if not used & words:
                    end, until_match = i + match[3], j + match[1]
                    if until_match == j + 1 and end not in continued:
                        end = -1
                    more = value + gain + (_CHUNK if i == last else 0)
                    reach(used | words, end, until_match, more, (path, match))
        situations = reached
        if above is not None or len(situations) > width:
            situations, whole = _promising(situations, bound(), j + 1, width, above)
            complete = complete and whole
    if not situations:
        return above, [], complete
    value, path = max(situations.values(), key=lambda state: state[0])
    matches = []
    while path is not None:
        path, match = path
        matches.append(match)
    return _without_distance(value), matches, complete


def _without_distance(value):
    return -(-value // _CHUNK) * _CHUNK


def _promising(situations, bound, j, width, above):
    """The situations that may become best, and whether there were no more of them."""
    hopes = {
        (used, last, until): state[0] + bound(max(j, until), used, last)
        for (used, last, until), state in situations.items()
    }
    if above is not None:
        hopes = {s: hope for s, hope in hopes.items() if hope > above}
    chosen = sorted(hopes, key=hopes.__getitem__, reverse=True)[:width]
    return {s: situations[s] for s in chosen}, len(hopes) <= width


class Bound:
    """The most that the rest of the reference can add to a value.

    Chunks: each continuation has words of its own on either side, so there are no more
    than their largest matching has, nor than there are free words with a free word
    before. Matches: the best of each set of matches that compete, with what is used.
    """

    def __init__(self, options, exchangeable, ends):
        places = [
            {m[2] for m in own if ends[j] >> m[2] & 1} for j, own in enumerate(options)
        ]
        self._matchings = _largest_matchings(places)
        # Words that may continue a chunk, at this place in the reference or later.
        self._continuing = [0, 0]
        for own in reversed(places):
            words = self._continuing[-1]
            for i in own:
                words |= 1 << i
            self._continuing.append(words)
        self._continuing.reverse()
        self._competitions = _competitions(options, exchangeable)

    def __call__(self, j, used, last):
        free = self._continuing[j + 1] & ~(used | used << 1)
        chunks = min(self._matchings[j], free.bit_count() + (last >= 0))
        matched = sum(own.best(j, used) for own in self._competitions)
        return chunks * _CHUNK + matched


def _largest_matchings(places):
    """For each start, the size of the largest matching of what follows with places."""
    if len(places) > LONG:  # at most one each
        return [sum(map(bool, places[j:])) for j in range(len(places) + 1)]
    taken: dict[int, int] = {}

    def take(k, tried):
        for i in places[k] - tried:
            tried.add(i)
            if i not in taken or take(taken[i], tried):
                taken[i] = k
                return True
        return False

    sizes = [0]
    for k in reversed(range(len(places))):
        sizes.append(sizes[-1] + take(k, set()))
    return sizes[::-1]


class Competition:
    """Matches that compete for words, directly or through others.

    Args:
        matches: The matches, by place in the reference.
        size: Number of words of the reference.
    """

    # With more matches what is used is not looked at: a looser bound, but a quick one.
    LARGE = 60

    def __init__(self, matches, size):
        self._matches = {}
        self._words = 0
        for match in matches:
            words = ((1 << match[3]) - 1) << match[2]
            gain = _gain(match, False) + abs(match[0] - match[2])
            self._matches.setdefault(match[0], []).append((match[1], words, gain))
            self._words |= words
        self._is_large = len(matches) > self.LARGE
        self._known: dict[tuple[int, int], int] = {}
        # From each place in the reference on: the next with a match, the most gained.
        self._next, self._most = [size], [0]
        for j in reversed(range(size)):
            own = self._matches.get(j, [])
            self._next.append(j if own else self._next[-1])
            self._most.append(self._most[-1] + max((m[2] for m in own), default=0))
        self._next.reverse()
        self._most.reverse()

    def best(self, j, used):
        """The most that matches from a place in the reference on add, apart from chunks
        that they continue, with these words of the hypothesis used."""
        j = self._next[j]
        if self._is_large or not self._most[j]:
            return self._most[j]
        situation = j, used & self._words
        if situation not in self._known:
            best = self.best(j + 1, used)
            for length, words, gain in self._matches[j]:
                if not used & words:
                    best = max(best, gain + self.best(j + length, used | words))
            self._known[situation] = best
        return self._known[situation]


def _competitions(options, exchangeable):
    """Sets of matches, other than of exchangeable words, that share words."""
    sets: list[tuple[set, list]] = []
    for j, own in enumerate(options):
        if j in exchangeable or not own:
            continue
        words = {("reference", j + k) for match in own for k in range(match[1])}
        words |= {
            ("hypothesis", match[2] + k) for match in own for k in range(match[3])
        }
        matches = list(own)
        apart = []
        for others in sets:
            if others[0].isdisjoint(words):
                apart.append(others)
            else:
                words |= others[0]
                matches += others[1]
        sets = [*apart, (words, matches)]
    return [Competition(matches, len(options)) for _, matches in sets]


def _used_later(options):
    """For each place in the reference, the words that options from there on use."""
    later = [0]
    for own in reversed(options):
        words = later[-1]
        for match in own:
            words |= ((1 << match[3]) - 1) << match[2]
        later.append(words)
    return later[::-1]


def _completed(matches, candidates):
    """The matches with those added that are still free, for each word the nearest of
    the first stage, ordered by place in the reference."""
    ours, theirs = 0, set()
    for j, reference_length, i, length, _ in matches:
        theirs.update(range(j, j + reference_length))
        ours |= ((1 << length) - 1) << i
    added = []
    for own in candidates:
        free = [
            m
            for m in own
            if not ours >> m[2] & ((1 << m[3]) - 1)
            and theirs.isdisjoint(range(m[0], m[0] + m[1]))
        ]
        if free:
            match = min(free, key=lambda m: (m[4], abs(m[0] - m[2])))
            theirs.update(range(match[0], match[0] + match[1]))
            ours |= ((1 << match[3]) - 1) << match[2]
            added.append(match)
    return sorted(matches + added)
