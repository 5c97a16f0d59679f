"""Perplexity and bits per character of a language model, from its log-probabilities."""

import abc
import dataclasses
import math

import numpy as np

from .base import Metric, Score
from .checks import shorten

# How far above 0 rounding may take a log-probability; chosen, far below what somebody
# passes who has not taken the logarithm.
ROUNDING = 1e-3

# What is below is taken for log 0, so that sums are finite: what masks put in place of
# an infinity, as the lowest number of float64. Chosen.
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


class _Likelihood(Metric):
    """Surprise of a model at texts, divided by a number of units in them.

    What is the hypothesis of other metrics is here the natural-log probabilities of the
    tokens of a text, a list or 1-D array, of the true tokens only: without padding.
    """

    higher_is_better = False
    num_statistics = 3

    @abc.abstractmethod
    def _units(self, references, log_probabilities) -> int:
        """In how many parts the surprise at a segment is shared out."""

    def _check(self, references, hypotheses, name="hypotheses"):
        _check_segments("references", references)
        _check_segments(name, hypotheses)
        if len(references) != len(hypotheses):
            raise ValueError(
                "`references` must hold one list of references for each hypothesis. "
                f"Received: {len(references)} and {len(hypotheses)} hypotheses."
            )
        for index, values in enumerate(hypotheses):
            check_log_probabilities(values, f"{name}[{index}]")
            self._check_references(references[index], f"references[{index}]")

    def _check_segment(self, references, hypothesis):
        check_log_probabilities(hypothesis, "hypothesis")
        self._check_references(references, "references")

    @abc.abstractmethod
    def _check_references(self, references, name) -> None:
        """Checks the references of a segment."""

    def _segment_statistics(self, references, hypothesis):
        """Surprise at the possible tokens, impossible tokens, units.

        Impossible tokens are counted apart because infinities cannot be resampled.
        """
        values = np.minimum(_floats(hypothesis), 0.0)
        impossible = values < IMPOSSIBLE
        surprise = 0.0 - values[~impossible].sum()  # not -0.0
        return [surprise, impossible.sum(), self._units(references, values)]

    def _settings(self):
        return {}


class Perplexity(_Likelihood):
    """Perplexity: exp of the mean of -log p over the tokens of a corpus.

    The hypotheses are the natural-log probabilities of the tokens, a list or 1-D array
    for each text, without those of padding (`unmasked` leaves them out). No reference
    is read, and their lists may be empty; the function `perplexity` does without them.
    A token of probability 0 makes the perplexity infinite.

    Perplexities compare only for the same tokens; `BitsPerCharacter` compares
    across tokenizers.

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

    def _check_references(self, references, name):
        if not isinstance(references, list | tuple):
            raise TypeError(
                f"`{name}` must be a list, and may be empty. Received: "
                f"{shorten(references)}"
            )

    def _units(self, references, log_probabilities):
        return len(log_probabilities)

    def _score(self, totals, segments):
        surprise, impossible, tokens = totals
        mean = math.inf if impossible else surprise / tokens
        # Beyond that e^mean is no float.
        value = math.exp(mean) if mean < 709 else math.inf
        return PerplexityScore(value=value, cross_entropy=mean, tokens=int(tokens))


class BitsPerCharacter(_Likelihood):
    """Bits per character: -log2 of the probability of a corpus, over its characters.

    The hypotheses are as for `Perplexity`; the only reference of each is the text whose
    tokens they are. Its characters are counted as Unicode code points: a text that
    a model ends with a new line should have the new line too.

    Reference:
        Graves (2013), Generating Sequences With Recurrent Neural Networks,
        arXiv:1308.0850, section 3.
    Example:
        >>> metric = BitsPerCharacter()
        >>> metric.sentence_score(["four"], [math.log(1 / 2), math.log(1 / 8)]).value
        1.0
    """

    name = "bits-per-character"

    def _check_references(self, references, name):
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

    def _units(self, references, log_probabilities):
        return len(references[0])

    def _score(self, totals, segments):
        surprise, impossible, characters = totals
        bits = math.inf if impossible else surprise / math.log(2)
        return BitsPerCharacterScore(
            value=bits / characters, bits=bits, characters=int(characters)
        )


def perplexity(log_probabilities, *, mask=None) -> float:
    """Perplexity of the tokens of one or more texts.

    Args:
        log_probabilities: Natural-log probabilities of the true tokens: a list or 1-D
            array for each text, or an array `(B, T)`.
        mask: Of the same shape, true where there is a token and false at padding; all
            are tokens if `None`.
    Raises:
        TypeError: If something is not numbers, or not booleans.
        ValueError: If a shape does not fit, or a text has no tokens, or a number is not
            the logarithm of a probability.
    Example:
        >>> round(perplexity(np.log([[1 / 2, 1 / 8]])), 9)
        4.0
        >>> round(perplexity(np.log([[1 / 2, 1 / 8]]), mask=[[True, False]]), 9)
        2.0
    """
    tokens = _checked_tokens(log_probabilities, mask)
    return Perplexity().corpus_score([[]] * len(tokens), tokens).value


def bits_per_character(log_probabilities, texts, *, mask=None) -> float:
    """Bits per character of one or more texts.

    Args:
        log_probabilities: As for `perplexity`.
        texts: The texts, a string for each.
        mask: As for `perplexity`.
    Raises:
        TypeError: If something is not numbers, booleans or strings, in this order.
        ValueError: As `perplexity`, or if a text has no characters.
    Example:
        >>> bits_per_character([[math.log(1 / 2), math.log(1 / 8)]], ["four"])
        1.0
    """
    tokens = _checked_tokens(log_probabilities, mask)
    _check_segments("texts", texts)
    if len(texts) != len(tokens):
        raise ValueError(
            "`texts` must hold one text for each of the log-probabilities. Received: "
            f"{len(texts)} and {len(tokens)}."
        )
    for index, text in enumerate(texts):
        if not isinstance(text, str) or not text:
            raise (ValueError if isinstance(text, str) else TypeError)(
                f"`texts[{index}]` must be a string of at least one character. "
                f"Received: {shorten(text)}"
            )
    return BitsPerCharacter().corpus_score([[text] for text in texts], tokens).value


def _checked_tokens(log_probabilities, mask):
    tokens = unmasked(log_probabilities, mask)
    for index, values in enumerate(tokens):
        check_log_probabilities(values, f"log_probabilities[{index}]")
    return tokens


def unmasked(log_probabilities, mask=None) -> list:
    """The numbers where the mask is true, an array for each text.

    Args:
        log_probabilities: As for `perplexity`.
        mask: As for `perplexity`.
    Raises:
        TypeError: If the mask is not boolean.
        ValueError: If the shapes differ, or there is nothing.
    Example:
        >>> unmasked([[-1.0, -2.0, 0.0]], [[True, True, False]])
        [array([-1., -2.])]
    """
    _check_segments("log_probabilities", log_probabilities)
    if mask is None:
        return list(log_probabilities)
    _check_segments("mask", mask)
    if len(mask) != len(log_probabilities):
        raise ValueError(
            "`mask` must have an entry for each text. Received: "
            f"{len(mask)} and {len(log_probabilities)} texts."
        )
    return [
        _unmasked_row(row, values, index)
        for index, (row, values) in enumerate(zip(mask, log_probabilities, strict=True))
    ]


def _unmasked_row(row, values, index):
    values = _array(values, f"log_probabilities[{index}]")
    kept = _array(row, f"mask[{index}]")
    if kept.dtype != bool:
        raise TypeError(f"`mask[{index}]` must be boolean. Received: {shorten(row)}")
    if kept.shape != values.shape:
        raise ValueError(
            f"`mask[{index}]` must have the shape of its log-probabilities, "
            f"{values.shape}. Received: {kept.shape}"
        )
    return values[kept]


def check_log_probabilities(values, name: str) -> None:
    """Checks the log-probabilities of a segment.

    Args:
        values: What should be a list or 1-D array of them.
        name: What messages call them.
    Raises:
        TypeError: If they are not real numbers.
        ValueError: If they are not one sequence of at least one number, of which none
            is positive or not a number.
    """
    array = _array(values, name)
    if array.dtype.kind in "OSUbcmM" or array.dtype.names:
        raise TypeError(f"`{name}` must be real numbers. Received: {shorten(values)}")
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"`{name}` must be 1-D, with at least one number: a single text goes into "
            f"a list of its own. Received: shape {array.shape}"
        )
    wrong = np.flatnonzero(~(_floats(array) <= ROUNDING))
    if wrong.size:
        raise ValueError(
            f"`{name}` must be at most 0, the natural logarithm of probabilities. "
            f"Received: {array[wrong[0]]} at position {wrong[0]}"
        )


def _array(values, name):
    try:
        return np.asarray(values)
    except (TypeError, ValueError):  # rows of several lengths, or what is no array
        raise ValueError(f"`{name}` must be 1-D. Received: {shorten(values)}") from None


def _floats(values):
    with np.errstate(over="ignore"):  # of a longer type, beyond all of float64
        return np.asarray(values).astype(float)


def _check_segments(name, value):
    is_array = isinstance(value, np.ndarray) and value.ndim
    if not is_array and not isinstance(value, list | tuple):
        raise TypeError(
            f"`{name}` must be a list, with an entry for each segment. Received: "
            f"{shorten(value)}"
        )
    if not len(value):
        raise ValueError(f"`{name}` must hold at least one segment. Received none.")
