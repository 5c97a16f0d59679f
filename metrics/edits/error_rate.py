"""WER and CER: the share of words, or characters, that must be edited."""

import abc
import dataclasses
from collections.abc import Sequence

import numpy as np

from ..base import Metric, Text
from ..checks import check_boolean
from ..scores import Score
from ..tokenizers import Tokenizer, get_tokenizer, tokenizer_name, tokens_of
from ..tokenizers.script_checks import misreading
from .edit_distance import EditDistance


@dataclasses.dataclass(frozen=True, kw_only=True)
class ErrorRateScore(Score):
    """An error rate.

    Attributes:
        edits: Number of substitutions, insertions and deletions.
        substitutions: Words (characters) that replace others.
        insertions: Words (characters) that are only in the hypothesis.
        deletions: Words (characters) that are only in the reference.
        reference_length: Words (characters) of the references with the fewest edits.
    """

    edits: int
    substitutions: int
    insertions: int
    deletions: int
    reference_length: int


class ErrorRate(Metric[ErrorRateScore]):
    """The base class of WER and CER, which differ in the units of a text.

    The reference with the fewest edits counts; the longest one of equals:
    the hypothesis has the most of it right. So the order of references does not matter.
    """

    higher_is_better = False
    num_statistics = 4

    @abc.abstractmethod
    def _units(self, text: Text) -> Sequence[str]:
        """Words or characters of a text."""

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> tuple[int, ...]:
        hypothesis_units = self._units(hypothesis)
        counts = [
            _edit_counts(self._units(reference), hypothesis_units)
            for reference in references
        ]
        # Fewest edits, longest reference, most substitutions.
        return min(counts, key=lambda count: (sum(count[:3]), -count[3], -count[0]))

    def _score(self, totals: np.ndarray, segments: int) -> ErrorRateScore:
        substitutions, insertions, deletions, length = map(round, totals.tolist())
        edits = substitutions + insertions + deletions
        return ErrorRateScore(
            value=edits / length if length else float(edits > 0),
            edits=edits,
            substitutions=substitutions,
            insertions=insertions,
            deletions=deletions,
            reference_length=length,
        )


def _edit_counts(
    reference: Sequence[str], hypothesis: Sequence[str]
) -> tuple[int, ...]:
    operations = EditDistance(reference).operations(hypothesis)
    return *map(operations.count, "SID"), len(reference)


class WER(ErrorRate):
    """Word error rate: substitutions, insertions and deletions / reference words.

    The rate of a corpus is the sum of edits / the sum of reference lengths. Of several
    references the one with the fewest edits counts, of equals the longest. Without any
    reference word the rate is 0 if the hypotheses are empty too, else 1, as for TER
    (jiwer returns the number of insertions). It exceeds 1 if there are more edits than
    reference words.

    Lists of tokens are not tokenised. Pass `tokenizer="none"` with them, so that the
    signature says so. Strings are lower-cased before they are tokenised.

    Args:
        tokenizer: A name, the path of a SentencePiece model, or a function from a text
            to a list of tokens, see `metrics.tokenizers.get_tokenizer`.
        lowercase: Whether to ignore case.
    Raises:
        ValueError: If there is no such tokenizer.
        TypeError: If `lowercase` is not a boolean, or `tokenizer` neither a name nor a
            function.
        ImportError: If the library of the tokenizer is missing.
    Reference:
        Levenshtein (1966), Binary Codes Capable of Correcting Deletions, Insertions and
        Reversals.
    Example:
        >>> score = WER().sentence_score(["the cat sat down"], "a cat sat")
        >>> score.substitutions, score.insertions, score.deletions, score.value
        (1, 0, 1, 0.5)
    """

    name = "wer"

    def __init__(
        self, *, tokenizer: str | Tokenizer = "none", lowercase: bool = False
    ) -> None:
        self._lowercase = check_boolean("lowercase", lowercase)
        self._tokenizer = tokenizer_name(tokenizer)
        self._tokenize = get_tokenizer(tokenizer)

    def _settings(self) -> dict[str, object]:
        return {"case": "lc" if self._lowercase else "mixed", "tok": self._tokenizer}

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        return misreading(references, self._units)

    def _units(self, text: Text) -> Sequence[str]:
        return tokens_of(text, self._tokenize, lowercase=self._lowercase)


class CER(ErrorRate):
    """Character error rate: edits of characters / reference characters.

    As `WER`, with Unicode code points in place of words. A run of white space is one
    blank; white space at the ends is removed. A list of tokens is joined with blanks.

    Args:
        lowercase: Whether to ignore case.
        whitespace: Whether blanks count as characters.
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

    def __init__(self, *, lowercase: bool = False, whitespace: bool = True) -> None:
        self._lowercase = check_boolean("lowercase", lowercase)
        self._whitespace = check_boolean("whitespace", whitespace)

    def _settings(self) -> dict[str, object]:
        return {
            "case": "lc" if self._lowercase else "mixed",
            "space": self._whitespace,
        }

    def _units(self, text: Text) -> str:
        words = text.split() if isinstance(text, str) else " ".join(text).split()
        joined = (" " if self._whitespace else "").join(words)
        return joined.lower() if self._lowercase else joined
