"""From the matches of METEOR to numbers that add up, and from these to a score."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence

from ..base import Score
from .alignment import count_chunks
from .constants import STAGES

# Length and function words of either side, four numbers a stage, chunks, words matched.
NUM_STATISTICS = 4 + 4 * len(STAGES) + 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class METEORScore(Score):
    """A METEOR score and its parts.

    Attributes:
        precision: Weighted share of the hypothesis that was matched.
        recall: Weighted share of the reference that was matched.
        f_mean: Their harmonic mean, weighted by alpha.
        penalty: What fragmentation takes away, as a share of `f_mean`.
        chunks: Number of chunks; in the METEOR 1.5 formula without those of segments
            that were matched in one piece.
        matches: Mean of the words matched in the hypothesis and in the reference.
    """

    precision: float
    recall: float
    f_mean: float
    penalty: float
    chunks: int
    matches: float


@dataclasses.dataclass(frozen=True)
class Formula:
    """The formula of METEOR with its constants.

    Attributes:
        alpha: Weight of recall in the mean of precision and recall.
        beta: Exponent of the fragmentation.
        gamma: Largest penalty.
        delta: Weight of content words; function words have 1 - delta.
        weights: Weight of the matches of each stage.
        forgives_one_piece: Whether segments matched as one whole have no penalty.
        size: Function from a word to what it counts in precision and recall; one if
            `None`.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]
    forgives_one_piece: bool = True
    size: Callable[[str], int] | None = None

    def statistics(
        self,
        matches: Sequence[tuple],
        reference: Sequence[str],
        hypothesis: Sequence[str],
        function_words: frozenset[str],
        chunks: int | None = None,
    ) -> list[float]:
        """What a segment adds to the sums, in the order of METEOR 1.5 (`-ssOut`)."""
        ours, our_sizes = self._weigh(hypothesis, function_words)
        theirs, their_sizes = self._weigh(reference, function_words)
        counts: list[float] = [0] * NUM_STATISTICS
        counts[0], counts[1] = sum(our_sizes), sum(their_sizes)
        counts[2] = sum(itertools.compress(our_sizes, ours))
        counts[3] = sum(itertools.compress(their_sizes, theirs))
        matched_here = matched_there = 0
        for j, reference_length, i, length, stage in matches:
            own = 4 + 4 * stage
            if length == reference_length == 1:  # nearly all: no need of loops
                counts[own + 2 * ours[i]] += our_sizes[i]
                counts[own + 1 + 2 * theirs[j]] += their_sizes[j]
            else:
                for k in range(i, i + length):
                    counts[own + 2 * ours[k]] += our_sizes[k]
                for k in range(j, j + reference_length):
                    counts[own + 1 + 2 * theirs[k]] += their_sizes[k]
            matched_here += length
            matched_there += reference_length
        if chunks is None:
            chunks = count_chunks(matches)
        if self.forgives_one_piece and chunks == 1:
            if matched_here == len(hypothesis) and matched_there == len(reference):
                chunks = 0
        counts[-3:] = chunks, matched_here, matched_there
        return counts

    def _weigh(self, words, function_words):
        """Whether each word is a function word, and its size."""
        functional = [
            word in function_words or word.lower() in function_words for word in words
        ]
        if self.size is None:
            return functional, [1] * len(words)
        return functional, list(map(self.size, words))

    def score(self, totals: Sequence[float]) -> METEORScore:
        """The score of summed statistics; zero if nothing was matched."""
        precision, recall, f_mean, penalty, matches = self._parts(totals)
        return METEORScore(
            value=max(0.0, f_mean * (1 - penalty)),
            precision=precision,
            recall=recall,
            f_mean=f_mean,
            penalty=penalty,
            chunks=int(totals[-3]),
            matches=matches,
        )

    def value(self, totals: Sequence[float]) -> float:
        """The value of `score` alone, in half the time: all segments need it."""
        _, _, f_mean, penalty, _ = self._parts(totals)
        return max(0.0, f_mean * (1 - penalty))

    def _parts(self, totals):
        chunks, matched_here, matched_there = totals[-3:]
        precision = self._share(totals, 0)
        recall = self._share(totals, 1)
        f_mean = penalty = 0.0
        if precision > 0 and recall > 0:
            f_mean = 1 / ((1 - self.alpha) / precision + self.alpha / recall)
        matches = (matched_here + matched_there) / 2
        if matches:
            penalty = self.gamma * math.pow(chunks / matches, self.beta)
        return precision, recall, f_mean, penalty, matches

    def _share(self, totals, side):
        """Weighted matches of a side over its weighted length."""
        # A power of two changes no digit, and the smallest deltas keep theirs.
        content, function = self.delta * 2.0**900, (1 - self.delta) * 2.0**900
        length, function_length = totals[side], totals[2 + side]
        whole = content * (length - function_length) + function * function_length
        matched = 0.0
        for number, weight in enumerate(self.weights):
            own = 4 + 4 * number + side
            matched += weight * (content * totals[own] + function * totals[own + 2])
        return matched / whole if whole else 0.0
