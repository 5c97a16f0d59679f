"""Document frequencies of n-grams, and the weights that follow from them."""

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import mul

from ..base import Text
from ..checks import check_integer, shorten
from ..ngrams import MAX_ORDER, ngrams
from ..text_checks import check_text, is_iterable
from ..tokenizers import Tokenizer, get_tokenizer

Ngram = tuple[str, ...]

# float64 represents all integers up to this one.
MAX_DOCUMENTS = 2**53


def count_documents(
    references: Iterable[Sequence[Text]],
    *,
    tokenizer: str | Tokenizer = "ptb",
    max_order: int = 4,
) -> Counter[Ngram]:
    """Counts the documents with each n-gram. A document is all references of a segment.

    The counts of parts of a corpus may be added.

    Args:
        references: One list of references for each segment.
        tokenizer: A name, the path of a SentencePiece model, or a function from a text
            to a list of tokens, see `metrics.tokenizers.get_tokenizer`.
        max_order: Largest n, at most 100.
    Raises:
        TypeError: If `references` is not a list of lists of texts.
        ValueError: If there is no such tokenizer, or `max_order` is out of its range.
    Example:
        >>> count_documents([["a b", "a c"], ["a b"]], tokenizer="none")[("a", "b")]
        2
    """
    tokenize = get_tokenizer(tokenizer)
    max_order = check_integer("max_order", max_order, maximum=MAX_ORDER)
    if isinstance(references, str) or not is_iterable(references):
        raise TypeError(
            "`references` must be a list, with an entry for each segment. Received: "
            f"{shorten(references)}"
        )
    frequency: Counter[Ngram] = Counter()
    for index, texts in enumerate(references):
        if not isinstance(texts, list | tuple):
            raise TypeError(
                f"`references[{index}]` must be a list of references. Received: "
                f"{shorten(texts)}"
            )
        document: set[Ngram] = set()
        for number, text in enumerate(texts):
            check_text(text, f"references[{index}][{number}]")
            tokens = tokenize(text) if isinstance(text, str) else text
            document.update(*(ngrams(tokens, n + 1) for n in range(max_order)))
        frequency.update(document)
    return frequency


class InverseDocumentFrequency:
    """Weights of n-grams: log(documents / document frequency).

    The frequency of an n-gram in no document counts as 1.

    Args:
        document_frequency: Number of documents with each n-gram.
        documents: Number of documents.
    Example:
        >>> idf = InverseDocumentFrequency({("a",): 2}, 2)
        >>> idf["a",], round(idf["dog",], 4)
        (0.0, 0.6931)
    """

    def __init__(
        self, document_frequency: Mapping[Ngram, float], documents: int
    ) -> None:
        self._largest = math.log(documents)
        # Most n-grams are in one document only and need no entry.
        self._smaller = {
            ngram: self._largest - math.log(count)
            for ngram, count in document_frequency.items()
            if count > 1
        }

    def __getitem__(self, ngram: Ngram) -> float:
        return self._smaller.get(ngram, self._largest)

    def norm(self, counts: Mapping[Ngram, int]) -> float:
        """The Euclidean norm of the vector of count * weight."""
        weights = map(self._smaller.get, counts, repeat(self._largest))
        return math.hypot(*map(mul, counts.values(), weights))


def check_document_frequency(
    document_frequency: Mapping[Ngram, float] | None, documents: int | None
) -> tuple[Mapping[Ngram, float], int]:
    """Checks document frequencies that a user passed.

    Returns:
        `(document_frequency, documents)`.
    Raises:
        TypeError: If the first is not a mapping from tuples of tokens.
        ValueError: If one of the two is missing, or a count is not a number from 0 to
            `documents`.
    """
    if document_frequency is None or documents is None:
        missing = "documents" if documents is None else "document_frequency"
        raise ValueError(
            "`document_frequency` and `documents` must be given together. Received: "
            f"{missing}=None"
        )
    documents = check_integer("documents", documents, 2, MAX_DOCUMENTS)
    if not isinstance(document_frequency, Mapping):
        raise TypeError(
            "`document_frequency` must be a mapping from n-grams to counts. Received: "
            f"{shorten(document_frequency)}"
        )
    for ngram, count in document_frequency.items():
        if not isinstance(ngram, tuple) or not ngram or not _are_strings(ngram):
            raise TypeError(
                "`document_frequency` must have n-grams as keys, tuples of tokens. "
                f"Received: {shorten(ngram)}"
            )
        is_number = isinstance(count, numbers.Real) and not isinstance(count, bool)
        if not is_number or not 0 <= count <= documents:
            raise ValueError(
                "`document_frequency` must have counts from 0 to `documents`. "
                f"Received: {shorten(count)} for {shorten(ngram)}, "
                f"documents={documents}"
            )
    return document_frequency, documents


def _are_strings(tokens: Iterable[object]) -> bool:
    return all(isinstance(token, str) for token in tokens)
