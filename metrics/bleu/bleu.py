"""BLEU: n-gram precision with a penalty for short hypotheses."""

import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..base import Metric, Text
from ..checks import check_boolean, check_choice, check_integer, shorten
from ..ngrams import MAX_ORDER, Tokens, block_matches, clipped_matches
from ..scores import Score
from ..text_checks import check_weights
from ..tokenizers import Tokenizer, get_tokenizer, tokenizer_name, tokens_of
from ..tokenizers.script_checks import misreading
from .lengths import LENGTHS, brevity_penalty
from .smoothing import (
    CHEN_CHERRY,
    LENGTH_CONSTANTS,
    LOOK_AHEAD,
    SENTENCE_ONLY,
    SMOOTHINGS,
    WITHOUT_MATCH,
    WITHOUT_NGRAMS,
    checked_value,
)

# Tuned: from this number of segments on, counting them together is faster.
MIN_BLOCK = 6


@dataclasses.dataclass(frozen=True, kw_only=True)
class BLEUScore(Score):
    """A BLEU score and what it is made of.

    Attributes:
        precisions: Smoothed precision of each order from 1. All are 0 if there is no
            match, but with the smoothings `"laplace"` and `"coco"`.
        brevity_penalty: Factor below 1 if the hypotheses are shorter than the
            references.
        hypothesis_length: Number of tokens of the hypotheses.
        reference_length: Number of tokens of the references: of each segment the
            length that `BLEU(reference_length=)` names.
        counts: Clipped n-gram matches of each order, not smoothed.
        totals: Number of n-grams of each order in the hypotheses, not smoothed.
    """

    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: float
    counts: tuple[int, ...]
    totals: tuple[int, ...]


class BLEU(Metric[BLEUScore]):
    """BLEU of a corpus, or of sentences.

    BLEU = BP exp(sum_n w_n log p_n), BP = min(1, exp(1 - r / c)).

    p_n is the share of the hypotheses' n-grams that match a reference; the matches are
    clipped, and summed over the corpus. c is the length of the hypotheses. r is the sum
    over the segments of the length of the reference that is closest in length to its
    hypothesis (of two, the shorter), or as `reference_length` says.

    With its defaults the class equals sacreBLEU, but returns a fraction instead of a
    percentage. Smoothing methods 1 to 7 equal NLTK's `sentence_bleu` of tokens.
    `tokenizer="ptb"` and `smoothing="coco"`, with `max_order` 1 to 4, equal the scores
    of pycocoevalcap. `smoothing="laplace"` equals Hugging Face's `bleu` with
    `smooth=True`, which is that of tensorflow/nmt, with `reference_length="shortest"`.

    Lists of tokens are not tokenised. Pass `tokenizer="none"` with them, so that the
    signature says so. Strings are lower-cased before they are tokenised.

    Scores with methods 5 to 7 may exceed 1, as in NLTK: methods 5 and 7 give a perfect
    sentence 1.12.
    Deviation: methods 1 to 3 use the totals of the corpus. NLTK counts one more n-gram
    for each segment that is too short to have one.
    Deviation: methods 5 and 7 use the order after `max_order`. NLTK always uses the
    fifth.

    Args:
        max_order: Largest n, at most 100.
        weights: Weights w_n, a number from 0 to 1 for each order. Usually their sum is
            1. By default all orders have the same weight.
        tokenizer: A name, the path of a SentencePiece model, or a function from a text
            to a list of tokens, see `metrics.tokenizers.get_tokenizer`.
        smoothing: Replacement of precisions of zero: `"none"`, `"floor"`, `"add-k"`,
            `"exp"`, `"laplace"`, `"coco"`, or `"method1"` to `"method7"` of Chen and
            Cherry. Methods 4 to 7 are defined for a sentence only.
        smoothing_value: The floor (0.1 by default), at most 1, or k (1 by default).
        effective_order: Whether to leave out orders of which the hypothesis has no
            n-grams, so that sentences of less than `max_order` words get a score:
            pass true for `sentence_score` and `sentence_scores`. The weights of the
            other orders grow to the same sum. It does nothing with `"add-k"`, as in
            sacreBLEU, `"laplace"` and `"coco"`.
        lowercase: Whether to ignore case.
        reference_length: What r adds up of the references of each segment: the length
            that is `"closest"` to the hypothesis, as Papineni et al. and sacreBLEU;
            the `"average"` of their lengths; or the `"shortest"`, as tensorflow/nmt,
            Hugging Face and keras-hub.
    Raises:
        ValueError: If a number or a name is none of those that are allowed.
        TypeError: If a flag is not a boolean, `weights` is no list, or `tokenizer` is
            neither a name nor a function.
        ImportError: If the library of the tokenizer is missing.
    Reference:
        Papineni, Roukos, Ward, Zhu (2002), BLEU: a Method for Automatic Evaluation of
        Machine Translation. Post (2018), A Call for Clarity in Reporting BLEU Scores.
    Example:
        >>> bleu = BLEU(smoothing="none", max_order=2)
        >>> references = [["the cat sat"], ["a dog"]]
        >>> score = bleu.corpus_score(references, ["the cat", "a dog"])
        >>> score.precisions, round(score.brevity_penalty, 4), score.reference_length
        ((1.0, 1.0), 0.7788, 5)
    """

    name = "bleu"

    def __init__(
        self,
        max_order: int = 4,
        *,
        weights: Sequence[float] | None = None,
        tokenizer: str | Tokenizer = "13a",
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        lowercase: bool = False,
        reference_length: str = "closest",
    ) -> None:
        check_choice("reference_length", reference_length, LENGTHS)
        self._reference_length = reference_length
        self._length_of = LENGTHS[reference_length]
        self._max_order = check_integer("max_order", max_order, maximum=MAX_ORDER)
        self._smoothing = check_choice("smoothing", smoothing, SMOOTHINGS)
        self._effective_order = check_boolean("effective_order", effective_order)
        self._lowercase = check_boolean("lowercase", lowercase)
        self._weights = _checked_weights(weights, self._max_order)
        self._tokenizer = tokenizer_name(tokenizer)
        self._tokenize = get_tokenizer(tokenizer)
        self._smoothing_value = checked_value(smoothing, smoothing_value)
        self._look_ahead = int(smoothing in LOOK_AHEAD)
        self._counted_orders = self._max_order + self._look_ahead
        self.num_statistics = 2 + 2 * self._counted_orders
        self._signature = self._describe()

    def _settings(self) -> dict[str, object]:
        return dict(self._signature)

    def _describe(self) -> dict[str, object]:
        """What the signature says of the settings."""
        smoothing = self._smoothing
        if self._smoothing_value is not None:
            smoothing += f"[{self._smoothing_value}]"
        settings: dict[str, object] = {
            "case": "lc" if self._lowercase else "mixed",
            "eff": self._effective_order,
            "tok": self._tokenizer,
            "smooth": smoothing,
        }
        if self._reference_length != "closest":
            settings["reflen"] = self._reference_length
        if self._max_order != 4:
            settings["order"] = self._max_order
        if len(set(self._weights)) > 1 or not math.isclose(sum(self._weights), 1):
            settings["weights"] = ",".join(map(str, self._weights))
        return settings

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> list[float]:
        """Lengths of hypothesis and references, matches and totals by order."""
        hypothesis_tokens = self._tokens(hypothesis)
        reference_tokens = [self._tokens(reference) for reference in references]
        matches = clipped_matches(
            reference_tokens, hypothesis_tokens, self._counted_orders
        )
        length = len(hypothesis_tokens)
        totals = [max(0, length - order) for order in range(self._counted_orders)]
        return [length, self._length_of(reference_tokens, length), *matches, *totals]

    def _block_statistics(
        self, references: Sequence[Sequence[Text]], hypotheses: Sequence[Text]
    ) -> np.ndarray:
        if len(hypotheses) < MIN_BLOCK:
            return super()._block_statistics(references, hypotheses)
        lengths = []

        def segments() -> Iterator[tuple[list[Tokens], Tokens]]:
            for texts, hypothesis in zip(references, hypotheses, strict=True):
                hypothesis_tokens = self._tokens(hypothesis)
                reference_tokens = [self._tokens(reference) for reference in texts]
                length = len(hypothesis_tokens)
                lengths.append((length, self._length_of(reference_tokens, length)))
                yield reference_tokens, hypothesis_tokens

        matches = block_matches(segments(), self._counted_orders)
        columns = np.array(lengths, dtype=float)
        totals = np.maximum(columns[:, :1] - np.arange(self._counted_orders), 0)
        return np.hstack([columns, matches, totals])

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        return misreading(references, self._tokens)

    def _misjudged(self, scores: Sequence[BLEUScore]) -> str | None:
        # Methods 1 to 7 are NLTK's, which has no effective order.
        if self._effective_order or self._smoothing in CHEN_CHERRY:
            return None
        order = self._max_order
        if not any(
            not score.value and score.counts[0] and score.hypothesis_length < order
            for score in scores
        ):
            return None
        return (
            f"of a text of fewer than {order} words is 0, whatever its references, "
            "unless `effective_order=True`; `metrics.sentence_bleu` sets it."
        )

    def _tokens(self, text: Text) -> Tokens:
        return tokens_of(text, self._tokenize, lowercase=self._lowercase)

    def _score(self, totals: np.ndarray, segments: int) -> BLEUScore:
        if segments > 1 and self._smoothing in SENTENCE_ONLY:
            raise ValueError(
                f"`smoothing` must not be {self._smoothing!r} for a corpus: it is "
                f"defined for one sentence. Received: {segments} segments"
            )
        hypothesis_length, *rest = map(round, totals.tolist())
        reference_length, rest = float(totals[1]), rest[1:]
        if reference_length.is_integer():
            reference_length = int(reference_length)
        counts, ngrams = rest[: self._counted_orders], rest[self._counted_orders :]
        tiny, small = LENGTH_CONSTANTS.get(self._smoothing, (0, 0))
        penalty = brevity_penalty(hypothesis_length + tiny, reference_length + small)
        is_scored = any(counts)
        if hypothesis_length and self._smoothing in WITHOUT_MATCH:
            is_scored = True
        precisions = self._precisions(counts, ngrams) if is_scored else []
        missing = self._max_order - len(precisions)
        return BLEUScore(
            value=penalty * _geometric_mean(precisions, self._weights),
            precisions=(*precisions, *[0.0] * missing),
            brevity_penalty=penalty,
            hypothesis_length=hypothesis_length,
            reference_length=reference_length,
            counts=tuple(counts[: self._max_order]),
            totals=tuple(ngrams[: self._max_order]),
        )

    def _precisions(self, counts: list[int], ngrams: list[int]) -> list[float]:
        """Smoothed precisions of the orders that count, if there is a match."""
        order = self._max_order
        if self._effective_order and self._smoothing not in WITHOUT_NGRAMS:
            order = sum(total > 0 for total in ngrams[:order])
        smooth = SMOOTHINGS[self._smoothing]
        if self._smoothing_value is not None:
            smooth = functools.partial(smooth, value=self._smoothing_value)
        counted = order + self._look_ahead
        return smooth(counts[:counted], ngrams[:counted])


def _geometric_mean(precisions: Sequence[float], weights: Sequence[float]) -> float:
    """Weighted geometric mean. The weights of missing orders go to the others."""
    # Lists, which are quicker than generators: each sentence comes here.
    counted = [(w, p) for w, p in zip(weights, precisions, strict=False) if w]
    if not counted or not all([p for _, p in counted]):
        return 0.0
    logarithm = math.fsum([w * math.log(p) for w, p in counted])
    return math.exp(logarithm * sum(weights) / sum([w for w, _ in counted]))


def _checked_weights(
    weights: Sequence[float] | None, max_order: int
) -> tuple[float, ...]:
    if weights is None:
        return (1 / max_order,) * max_order
    checked = check_weights("weights", weights, max_order, "order")
    if not sum(checked):
        raise ValueError(
            f"`weights` must have a sum above 0. Received: weights={shorten(weights)}"
        )
    return tuple(map(float, checked))
