"""CIDEr and CIDEr-D: similarity of a caption to the consensus of several captions."""

import math
from collections.abc import Mapping

from ..checks import check_number
from ..signatures import short_number
from ..tokenizers import Tokenizer
from .consensus import Consensus
from .document_frequency import Ngram


class CIDEr(Consensus):
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


class CIDErD(Consensus):
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
