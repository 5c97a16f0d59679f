"""Perplexity and bits per character of a language model, from its log-probabilities."""

import abc
import dataclasses
import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from ..base import Metric, Text
from ..checks import shorten
from ..scores import Score
from .log_probabilities import (
    Rows,
    as_floats,
    check_log_probabilities,
    check_segments,
    checked_tokens,
)

# A log-probability below this counts as log 0, so that sums are finite. Masks use such
# numbers instead of an infinity, for example the lowest float64. Heuristic.
IMPOSSIBLE = -1e300


@dataclasses.dataclass(frozen=True, kw_only=True)
class PerplexityScore(Score):
    """A perplexity.

    Attributes:
        cross_entropy: Mean of -log p over the tokens, in nats.
        tokens: Number of tokens.
    """

    cross_entropy: float
    tokens: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class BitsPerCharacterScore(Score):
    """Bits per character.

    Attributes:
        bits: Sum of -log2 p over the tokens.
        characters: Number of characters.
    """

    bits: float
    characters: int


LikelihoodScore = TypeVar("LikelihoodScore", bound=Score, covariant=True)


class _Likelihood(Metric[LikelihoodScore]):
    """The base class of metrics of -log p of texts, divided by a number of units.

    The hypotheses are natural-log probabilities: a list or 1-D array for each text,
    with the true tokens only and without padding.
    """

    higher_is_better = False
    num_statistics = 3

    @abc.abstractmethod
    def _units(self, references: Sequence[Text], log_probabilities: np.ndarray) -> int:
        """The number of units by which -log p of a segment is divided."""

    def _check(
        self,
        references: Sequence[Any],
        hypotheses: Sequence[Any],
        name: str = "hypotheses",
    ) -> None:
        check_segments("references", references)
        check_segments(name, hypotheses)
        if len(references) != len(hypotheses):
            raise ValueError(
                "`references` must hold one list of references for each hypothesis. "
                f"Received: {len(references)} and {len(hypotheses)} hypotheses."
            )
        for index, values in enumerate(hypotheses):
            check_log_probabilities(values, f"{name}[{index}]")
            self._check_references(references[index], f"references[{index}]")

    def _check_segment(self, references: Sequence[Any], hypothesis: Any) -> None:
        check_log_probabilities(hypothesis, "hypothesis")
        self._check_references(references, "references")

    @abc.abstractmethod
    def _check_references(self, references: Any, name: str) -> None:
        """Checks the references of a segment."""

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Any
    ) -> list[float]:
        """-log p of the possible tokens, number of impossible tokens, units.

        Impossible tokens are counted separately because infinities cannot be resampled.
        """
        values = np.minimum(as_floats(hypothesis), 0.0)
        impossible = values < IMPOSSIBLE
        negative_log = 0.0 - values[~impossible].sum()  # subtraction avoids -0.0
        return [negative_log, impossible.sum(), self._units(references, values)]

    def _settings(self) -> dict[str, object]:
        return {}


class Perplexity(_Likelihood[PerplexityScore]):
    """Perplexity: exp of the mean of -log p over the tokens of a corpus.

    The hypotheses are the natural-log probabilities of the tokens: a list or 1-D array
    for each text, without padding (`unmasked` removes it). The references are not used,
    and their lists may be empty; the function `perplexity` needs none. A token of
    probability 0 makes the perplexity infinite.

    Perplexities can be compared only for the same tokens. `BitsPerCharacter` can be
    compared across tokenizers; of a model of characters, the perplexity is 2 to the
    power of it. The log-probabilities of a language model of `memnets train` are those
    of `tasks.text.network.NetworkModel(run.load_model(), run.task.vocabulary)`.

    Reference:
        Jelinek, Mercer, Bahl, Baker (1977), Perplexity: a measure of the difficulty of
        speech recognition tasks.
    Example:
        >>> half, quarter = math.log(1 / 2), math.log(1 / 4)
        >>> score = Perplexity().corpus_score([[], []], [[half], [quarter, quarter]])
        >>> round(score.value, 4), score.tokens
        (3.1748, 3)
    """

    name = "perplexity"

    def _check_references(self, references: Any, name: str) -> None:
        if not isinstance(references, list | tuple):
            raise TypeError(
                f"`{name}` must be a list, and may be empty. Received: "
                f"{shorten(references)}"
            )

    def _units(self, references: Sequence[Text], log_probabilities: np.ndarray) -> int:
        return len(log_probabilities)

    def _score(self, totals: np.ndarray, segments: int) -> PerplexityScore:
        negative_log, impossible, tokens = totals
        mean = math.inf if impossible else negative_log / tokens
        value = math.exp(mean) if mean < 709 else math.inf  # exp(710) overflows
        return PerplexityScore(value=value, cross_entropy=mean, tokens=int(tokens))


class BitsPerCharacter(_Likelihood[BitsPerCharacterScore]):
    """Bits per character: -log2 of the probability of a corpus / its characters.

    The hypotheses are as for `Perplexity`. Each has one reference: the text of its
    tokens. Characters are Unicode code points. If the model predicts a new line at the
    end, the text must have it too.

    Reference:
        Graves (2013), Generating Sequences With Recurrent Neural Networks,
        arXiv:1308.0850, section 3.
    Example:
        >>> metric = BitsPerCharacter()
        >>> metric.sentence_score(["four"], [math.log(1 / 2), math.log(1 / 8)]).value
        1.0
    """

    name = "bits-per-character"

    def _check_references(self, references: Any, name: str) -> None:
        is_list = isinstance(references, list | tuple)
        if not is_list or len(references) != 1 or not isinstance(references[0], str):
            raise TypeError(
                f"`{name}` must be a list of one string, the text whose characters are "
                f"counted. Received: {shorten(references)}"
            )
        if not references[0]:
            raise ValueError(
                f"`{name}` must have at least one character. Received none."
            )

    def _units(self, references: Sequence[Text], log_probabilities: np.ndarray) -> int:
        return len(references[0])

    def _score(self, totals: np.ndarray, segments: int) -> BitsPerCharacterScore:
        negative_log, impossible, characters = totals
        bits = math.inf if impossible else negative_log / math.log(2)
        return BitsPerCharacterScore(
            value=bits / characters, bits=bits, characters=int(characters)
        )


def perplexity(log_probabilities: Rows, *, mask: Rows | None = None) -> float:
    """Perplexity of the tokens of one or more texts.

    Args:
        log_probabilities: Natural-log probabilities of the true tokens: a list or 1-D
            array for each text, or an array `(B, T)`.
        mask: Booleans of the same shape: true for a token, false for padding. `None`
            means that there is no padding. A row that is padding alone, as at the end
            of a last batch, is no text.
    Raises:
        TypeError: If a log-probability is not a number, or `mask` is not boolean.
        ValueError: If the shapes differ, there are no tokens, a text has none without
            a mask, or a number is not the logarithm of a probability.
    Example:
        >>> round(perplexity(np.log([[1 / 2, 1 / 8]])), 9)
        4.0
        >>> round(perplexity(np.log([[1 / 2, 1 / 8]]), mask=[[True, False]]), 9)
        2.0
    """
    tokens = list(checked_tokens(log_probabilities, mask).values())
    return Perplexity().corpus_score([[]] * len(tokens), tokens).value


def bits_per_character(
    log_probabilities: Rows, texts: Sequence[str], *, mask: Rows | None = None
) -> float:
    """Bits per character of one or more texts.

    Args:
        log_probabilities: As for `perplexity`.
        texts: The texts, one string each.
        mask: As for `perplexity`. The string of a row that is padding alone does not
            count.
    Raises:
        TypeError: As `perplexity`, or if a text is not a string.
        ValueError: As `perplexity`, or if a text has no characters.
    Example:
        >>> bits_per_character([[math.log(1 / 2), math.log(1 / 8)]], ["four"])
        1.0
    """
    tokens = checked_tokens(log_probabilities, mask)
    check_segments("texts", texts)
    if len(texts) != len(log_probabilities):
        raise ValueError(
            "`texts` must hold one text for each of the log-probabilities. Received: "
            f"{len(texts)} and {len(log_probabilities)}."
        )
    for index, text in enumerate(texts):
        if not isinstance(text, str) or (index in tokens and not text):
            raise (ValueError if isinstance(text, str) else TypeError)(
                f"`texts[{index}]` must be a string of at least one character. "
                f"Received: {shorten(text)}"
            )
    return (
        BitsPerCharacter()
        .corpus_score([[texts[index]] for index in tokens], list(tokens.values()))
        .value
    )
