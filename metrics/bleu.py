"""BLEU: n-gram precision of a translation, with a penalty for brevity."""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from .base import Metric, Score, Text
from .checks import check_boolean, check_choice, check_integer, shorten
from .ngrams import MAX_ORDER, Tokens, block_matches, clipped_matches
from .smoothing import CHEN_CHERRY, LOOK_AHEAD, SENTENCE_ONLY, SMOOTHINGS, checked_value
from .text_checks import check_weights
from .tokenizers.tokenizers import get_tokenizer, tokenizer_name

# Segments from which on counting them together is faster than one by one; measured.
FEW = 6


@dataclasses.dataclass(frozen=True, kw_only=True)
class BLEUScore(Score):
    """A BLEU score and what it is made of.

    Attributes:
        precisions: Precision of each order from 1, smoothed; all 0 without a match.
        brevity_penalty: Factor below 1 if the hypotheses are shorter than the
            references.
        hypothesis_length: Tokens of the hypotheses.
        reference_length: Tokens of the references closest in length, one a segment.
        counts: Clipped n-gram matches of each order, not smoothed.
        totals: N-grams of each order in the hypotheses, not smoothed.
    """

    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int
    counts: tuple[int, ...]
    totals: tuple[int, ...]


class BLEU(Metric):
    """BLEU of a corpus, or of sentences.

    BLEU = BP exp(sum_n w_n log p_n), BP = min(1, exp(1 - r / c)), where p_n is the
    share of the hypotheses' n-grams that match a reference, clipped and summed over the
    corpus, c the length of the hypotheses and r, summed over the segments, the length
    of the reference closest to its hypothesis (of two, the shorter).

    By default it equals sacreBLEU, as a fraction instead of a percentage. Methods 1 to
    7 equal NLTK's `sentence_bleu`, on tokens. `tokenizer="ptb"` and `smoothing="none"`,
    with `max_order` 1 to 4, equal the corpus scores of pycocoevalcap, but for constants
    of 1e-9 there.

    Token lists are not tokenised; pass `tokenizer="none"` with them, so that the
    signature says so. Strings are lower-cased before they are tokenised.

    Methods 5 to 7 may exceed 1, as NLTK's do: 5 and 7 give a perfect sentence 1.12.
    Deviation: methods 1 to 3 take the corpus' own totals. NLTK counts an n-gram more
    for each segment that is too short to have one.
    Deviation: methods 5 and 7 look at the order after `max_order`; NLTK always at the
    fifth.

    Args:
        max_order: Largest n, at most 100.
        weights: Weights w_n, a number from 0 to 1 for each order; as a rule their sum
            is 1. By default all orders weigh the same.
        tokenizer: A name in `metrics.tokenizers.TOKENIZERS`, or a function from a text
            to a list of tokens.
        smoothing: What is put in place of precisions of zero: `"none"`, `"floor"`,
            `"add-k"`, `"exp"`, or `"method1"` to `"method7"` of Chen and Cherry.
            Methods 4 to 7 are defined for a sentence only.
        smoothing_value: The floor (0.1 by default), at most 1, or k (1 by default).
        effective_order: Whether orders of which the hypothesis has no n-grams are left
            out, so that sentences of less than `max_order` words get a score. The
            weights of the others grow to the same sum.
        lowercase: Whether case does not matter.
    Raises:
        ValueError: If an argument is out of its range.
        TypeError: If an argument is of the wrong type.
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
        tokenizer: str | Callable[[str], list[str]] = "13a",
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        lowercase: bool = False,
    ):
        self._max_order = check_integer("max_order", max_order, maximum=MAX_ORDER)
        check_choice("smoothing", smoothing, tuple(SMOOTHINGS))
        check_boolean("effective_order", effective_order)
        check_boolean("lowercase", lowercase)
        self._weights = _checked_weights(weights, self._max_order)
        self._tokenizer = tokenizer_name(tokenizer)
        self._tokenize = get_tokenizer(tokenizer)
        self._smoothing = smoothing
        self._smoothing_value = checked_value(smoothing, smoothing_value)
        self._effective_order = effective_order
        self._lowercase = lowercase
        self._look_ahead = int(smoothing in LOOK_AHEAD)
        self._counted_orders = self._max_order + self._look_ahead
        self.num_statistics = 2 + 2 * self._counted_orders

    def _settings(self):
        smoothing = self._smoothing
        if self._smoothing_value is not None:
            smoothing += f"[{self._smoothing_value}]"
        settings = {
            "case": "lc" if self._lowercase else "mixed",
            "eff": self._effective_order,
            "tok": self._tokenizer,
            "smooth": smoothing,
        }
        if self._max_order != 4:
            settings["order"] = self._max_order
        if len(set(self._weights)) > 1 or not math.isclose(sum(self._weights), 1):
            settings["weights"] = ",".join(map(str, self._weights))
        return settings

    def _segment_statistics(self, references, hypothesis):
        """Lengths of hypothesis and closest reference, matches and totals by order."""
        hypothesis = self._tokens(hypothesis)
        references = [self._tokens(reference) for reference in references]
        matches = clipped_matches(references, hypothesis, self._counted_orders)
        length = len(hypothesis)
        totals = [max(0, length - order) for order in range(self._counted_orders)]
        return [length, _closest_length(references, length), *matches, *totals]

    def _block_statistics(self, references, hypotheses):
        if len(hypotheses) < FEW:
            return super()._block_statistics(references, hypotheses)
        lengths = []

        def segments():
            for own, text in zip(references, hypotheses, strict=True):
                hypothesis = self._tokens(text)
                tokens = [self._tokens(reference) for reference in own]
                length = len(hypothesis)
                lengths.append((length, _closest_length(tokens, length)))
                yield tokens, hypothesis

        matches = block_matches(segments(), self._counted_orders)
        columns = np.array(lengths, dtype=float)
        totals = np.maximum(columns[:, :1] - np.arange(self._counted_orders), 0)
        return np.hstack([columns, matches, totals])

    def _tokens(self, text: Text) -> Tokens:
        if isinstance(text, str):
            return self._tokenize(text.lower() if self._lowercase else text)
        return [token.lower() for token in text] if self._lowercase else text

    def _score(self, totals, segments):
        if segments > 1 and self._smoothing in SENTENCE_ONLY:
            raise ValueError(
                f"`smoothing` must not be {self._smoothing!r} for a corpus: it is "
                f"defined for one sentence. Received: {segments} segments"
            )
        hypothesis_length, reference_length, *rest = (round(total) for total in totals)
        counts, ngrams = rest[: self._counted_orders], rest[self._counted_orders :]
        penalty = _brevity_penalty(hypothesis_length, reference_length)
        precisions = self._precisions(counts, ngrams) if any(counts) else []
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

    def _precisions(self, counts, ngrams):
        """Smoothed precisions of the orders that count, given that there is a match."""
        order = self._max_order
        # "add-k" leaves no order out: it adds to the totals too.
        if self._effective_order and self._smoothing != "add-k":
            order = sum(total > 0 for total in ngrams[:order])
        smooth = SMOOTHINGS[self._smoothing]
        if self._smoothing_value is not None:
            smooth = functools.partial(smooth, value=self._smoothing_value)
        counted = order + self._look_ahead
        return smooth(counts[:counted], ngrams[:counted])


def corpus_bleu(
    references: Sequence[Sequence[Text]],
    hypotheses: Sequence[Text],
    *,
    confidence: float | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    **options,
) -> Score:
    """BLEU of a corpus, a `BLEUScore`.

    Args:
        references: One list of references for each hypothesis.
        hypotheses: The texts to score.
        confidence, resamples, seed, jobs: As in `Metric.corpus_score`.
        **options: Arguments of `BLEU`.
    Raises:
        TypeError, ValueError: As `BLEU` and `Metric.corpus_score`.
    Example:
        >>> round(corpus_bleu([["a b c d e"]], ["a b c d"], max_order=2).value, 4)
        0.7788
    """
    return BLEU(**options).corpus_score(
        references,
        hypotheses,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
    )


def sentence_bleu(references: Sequence[Text], hypothesis: Text, **options) -> Score:
    """BLEU of a sentence, a `BLEUScore`.

    As in sacreBLEU's function of this name, the order is effective if `effective_order`
    does not say otherwise; with methods 1 to 7 it is not, as in NLTK's.

    Args:
        references: The references of the sentence.
        hypothesis: The text to score.
        **options: Arguments of `BLEU`.
    Raises:
        TypeError, ValueError: As `BLEU` and `Metric.sentence_score`.
    Example:
        >>> sentence_bleu(["the cat"], "the cat").value
        1.0
    """
    effective_order = options.get("smoothing") not in CHEN_CHERRY
    options = {"effective_order": effective_order, **options}
    return BLEU(**options).sentence_score(references, hypothesis)


def _closest_length(references, length):
    if len(references) == 1:
        return len(references[0])
    return min(map(len, references), key=lambda own: (abs(own - length), own))


def _brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length >= reference_length:
        return 1.0
    if not hypothesis_length:
        return 0.0
    return math.exp(1 - reference_length / hypothesis_length)


def _geometric_mean(precisions, weights):
    """Weighted geometric mean; the weights of orders left out go to the others."""
    counted = [(w, p) for w, p in zip(weights, precisions, strict=False) if w]
    if not counted or not all(p for _, p in counted):
        return 0.0
    logarithm = math.fsum(w * math.log(p) for w, p in counted)
    return math.exp(logarithm * sum(weights) / sum(w for w, _ in counted))


def _checked_weights(weights, max_order):
    if weights is None:
        return (1 / max_order,) * max_order
    checked = check_weights("weights", weights, max_order, "order")
    if not sum(checked):
        raise ValueError(
            f"`weights` must have a sum above 0. Received: weights={shorten(weights)}"
        )
    return tuple(map(float, checked))
