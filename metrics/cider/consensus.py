"""The mean similarity of a text to its references, which CIDEr and CIDEr-D share."""

import abc
import copy
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from ..base import Metric, Text
from ..ngrams import Tokens, ngrams
from ..scores import MeanScore
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


class Consensus(Metric[MeanScore], CountsDocuments):
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


def _count(tokens: Tokens, order: int) -> dict[Ngram, int]:
    counts = dict.fromkeys(ngrams(tokens, order), 1)
    if len(counts) <= len(tokens) - order:
        # Only a text that repeats an n-gram needs `Counter`, which is slower.
        return Counter(ngrams(tokens, order))
    return counts
