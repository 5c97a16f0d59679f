"""The formula of METEOR: matches to additive statistics, and statistics to a score."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence

from ..scores import Score
from ..tokenizers.word_cache import WordCache
from .alignment import count_chunks
from .constants import STAGES

# Lengths and function words of both texts, four numbers for each stage, chunks, matched
# words of both texts.
NUM_STATISTICS = 4 + 4 * len(STAGES) + 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class METEORScore(Score):
    """A METEOR score and its parts.

    Attributes:
        precision: Weighted share of the hypothesis that was matched.
        recall: Weighted share of the reference that was matched.
        f_mean: Their harmonic mean, weighted by alpha.
        penalty: Penalty of the fragmentation, as a share of `f_mean`.
        chunks: Number of chunks. In the METEOR 1.5 formula, segments that are matched
            completely in one chunk do not count.
        matches: Mean of the matched words of the hypothesis and of the reference.
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
        delta: Weight of content words. Function words have 1 - delta.
        weights: Weight of the matches of each stage.
        no_penalty_for_one_chunk: Whether a segment has no penalty if all its words are
            matched in one chunk.
        size: Function from a word to its size in precision and recall. `None` means
            that the size is 1.
        function_words: Words that count less, in lower case or as they are.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]
    no_penalty_for_one_chunk: bool = True
    size: Callable[[str], int] | None = None
    function_words: frozenset[str] = frozenset()
    _weights: WordCache[tuple[int, bool]] = dataclasses.field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_weights", WordCache(self.weigh))

    def statistics(
        self,
        matches: Sequence[tuple],
        reference: Sequence[str],
        hypothesis: Sequence[str],
        chunks: int | None = None,
    ) -> list[float]:
        """The additive statistics of a segment, in the order of METEOR 1.5 (`-ssOut`).

        Args:
            matches: Matches, ordered by their position in the reference.
            reference: Tokens of the reference.
            hypothesis: Tokens of the hypothesis.
            chunks: Number of chunks. `None` means to count them here.
        """
        sizes, light = self._weigh_all(hypothesis)
        reference_sizes, reference_light = self._weigh_all(reference)
        counts: list[float] = [0] * NUM_STATISTICS
        counts[0], counts[1] = sum(sizes), sum(reference_sizes)
        counts[2] = sum(itertools.compress(sizes, light))
        counts[3] = sum(itertools.compress(reference_sizes, reference_light))
        matched = reference_matched = 0
        for j, reference_length, i, length, stage in matches:
            start = 4 + 4 * stage
            if length == reference_length == 1:  # a quick path for most matches
                counts[start + 2 * light[i]] += sizes[i]
                counts[start + 1 + 2 * reference_light[j]] += reference_sizes[j]
            else:
                for k in range(i, i + length):
                    counts[start + 2 * light[k]] += sizes[k]
                for k in range(j, j + reference_length):
                    counts[start + 1 + 2 * reference_light[k]] += reference_sizes[k]
            matched += length
            reference_matched += reference_length
        if chunks is None:
            chunks = count_chunks(matches)
        counts[-3:] = chunks, matched, reference_matched
        return self.forgiven(counts, reference, hypothesis)

    def forgiven(
        self, counts: list[float], reference: Sequence[str], hypothesis: Sequence[str]
    ) -> list[float]:
        """Statistics without the chunk of a segment that has no penalty.

        Args:
            counts: Result of `statistics` with all chunks. It is changed.
            reference: Tokens of the reference.
            hypothesis: Tokens of the hypothesis.
        """
        if self.no_penalty_for_one_chunk and counts[-3] == 1:
            if counts[-2] == len(hypothesis) and counts[-1] == len(reference):
                counts[-3] = 0
        return counts

    def weigh(self, word: str) -> tuple[int, bool]:
        """The size of a word, and whether it is a function word."""
        light = self.function_words
        is_light = word in light or word.lower() in light
        return 1 if self.size is None else self.size(word), is_light

    def _weigh_all(self, words: Sequence[str]) -> tuple[Sequence[int], Sequence[bool]]:
        """`weigh` of many words."""
        if not words:
            return (), ()
        sizes, are_light = zip(*[self._weights[word] for word in words], strict=True)
        return sizes, are_light

    def score(self, totals: Sequence[float], value: float | None = None) -> METEORScore:
        """The score of summed statistics. It is zero if there are no matches.

        Args:
            totals: The sums.
            value: The value, if it is not that of the sums.
        """
        precision, recall, f_mean, penalty, matches = self._parts(totals)
        return METEORScore(
            value=max(0.0, f_mean * (1 - penalty)) if value is None else value,
            precision=precision,
            recall=recall,
            f_mean=f_mean,
            penalty=penalty,
            chunks=int(totals[-3]),
            matches=matches,
        )

    def value(self, totals: Sequence[float]) -> float:
        """The value of `score` only, in half the time, because all segments need it."""
        _, _, f_mean, penalty, _ = self._parts(totals)
        return max(0.0, f_mean * (1 - penalty))

    def _parts(
        self, totals: Sequence[float]
    ) -> tuple[float, float, float, float, float]:
        chunks, matched, reference_matched = totals[-3:]
        precision, recall = self._shares(totals)
        f_mean = penalty = 0.0
        if precision > 0 and recall > 0:
            f_mean = 1 / ((1 - self.alpha) / precision + self.alpha / recall)
        matches = (matched + reference_matched) / 2
        if matches:
            penalty = self.gamma * math.pow(chunks / matches, self.beta)
        return precision, recall, f_mean, penalty, matches

    def _shares(self, totals: Sequence[float]) -> tuple[float, float]:
        """Weighted matches / weighted length, of hypothesis and reference."""
        # A power of two is exact, and prevents underflow for the smallest deltas.
        content, function = self.delta * 2.0**900, (1 - self.delta) * 2.0**900
        length, reference_length, light, reference_light = totals[:4]
        total = content * (length - light) + function * light
        reference_total = (
            content * (reference_length - reference_light) + function * reference_light
        )
        matched = reference_matched = 0.0
        start = 4
        for weight in self.weights:
            own, other, own_light, other_light = totals[start : start + 4]
            matched += weight * (content * own + function * own_light)
            reference_matched += weight * (content * other + function * other_light)
            start += 4
        return (
            matched / total if total else 0.0,
            reference_matched / reference_total if reference_total else 0.0,
        )
