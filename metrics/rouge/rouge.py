"""ROUGE: subsequences and n-grams shared with the best reference."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter

from ..base import Text
from ..checks import check_choice, check_integer, shorten
from ..ngrams import MAX_ORDER, ngrams
from ..tokenizers import Tokenizer
from ..tokenizers.ptb import stanford_tokens
from ..tokenizers.rouge import blank_separated, google_words
from .base import Rouge, f_precision_recall, f_score
from .subsequences import common_length, common_positions, positions_of

# Weight of recall against precision in F. Lin gives no value; 1.2 is pycocoevalcap's.
BETA = {"google": 1.0, "coco": 1.2}


class ROUGEL(Rouge):
    """ROUGE-L: F of the longest common subsequence of hypothesis and reference.

    P is its length / the length of the hypothesis, R is its length / the length of the
    reference, and F = (1 + beta^2) P R / (R + beta^2 P). The score of a corpus is the
    mean over its segments. People quote two implementations:

    - `"google"`, rouge-score: beta is 1, and the reference with the best F counts.
      Words are the runs of a-z and 0-9 in the lower-cased text. An empty text scores 0.
    - `"coco"`, pycocoevalcap: beta is 1.2. F is computed from the largest P and the
      largest R of all references. A text is split at every blank, so the empty text has
      one empty word, and two empty texts score 1. COCO evaluations use
      `tokenizer="ptb"`; "1 1/2" and "(555) 555-1234" are then one word each, and two
      for all other metrics of pycocoevalcap.

    Args:
        variant: `"google"` or `"coco"`.
        tokenizer: The name of a tokenizer, or a function from a string to a list of
            tokens. `None` means the words of the variant.
        stem: Whether to compare Porter stems of words longer than three characters.
            Lists of tokens are stemmed too.
    Raises:
        TypeError: If `stem` is not a boolean.
        ValueError: If there is no such variant or tokenizer.
    Reference:
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, equations
        2-4; rouge-score 0.1.2; pycocoevalcap 1.2.
    Example:
        >>> score = ROUGEL().sentence_score(["The cat sat."], "the cat sat down")
        >>> score.precision, score.recall
        (0.75, 1.0)
    """

    name = "rouge-l"

    def __init__(
        self,
        variant: str = "google",
        *,
        tokenizer: str | Tokenizer | None = None,
        stem: bool = False,
    ) -> None:
        self._variant = check_choice("variant", variant, BETA)
        words = google_words if variant == "google" else blank_separated
        super().__init__(words if tokenizer is None else tokenizer, stem)
        if variant == "coco" and tokenizer == "ptb":
            self._tokenize = stanford_tokens

    def _tokens(self, text: Text) -> Sequence[str]:
        tokens = super()._tokens(text)
        return tokens or [""] if self._variant == "coco" else tokens

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> tuple[float, float, float]:
        tokens = self._tokens(hypothesis)
        positions = positions_of(tokens)
        parts = []
        for reference in references:
            reference_tokens = self._tokens(reference)
            length = common_length(positions, len(tokens), reference_tokens)
            parts.append(f_precision_recall(length, len(tokens), len(reference_tokens)))
        if self._variant == "google":
            return max(parts, key=itemgetter(0))
        _, precision, recall = map(max, zip(*parts, strict=True))
        return f_score(precision, recall, BETA["coco"]), precision, recall

    def _settings(self) -> dict[str, object]:
        return {"var": self._variant, **super()._settings()}


class ROUGELsum(Rouge):
    """ROUGE-Lsum: F of the words of summaries that subsequences of sentences cover.

    For each sentence of the reference the longest common subsequence with every
    sentence of the hypothesis is taken. The words of the reference that these cover are
    counted, each at most as often as the hypothesis has it. P is their number / the
    words of the hypothesis, R is their number / the words of the reference, and
    F = 2 P R / (P + R). The reference with the best F counts. The score of a corpus is
    the mean over its segments. The score equals rouge-score's rougeLsum.

    Not to be confused with `ROUGEL`, which takes a text for one sentence. Texts without
    the separator have the same score with both.

    Args:
        separator: What separates the sentences of a text. Some programs write "<n>" in
            place of a line break. In a list of tokens it is a token.
        tokenizer, stem: As for `ROUGEL`.
    Raises:
        TypeError: If `separator` is no string, or `stem` is not a boolean.
        ValueError: If `separator` is empty, or there is no such tokenizer.
    Reference:
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, section 3.2;
        rouge-score 0.1.2.
    Example:
        >>> target = "The cat sat.\\nIt rained."
        >>> ROUGELsum().sentence_score([target], "It rained.\\nThe cat sat.").value
        1.0
        >>> ROUGEL().sentence_score([target], "It rained.\\nThe cat sat.").value
        0.6
    """

    name = "rouge-lsum"

    def __init__(
        self,
        *,
        separator: str = "\n",
        tokenizer: str | Tokenizer | None = None,
        stem: bool = False,
    ) -> None:
        if not isinstance(separator, str) or not separator:
            raise (ValueError if isinstance(separator, str) else TypeError)(
                "`separator` must be a string of at least one character. Received: "
                f"separator={shorten(separator)}"
            )
        self._separator = separator
        super().__init__(google_words if tokenizer is None else tokenizer, stem)

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> tuple[float, float, float]:
        sentences = self._sentences(hypothesis)
        counts = Counter(itertools.chain.from_iterable(sentences))
        parts = []
        for reference in references:
            own = self._sentences(reference)
            covered = Counter(
                word for sentence in own for word in _covered(sentence, sentences)
            )
            shared = (covered & counts).total()
            parts.append(f_precision_recall(shared, counts.total(), sum(map(len, own))))
        return max(parts, key=itemgetter(0))

    def _sentences(self, text: Text) -> list[Sequence[str]]:
        if isinstance(text, str):
            return [self._tokens(part) for part in text.split(self._separator)]
        groups = itertools.groupby(text, key=self._separator.__ne__)
        return [self._tokens(list(words)) for is_words, words in groups if is_words]

    def _settings(self) -> dict[str, object]:
        separator = self._separator.encode("unicode_escape").decode()
        for mark, escaped in ((" ", r"\x20"), ("|", r"\x7c")):
            separator = separator.replace(mark, escaped)
        return {"sep": separator, **super()._settings()}


def _covered(sentence: Sequence[str], others: Iterable[Sequence[str]]) -> list[str]:
    """The words of a sentence that its subsequences with others cover."""
    union = 0
    for other in others:
        union |= common_positions(sentence, other)
    return [word for place, word in enumerate(sentence) if union >> place & 1]


class ROUGEN(Rouge):
    """ROUGE-N: F of the n-grams that hypothesis and reference share.

    An n-gram counts as often as it occurs in both. P is the number of shared n-grams /
    those of the hypothesis, R is the number of shared n-grams / those of the reference,
    and F = 2 P R / (P + R). The reference with the best F counts, as in rouge-score.
    The score of a corpus is the mean over its segments.

    Deviation: Lin's ROUGE-N is a recall. Later versions of his script, and rouge-score,
    report precision, recall and F.

    Args:
        order: Number of words in an n-gram, n, at most 100.
        tokenizer: The name of a tokenizer, or a function from a string to a list of
            tokens. `None` means the words of rouge-score, see `ROUGEL`.
        stem: As for `ROUGEL`.
    Raises:
        TypeError: If `stem` is not a boolean.
        ValueError: If there is no such tokenizer, or `order` is not a positive integer.
    Reference:
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, equation 1;
        rouge-score 0.1.2.
    Example:
        >>> score = ROUGEN(2).sentence_score(["The cat sat."], "the cat sat down")
        >>> score.value
        0.8
    """

    name = "rouge-n"

    def __init__(
        self,
        order: int = 1,
        *,
        tokenizer: str | Tokenizer | None = None,
        stem: bool = False,
    ) -> None:
        self._order = check_integer("order", order, maximum=MAX_ORDER)
        super().__init__(google_words if tokenizer is None else tokenizer, stem)

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> tuple[float, float, float]:
        counts = Counter(ngrams(self._tokens(hypothesis), self._order))
        parts = []
        for reference in references:
            reference_counts = Counter(ngrams(self._tokens(reference), self._order))
            shared = counts & reference_counts
            parts.append(
                f_precision_recall(
                    shared.total(), counts.total(), reference_counts.total()
                )
            )
        return max(parts, key=itemgetter(0))

    def _settings(self) -> dict[str, object]:
        return {"n": self._order, **super()._settings()}
