"""CIDEr and CIDEr-D: similarity of a caption to the consensus of several captions."""

import abc
import copy
import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from ..base import MeanScore, Metric, Text
from ..checks import check_number
from ..ngrams import Tokens, ngrams
from ..signatures import short_number
from ..tokenizers import Tokenizer, get_tokenizer, tokenizer_name, tokens_of
from ..tokenizers.script_checks import misreading
from .document_frequency import (
    InverseDocumentFrequency,
    Ngram,
    check_document_frequency,
    count_documents,
)
from .document_table import Counts, CountsDocuments, DocumentTable, part_counts

MAX_ORDER = 4  # the paper's N
SCALE = 10.0  # both variants in the authors' code; only CIDEr-D in the paper


class _Consensus(Metric[MeanScore], CountsDocuments):
    """Mean cosine between the tf-idf vectors of a text and of its references."""

    num_statistics = 1

    def __init__(
        self,
        tokenizer: str | Tokenizer,
        document_frequency: Mapping[Ngram, float] | None,
        documents: int | None,
    ) -> None:
        self._tokenizer = tokenizer
        self._tokenize = get_tokenizer(tokenizer)
        self._idf: InverseDocumentFrequency | None = None
        if document_frequency is not None or documents is not None:
            document_frequency, documents = check_document_frequency(
                document_frequency, documents
            )
            self._idf = InverseDocumentFrequency(document_frequency, documents)
        self._documents = documents

    @abc.abstractmethod
    def _product(self, hypothesis_count: int, reference_count: int) -> int:
        """The product of the counts of an n-gram in hypothesis and reference."""

    @abc.abstractmethod
    def _length_factor(self, difference: int) -> float:
        """The factor of a cosine, from the difference in numbers of tokens."""

    def _fit(self, references: Sequence[Sequence[Text]]) -> Self:
        if self._idf is not None:
            return self
        if len(references) == 1:
            warnings.warn(
                f"{type(self).__name__} of a corpus of one segment is always 0: each "
                "n-gram of its references is in all documents (log 1 = 0). Pass the "
                "`document_frequency` of a larger corpus.",
                stacklevel=4,
            )
        frequency = count_documents(
            references, tokenizer=self._tokenizer, max_order=MAX_ORDER
        )
        return self._with_frequencies(frequency, len(references))

    def _with_frequencies(
        self, frequency: Mapping[Ngram, float], documents: int
    ) -> Self:
        fitted = copy.copy(self)
        fitted._idf = InverseDocumentFrequency(frequency, documents)
        # Its signature names them: it may score another corpus than this one.
        fitted._documents = documents
        return fitted

    @property
    def is_fitted(self) -> bool:
        return self._idf is not None

    def document_counts(self, references: Sequence[Sequence[Text]]) -> Counts:
        texts = [[self._tokens(text) for text in own] for own in references]
        return part_counts(texts, MAX_ORDER)

    def fitted_by(
        self,
        table: DocumentTable,
        references: Sequence[Sequence[Text]],
        hypotheses: Sequence[Text],
    ) -> Self:
        texts = [*hypotheses, *(text for own in references for text in own)]
        frequency = table.frequencies(list(map(self._tokens, texts)), MAX_ORDER)
        return self._with_frequencies(frequency, table.documents)

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> list[float]:
        idf = self._idf
        if idf is None:
            raise ValueError(
                f"{type(self).__name__} must know in how many documents an n-gram is. "
                "Call `corpus_score` or `sentence_scores`, which count the references; "
                "or score with `metric.fitted(references, hypotheses)`; or pass "
                "`document_frequency` and `documents`. Received: none of these."
            )
        hypothesis_tokens = self._tokens(hypothesis)
        compared = []
        for reference in references:
            tokens = self._tokens(reference)
            factor = self._length_factor(len(hypothesis_tokens) - len(tokens))
            compared.append((tokens, factor))
        total = 0.0
        for order in range(1, MAX_ORDER + 1):
            similarity, compared = self._similarity(
                idf, hypothesis_tokens, compared, order
            )
            total += similarity
        return [SCALE * total / (MAX_ORDER * len(references))]

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        return misreading(references, self._tokens)

    def _tokens(self, text: Text) -> Tokens:
        return tokens_of(text, self._tokenize)

    def _similarity(
        self,
        idf: InverseDocumentFrequency,
        hypothesis_tokens: Tokens,
        compared: list[tuple[Tokens, float]],
        order: int,
    ) -> tuple[float, list[tuple[Tokens, float]]]:
        """Sum of the similarities to references, and the references with a common
        n-gram.

        A reference without a common n-gram of one order has none of the next order. So
        the longer n-grams of most texts need not be counted.

        Args:
            idf: The weights of n-grams.
            hypothesis_tokens: Tokens of the hypothesis.
            compared: Pairs of the tokens of a reference and its length factor.
            order: Number of tokens in an n-gram.
        """
        counts = _count(hypothesis_tokens, order)
        norm = idf.norm(counts)
        total, remaining = 0.0, []
        for reference_tokens, factor in compared:
            reference_counts = _count(reference_tokens, order)
            # A list, not a set: the order of the sum is then the same in every run.
            shared = [ngram for ngram in counts if ngram in reference_counts]
            if shared:
                remaining.append((reference_tokens, factor))
                norms = norm * idf.norm(reference_counts)
                if norms:
                    dot = self._dot(idf, counts, reference_counts, shared)
                    total += factor * dot / norms
        return total, remaining

    def _dot(
        self,
        idf: InverseDocumentFrequency,
        counts: Mapping[Ngram, int],
        reference_counts: Mapping[Ngram, int],
        shared: list[Ngram],
    ) -> float:
        products = [
            self._product(counts[ngram], reference_counts[ngram]) * idf[ngram] ** 2
            for ngram in shared
        ]
        return sum(products)

    def _score(self, totals: np.ndarray, segments: int) -> MeanScore:
        return MeanScore(value=totals[0] / segments, segments=segments)

    def _settings(self) -> dict[str, object]:
        settings = {"tok": tokenizer_name(self._tokenizer)}
        if self._documents is None:
            return {**settings, "df": "corpus"}
        return {**settings, "df": "given", "docs": self._documents}


class CIDEr(_Consensus):
    """CIDEr: cosine of the tf-idf vectors of n-grams, mean over orders and references.

    For each order n from 1 to 4 a text is a vector with the entry
    count * log(documents / document frequency) for each n-gram. A document is all
    references of a segment. The frequency of an n-gram in no document counts as 1. The
    score is 10 times the mean cosine, from 0 to 10. The score of a corpus is the mean
    over its segments.

    By default the documents are the references of the corpus, so the score of a segment
    depends on the other segments. A single segment can be scored only by the result of
    `fitted`. A corpus of one segment has the score 0 for all texts, with a warning.
    Pass `document_frequency` to score a corpus on several machines, or to compare
    corpora.

    Deviation: no stemming (the paper stems all words), and a factor of 10. Both are as
    in the authors' code, whose numbers are published.

    Args:
        tokenizer: A name, the path of a SentencePiece model, or a function from a text
            to a list of tokens, see `metrics.tokenizers.get_tokenizer`. COCO
            evaluations use `"ptb"`.
        document_frequency: Number of documents with each n-gram (a tuple of tokens),
            from `count_documents`.
        documents: Number of documents that were counted, at least 2.
    Raises:
        TypeError: If `document_frequency` is not a mapping, or `tokenizer` neither a
            name nor a function.
        ValueError: If there is no such tokenizer, or only one of the last two arguments
            is given, or `documents` is less than 2, or a frequency is larger.
        ImportError: If the library of the tokenizer is missing.
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
    ) -> None:
        super().__init__(tokenizer, document_frequency, documents)

    def _product(self, hypothesis_count: int, reference_count: int) -> int:
        return hypothesis_count * reference_count

    def _length_factor(self, difference: int) -> float:
        return 1.0


class CIDErD(_Consensus):
    """CIDEr-D: the number that COCO evaluations call CIDEr. It is harder to game.

    It differs from `CIDEr` in two ways. In the product of two vectors, the count of an
    n-gram in the hypothesis is clipped to the count in the reference. Each cosine is
    multiplied by exp(-d^2 / (2 sigma^2)), where d is the difference in length.

    Deviation: counts are clipped, as in the authors' code. The paper clips the counts
    divided by the number of n-grams of the text.

    Args:
        tokenizer: As for `CIDEr`.
        sigma: Width of the length penalty.
        document_frequency: As for `CIDEr`.
        documents: As for `CIDEr`.
    Raises:
        TypeError: As `CIDEr`.
        ValueError: As `CIDEr`, or if `sigma` is not a positive number.
        ImportError: As `CIDEr`.
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
    ) -> None:
        self._sigma = check_number("sigma", sigma, above=0)
        super().__init__(tokenizer, document_frequency, documents)

    def _product(self, hypothesis_count: int, reference_count: int) -> int:
        return min(hypothesis_count, reference_count) * reference_count

    def _length_factor(self, difference: int) -> float:
        # The authors' code uses numbers of bigrams. They differ by the same number,
        # except for an empty text, which has no similarity anyway.
        # sigma ** 2 could overflow or be 0, so the ratio is squared.
        ratio = difference / self._sigma
        return math.exp(-ratio * ratio / 2)

    def _settings(self) -> dict[str, object]:
        return {**super()._settings(), "sigma": short_number(self._sigma)}


def _count(tokens: Tokens, order: int) -> dict[Ngram, int]:
    counts = dict.fromkeys(ngrams(tokens, order), 1)
    if len(counts) <= len(tokens) - order:
        # Only a text that repeats an n-gram needs `Counter`, which is slower.
        return Counter(ngrams(tokens, order))
    return counts
