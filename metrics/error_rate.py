"""WER and CER: how many words, or characters, must be edited to get the reference."""

import abc
import dataclasses
from collections.abc import Sequence

from .base import Metric, Score, Text
from .checks import check_boolean
from .edit_distance import EditDistance
from .tokenizers.tokenizers import Tokenizer, get_tokenizer, tokenizer_name


@dataclasses.dataclass(frozen=True, kw_only=True)
class ErrorRateScore(Score):
    """An error rate.

    Attributes:
        edits: Substitutions, insertions and deletions.
        substitutions: Words (characters) in place of others.
        insertions: Words (characters) that the reference has not.
        deletions: Words (characters) that the hypothesis has not.
        reference_length: Words (characters) of the references nearest to hypotheses.
    """

    edits: int
    substitutions: int
    insertions: int
    deletions: int
    reference_length: int


class ErrorRate(Metric):
    """What WER and CER share: they differ in what a text is made of.

    Of several references the one with the fewest edits counts, of equals the longest:
    of that the hypothesis has the most right, and the order of references must not
    matter.
    """

    higher_is_better = False
    num_statistics = 4

    @abc.abstractmethod
    def _units(self, text: Text) -> Sequence[str]:
        """Words or characters of a text."""

    def _segment_statistics(self, references, hypothesis):
        hypothesis = self._units(hypothesis)
        counts = [self._counts(self._units(own), hypothesis) for own in references]
        return min(counts, key=lambda own: (sum(own[:3]), -own[3], -own[0]))

    def _counts(self, reference, hypothesis):
        operations = EditDistance(reference).operations(hypothesis)
        return *map(operations.count, "SID"), len(reference)

    def _score(self, totals, segments):
        *counts, length = map(round, totals.tolist())
        edits = sum(counts)
        substitutions, insertions, deletions = counts
        return ErrorRateScore(
            value=edits / length if length else float(edits > 0),
            edits=edits,
            substitutions=substitutions,
            insertions=insertions,
            deletions=deletions,
            reference_length=length,
        )


class WER(ErrorRate):
    """Word error rate: substitutions, insertions and deletions / reference words.

    Of a corpus, the sum of edits / the sum of lengths. Of several references the one
    with the fewest edits counts, of equals the longest. Without any reference word the
    rate is 0 if the hypotheses are empty too, else 1, as for TER; jiwer has the number
    of insertions there. It exceeds 1 where more words are wrong than the reference has.

    A list of tokens is not tokenised; pass `tokenizer="none"` then, so that the
    signature says so. Strings are lower-cased before they are tokenised.

    Args:
        tokenizer: A name in `metrics.tokenizers.TOKENIZERS`, or a function from a text
            to a list of tokens.
        lowercase: Whether case does not matter.
    Raises:
        ValueError: If there is no such tokenizer.
        TypeError: If an argument is of the wrong type.
    Reference:
        Levenshtein (1966), Binary Codes Capable of Correcting Deletions, Insertions and
        Reversals.
    Example:
        >>> score = WER().sentence_score(["the cat sat down"], "a cat sat")
        >>> score.substitutions, score.insertions, score.deletions, score.value
        (1, 0, 1, 0.5)
    """

    name = "wer"

    def __init__(self, *, tokenizer: str | Tokenizer = "none", lowercase: bool = False):
        check_boolean("lowercase", lowercase)
        self._tokenizer = tokenizer_name(tokenizer)
        self._tokenize = get_tokenizer(tokenizer)
        self._lowercase = lowercase

    def _settings(self):
        return {"case": "lc" if self._lowercase else "mixed", "tok": self._tokenizer}

    def _units(self, text):
        if isinstance(text, str):
            return self._tokenize(text.lower() if self._lowercase else text)
        return [token.lower() for token in text] if self._lowercase else text


class CER(ErrorRate):
    """Character error rate: edits of characters / reference characters.

    As `WER`, with Unicode code points in place of words. White space in a row is one
    blank, at the ends none; a list of tokens is joined by one blank.

    Args:
        lowercase: Whether case does not matter.
        whitespace: Whether blanks are characters too.
    Raises:
        TypeError: If an argument is not `True` or `False`.
    Reference:
        As `WER`.
    Example:
        >>> score = CER().sentence_score(["sitting"], "kitten")
        >>> score.substitutions, score.insertions, score.deletions, score.edits
        (2, 0, 1, 3)
    """

    name = "cer"

    def __init__(self, *, lowercase: bool = False, whitespace: bool = True):
        check_boolean("lowercase", lowercase)
        check_boolean("whitespace", whitespace)
        self._lowercase = lowercase
        self._whitespace = whitespace

    def _settings(self):
        return {
            "case": "lc" if self._lowercase else "mixed",
            "space": self._whitespace,
        }

    def _units(self, text):
        words = text.split() if isinstance(text, str) else " ".join(text).split()
        joined = (" " if self._whitespace else "").join(words)
        return joined.lower() if self._lowercase else joined
