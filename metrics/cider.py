"""CIDEr and CIDEr-D: how much a caption agrees with a consensus of captions."""

import abc
import copy
import math
import warnings
from collections import Counter
from collections.abc import Mapping

from .base import MeanScore, Metric
from .checks import check_number
from .document_frequency import (
    InverseDocumentFrequency,
    Ngram,
    check_document_frequency,
    count_documents,
)
from .ngrams import ngrams
from .tokenizers.tokenizers import Tokenizer, get_tokenizer, tokenizer_name

MAX_ORDER = 4  # the paper's N
SCALE = 10.0  # the authors' code, for both variants; in the paper only CIDEr-D has it


class _Consensus(Metric):
    """Mean cosine between the tf-idf vectors of a text and of its references."""

    num_statistics = 1

    def __init__(self, tokenizer, document_frequency, documents):
        self._tokenizer = tokenizer
        self._tokenize = get_tokenizer(tokenizer)
        self._idf = None
        if document_frequency is not None or documents is not None:
            documents = check_document_frequency(document_frequency, documents)
            self._idf = InverseDocumentFrequency(document_frequency, documents)
        self._documents = documents

    @abc.abstractmethod
    def _product(self, own: int, other: int) -> int:
        """Product of how often hypothesis and reference have an n-gram."""

    @abc.abstractmethod
    def _length_factor(self, difference: int) -> float:
        """What a cosine is multiplied by, given the difference in numbers of tokens."""

    def _fit(self, references):
        if self._idf is not None:
            return self
        if len(references) == 1:
            warnings.warn(
                f"{type(self).__name__} of a corpus of one segment is always 0, as "
                "each n-gram of its references is in all documents (log 1 = 0). Pass "
                "`document_frequency` and `documents` of a larger corpus.",
                stacklevel=4,
            )
        frequency = count_documents(
            references, tokenizer=self._tokenizer, max_order=MAX_ORDER
        )
        fitted = copy.copy(self)
        fitted._idf = InverseDocumentFrequency(frequency, len(references))
        return fitted

    def _segment_statistics(self, references, hypothesis):
        if self._idf is None:
            raise ValueError(
                f"{type(self).__name__} must know in how many documents an n-gram is. "
                "Call `corpus_score` or `sentence_scores`, which count the references; "
                "or score with `metric.fitted(references, hypotheses)`; or pass "
                "`document_frequency` and `documents`. Received: none of these."
            )
        tokens = self._tokens(hypothesis)
        candidates = []
        for reference in references:
            other = self._tokens(reference)
            candidates.append((other, self._length_factor(len(tokens) - len(other))))
        total = 0.0
        for order in range(1, MAX_ORDER + 1):
            similarity, candidates = self._similarity(tokens, candidates, order)
            total += similarity
        return [SCALE * total / (MAX_ORDER * len(references))]

    def _tokens(self, text):
        return self._tokenize(text) if isinstance(text, str) else text

    def _similarity(self, tokens, candidates, order):
        """Sum of the similarities to the candidates, and which have a common n-gram.

        Without a common n-gram of one order there is none of the next: most texts are
        spared the counting of their longer n-grams.
        """
        own = _count(tokens, order)
        norm = self._idf.norm(own)
        total, alike = 0.0, []
        for candidate in candidates:
            other_tokens, factor = candidate
            other = _count(other_tokens, order)
            # A list, not a set: sums are the same in every run, to the last digit.
            shared = [ngram for ngram in own if ngram in other]
            if shared:
                alike.append(candidate)
                norms = norm * self._idf.norm(other)
                if norms:
                    total += factor * self._dot(own, other, shared) / norms
        return total, alike

    def _dot(self, own, other, shared):
        products = [
            self._product(own[ngram], other[ngram]) * self._idf[ngram] ** 2
            for ngram in shared
        ]
        return sum(products)

    def _score(self, totals, segments):
        return MeanScore(value=totals[0] / segments, segments=segments)

    def _settings(self):
        settings = {"tok": tokenizer_name(self._tokenizer)}
        if self._documents is None:
            return {**settings, "df": "corpus"}
        return {**settings, "df": "given", "docs": self._documents}


class CIDEr(_Consensus):
    """CIDEr: cosine of the tf-idf vectors of n-grams, mean over orders and references.

    For each order n from 1 to 4 a text is a vector, with count * log(documents /
    document frequency) for each n-gram. A document is all references of a segment; an
    n-gram in none of them weighs as one in a single document. The score is 10 times the
    mean cosine, from 0 to 10; that of a corpus is the mean over its segments.

    By default the documents are the references of the corpus. The score of a segment
    then depends on the others; alone it has none, but from `fitted`, and a corpus of
    one segment scores 0 whatever its texts, with a warning. Where several machines
    score a corpus, or two corpora are to be compared, pass `document_frequency`.

    Deviation: no stemming, where the paper stems all words, and a factor of 10: so it
    is in the authors' code, whose numbers are published.

    Args:
        tokenizer: A name in `metrics.tokenizers.TOKENIZERS`, or a function from
            a string to a list of tokens. COCO evaluations use `"ptb"`.
        document_frequency: In how many documents an n-gram (a tuple of tokens) is, from
            `count_documents`.
        documents: How many documents were counted.
    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If there is no such tokenizer, or only one of the last two is given,
            or they do not fit.
    Reference:
        Vedantam, Zitnick, Parikh (2015), CIDEr: Consensus-based Image Description
        Evaluation, arXiv:1411.5726, equations 1-3; github.com/vrama91/cider.
    Example:
        >>> references = [["a dog runs fast"], ["two cats sleep here"]]
        >>> hypotheses = ["a dog runs fast", "a dog"]
        >>> scores = CIDEr("none").sentence_scores(references, hypotheses)
        >>> [round(score.value, 9) for score in scores]
        [10.0, 0.0]
    """

    name = "cider"

    def __init__(
        self,
        tokenizer: str | Tokenizer = "ptb",
        *,
        document_frequency: Mapping[Ngram, float] | None = None,
        documents: int | None = None,
    ):
        super().__init__(tokenizer, document_frequency, documents)

    def _product(self, own, other):
        return own * other

    def _length_factor(self, difference):
        return 1.0


class CIDErD(_Consensus):
    """CIDEr-D, harder to game; the number that COCO evaluations call CIDEr.

    As `CIDEr`, but in the product of two vectors the hypothesis has an n-gram at most
    as often as the reference, and each cosine is multiplied by
    exp(-d^2 / (2 sigma^2)), d the difference in length.

    Deviation: counts are clipped, as in the authors' code; in the paper, what share of
    a text's n-grams they are.

    Args:
        tokenizer: As for `CIDEr`.
        sigma: Width of the length penalty.
        document_frequency: As for `CIDEr`.
        documents: As for `CIDEr`.
    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: As `CIDEr`, or if `sigma` is not a positive number.
    Reference:
        Vedantam, Zitnick, Parikh (2015), CIDEr: Consensus-based Image Description
        Evaluation, arXiv:1411.5726, the section on CIDEr-D; github.com/vrama91/cider.
    Example:
        >>> references = [["a dog runs fast"], ["two cats sleep here"]]
        >>> hypotheses = ["a dog runs fast", "a dog"]
        >>> round(CIDErD("none").corpus_score(references, hypotheses).value, 9)
        5.0
    """

    name = "cider-d"

    def __init__(
        self,
        tokenizer: str | Tokenizer = "ptb",
        *,
        sigma: float = 6.0,  # the paper's
        document_frequency: Mapping[Ngram, float] | None = None,
        documents: int | None = None,
    ):
        self._sigma = check_number("sigma", sigma, above=0)
        super().__init__(tokenizer, document_frequency, documents)

    def _product(self, own, other):
        return min(own, other) * other

    def _length_factor(self, difference):
        # The authors' code counts bigrams, which is the same but for an empty text; and
        # that is similar to none.
        # No square of sigma, which may be infinite or 0.
        ratio = difference / self._sigma
        return math.exp(-ratio * ratio / 2)

    def _settings(self):
        return {**super()._settings(), "sigma": f"{self._sigma:g}"}


def _count(tokens, order):
    counts = dict.fromkeys(ngrams(tokens, order), 1)
    if len(counts) <= len(tokens) - order:
        # Only a text that repeats an n-gram needs the slower counting.
        return Counter(ngrams(tokens, order))
    return counts
